// Package axes groups items by what is known of them: hardness, difficulty, database, and the features of the gold's SQL.
package axes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	number  func(Labels) (int, bool) // the number that the groups are of; nil where they are no numbers
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

// Sorted puts groups in the order of Groups; those without a place in it keep theirs, and None comes last.
func (a Axis) Sorted(groups []string) []string {
	place := func(g string) int {
		switch i := slices.Index(a.order, g); {
		case g == None:
			return len(a.order) + 1
		case i >= 0:
			return i
		}
		return len(a.order)
	}
	out := slices.Clone(groups)
	slices.SortStableFunc(out, func(x, y string) int { return place(x) - place(y) })
	return out
}

// Holds reports whether the item is at the level: in the group of that name or, where groups are numbers, at that
// number ("2") or at it and above ("2+").
func (a Axis) Holds(l Labels, level string) bool {
	if a.number == nil {
		return a.of(l) == level && level != ""
	}
	n, known := a.number(l)
	digits, above := strings.CutSuffix(level, "+")
	want, err := strconv.Atoi(digits)
	return known && err == nil && (n == want || above && n > want)
}

// The axes that are no features.
var (
	Hardness   = Axis{"hardness", "Spider's label of the gold", false, configs.Levels.IDs(), func(l Labels) string { return l.Hardness }, nil}
	Difficulty = Axis{"difficulty", "BIRD's label of the item", false, configs.Difficulties.IDs(), func(l Labels) string { return l.Difficulty }, nil}
	Database   = Axis{"database", "the item's database", false, nil, func(l Labels) string { return l.DB }, nil}
)

// List is every axis: hardness, difficulty, database, each of configs.Features, and joined. The groups of tables and
// joined are 1, 2, 3 and 4+, those of the other features 0, 1 and 2+.
func List() []Axis {
	out := []Axis{Hardness, Difficulty, Database}
	for _, f := range configs.Features {
		out = append(out, numbered(f.ID, f.Shows, f.ID, 0))
	}
	return append(out, numbered("joined", "tables joined, one more than the joins: Table 9 of Interactive-T2S counts so", "joins", 1))
}

// numbered is the axis of a feature's count and so many more.
func numbered(name, shows, feature string, more int) Axis {
	number := func(l Labels) (int, bool) {
		n, known := Count(l.Features, feature)
		if known = known && (name != "tables" || n > 0); known { // runs of before it was counted have none
			n += more
		}
		return n, known
	}
	order := []string{"0", "1", "2+"}
	if name == "tables" || name == "joined" {
		order = []string{"1", "2", "3", "4+"}
	}
	return Axis{name, shows, true, order, func(l Labels) string {
		n, known := number(l)
		last, _ := strconv.Atoi(strings.TrimSuffix(order[len(order)-1], "+"))
		switch {
		case !known:
			return ""
		case n >= last:
			return order[len(order)-1]
		}
		return strconv.Itoa(n)
	}, number}
}

// Find gives the axis of that name. The error has the nearest right spelling, or all names.
func Find(name string) (Axis, error) {
	var known []string
	for _, a := range List() {
		if a.Name == name {
			return a, nil
		}
		known = append(known, a.Name)
	}
	return Axis{}, fmt.Errorf("axes: find: axis %s", configs.Unknown(name, known))
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
