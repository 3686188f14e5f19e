package paper

import (
	"slices"

	"assay/plots/table"
)

// reach says which generators solve one item under one seed: those with a right candidate.
type reach struct {
	item   string
	solves []bool // one per generator
}

// reaches returns the row's generators, and what they solve of each item with a scored candidate.
func reaches(r row, ps []pooled) (names []string, out []reach) {
	names = generators(r, ps)
	for _, p := range ps {
		for _, it := range p.items {
			cs := it.Scored()
			if len(cs) == 0 {
				continue
			}
			x := reach{it.ID, make([]bool, len(names))}
			for _, c := range cs {
				if at := slices.Index(names, c.Generator); at >= 0 && c.Correct {
					x.solves[at] = true
				}
			}
			out = append(out, x)
		}
	}
	return names, out
}

// shareOfItems is the share of answers that count.
func shareOfItems(all []reach, counts func(reach) bool) table.Cell {
	var p proportion
	for _, x := range all {
		p.add(x.item, bitOf(counts(x)), 1)
	}
	return p.cell()
}

func countOf(all []reach, counts func(reach) bool) (n int) {
	for _, x := range all {
		n += bitOf(counts(x))
	}
	return n
}

// any reports whether one of the generators solves the item.
func (x reach) any(of []int) bool {
	return slices.ContainsFunc(of, func(g int) bool { return x.solves[g] })
}

// only reports whether one generator alone solves the item.
func (x reach) only(g int) bool {
	return x.solves[g] && !slices.ContainsFunc(others(len(x.solves), g), func(o int) bool { return x.solves[o] })
}

func others(n, g int) (out []int) {
	for i := range n {
		if i != g {
			out = append(out, i)
		}
	}
	return out
}

// generatorPairs has one row per arm and pair of its generators: what an oracle over both would answer.
func generatorPairs(v *view) (Output, error) {
	ps := v.pools()
	columns := []table.Column{{Name: "first", Key: true}, {Name: "second", Key: true}}
	columns = append(columns, numerals("items that solve", "both", "first only", "second only", "neither")...)
	columns = append(columns, numerals("percent", "first", "second", "oracle", "gain over the better")...)
	columns[len(columns)-1].Short = "gain"
	t := v.lines("generator-pairs", "What the oracle of each pair of generators would answer", columns, func(i int, r row) (rows [][]table.Cell) {
		names, all := reaches(r, ps[i])
		for a := range names {
			for b := a + 1; b < len(names); b++ {
				rows = append(rows, append([]table.Cell{table.Text(names[a]), table.Text(names[b])}, pairCells(all, a, b)...))
			}
		}
		return rows
	})
	t.Notes = v.poolNotes(ps, "A generator solves an item where at least one of its candidates is right; items with a scored candidate count, once per seed. Oracle: either does, the upper bound of the two. Gain: the items that the other of the two alone solves, over the better one alone. "+proportionNote,
		"A generator with more candidates solves more by that alone: compare generators of as many.")
	return Output{Table: t}, nil
}

// pairCells are the numbers of two generators.
func pairCells(all []reach, a, b int) []table.Cell {
	first := func(x reach) bool { return x.solves[a] }
	second := func(x reach) bool { return x.solves[b] }
	onlyA, onlyB := countOf(all, func(x reach) bool { return x.solves[a] && !x.solves[b] }), countOf(all, func(x reach) bool { return x.solves[b] && !x.solves[a] })
	both := countOf(all, first) - onlyA
	worse := func(x reach) bool { return x.solves[b] && !x.solves[a] }
	if onlyB > onlyA {
		worse = func(x reach) bool { return x.solves[a] && !x.solves[b] }
	}
	cells := []table.Cell{table.Count(both), table.Count(onlyA), table.Count(onlyB), table.Count(len(all) - both - onlyA - onlyB),
		shareOfItems(all, first), shareOfItems(all, second), shareOfItems(all, func(x reach) bool { return x.any([]int{a, b}) }), shareOfItems(all, worse)}
	return cells
}

// generatorOrder has one row per arm and generator, in the order in which each adds most: what each solves, what it alone does,
// and what all up to it do.
func generatorOrder(v *view) (Output, error) {
	ps := v.pools()
	columns := []table.Column{{Name: "generator", Key: true}}
	columns = append(columns, numerals("items", "solved", "alone")...)
	columns = append(columns, numerals("percent", "solved", "alone", "added", "oracle so far")...)
	t := v.lines("generator-order", "What each generator solves alone, and adds to those before it", columns, func(i int, r row) (rows [][]table.Cell) {
		names, all := reaches(r, ps[i])
		if len(names) < 2 {
			return nil
		}
		var before []int
		for range names {
			g := best(all, before, len(names))
			so := append(slices.Clone(before), g)
			alone := func(x reach) bool { return x.only(g) }
			solved := func(x reach) bool { return x.solves[g] }
			rows = append(rows, []table.Cell{table.Text(names[g]), table.Count(countOf(all, solved)), table.Count(countOf(all, alone)),
				shareOfItems(all, solved), shareOfItems(all, alone), shareOfItems(all, func(x reach) bool { return x.solves[g] && !x.any(before) }),
				shareOfItems(all, func(x reach) bool { return x.any(so) })})
			before = so
		}
		return rows
	})
	t.Notes = v.poolNotes(ps, "Generators stand in the order in which each adds most items to those above it, the first of equals as the arm has them; the order is found on these items, and flatters its beginning a little. Alone: items that no other generator of the arm solves. Oracle so far: items that it or one above it solves. "+proportionNote,
		"A generator solves an item where at least one of its candidates is right; items with a scored candidate count, once per seed.")
	return Output{Table: t}, nil
}

// best returns the generator, of those not yet taken, that solves most of the items that none before it does.
func best(all []reach, before []int, n int) (g int) {
	g, most := -1, -1
	for i := range n {
		if slices.Contains(before, i) {
			continue
		}
		if k := countOf(all, func(x reach) bool { return x.solves[i] && !x.any(before) }); k > most {
			g, most = i, k
		}
	}
	return g
}
