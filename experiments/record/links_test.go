package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListing(t *testing.T) {
	check := func(cell string, rows [][]string) {
		t.Helper()
		if got := Listing(rows); got != cell {
			t.Errorf("got %q, want %q", got, cell)
		}
		if d := cmp.Diff(rows, Listed(cell)); d != "" {
			t.Errorf("%q: %s", cell, d)
		}
	}
	check("", nil)
	check("[]", [][]string{})
	check(`[["t","c","a \"b\", \u003cé\u003e"],["u","d",""]]`, [][]string{{"t", "c", `a "b", <é>`}, {"u", "d", ""}})
	for _, bad := range []string{"{}", "[1]", "[[1]]", "x", `[["a"`} {
		if got := Listed(bad); got != nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
