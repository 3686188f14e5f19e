package plan

import (
	"slices"

	"assay/configs"
	"assay/experiments/record"
	"assay/prompting/exemplar"
	"assay/prompting/relevance"
	"assay/prompting/vectors"
)

// measures lists the similarity measure of each use, where an arm states no [embeddings].
var measures = []record.Similarity{
	{Use: configs.SimilarValues, By: vectors.Name},
	{Use: configs.SimilarDescriptions, By: relevance.Name},
	{Use: configs.SimilarColumns, By: relevance.Name},
	{Use: configs.SimilarDemos, By: exemplar.SimilarityName},
}

// measureOf returns the measure of a use by an arm's vectors.
func measureOf(m record.Similarity, e configs.Embeddings) record.Similarity {
	if e.On() {
		m.By = e.Measure()
	}
	return m
}

// similarities returns the measures that the plan's arms use, by use. They are part of the manifest, as another measure finds
// other values and demonstrations.
func (p *Plan) similarities() (out []record.Similarity) {
	for _, m := range measures {
		for _, c := range p.Cells {
			if !slices.Contains(p.Experiment.Known.Similarities(c.Arm), m.Use) {
				continue
			}
			if s := measureOf(m, c.Arm.Embeddings); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}
