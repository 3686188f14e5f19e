package paper

import (
	"cmp"
	"strings"

	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/plots/table"
)

// byPrefix begins the name of a table that breaks scores down by an axis.
const byPrefix = "by/"

// byMaker returns the maker of the table of one axis.
func byMaker(a axes.Axis) maker {
	return maker{name: byPrefix + a.Name, title: "Accuracy by " + a.Name, source: ours,
		why:  func(v *view) string { return v.whyNoGroups(a) },
		make: func(v *view) (Output, error) { return v.by(a), nil }}
}

// labels returns what axes group the items by. Runs from before the column of features have their gold queries parsed here.
func (v *view) labels(a axes.Axis) map[string]axes.Labels {
	out := make(map[string]axes.Labels, len(v.run.Questions))
	for _, q := range v.run.Questions {
		l := axes.Labels{DB: q.DB, Hardness: q.Hardness, Difficulty: q.Difficulty}
		if a.Feature {
			l.Features = cmp.Or(q.Features, axes.Features(q.Gold))
		}
		out[q.Item] = l
	}
	return out
}

// groups returns the group of each answered item, and the groups in the axis's order.
func (v *view) groups(a axes.Axis) (of map[string]string, names []string) {
	known := v.labels(a)
	of = map[string]string{}
	var all []axes.Labels
	for _, r := range v.rows {
		for _, it := range r.items {
			if _, seen := of[it.Item]; !seen {
				l := known[it.Item]
				of[it.Item] = a.Group(l)
				all = append(all, l)
			}
		}
	}
	return of, a.Groups(all)
}

func (v *view) whyNoGroups(a axes.Axis) string {
	_, names := v.groups(a)
	switch {
	case len(names) > 1 || names[0] != axes.None:
		return ""
	case a.Feature:
		return "none of its gold queries is a SELECT that parses"
	}
	return "its items have no " + a.Name
}

// by has one row per group, arm and sweep point, of those that answered an item of the group, and at last those of all items:
// how many items, how many scored answers, and every metric with its interval.
func (v *view) by(a axes.Axis) Output {
	var rows []side
	add := func(group string, k keep) {
		for _, x := range v.samples() {
			if of := x.where(k); len(of.items) > 0 {
				rows = append(rows, side{keys: append([]table.Cell{table.Text(group)}, x.keys()...), of: of})
			}
		}
	}
	of, names := v.groups(a)
	for _, g := range names {
		add(g, func(it *record.Item) bool { return of[it.Item] == g })
	}
	add("all", nil)
	columns := append([]field{{Name: "items", Measure: "items"}, {Name: "scored", Measure: "scored"}}, v.metricFields("accuracy")...)
	return v.plain(byPrefix+a.Name, "Accuracy by "+a.Name).own(append([]table.Column{{Name: a.Name, Key: true}}, v.keyColumns()...), rows,
		[]side{{fields: columns}}, v.spread(), v.intervalNote(), "Scored are answers, one item under one seed, under "+v.ids[0]+".", axisNote(a))
}

func axisNote(a axes.Axis) string {
	s := strings.ToUpper(a.Name[:1]) + a.Name[1:] + ": " + a.Shows
	if a.Feature {
		s += ", counted in the gold query"
	}
	return s + "."
}
