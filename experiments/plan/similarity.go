package plan

import (
	"slices"

	"assay/configs"
	"assay/experiments/record"
	"assay/prompting/exemplar"
	"assay/prompting/vectors"
)

// measures is what tells how near two texts are, by what it is used for.
var measures = []record.Similarity{
	{Use: configs.SimilarValues, By: vectors.Name},
	{Use: configs.SimilarDescriptions, By: vectors.Name},
	{Use: configs.SimilarColumns, By: vectors.Name},
	{Use: configs.SimilarDemos, By: exemplar.SimilarityName},
}

// similarities are the measures that the plan's arms use.
func (p *Plan) similarities() (out []record.Similarity) {
	for _, m := range measures {
		if slices.ContainsFunc(p.Cells, func(c configs.Cell) bool { return slices.Contains(p.Experiment.Known.Similarities(c.Arm), m.Use) }) {
			out = append(out, m)
		}
	}
	return out
}
