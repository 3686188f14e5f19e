package engine

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// PermutedDigest is MultisetDigest regardless of the order of columns, too. Results without rows have the same digest,
// whatever their columns, as they have for the vote of C3 and DAIL-SQL.
//
// Columns are brought into an order that only what stands in them decides, by refining colours: a column's colour is that
// of its values and their rows, a row's that of its values and their columns. Where columns stay alike, one of them is
// marked, and colours are refined again. Columns that no number of marks within mostMarks tells apart keep their order,
// so that two results of very many alike columns may differ although a permutation makes them equal.
func (r *Result) PermutedDigest() string {
	if len(r.Rows) == 0 {
		return (&Result{}).MultisetDigest()
	}
	order := newColours(r).order()
	out := &Result{Columns: r.Columns, Rows: make([][]Value, len(r.Rows))}
	cells := make([]Value, len(r.Rows)*len(order))
	for i, row := range r.Rows {
		out.Rows[i] = cells[i*len(order) : (i+1)*len(order)]
		for j, c := range order {
			out.Rows[i][j] = row[c]
		}
	}
	return out.MultisetDigest()
}

const (
	mostMarks  = 8 // columns that are marked at most
	mostRounds = 3 // refinements after each mark
)

// colours are what is known of the rows and columns of a table of hashed values.
type colours struct {
	cells         [][]uint64 // by row and column
	rows, columns []uint64
}

// newColours hashes each value.
func newColours(r *Result) *colours {
	c := &colours{cells: make([][]uint64, len(r.Rows)), rows: make([]uint64, len(r.Rows)), columns: make([]uint64, len(r.Columns))}
	h := fnv.New64a()
	for i, row := range r.Rows {
		c.cells[i] = make([]uint64, len(row))
		for j := range row {
			h.Reset()
			writeRow(h, row[j:j+1])
			c.cells[i][j] = h.Sum64()
		}
	}
	return c
}

// order returns the columns, sorted by their colours.
func (c *colours) order() []int {
	c.refine()
	for mark := range uint64(mostMarks) {
		alike, found := c.alike()
		if !found {
			break
		}
		c.columns[alike] = mixed(c.columns[alike], mark)
		c.refine()
	}
	out := make([]int, len(c.columns))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(c.columns[a], c.columns[b]) })
	return out
}

// alike returns a column of the least colour that several have; none where all differ.
func (c *colours) alike() (column int, found bool) {
	count := map[uint64]int{}
	for _, colour := range c.columns {
		count[colour]++
	}
	for i, colour := range c.columns {
		if count[colour] > 1 && (!found || colour < c.columns[column]) {
			column, found = i, true
		}
	}
	return column, found
}

// refine recolours rows by their columns and columns by their rows. A sum does not depend on an order.
func (c *colours) refine() {
	for range mostRounds {
		clear(c.rows)
		for i, row := range c.cells {
			for j, v := range row {
				c.rows[i] += mixed(c.columns[j], v)
			}
		}
		next := make([]uint64, len(c.columns))
		for i, row := range c.cells {
			for j, v := range row {
				next[j] += mixed(c.rows[i], v)
			}
		}
		for j := range next {
			c.columns[j] = mixed(c.columns[j], next[j])
		}
	}
}

// mixed hashes a pair (the finaliser of SplitMix64).
func mixed(a, b uint64) uint64 {
	x := a*0x9E3779B97F4A7C15 + b
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
