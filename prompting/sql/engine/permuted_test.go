package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// table returns a result of integers.
func table(rows ...[]int64) *Result {
	out := &Result{}
	for _, row := range rows {
		var cells []Value
		for _, n := range row {
			cells = append(cells, OfInt(n))
		}
		out.Rows, out.Columns = append(out.Rows, cells), make([]string, len(row))
	}
	return out
}

// rearranged returns a result with its columns in another order.
func rearranged(r *Result, order []int) *Result {
	out := &Result{Columns: r.Columns}
	for _, row := range r.Rows {
		var cells []Value
		for _, c := range order {
			cells = append(cells, row[c])
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// anyOrder says whether some order of columns makes two results equal, by trying them all.
func anyOrder(a, b *Result, order []int) bool {
	if len(order) == len(a.Columns) {
		return rearranged(a, order).MultisetDigest() == b.MultisetDigest()
	}
	for c := range a.Columns {
		if !slices.Contains(order, c) && anyOrder(a, b, append(slices.Clip(order), c)) {
			return true
		}
	}
	return false
}

func TestPermutedDigest(t *testing.T) {
	check := func(name string, a, b *Result, want bool) {
		t.Helper()
		if got := a.PermutedDigest() == b.PermutedDigest(); got != want {
			t.Errorf("%s: digests equal is %v", name, got)
		}
	}
	check("other columns first", table([]int64{1, 2}, []int64{3, 4}), table([]int64{4, 3}, []int64{2, 1}), true)
	check("each row by itself", table([]int64{1, 2}, []int64{3, 4}), table([]int64{2, 1}, []int64{3, 4}), false)
	check("columns of the same values", table([]int64{1, 2}, []int64{2, 1}), table([]int64{1, 1}, []int64{2, 2}), false)
	check("a row more often", table([]int64{1, 2}, []int64{1, 2}), table([]int64{2, 1}), false)
	check("a column more often", table([]int64{1, 1, 2}), table([]int64{1, 2, 2}), false)
	check("a column more", table([]int64{1, 1}), table([]int64{1}), false)
	check("no rows", &Result{Columns: make([]string, 2)}, &Result{Columns: make([]string, 1)}, true)
	check("no rows, and one of no use", &Result{Columns: make([]string, 1)}, &Result{Columns: make([]string, 1), Rows: [][]Value{{{}}}}, false)
	check("a circle and two", table([]int64{1, 0, 0, 0, 0, 1}, []int64{1, 1, 0, 0, 0, 0}, []int64{0, 1, 1, 0, 0, 0}, []int64{0, 0, 1, 1, 0, 0}, []int64{0, 0, 0, 1, 1, 0}, []int64{0, 0, 0, 0, 1, 1}),
		table([]int64{1, 1, 0, 0, 0, 0}, []int64{0, 1, 1, 0, 0, 0}, []int64{1, 0, 1, 0, 0, 0}, []int64{0, 0, 0, 1, 1, 0}, []int64{0, 0, 0, 0, 1, 1}, []int64{0, 0, 0, 1, 0, 1}), false)
	draw := rand.New(rand.NewPCG(17, 7))
	for range 3000 {
		columns, rows := 1+draw.IntN(4), 1+draw.IntN(5)
		some := func() *Result {
			var out [][]int64
			for range rows {
				row := make([]int64, columns)
				for i := range row {
					row[i] = draw.Int64N(2)
				}
				out = append(out, row)
			}
			return table(out...)
		}
		a, b := some(), some()
		check("drawn", a, b, anyOrder(a, b, nil))
		c := rearranged(a, draw.Perm(columns))
		draw.Shuffle(rows, func(i, j int) { c.Rows[i], c.Rows[j] = c.Rows[j], c.Rows[i] })
		check("shuffled", a, c, true)
	}
}

// TestPermutedDigestOfMany: columns that nothing tells apart take no longer than their number.
func TestPermutedDigestOfMany(t *testing.T) {
	r := &Result{Columns: make([]string, 2000)}
	for range 100 {
		r.Rows = append(r.Rows, make([]Value, 2000))
	}
	if alike := (&Result{Columns: r.Columns, Rows: r.Rows[:99]}).PermutedDigest(); alike == r.PermutedDigest() {
		t.Error("99 rows are 100")
	}
}
