package engine

import "testing"

func TestDigest(t *testing.T) {
	of := func(columns int, rows ...[]Value) *Result {
		return &Result{Columns: make([]string, columns), Rows: rows}
	}
	a, b := []Value{OfInt(1), OfText("x")}, []Value{{}, OfBlob([]byte("x"))}
	check := func(name string, x, y *Result, ordered, multiset bool) {
		t.Helper()
		if got := x.Digest() == y.Digest(); got != ordered {
			t.Errorf("%s: digests equal is %v", name, got)
		}
		if got := x.MultisetDigest() == y.MultisetDigest(); got != multiset {
			t.Errorf("%s: multiset digests equal is %v", name, got)
		}
	}
	set := func(x, y *Result, want bool) {
		t.Helper()
		if got := x.SetDigest() == y.SetDigest(); got != want {
			t.Errorf("set digests equal is %v", got)
		}
	}
	set(of(2, a, b, b, a), of(2, b, a), true)
	set(of(2, a, b), of(2, b), false)
	set(of(1), of(2), false)
	check("same", of(2, a, b), of(2, a, b), true, true)
	check("other order", of(2, a, b), of(2, b, a), false, true)
	check("repeated row", of(2, a, b), of(2, a, b, b), false, false)
	check("integral real", of(1, []Value{OfInt(1)}), of(1, []Value{OfReal(1)}), true, true)
	check("real", of(1, []Value{OfInt(1)}), of(1, []Value{OfReal(1.5)}), false, false)
	check("text and blob", of(1, []Value{OfText("x")}), of(1, []Value{OfBlob([]byte("x"))}), false, false)
	check("columns of nothing", of(1), of(2), false, false)
	check("cut elsewhere", of(2, []Value{OfText("ab"), OfText("c")}), of(2, []Value{OfText("a"), OfText("bc")}), false, false)
}
