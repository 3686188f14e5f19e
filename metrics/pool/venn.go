package pool

import (
	"slices"
	"strings"
)

// Region is the items that these generators solve and no other does.
type Region struct {
	Generators []string
	Items      []string // ids
}

// Venn is which generator solves what: an item is solved by a generator that has a correct candidate for it.
type Venn struct {
	Generators []string
	Regions    []Region // every combination; above 12 generators, those with items
	None       []string // ids of items that no generator solves
	Unscored   int
}

// mostCircles is the number of generators up to which empty regions are listed.
const mostCircles = 12

// VennOf counts the regions, in order of how many generators they have, then of the generators.
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

// solvers has a '1' for each generator with a correct candidate.
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

// keys is the regions to list, in order.
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

// Unique is how many items each generator alone solves, in the order of Generators.
func (v Venn) Unique() []int {
	out := make([]int, len(v.Generators))
	for _, r := range v.Regions {
		if len(r.Generators) == 1 {
			out[slices.Index(v.Generators, r.Generators[0])] += len(r.Items)
		}
	}
	return out
}
