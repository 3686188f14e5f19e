package rows

import (
	"cmp"
	"math"
	"slices"

	"assay/prompting/sql/engine"
)

// Tolerance of Strict: numbers are equal if they differ by no more than this share of the larger, or by no more than
// nearZero. Two whole numbers are equal only if they are identical.
const (
	tolerance = 1e-9
	nearZero  = 1e-12
)

// Strict is what an evaluator should demand: the same rows equally often, columns in any order, and as many columns
// even if there are no rows. An integer equals a real of its value. Two reals are equal within Tolerance, because the
// last digits of a sum depend on the order in which SQLite reads rows; in a chain of values that are close to their
// neighbours, all are equal. Text is compared byte by byte.
//
// groups is the order that the gold query demands: one number per gold row. Rows with the same number are adjacent, and
// may come in any order among themselves. nil demands no order.
func Strict(gold, pred *engine.Result, groups []int32) Verdict {
	if v, ok := sameSize(gold, pred); !ok {
		return v
	}
	if identical(gold, pred) {
		return equal
	}
	in := newInterner(decodeExact)
	g, p := in.read(gold), in.read(pred)
	near := in.near()
	for _, cols := range [][][]int32{g.cols, p.cols} {
		for _, col := range cols {
			for i, c := range col {
				col[i] = near[c]
			}
		}
	}
	if groups == nil {
		return matchAnyOrder(g, p)
	}
	v := matchWithin(g, p, groups)
	if !v.Equal && !v.Undecided && matchAnyOrder(g, p).Equal {
		v.Why = "the rows are the gold's, in another order"
	}
	return v
}

// near maps each canon number to that of the values it equals within Tolerance.
func (in *interner) near() []int32 {
	class := make([]int32, len(in.canon))
	type number struct {
		canon int32
		value engine.Value
	}
	var numbers []number
	for v, c := range in.canon {
		class[c] = c
		if v.Kind() == engine.Int || v.Kind() == engine.Real {
			numbers = append(numbers, number{c, v})
		}
	}
	slices.SortFunc(numbers, func(a, b number) int {
		return cmp.Or(cmp.Compare(a.value.Float64(), b.value.Float64()), cmp.Compare(a.canon, b.canon))
	})
	for i := 1; i < len(numbers); i++ {
		if a, b := numbers[i-1], numbers[i]; within(a.value, b.value) {
			class[b.canon] = class[a.canon]
		}
	}
	return class
}

// within reports whether two canonical numbers are equal within Tolerance.
func within(a, b engine.Value) bool {
	if a.Kind() == engine.Int && b.Kind() == engine.Int {
		return a == b
	}
	x, y := a.Float64(), b.Float64()
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	return math.Abs(x-y) <= max(nearZero, tolerance*max(math.Abs(x), math.Abs(y)))
}
