package runner

import (
	"context"

	"assay/experiments/dataset"
	"assay/experiments/plan"
	"assay/metrics"
	"assay/metrics/goldcheck"
)

// Scored is an answer with the verdicts on its chosen candidate.
type Scored struct {
	Example  dataset.Example     // with its hardness, where the gold query has one
	Override *goldcheck.Override // nil where the gold query stands as it is
	SQL      string
	Scores   []metrics.Score // one for each metric, under the override where there is one
	Given    []metrics.Score // the same without the override; Scores itself where the run has none
}

// Gold is the gold query that stands for the item: the override's where there is one.
func (s Scored) Gold() string { return s.Override.Gold(s.Example.Gold) }

// Score scores the answers of a plan that asks no model, the chosen candidate of each alone, and writes nothing: take is
// told of each, in the order of work.
func Score(ctx context.Context, p *plan.Plan, take func(Scored)) error {
	x := newExecution(p, Options{Scored: take})
	x.exact = p.Exact()
	if err := x.open(ctx); err != nil {
		return err
	}
	return x.all(ctx, func(o *outcome) error { x.tell(o); return nil })
}

// tell tells of an outcome.
func (x *execution) tell(o *outcome) {
	if x.opts.Scored == nil {
		return
	}
	c := o.chosen()
	scores, n := x.of(o, c).scores, len(x.plan.Metrics)
	s := Scored{Example: o.example, Override: x.plan.Overrides.Of(o.example.Question.ID), SQL: c.SQL, Scores: scores[:n], Given: scores[:n]}
	if len(scores) > n {
		s.Given = scores[n:]
	}
	x.opts.Scored(s)
}

// label fills in the hardness of an item, where the plan's dataset was loaded without.
func (x *execution) label(ex *dataset.Example) {
	if ex.Hardness == "" && ex.Gold != "" {
		ex.Hardness, _ = x.exact.Hardness(ex.Gold, ex.Schema)
	}
}
