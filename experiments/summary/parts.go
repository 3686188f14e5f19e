package summary

import (
	"fmt"

	"assay/experiments/axes"
	"assay/metrics/exact"
)

// PartLevel is how many items of a group have which parts of exact match right, the corrected golds being the measure.
type PartLevel struct {
	Name   string // "all" for every item
	Items  int    // those that have a gold in Spider's grammar
	Parsed int    // of these, those whose prediction is in it too; any other is compared as an empty query
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

// Parts adds up the partial scores of exact match by the axis, all items last. Nothing is run.
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
		if err != nil { // a gold outside the grammar: em does not score it either
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
		return nil, fmt.Errorf("summary: parts of exact match %q: no gold is in Spider's grammar", a.Plan.Set.Name)
	}
	return append(out, *all), nil
}
