package compare

import (
	"fmt"
	"slices"
	"strings"
)

// ArmAxis is the name of the axis whose values are the arms.
const ArmAxis = "arm"

// Marginal divides a pair of arms by the values of one axis of the sweep, or all pairs of arms by the arms. An item's score
// under a value is its mean over the pairs of sweep points with that value, each weighing the same; a pair of points counts for
// an item where the item has a score on both sides of it, so that both sides are means over the same points.
type Marginal struct {
	ArmA string `json:"arm_a,omitempty"` // empty where the axis is ArmAxis, and the groups are the pairs of arms
	ArmB string `json:"arm_b,omitempty"`
	Breakdown
}

// stratum is the matched answers of two cells: everything but what is compared is the same in both.
type stratum struct {
	a, b *answers
	*matched
}

// pool gathers the strata by item: one pair of scores per item and stratum, the means over the item's seeds, in the order of the
// items' first appearance. A single stratum keeps its pairs.
func pool(strata []stratum) (units []*unit, unpaired int) {
	if len(strata) == 1 {
		return strata[0].units, strata[0].unpaired
	}
	at := map[string]*unit{}
	for _, s := range strata {
		unpaired += s.unpaired
		for _, u := range s.units {
			one := at[u.question.Item]
			if one == nil {
				one = &unit{question: u.question}
				at[u.question.Item] = one
				units = append(units, one)
			}
			one.va, one.vb = append(one.va, mean(u.va)), append(one.vb, mean(u.vb))
		}
	}
	return units, unpaired
}

// pooled computes the statistics of several strata together.
func pooled(strata []stratum, o Options) Group {
	units, unpaired := pool(strata)
	g := newGroup(units, o)
	g.Unpaired = unpaired
	g.OwnSeeds = slices.ContainsFunc(strata, func(s stratum) bool { return s.note != "" })
	return g
}

// marginals divides the strata of a comparison by the axes of Options.Over.
func marginals(strata []stratum, axesA, axesB []string, o Options) (out []Marginal) {
	for _, axis := range o.Over {
		for _, part := range partitioned(strata, func(s stratum) string { return s.arms(axis) }) {
			one := Marginal{Breakdown: Breakdown{Axis: axis}}
			if axis != ArmAxis {
				one.ArmA, one.ArmB = part[0].a.Arm, part[0].b.Arm
			}
			value := func(s stratum) string { return s.value(axis, axesA, axesB) }
			for _, group := range partitioned(part, value) {
				g := pooled(group, o)
				g.Axis, g.Value = axis, value(group[0])
				one.Groups = append(one.Groups, g)
			}
			out = append(out, one)
		}
	}
	return out
}

// arms tells apart what has a Marginal of its own: the pair of arms, but for the axis of arms.
func (s stratum) arms(axis string) string {
	if axis == ArmAxis {
		return ""
	}
	return s.a.Arm + "\x00" + s.b.Arm
}

// value names an axis's values in both cells: "4", or "0 -> 4" where they differ; a side that does not sweep it has none.
func (s stratum) value(axis string, axesA, axesB []string) string {
	x, y := s.a.Arm, s.b.Arm
	if axis != ArmAxis {
		x, y = sweeping{axes: axesA}.value(s.a.Point, axis), sweeping{axes: axesB}.value(s.b.Point, axis)
	}
	switch {
	case x == y || y == "":
		return x
	case x == "":
		return y
	}
	return x + " -> " + y
}

// partitioned divides a list by a key, in the order of first appearance.
func partitioned[T any](list []T, key func(T) string) (out [][]T) {
	at := map[string]int{}
	for _, x := range list {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

// sweptBy fails where an axis of Options.Over is one of no run.
func sweptBy(over []string, runs ...[]string) error {
	known := []string{ArmAxis}
	for _, axes := range runs {
		for _, a := range axes {
			if !slices.Contains(known, a) {
				known = append(known, a)
			}
		}
	}
	for _, name := range over {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no run sweeps %q: the runs' axes are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// Place names a sweep point by its axes: "k = 4, strategy = random"; empty without a sweep.
func Place(axes, point []string) string {
	parts := make([]string, len(point))
	for i, v := range point {
		parts[i] = v
		if i < len(axes) {
			parts[i] = axes[i] + " = " + v
		}
	}
	return strings.Join(parts, ", ")
}
