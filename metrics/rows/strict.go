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
// even if there are no rows. An integer equals a real of its value. Two reals are equal within tolerance, because the
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
	n, g, p := number(decodeExact, gold, pred)
	if near := n.near(); near != nil {
		for _, col := range slices.Concat(g.cols, p.cols) {
			for i, id := range col {
				col[i] = near[id]
			}
		}
	}
	s := newSearch(g, p)
	if groups == nil {
		return s.anyOrder()
	}
	v := s.within(groups)
	if !v.Equal && !v.Undecided && s.anyOrder().Equal {
		v.Reordered, v.Why = true, "the rows of the gold query, in another order"
	}
	return v
}

// near maps each number to that of the values it equals within tolerance. nil means that each equals itself alone.
func (n *numbers) near() []int32 {
	type real struct {
		f  float64
		id int32
	}
	var list []real
	for id := range int32(len(n.first)) {
		if n.value(id).Canonical().Kind() == engine.Real {
			list = make([]real, 0, len(n.first))
			break
		}
	}
	if list == nil {
		return nil
	}
	for id := range int32(len(n.first)) {
		if v := n.value(id).Canonical(); v.Kind() == engine.Int || v.Kind() == engine.Real {
			list = append(list, real{v.Float64(), id})
		}
	}
	slices.SortFunc(list, func(a, b real) int { return cmp.Or(cmp.Compare(a.f, b.f), cmp.Compare(a.id, b.id)) })
	class := make([]int32, len(n.first))
	for id := range class {
		class[id] = int32(id)
	}
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1].id, list[i].id; within(n.value(a).Canonical(), n.value(b).Canonical()) {
			class[b] = class[a]
		}
	}
	return class
}

// within reports whether two canonical numbers are equal within tolerance.
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
