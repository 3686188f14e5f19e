package rows

import (
	"cmp"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
)

// interner numbers values so that equal values have equal numbers, over both results of a comparison.
//
// A value has two numbers: exact distinguishes 1 from 1.0, and canon does not.
type interner struct {
	decode func(engine.Value) engine.Value
	exact  map[engine.Value]int32
	canon  map[engine.Value]int32
	values []engine.Value // by exact number
	canons []int32        // by exact number
}

// newInterner returns an empty interner; decode maps a value before it is numbered.
func newInterner(decode func(engine.Value) engine.Value) *interner {
	return &interner{decode: decode, exact: map[engine.Value]int32{}, canon: map[engine.Value]int32{}}
}

// decodeLossy removes bytes that are not UTF-8 from a text, as Python's decode(errors="ignore") does.
func decodeLossy(v engine.Value) engine.Value {
	if v.Kind() != engine.Text {
		return v
	}
	return engine.OfText(strings.ToValidUTF8(v.Bytes(), ""))
}

func decodeExact(v engine.Value) engine.Value { return v }

// number returns the exact number of a value, a new one if the value is new.
func (in *interner) number(v engine.Value) int32 {
	if id, ok := in.exact[v]; ok {
		return id
	}
	d := in.decode(v)
	if d != v {
		id := in.number(d)
		in.exact[v] = id
		return id
	}
	id := int32(len(in.values))
	in.exact[v] = id
	in.values = append(in.values, v)
	c := v.Canonical()
	if _, ok := in.canon[c]; !ok {
		in.canon[c] = int32(len(in.canon))
	}
	in.canons = append(in.canons, in.canon[c])
	return id
}

// mixed reports whether some values are equal without being identical, as 1 and 1.0.
func (in *interner) mixed() bool { return len(in.canon) < len(in.values) }

// grid is a result as numbers, by column: cols has canon numbers, raw exact ones.
type grid struct {
	rows      int
	cols, raw [][]int32
}

// read numbers all values of a result.
func (in *interner) read(r *engine.Result) grid {
	g := grid{rows: len(r.Rows), cols: make([][]int32, len(r.Columns)), raw: make([][]int32, len(r.Columns))}
	for j := range r.Columns {
		g.cols[j], g.raw[j] = make([]int32, g.rows), make([]int32, g.rows)
		for i, row := range r.Rows {
			id := in.number(row[j])
			g.raw[j][i], g.cols[j][i] = id, in.canons[id]
		}
	}
	return g
}

// classes numbers the rows of two grids so that equal rows have equal numbers.
func classes(gold, pred [][]int32) (g, p []int32) {
	var rows [2]int
	if len(gold) > 0 {
		rows = [2]int{len(gold[0]), len(pred[0])}
	}
	g, p = make([]int32, rows[0]), make([]int32, rows[1])
	for j := range gold {
		refine(g, p, gold[j], pred[j])
	}
	return g, p
}

// refine splits the classes g and p of rows, in place, by one more column of each side.
func refine(g, p, gcol, pcol []int32) (count int) {
	next := make(map[uint64]int32, len(g)/4+1)
	split := func(class, col []int32) {
		for i := range class {
			key := uint64(uint32(class[i]))<<32 | uint64(uint32(col[i]))
			id, ok := next[key]
			if !ok {
				id = int32(len(next))
				next[key] = id
			}
			class[i] = id
		}
	}
	split(g, gcol)
	split(p, pcol)
	return len(next)
}

// onlyIn returns the first row of a whose class no row of b has.
func onlyIn(a, b []int32) (row int, ok bool) {
	in := make(map[int32]bool, len(b))
	for _, c := range b {
		in[c] = true
	}
	row = slices.IndexFunc(a, func(c int32) bool { return !in[c] })
	return row, row >= 0
}

// sameSorted is the reference's quick rejection: after each row's values are sorted as Python prints them, the rows
// must be equal in order, or as sets. Equality up to the order of columns implies this, unless values are mixed.
func sameSorted(in *interner, g, p grid, ordered bool) (Verdict, bool) {
	rank := in.ranks()
	gc, pc := classes(sortedRows(in, rank, g), sortedRows(in, rank, p))
	if ordered {
		if !slices.Equal(gc, pc) {
			return unequal("rows differ, or mix integers and reals where the comparator sorts them apart"), false
		}
		return equal, true
	}
	if row, ok := onlyIn(pc, gc); ok {
		return unequal("row %d is not in the gold", row+1), false
	}
	if row, ok := onlyIn(gc, pc); ok {
		return unequal("row %d of the gold is missing", row+1), false
	}
	return equal, true
}

// sortedRows returns g's rows as canon numbers, each row sorted by rank.
func sortedRows(in *interner, rank []int32, g grid) [][]int32 {
	sorted := make([][]int32, len(g.raw))
	for j := range sorted {
		sorted[j] = make([]int32, g.rows)
	}
	row := make([]int32, len(g.raw))
	for i := range g.rows {
		for j := range row {
			row[j] = g.raw[j][i]
		}
		slices.SortFunc(row, func(a, b int32) int { return cmp.Compare(rank[a], rank[b]) })
		for j, id := range row {
			sorted[j][i] = in.canons[id]
		}
	}
	return sorted
}

// ranks returns the position of each exact number in the order of Python's str(x) + str(type(x)).
func (in *interner) ranks() []int32 {
	keys := make([]string, len(in.values))
	order := make([]int32, len(in.values))
	for id, v := range in.values {
		keys[id], order[id] = pythonKey(v), int32(id)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	rank := make([]int32, len(order))
	for place, id := range order {
		rank[id] = int32(place)
	}
	return rank
}
