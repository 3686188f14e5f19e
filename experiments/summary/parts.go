package summary

import (
	"fmt"

	"assay/experiments/axes"
	"assay/metrics/exact"
)

// PartLevel counts the items of a group by the parts of exact match that are right, against the corrected gold queries.
type PartLevel struct {
	Name   string // "all" for every item
	Items  int    // items with a gold query in Spider's grammar
	Parsed int    // items whose prediction is in the grammar too; any other prediction is compared as an empty query
	Agree  [exact.PartCount]int
}

func (l *PartLevel) add(m exact.Match) {
	l.Items++
	if m.Parsed {
		l.Parsed++
	}
	for p, ok := range m.Parts {
		if ok {
			l.Agree[p]++
		}
	}
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
		levels[name].add(match)
		all.add(match)
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
