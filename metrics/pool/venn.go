package pool

import (
	"slices"
	"strings"
)

// Region is the items that exactly these generators solve.
type Region struct {
	Generators []string
	Items      []string // ids
}

// Venn says which generators solve which items. A generator solves an item if it has a correct candidate for it.
type Venn struct {
	Generators []string
	Regions    []Region // every combination; with more than 12 generators only those with items
	None       []string // ids of items that no generator solves
	Unscored   int
}

// mostCircles is the largest number of generators for which empty regions are listed: regions double with each
// generator.
const mostCircles = 12

// VennOf counts the regions, ordered by their number of generators, then by the generators.
func VennOf(items []Item) Venn {
	v := Venn{Generators: Generators(items)}
	found := map[string][]string{}
	for _, it := range items {
		cs := it.Scored()
		if len(cs) == 0 {
			v.Unscored++
			continue
		}
		key := v.solvers(cs)
		if !strings.Contains(key, "1") {
			v.None = append(v.None, it.ID)
			continue
		}
		found[key] = append(found[key], it.ID)
	}
	for _, key := range v.keys(found) {
		r := Region{Items: found[key]}
		for i, g := range v.Generators {
			if key[i] == '1' {
				r.Generators = append(r.Generators, g)
			}
		}
		v.Regions = append(v.Regions, r)
	}
	return v
}

// solvers returns one digit per generator: '1' if it has a correct candidate.
func (v Venn) solvers(cs []Candidate) string {
	key := make([]byte, len(v.Generators))
	for i, g := range v.Generators {
		key[i] = '0'
		if slices.ContainsFunc(cs, func(c Candidate) bool { return c.Generator == g && c.Correct }) {
			key[i] = '1'
		}
	}
	return string(key)
}

// keys returns the regions to list, in order.
func (v Venn) keys(found map[string][]string) []string {
	var keys []string
	if g := len(v.Generators); g <= mostCircles {
		for mask := 1; mask < 1<<g; mask++ {
			key := make([]byte, g)
			for i := range key {
				key[i] = byte('0' + mask>>i&1)
			}
			keys = append(keys, string(key))
		}
	} else {
		for key := range found {
			keys = append(keys, key)
		}
	}
	ones := func(key string) int { return strings.Count(key, "1") }
	slices.SortFunc(keys, func(a, b string) int {
		if d := ones(a) - ones(b); d != 0 {
			return d
		}
		return strings.Compare(b, a)
	})
	return keys
}

// Unique returns how many items each generator alone solves, in the order of Generators.
func (v Venn) Unique() []int {
	out := make([]int, len(v.Generators))
	for _, r := range v.Regions {
		if len(r.Generators) == 1 {
			out[slices.Index(v.Generators, r.Generators[0])] += len(r.Items)
		}
	}
	return out
}
