// Package axes groups items by what is known of them: hardness, difficulty, database, and the features of the gold's SQL.
package axes

import (
	"fmt"
	"slices"
	"strconv"

	"assay/configs"
)

// None is the group of items of which an axis knows nothing: no label, or a gold that does not parse.
const None = "(none)"

// Labels are what an item is grouped by.
type Labels struct {
	DB         string
	Hardness   string
	Difficulty string
	Features   string // as Features gives them
}

// Axis is one way to cut items into groups.
type Axis struct {
	Name    string
	Shows   string   // in a few words
	Feature bool     // it reads Labels.Features
	order   []string // groups in the order that tables print; others follow as they come
	of      func(Labels) string
}

// Group is the item's group, None where nothing is known.
func (a Axis) Group(l Labels) string {
	if g := a.of(l); g != "" {
		return g
	}
	return None
}

// Groups lists the groups that some items have: first those that the axis has an order of, easiest or fewest first,
// then the others as they come, and None at the end.
func (a Axis) Groups(items []Labels) []string {
	order, found := slices.Clone(a.order), map[string]bool{}
	for _, l := range items {
		g := a.Group(l)
		if found[g] = true; g != None && !slices.Contains(order, g) {
			order = append(order, g)
		}
	}
	return slices.DeleteFunc(append(order, None), func(g string) bool { return !found[g] })
}

// The axes that are no features.
var (
	Hardness   = Axis{"hardness", "Spider's label of the gold", false, configs.Levels.IDs(), func(l Labels) string { return l.Hardness }}
	Difficulty = Axis{"difficulty", "BIRD's label of the item", false, configs.Difficulties.IDs(), func(l Labels) string { return l.Difficulty }}
	Database   = Axis{"database", "the item's database", false, nil, func(l Labels) string { return l.DB }}
)

// List is every axis: hardness, difficulty, database, and each of configs.Features, whose groups are 0, 1 and 2+.
func List() []Axis {
	out := []Axis{Hardness, Difficulty, Database}
	for _, f := range configs.Features {
		out = append(out, Axis{f.ID, f.Shows, true, []string{"0", "1", "2+"}, func(l Labels) string { return howMany(l.Features, f.ID) }})
	}
	return out
}

// howMany is the group of an item that has the feature so often, "" where that is not known.
func howMany(features, name string) string {
	n, ok := Count(features, name)
	switch {
	case !ok:
		return ""
	case n >= 2:
		return "2+"
	}
	return strconv.Itoa(n)
}

// Find gives the axis of that name. The error has the nearest right spelling, or all names.
func Find(name string) (Axis, error) {
	var known configs.Choices
	for _, a := range List() {
		if a.Name == name {
			return a, nil
		}
		known = append(known, configs.Choice{ID: a.Name})
	}
	return Axis{}, fmt.Errorf("axes: find: axis %s", known.Unknown(name))
}

// FindAll gives the axes of those names, each once.
func FindAll(names []string) ([]Axis, error) {
	var out []Axis
	for _, n := range names {
		a, err := Find(n)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(b Axis) bool { return b.Name == n }) {
			out = append(out, a)
		}
	}
	return out, nil
}
