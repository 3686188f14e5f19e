package versus

import (
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/plots/table"
)

// layout says which key columns a report's rows need to be distinct.
type layout struct {
	*compare.Report
	runs, arms bool     // several runs besides the baseline; several pairs of arms of one
	axes       []string // the sweep's axes, of any run
}

func newLayout(r *compare.Report) layout {
	l := layout{Report: r, runs: len(r.Comparisons) > 1}
	for _, c := range r.Comparisons {
		for _, p := range c.Pairs {
			l.arms = l.arms || p.ArmA != c.Pairs[0].ArmA || p.ArmB != c.Pairs[0].ArmB
			for _, axis := range slices.Concat(p.Axes, p.AxesB) {
				if !slices.Contains(l.axes, axis) {
					l.axes = append(l.axes, axis)
				}
			}
		}
	}
	return l
}

// run returns the name of a comparison's run in a key: "C hot".
func run(c *compare.Comparison) string { return c.B.Label + " " + c.B.Manifest.Experiment }

// Arm names a pair of arms at its sweep points: "cot", "standard -> cot", "cot, k = 4", "cot, k = 0 -> 4".
func Arm(p compare.Pair) string {
	parts := []string{arms(p)}
	axes := slices.Clone(p.Axes)
	for _, axis := range p.AxesB {
		if !slices.Contains(axes, axis) {
			axes = append(axes, axis)
		}
	}
	for _, axis := range axes {
		if v := value(p, axis); v != "" {
			parts = append(parts, axis+" = "+v)
		}
	}
	return strings.Join(parts, ", ")
}

func arms(p compare.Pair) string { return change(p.ArmA, p.ArmB) }

// value is what a pair has on an axis of the sweep: "4", "0 -> 4", or "" where neither run sweeps it there.
func value(p compare.Pair, axis string) string {
	of := func(axes, point []string) string {
		if i := slices.Index(axes, axis); i >= 0 && i < len(point) {
			return point[i]
		}
		return ""
	}
	return change(of(p.Axes, p.Point), of(p.AxesB, p.PointB))
}

// change names what is on both sides, or the change from one to the other; what one side lacks is the other's.
func change(a, b string) string {
	switch {
	case a == b || b == "":
		return a
	case a == "":
		return b
	}
	return a + " -> " + b
}

// swept reports whether a family is the groups of an axis of the sweep, or of the arms: its rows are of no sweep point.
func (l layout) swept(axis string) bool {
	return axis == compare.ArmAxis || slices.Contains(l.axes, axis)
}

// keyColumns returns the columns that say which run, arm, sweep point and group a row is of; keyCells has their cells.
func (l layout) keyColumns(axis string) (out []table.Column) {
	for _, name := range l.keys(axis) {
		out = append(out, table.Column{Name: name, Key: true})
	}
	return out
}

// keys names the key columns of a family.
func (l layout) keys(axis string) (out []string) {
	if l.runs {
		out = append(out, "run")
	}
	points := !l.swept(axis)
	if axis != compare.ArmAxis && (l.arms || axis == "" && !l.runs && len(l.axes) == 0) {
		out = append(out, "arm")
	}
	if points {
		out = append(out, l.axes...)
	}
	if axis != "" {
		out = append(out, axis)
	}
	return out
}

func (l layout) keyCells(c *compare.Comparison, p compare.Pair, axis, group string) (out []table.Cell) {
	for _, name := range l.keys(axis) {
		switch {
		case name == "run" && l.runs && len(out) == 0:
			out = append(out, table.Text(run(c)))
		case name == axis && axis != "":
			out = append(out, table.Text(group))
		case slices.Contains(l.axes, name):
			out = append(out, table.Text(value(p, name)))
		default:
			out = append(out, table.Text(arms(p)))
		}
	}
	return out
}

// each calls f with the groups of an axis, or with those of all items. Groups of an axis of the sweep come with a pair of arms
// without a point.
func (l layout) each(axis string, f func(c *compare.Comparison, p compare.Pair, g compare.Group)) {
	for _, c := range l.Comparisons {
		for _, p := range c.Pairs {
			if axis == "" {
				f(c, p, p.All)
			}
			for _, b := range p.By {
				if b.Axis == axis {
					for _, g := range b.Groups {
						f(c, p, g)
					}
				}
			}
		}
		for _, m := range c.Marginals {
			if m.Axis == axis {
				for _, g := range m.Groups {
					f(c, compare.Pair{ArmA: m.ArmA, ArmB: m.ArmB}, g)
				}
			}
		}
	}
}

// onlyArms names the pair of arms of all rows, where it is one of different names: ": standard -> cot".
func (l layout) onlyArms() string {
	for _, c := range l.Comparisons {
		for _, p := range c.Pairs {
			if !l.arms && !l.runs && p.ArmA != p.ArmB {
				return ": " + arms(p)
			}
		}
	}
	return ""
}
