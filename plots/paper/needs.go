package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
)

// needs are the conditions that a description may name; each returns why the run does not meet it, or "".
var needs = map[string]func(*view, *description) string{
	"ts": func(v *view, _ *description) string {
		if v.metric("ts") < 0 {
			return "it needs the metric ts"
		}
		return ""
	},
	"metrics": whyNoMetrics,
	"hardness": func(v *view, _ *description) string {
		if v.leveling != "hardness" || len(v.levels) == 0 {
			return "its items have no hardness"
		}
		return ""
	},
	"few databases": func(v *view, _ *description) string {
		if len(v.sets) > widest {
			return fmt.Sprintf("it has a column per database, and the run has %d (at most %d)", len(v.sets), widest)
		}
		return ""
	},
	"levels":            func(v *view, _ *description) string { return whyNoLevels(v) },
	"pools":             func(v *view, _ *description) string { return whyNoPools(v) },
	"votes":             func(v *view, _ *description) string { return whyNoVotes(v) },
	"generators":        func(v *view, _ *description) string { return whyNoGenerators(v) },
	"statistics":        whyNoStatistics,
	"selection errors":  whyNoPart,
	"generation errors": whyNoPart,
	"errors":            func(v *view, _ *description) string { return whyNoErrors(v) },
	"generator":         whyNoBounds,
	"examples":          func(v *view, _ *description) string { return whyNoShown(v) },
	"turns":             func(v *view, _ *description) string { return whyNoTurns(v) },
	"joined":            whyNoArms,
	"stated cells":      whyNoCells,
}

// widest is the most databases that a table shows as columns and can still be read.
const widest = 12

// whyNoMetrics refuses runs that have no metric of any column, whose table would be empty.
func whyNoMetrics(v *view, d *description) string {
	var ids []string
	for _, g := range d.Groups {
		for _, f := range g.Columns {
			if f.Metric == "" || v.metric(f.Metric) >= 0 {
				return ""
			}
			ids = append(ids, f.Metric)
		}
	}
	if ids = unique(ids); len(ids) == 1 {
		return "it needs the metric " + ids[0]
	}
	return "it needs a metric of " + strings.Join(ids, ", ")
}

func whyNoTurns(v *view) string {
	if !slices.ContainsFunc(v.run.Calls, func(c record.Call) bool { return turnStage.MatchString(c.Stage) }) {
		return "no arm of it works in turns"
	}
	return ""
}

// whyNoArms refuses runs whose items are in no group of the description's axis, or that have no arm of its method.
func whyNoArms(v *view, d *description) string {
	if why := v.whyNoGroups(d.axis()); why != "" {
		return why
	}
	if !slices.ContainsFunc(v.rows, func(r row) bool { return r.Config.Method == d.Method }) {
		return "no arm of it has method " + d.Method
	}
	return ""
}

// whyNoCells refuses runs of which no arm states a cell of a grid.
func whyNoCells(v *view, d *description) string {
	stated := func(r row) bool {
		return slices.ContainsFunc(d.Lines, func(l line) bool {
			return slices.ContainsFunc(d.Columns, func(c line) bool { return r.Config.Published == l.ID+" "+c.ID })
		})
	}
	if !slices.ContainsFunc(v.rows, stated) {
		return fmt.Sprintf("no arm of it states a cell that it repeats: published = \"%s %s\"", d.Lines[0].ID, d.Columns[0].ID)
	}
	return ""
}
