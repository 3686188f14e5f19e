package plan

import (
	"slices"

	"assay/configs"
	"assay/experiments/record"
	"assay/prompting/exemplar"
	"assay/prompting/vectors"
)

// measures lists the similarity measure of each use.
var measures = []record.Similarity{
	{Use: configs.SimilarValues, By: vectors.Name},
	{Use: configs.SimilarDescriptions, By: vectors.Name},
	{Use: configs.SimilarColumns, By: vectors.Name},
	{Use: configs.SimilarDemos, By: exemplar.SimilarityName},
}

// similarities returns the measures that the plan's arms use. They are part of the manifest, as another measure finds other
// values and demonstrations.
func (p *Plan) similarities() (out []record.Similarity) {
	for _, m := range measures {
		if slices.ContainsFunc(p.Cells, func(c configs.Cell) bool { return slices.Contains(p.Experiment.Known.Similarities(c.Arm), m.Use) }) {
			out = append(out, m)
		}
	}
	return out
}
