package runner

import (
	"slices"

	"assay/experiments/record"
	"assay/metrics/exact"
)

// components returns the parts that exact set match compares in an item's answer; nothing where the run does not score by it, or
// the gold query is outside its grammar. The match is of the trees alone and runs nothing.
func (x *execution) components(o *outcome) []record.Component {
	if !slices.Contains(x.plan.Manifest.MetricIDs(), exact.Row.ID) || o.example.Schema == nil || o.chosen().Failure != "" {
		return nil
	}
	ex := &o.example
	over := x.plan.Overrides.Of(ex.Question.ID)
	if over != nil && over.Exclude {
		return nil
	}
	m, err := x.plan.Exact().Match(o.chosen().SQL, over.Gold(ex.Gold), ex.Schema)
	if err != nil { // em does not score the item either
		return nil
	}
	it := o.item
	c := record.Component{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed}
	c.SetCounted(m.Counted())
	return []record.Component{c}
}
