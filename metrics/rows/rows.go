// Package rows compares two result sets under a named equality.
//
// Each equality takes the gold result and the predicted one and returns a Verdict. Values are numbered so that equal
// ones share a number (grid.go), columns are matched by their contents (match.go), and the first difference becomes the
// reason.
//
// Spider is the equality of test-suite accuracy: columns may be in any order, rows too unless the gold query orders
// them, and repeated rows count. BIRD is equality of sets of rows, with columns in order. Strict is assay's own:
// columns in any order, repeated rows counted, ties in any order if the gold query orders, reals to nine digits, and an
// empty result must be as wide as the gold result. The package must never run a query, and Spider and BIRD must never
// be better than their references: they reproduce them verdict for verdict. Results are a stranger's work, so each
// equality takes time and memory (below that of the results) about proportional to their cells, and the search for an
// order of columns, which has no such bound, a number of steps.
//
// In all of them a number is equal to a number of the same value, integer or real, and in all but Strict without
// tolerance; NULL is equal to NULL; text is not equal to a blob.
package rows

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"assay/prompting/sql/engine"
)

// Verdict says whether two results are equal.
type Verdict struct {
	Equal     bool
	Undecided bool   // the search gave up, so Equal is false without proof
	Reordered bool   // by Strict: not equal, but equal were the order of rows free
	Why       string // one line on why they are not equal; empty if they are
}

var equal = Verdict{Equal: true}

func unequal(format string, args ...any) Verdict { return Verdict{Why: fmt.Sprintf(format, args...)} }

// Spider is the comparator of test-suite accuracy (Zhong et al. 2020, result_eq of the reference evaluator), verdict
// for verdict. ordered says that the order of rows counts. It has these surprises:
//
// Two empty results are equal whatever their columns. Bytes that are not UTF-8 are first removed from texts. Rows must
// also be equal after their values are sorted by how Python prints them, followed by their type: "2.5<" sorts before
// "2<", so the row (2, 2.5) is not equal to (2.0, 2.5), although 2 alone is equal to 2.0.
//
// The reference tries orders of columns one by one, which may never end. This function matches columns by their
// contents, and returns Undecided after about 30 million steps, which only results built for the purpose need.
func Spider(gold, pred *engine.Result, ordered bool) Verdict {
	if len(gold.Rows) == 0 && len(pred.Rows) == 0 {
		return equal
	}
	if v, ok := sameSize(gold, pred); !ok {
		return v
	}
	if identical(gold, pred) {
		return equal
	}
	n, g, p := number(decodeLossy, gold, pred)
	if n.mixed {
		if v, ok := sameSorted(n, g, p, ordered); !ok {
			return v
		}
	}
	if ordered {
		return matchOrdered(g, p)
	}
	return newSearch(g, p).anyOrder()
}

// identical reports whether two results of the same size have the same values in the same places, class and bits
// included.
func identical(gold, pred *engine.Result) bool {
	if gold == pred {
		return true
	}
	for i, row := range gold.Rows {
		if !slices.Equal(row, pred.Rows[i]) {
			return false
		}
	}
	return true
}

// sameSize compares the numbers of rows and columns. At least one of the results must not be empty.
func sameSize(gold, pred *engine.Result) (Verdict, bool) {
	if len(gold.Rows) != len(pred.Rows) {
		return unequal("%d rows, the gold query has %d", len(pred.Rows), len(gold.Rows)), false
	}
	if len(gold.Columns) != len(pred.Columns) {
		return unequal("%d columns, the gold query has %d", len(pred.Columns), len(gold.Columns)), false
	}
	return equal, true
}

// BIRD is the execution accuracy of the BIRD reference evaluator: the sets of rows are equal. Columns are in order; the
// order and repetition of rows do not count; two empty results are equal whatever their columns. The reference fails on
// text that is not UTF-8 on either side, so nothing is equal then.
func BIRD(gold, pred *engine.Result) Verdict {
	for _, side := range []struct {
		name string
		res  *engine.Result
	}{{"gold", gold}, {"prediction", pred}} {
		if !validText(side.res) {
			return unequal("the %s has text that is not UTF-8", side.name)
		}
	}
	if len(gold.Rows) == 0 && len(pred.Rows) == 0 {
		return equal
	}
	if len(gold.Rows) == 0 || len(pred.Rows) == 0 {
		return unequal("%d rows, the gold query has %d", len(pred.Rows), len(gold.Rows))
	}
	if len(gold.Columns) != len(pred.Columns) {
		return unequal("%d columns, the gold query has %d", len(pred.Columns), len(gold.Columns))
	}
	_, g, p := number(decodeExact, gold, pred)
	gc, pc, n := classes(g, p)
	if row, ok := onlyIn(pc, gc, n); ok {
		return unequal("row %d is not in the gold result", row+1)
	}
	if row, ok := onlyIn(gc, pc, n); ok {
		return unequal("row %d of the gold result is missing", row+1)
	}
	return equal
}

// validText reports whether every text is UTF-8.
func validText(r *engine.Result) bool {
	for _, row := range r.Rows {
		for _, v := range row {
			if v.Kind() == engine.Text && !utf8.ValidString(v.Bytes()) {
				return false
			}
		}
	}
	return true
}
