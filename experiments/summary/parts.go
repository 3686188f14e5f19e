package summary

import (
	"fmt"

	"assay/experiments/axes"
	"assay/metrics/exact"
)

// PartLevel has the partial matches of the items of a group, against the corrected gold queries: of the items with a gold
// query in Spider's grammar. A prediction outside it is compared as an empty query.
type PartLevel struct {
	Name string // "all" for every item
	exact.Tally
}

// Parts sums up the partial scores of exact match by the axis, all items last. It compares syntax trees and runs nothing.
func (a *Answers) Parts(axis axes.Axis) ([]PartLevel, error) {
	em := a.Plan.Exact()
	labels := a.labels(axis)
	levels, all := map[string]*PartLevel{}, &PartLevel{Name: "all"}
	for i := range a.Rows {
		r := &a.Rows[i]
		name := axis.Group(labels[i])
		if levels[name] == nil {
			levels[name] = &PartLevel{Name: name}
		}
		if r.Override != nil && r.Override.Exclude || r.Example.Schema == nil {
			continue
		}
		match, err := em.Match(r.SQL, r.Gold(), r.Example.Schema)
		if err != nil { // a gold query outside the grammar, which em does not score either
			continue
		}
		levels[name].Add(match)
		all.Add(match)
	}
	var out []PartLevel
	for _, name := range axis.Groups(labels) {
		out = append(out, *levels[name])
	}
	if all.Items == 0 {
		return nil, fmt.Errorf("summary: parts of exact match %q: no gold query is in Spider's grammar", a.Plan.Set.Name)
	}
	return append(out, *all), nil
}
