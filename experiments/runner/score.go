package runner

import (
	"context"

	"assay/experiments/dataset"
	"assay/experiments/plan"
	"assay/metrics"
	"assay/metrics/goldcheck"
)

// Scored is an answer with the scores of its chosen candidate.
type Scored struct {
	Example  dataset.Example     // with its hardness, where the gold query parses
	Override *goldcheck.Override // nil where the item has none
	SQL      string
	Scores   []metrics.Score // one per metric, under the override where there is one
	Given    []metrics.Score // the same without the override; Scores itself where the run has no overrides
}

// Gold returns the gold query that the item is scored against: the override's where there is one.
func (s Scored) Gold() string { return s.Override.Gold(s.Example.Gold) }

// Score scores the answers of a plan that asks no model, the chosen candidate of each alone, and writes nothing. It calls
// take with each, in the order of work.
func Score(ctx context.Context, p *plan.Plan, take func(Scored)) error {
	if err := p.Refusal(); err != nil {
		return err
	}
	x := newExecution(p, Options{Scored: take})
	x.exact = p.Exact()
	if err := x.open(ctx); err != nil {
		return err
	}
	return x.all(ctx, func(o *outcome) error { x.pass(o); return nil })
}

// pass hands an outcome to Options.Scored. Scores without overrides follow those with them, see plan.Overrides.Columns.
func (x *execution) pass(o *outcome) {
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

// label fills in the hardness of an item where the plan's dataset was loaded without: parsing every gold query takes a while,
// so an evaluation does it while it scores.
func (x *execution) label(ex *dataset.Example) {
	if ex.Hardness == "" && ex.Gold != "" {
		ex.Hardness, _ = x.exact.Hardness(ex.Gold, ex.Schema)
	}
}
