package rows

import (
	"cmp"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
)

// seed keeps the tables of this package from being filled with values that share a hash. No verdict depends on it.
var seed = maphash.MakeSeed()

// numbers gives the values of two results numbers from 0 on, so that equal values have equal numbers, 1 and 1.0 among
// them. It copies no value: a result may be all that memory holds.
type numbers struct {
	decode func(engine.Value) engine.Value
	sides  [2]*engine.Result
	cells  int      // of the first result
	first  []uint32 // by number: the cell that had its value first, counted row by row through both results
	slots  []uint64 // hash table: the upper half of a hash and a number plus 1, or 0
	mixed  bool     // some values are equal without being identical, as 1 and 1.0
}

// number reads two results of which at least one has rows; decode maps a value before it is numbered.
func number(decode func(engine.Value) engine.Value, gold, pred *engine.Result) (n *numbers, g, p grid) {
	cells := len(gold.Rows) * len(gold.Columns)
	all := cells + len(pred.Rows)*len(pred.Columns)
	n = &numbers{decode: decode, sides: [2]*engine.Result{gold, pred}, cells: cells,
		first: make([]uint32, 0, all), slots: make([]uint64, tableSize(all))}
	return n, n.read(gold, 0), n.read(pred, cells)
}

// tableSize returns the slots of a hash table for that many entries, a power of two.
func tableSize(entries int) int { return 1 << bits.Len(uint(entries+entries/4)) }

// decodeLossy removes bytes that are not UTF-8 from a text, as Python's decode(errors="ignore") does.
func decodeLossy(v engine.Value) engine.Value {
	if v.Kind() != engine.Text {
		return v
	}
	return engine.OfText(strings.ToValidUTF8(v.Bytes(), ""))
}

func decodeExact(v engine.Value) engine.Value { return v }

// grid is a result as numbers, by column.
type grid struct {
	rows int
	cols [][]int32
}

// read numbers all values of a result whose first cell counts as start.
func (n *numbers) read(r *engine.Result, start int) grid {
	g := grid{rows: len(r.Rows), cols: make([][]int32, len(r.Columns))}
	for j := range g.cols {
		g.cols[j] = make([]int32, g.rows)
	}
	for i, row := range r.Rows {
		for j, v := range row {
			g.cols[j][i] = n.number(v, start+i*len(row)+j)
		}
	}
	return g
}

// number returns the number of the value of a cell, a new one if the value is new.
func (n *numbers) number(v engine.Value, cell int) int32 {
	v = n.decode(v)
	canon := v.Canonical()
	mask := len(n.slots) - 1
	h := maphash.Comparable(seed, canon)
	at, upper := int(h)&mask, h&^math.MaxUint32
	for ; n.slots[at] > 0; at = (at + 1) & mask {
		if n.slots[at]&^math.MaxUint32 != upper {
			continue
		}
		id := int32(uint32(n.slots[at])) - 1
		if known := n.value(id); known.Canonical() == canon {
			n.mixed = n.mixed || known != v
			return id
		}
	}
	n.first = append(n.first, uint32(cell))
	n.slots[at] = upper | uint64(len(n.first))
	return int32(len(n.first)) - 1
}

// value returns the first of the values that have this number.
func (n *numbers) value(id int32) engine.Value {
	cell, r := int(n.first[id]), n.sides[0]
	if cell >= n.cells {
		cell, r = cell-n.cells, n.sides[1]
	}
	return n.decode(r.Rows[cell/len(r.Columns)][cell%len(r.Columns)])
}

// splitter numbers pairs of a class and a value. It is made for a number of rows and used over and over.
type splitter struct {
	pairs []uint64 // by slot
	slots []int32  // a class plus 1, or 0
	count int32    // classes so far
}

func newSplitter(rows int) *splitter {
	size := tableSize(rows)
	return &splitter{pairs: make([]uint64, size), slots: make([]int32, size)}
}

// refine splits the classes g and p of rows, in place, by one more column of each side, and returns the number of classes.
func (s *splitter) refine(g, p, gcol, pcol []int32) int {
	clear(s.slots)
	s.count = 0
	s.split(g, gcol)
	s.split(p, pcol)
	return int(s.count)
}

func (s *splitter) split(class, col []int32) {
	mask := len(s.slots) - 1
	for i := range class {
		pair := uint64(uint32(class[i]))<<32 | uint64(uint32(col[i]))
		at := int(maphash.Comparable(seed, pair)) & mask
		for s.slots[at] > 0 && s.pairs[at] != pair {
			at = (at + 1) & mask
		}
		if s.slots[at] == 0 {
			s.count++
			s.slots[at], s.pairs[at] = s.count, pair
		}
		class[i] = s.slots[at] - 1
	}
}

// classes numbers the rows of two grids of as many columns so that equal rows have equal numbers, below n.
func classes(gold, pred grid) (g, p []int32, n int) {
	g, p, n = make([]int32, gold.rows), make([]int32, pred.rows), 1
	s := newSplitter(gold.rows + pred.rows)
	for j := range gold.cols {
		n = s.refine(g, p, gold.cols[j], pred.cols[j])
	}
	return g, p, n
}

// onlyIn returns the first row of a whose class, one of n, no row of b has.
func onlyIn(a, b []int32, n int) (row int, ok bool) {
	in := make([]bool, n)
	for _, c := range b {
		in[c] = true
	}
	row = slices.IndexFunc(a, func(c int32) bool { return !in[c] })
	return row, row >= 0
}

// sameSorted is the reference's quick rejection: after each row's values are sorted as Python prints them, the rows
// must be equal in order, or as sets. Equality up to the order of columns implies this, unless values are mixed.
func sameSorted(n *numbers, g, p grid, ordered bool) (Verdict, bool) {
	gc, pc, count := classes(n.sortedRows(0, g), n.sortedRows(1, p))
	if ordered {
		if !slices.Equal(gc, pc) {
			return unequal("rows differ, or mix integers and reals where the comparator sorts them apart"), false
		}
		return equal, true
	}
	if row, ok := onlyIn(pc, gc, count); ok {
		return unequal("row %d is not in the gold result", row+1), false
	}
	if row, ok := onlyIn(gc, pc, count); ok {
		return unequal("row %d of the gold result is missing", row+1), false
	}
	return equal, true
}

// sortedRows returns the grid of a side with each row sorted by how Python prints its values.
func (n *numbers) sortedRows(side int, g grid) grid {
	sorted := grid{rows: g.rows, cols: make([][]int32, len(g.cols))}
	for j := range sorted.cols {
		sorted.cols[j] = make([]int32, g.rows)
	}
	type printed struct {
		key string
		id  int32
	}
	row := make([]printed, len(g.cols))
	for i, values := range n.sides[side].Rows {
		for j, v := range values {
			row[j] = printed{pythonKey(n.decode(v)), g.cols[j][i]}
		}
		slices.SortFunc(row, func(a, b printed) int { return cmp.Compare(a.key, b.key) })
		for j, c := range row {
			sorted.cols[j][i] = c.id
		}
	}
	return sorted
}

// sameColumns numbers the columns of two grids of as many rows so that columns that are equal row by row have equal
// numbers.
func sameColumns(g, p grid) (gold, pred []int32) {
	all := slices.Concat(g.cols, p.cols)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(all[a], all[b]) })
	ids := make([]int32, len(all))
	for k := 1; k < len(order); k++ {
		ids[order[k]] = ids[order[k-1]]
		if !slices.Equal(all[order[k]], all[order[k-1]]) {
			ids[order[k]]++
		}
	}
	return ids[:len(g.cols)], ids[len(g.cols):]
}
