package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sweeping is the sweep points of one arm of a run.
type sweeping struct {
	axes   []string
	points [][]string // one value per axis
}

// value of an axis at a point; "" where the run does not sweep it.
func (s sweeping) value(point []string, axis string) string {
	if i := slices.Index(s.axes, axis); i >= 0 && i < len(point) {
		return point[i]
	}
	return ""
}

// alike reports whether a point of s and one of t have the same values on the axes that both sweep, except for one axis.
func (s sweeping) alike(t sweeping, p, q []string, but string) bool {
	return !slices.ContainsFunc(s.axes, func(axis string) bool {
		return axis != but && slices.Contains(t.axes, axis) && s.value(p, axis) != t.value(q, axis)
	})
}

// within reports whether t sweeps every axis that s does.
func (s sweeping) within(t sweeping) bool {
	return !slices.ContainsFunc(s.axes, func(axis string) bool { return !slices.Contains(t.axes, axis) })
}

// pairPoints decides which sweep points of an arm of A are compared with which of B. note says so where they differ.
//
//	equal points, where there are any       each with its equal; points that only one run has are left out
//	an axis that only one run sweeps        its points with those of the other run that are equal on the other axes
//	values of one axis that are not shared  in ascending order; a single value with each of the other run
//
// Points that differ in several axes are compared where one run has a single point, and are an error otherwise.
func pairPoints(a, b sweeping) (pairs [][2][]string, note string, err error) {
	switch {
	case a.within(b) && b.within(a):
		if pairs = cross(a, b, ""); len(pairs) > 0 {
			return pairs, leftOut(a, b, pairs), nil
		}
		for _, axis := range a.axes {
			if pairs = ranked(a, b, axis); len(pairs) > 0 {
				return pairs, notes("the runs share no sweep point; paired are points that differ in "+axis+": "+list(a, b, pairs), leftOut(a, b, pairs)), nil
			}
		}
	case a.within(b) || b.within(a):
		if pairs = cross(a, b, ""); len(pairs) > 0 {
			noted := fmt.Sprintf("A sweeps [%s], the other [%s]; paired are %s", strings.Join(a.axes, ", "), strings.Join(b.axes, ", "), list(a, b, pairs))
			return pairs, notes(noted, leftOut(a, b, pairs)), nil
		}
	}
	if len(a.points) != 1 && len(b.points) != 1 {
		return nil, "", fmt.Errorf("no sweep points that differ in one axis: A is at %s, the other at %s",
			a.named(a.points), b.named(b.points))
	}
	for _, p := range a.points {
		for _, q := range b.points {
			pairs = append(pairs, [2][]string{p, q})
		}
	}
	if len(pairs) == 0 {
		return nil, "", errors.New("no row of the compared items")
	}
	return pairs, "the runs share no sweep point; paired are " + list(a, b, pairs), nil
}

// notes joins the parts that are not empty.
func notes(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// cross pairs the points that are equal except for one axis.
func cross(a, b sweeping, but string) (pairs [][2][]string) {
	for _, p := range a.points {
		for _, q := range b.points {
			if a.alike(b, p, q, but) {
				pairs = append(pairs, [2][]string{p, q})
			}
		}
	}
	return pairs
}

// ranked pairs the points that differ in one axis alone. Points with equal values on the others are paired in ascending order.
func ranked(a, b sweeping, axis string) (pairs [][2][]string) {
	done := map[string]bool{}
	for _, p := range a.points {
		mine, theirs := sweeping{axes: a.axes}, sweeping{axes: b.axes}
		for _, q := range a.points {
			if a.alike(a, p, q, axis) {
				mine.points = append(mine.points, q)
			}
		}
		if done[fmt.Sprint(mine.points)] {
			continue
		}
		done[fmt.Sprint(mine.points)] = true
		for _, q := range b.points {
			if a.alike(b, p, q, axis) {
				theirs.points = append(theirs.points, q)
			}
		}
		if len(mine.points) == 1 || len(theirs.points) == 1 {
			pairs = append(pairs, cross(mine, theirs, axis)...)
			continue
		}
		mine.ascend(axis)
		theirs.ascend(axis)
		for i := range min(len(mine.points), len(theirs.points)) {
			pairs = append(pairs, [2][]string{mine.points[i], theirs.points[i]})
		}
	}
	return pairs
}

// ascend sorts the points by an axis of numbers; of other axes the order stays.
func (s sweeping) ascend(axis string) {
	slices.SortStableFunc(s.points, func(p, q []string) int {
		x, err := strconv.ParseFloat(s.value(p, axis), 64)
		y, err2 := strconv.ParseFloat(s.value(q, axis), 64)
		if err != nil || err2 != nil {
			return 0
		}
		return cmp.Compare(x, y)
	})
}

// leftOut names the points that have no partner; "" where all have one.
func leftOut(a, b sweeping, pairs [][2][]string) string {
	rest := func(points [][]string, side int) (out [][]string) {
		for _, p := range points {
			if !slices.ContainsFunc(pairs, func(x [2][]string) bool { return slices.Equal(x[side], p) }) {
				out = append(out, p)
			}
		}
		return out
	}
	var parts []string
	for side, points := range [][][]string{rest(a.points, 0), rest(b.points, 1)} {
		if len(points) > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s", []sweeping{a, b}[side].named(points), []string{"A", "the other"}[side]))
		}
	}
	if parts == nil {
		return ""
	}
	return "sweep points that one run alone has are left out: " + strings.Join(parts, "; ")
}

// fewPoints is how many points a note names.
const fewPoints = 6

func list(a, b sweeping, pairs [][2][]string) string {
	var parts []string
	for _, p := range pairs {
		parts = append(parts, "("+a.at(p[0])+" with "+b.at(p[1])+")")
	}
	return some(parts, fewPoints)
}

func (s sweeping) named(points [][]string) string {
	var parts []string
	for _, p := range points {
		parts = append(parts, "("+s.at(p)+")")
	}
	return some(parts, fewPoints)
}

// at prints a point; a run without a sweep has one without values.
func (s sweeping) at(point []string) string {
	if len(point) == 0 {
		return "no sweep"
	}
	return Place(s.axes, point)
}
