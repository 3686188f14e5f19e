package catalog

import (
	"context"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/pipeline"
)

// unhinted constructs an arm's method so that no part of it sees evidence, neither the question's nor a demonstration's:
// removing it here once is safer than trusting every template.
func unhinted(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	if d.Pool != nil {
		demos := d.Pool.Demos()
		for i := range demos {
			demos[i].Evidence = ""
		}
		var err error
		if d.Pool, err = exemplar.NewPool(demos); err != nil {
			return nil, err
		}
	}
	m, err := pipeline.New(d, arm, seed)
	return blind{m}, err
}

// blind is a method that sees no evidence.
type blind struct{ method prompting.Method }

var _ prompting.Method = blind{}

// Answer implements prompting.Method.
func (b blind) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	q.Evidence = ""
	return b.method.Answer(ctx, q)
}
