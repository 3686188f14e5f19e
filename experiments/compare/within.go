package compare

import (
	"fmt"
	"slices"

	"assay/experiments/record"
)

// Contrast compares one arm of a run at one sweep point with another of the same run.
type Contrast struct {
	ArmA, ArmB     string
	PointA, PointB []string
	Note           string // how seeds that differ from the first arm's are treated; empty where they are the same
	Group
}

// Within compares the arms of a run with its first one, sweep point by sweep point; where the run has a single arm, it
// compares the sweep points with the first of them. Holm's correction is over all of them together. It uses the options Metric,
// Cluster, Level and Power; an empty metric is the run's first. An arm that shares no scored item with the first has
// a Group without items.
func Within(x *record.Index, o Options) ([]Contrast, error) {
	o = o.filled()
	all, err := everything(x, o)
	if err != nil {
		return nil, err
	}
	var out []Contrast
	for _, pair := range all.contrasts() {
		c, _ := contrast(pair[0], pair[1], o)
		out = append(out, c)
	}
	correctEach(out, func(c *Contrast) *Group { return &c.Group }, o.Level)
	return out, nil
}

// everything returns the run's answers to all its questions.
func everything(x *record.Index, o Options) (compared, error) {
	metric, err := commonMetric([]*record.Run{x.Run}, o.Metric)
	if err != nil {
		return nil, fmt.Errorf("compare: within %q: %w", side(x.Run).Name, err)
	}
	questions := make(map[string]*record.Question, len(x.Questions))
	for _, q := range x.Questions {
		questions[q.Item] = q
	}
	return newCompared(x, slices.Index(x.Run.Manifest.MetricIDs(), metric), questions), nil
}

// contrast compares b with a, and returns the paired items; p is not yet corrected.
func contrast(a, b *answers, o Options) (Contrast, []*unit) {
	m := match(a, b)
	c := Contrast{ArmA: a.Arm, ArmB: b.Arm, PointA: a.Point, PointB: b.Point, Note: m.note, Group: newGroup(m.units, o)}
	c.Unpaired, c.OwnSeeds = m.unpaired, m.note != ""
	return c, m.units
}

// Paired compares two lists of answers of one run by the metric in that column, paired by item and seed, or by item where
// their seeds differ. It uses the options Cluster, Level and Power.
func Paired(a, b []*record.Item, metric int, o Options) Group {
	questions := make(map[string]*record.Question, len(a))
	for _, it := range a {
		questions[it.Item] = &record.Question{Item: it.Item, DB: it.DB}
	}
	m := match(&answers{metric: metric, questions: questions, items: a}, &answers{metric: metric, questions: questions, items: b})
	g := newGroup(m.units, o.filled())
	g.Unpaired, g.OwnSeeds = m.unpaired, m.note != ""
	return g
}

// contrasts returns the answers to compare, the baseline's first, in the order of the cells.
func (c compared) contrasts() (out [][2]*answers) {
	if len(c) == 0 {
		return nil
	}
	first := c[0]
	several := slices.ContainsFunc(c, func(a *answers) bool { return a.Arm != first.Arm })
	for _, a := range c {
		base := first
		if several {
			base = c.at(first.Arm, a.Point)
		}
		if base != nil && base != a {
			out = append(out, [2]*answers{base, a})
		}
	}
	return out
}
