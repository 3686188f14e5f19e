package compare

import (
	"fmt"
	"slices"

	"assay/experiments/record"
	"assay/metrics/stats"
)

// Contrast is one arm of a run at one sweep point beside another of the same run.
type Contrast struct {
	ArmA, ArmB     string
	PointA, PointB []string
	Note           string // what is made of other seeds than the first arm's; empty where they are the same
	Group
}

// Within compares the arms of a run with its first one, sweep point by sweep point; where the run has a single arm, its
// sweep points with the first of them. Holm's correction is over all of them together. Of the options Metric, Cluster,
// Level, Power and Seed count; an empty metric is the run's first. An arm that shares no scored item with the first has
// a Group without items.
func Within(r *record.Run, o Options) ([]Contrast, error) {
	o = o.filled()
	metric, err := commonMetric([]*record.Run{r}, o.Metric)
	if err != nil {
		return nil, fmt.Errorf("compare: within %q: %w", side(r).Name, err)
	}
	all := newRows(r, slices.Index(r.Manifest.MetricIDs(), metric), asked(r))
	var out []Contrast
	var ps []float64
	for _, pair := range all.contrasts() {
		m := match(all, all, pair[0], pair[1])
		a, b := all.at[pair[0]][0], all.at[pair[1]][0]
		c := Contrast{ArmA: a.Arm, ArmB: b.Arm, PointA: a.Point, PointB: b.Point, Note: m.note, Group: newGroup(m.units, o)}
		c.Unpaired, c.OwnSeeds = m.unpaired, m.note != ""
		if out = append(out, c); c.Items > 0 {
			ps = append(ps, c.P)
		}
	}
	corrected := stats.Holm(ps)
	for i := range out {
		if out[i].Items > 0 {
			out[i].Holm, corrected = corrected[0], corrected[1:]
			out[i].Significant = out[i].Holm < 1-o.Level
		}
	}
	return out, nil
}

// Paired compares two lists of answers of one run by the metric in that column, paired by item and seed, or by item where
// their seeds differ. Of the options
// Cluster, Level, Power and Seed count.
func Paired(a, b []*record.Item, metric int, o Options) Group {
	left, right := place{arm: "a"}, place{arm: "b"}
	r := &rows{metric: metric, items: map[string]*record.Question{}, at: map[place][]*record.Item{left: a, right: b}}
	for _, it := range a {
		r.items[it.Item] = &record.Question{Item: it.Item, DB: it.DB}
	}
	m := match(r, r, left, right)
	g := newGroup(m.units, o.filled())
	g.Unpaired, g.OwnSeeds = m.unpaired, m.note != ""
	return g
}

// contrasts are the places to compare, the baseline's first, in the order of the rows.
func (r *rows) contrasts() (out [][2]place) {
	if len(r.order) == 0 {
		return nil
	}
	first := r.order[0]
	several := slices.ContainsFunc(r.order, func(p place) bool { return p.arm != first.arm })
	for _, p := range r.order {
		base := first
		if several {
			base = place{first.arm, p.point}
		}
		if p != base && r.at[base] != nil {
			out = append(out, [2]place{base, p})
		}
	}
	return out
}

// asked are a run's questions by item; those that it does not list have what their answers say.
func asked(r *record.Run) map[string]*record.Question {
	out := make(map[string]*record.Question, len(r.Questions))
	for i := range r.Questions {
		out[r.Questions[i].Item] = &r.Questions[i]
	}
	for _, it := range r.Items {
		if out[it.Item] == nil {
			out[it.Item] = &record.Question{Item: it.Item, DB: it.DB, Hardness: it.Hardness, Difficulty: it.Difficulty}
		}
	}
	return out
}
