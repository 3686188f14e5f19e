// Package axes groups items by what is known about them: hardness, difficulty, database, and the features of their gold
// query.
//
// Features turns a gold query into a text that runs store; an Axis turns an item's Labels into the name of its group;
// Groups and Sorted put groups into the order of tables. The package must never see a prediction: the groups of an item
// are the same in every run.
package axes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
)

// None is the group of items about which an axis knows nothing: they have no label, or their gold query does not parse.
const None = "(none)"

// Labels are what an item can be grouped by.
type Labels struct {
	DB         string
	Hardness   string
	Difficulty string
	Features   string // as Features returns them
}

// Axis is one way to divide items into groups.
type Axis struct {
	Name    string
	Shows   string   // short description
	Feature bool     // it uses Labels.Features
	order   []string // groups in the order of tables; others follow in order of appearance
	of      func(Labels) string
	number  func(Labels) (int, bool) // the number behind a group; nil if groups are not numbers
}

// Group returns the item's group, None if nothing is known.
func (a Axis) Group(l Labels) string {
	if g := a.of(l); g != "" {
		return g
	}
	return None
}

// Groups lists the groups that at least one item has: first those in the axis's order, easiest or fewest first, then
// the others in order of appearance, and None last.
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

// Sorted puts groups in the order of Groups; those that have no place in it keep their order, and None comes last.
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

// Holds reports whether the item is at the level: in the group of that name or, if groups are numbers, at that number
// ("2") or at least there ("2+").
func (a Axis) Holds(l Labels, level string) bool {
	if a.number == nil {
		return a.of(l) == level && level != ""
	}
	n, known := a.number(l)
	digits, above := strings.CutSuffix(level, "+")
	want, err := strconv.Atoi(digits)
	return known && err == nil && (n == want || above && n > want)
}

// The axes that are not features.
var (
	Hardness   = Axis{"hardness", "Spider's label of the gold", false, configs.Levels.IDs(), func(l Labels) string { return l.Hardness }, nil}
	Difficulty = Axis{"difficulty", "BIRD's label of the item", false, configs.Difficulties.IDs(), func(l Labels) string { return l.Difficulty }, nil}
	Database   = Axis{"database", "the item's database", false, nil, func(l Labels) string { return l.DB }, nil}
)

// List returns every axis: hardness, difficulty, database, each of configs.Features, and joined. The groups of tables
// and joined are 1, 2, 3 and 4+, those of the other features 0, 1 and 2+.
func List() []Axis {
	out := []Axis{Hardness, Difficulty, Database}
	for _, f := range configs.Features {
		out = append(out, numbered(f.ID, f.Shows, f.ID, 0))
	}
	return append(out, numbered("joined", "tables joined, one more than the joins: Table 9 of Interactive-T2S counts so", "joins", 1))
}

// numbered returns the axis of a feature's count plus more.
func numbered(name, shows, feature string, more int) Axis {
	number := func(l Labels) (int, bool) {
		n, known := Count(l.Features, feature)
		if known = known && (name != "tables" || n > 0); known { // older runs lack the count of tables, and no query has 0
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

// Find returns the axis of that name. The error has the nearest known name, or all names.
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

// FindAll returns the axes of those names, each once.
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
