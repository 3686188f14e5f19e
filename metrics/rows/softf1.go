package rows

import (
	"assay/prompting/sql/engine"
)

// SoftF1 is the soft F1 score of the BIRD mini-dev evaluator, in [0, 1], number for number; the verdict says Equal if it is
// 1. Repeated rows are dropped, keeping the first. Then row i of the prediction is compared with row i of the gold result:
// the share of its values that the gold row contains counts as true positives, the rest as false positives, and the gold
// row's values that it lacks as false negatives, each divided by the number of gold columns. Surplus rows are false
// positives, missing rows false negatives.
//
// So the order of rows matters and that of columns does not, and results that BIRD finds equal can score 0. Two empty
// results score 1. The reference fails on text that is not UTF-8, so the score is 0 then.
func SoftF1(gold, pred *engine.Result) (float64, Verdict) {
	if !validText(gold) || !validText(pred) {
		return 0, unequal("text that is not UTF-8")
	}
	if len(gold.Rows) == 0 && len(pred.Rows) == 0 {
		return 1, equal
	}
	n, goldGrid, predGrid := number(decodeExact, gold, pred)
	g, p := goldGrid.distinctRows(), predGrid.distinctRows()
	held := holder{seen: make([]int32, len(n.first))}
	var found, wrong, missed float64
	for i := range max(len(g), len(p)) {
		switch {
		case i >= len(p):
			missed++
		case i >= len(g):
			wrong++
		default:
			width := float64(len(goldGrid.cols))
			both := held.among(predGrid, p[i], goldGrid, g[i])
			found += float64(both) / width
			wrong += float64(len(predGrid.cols)-both) / width
			missed += float64(len(goldGrid.cols)-held.among(goldGrid, g[i], predGrid, p[i])) / width
		}
	}
	precision, recall := ratio(found, found+wrong), ratio(found, found+missed)
	f1 := ratio(2*precision*recall, precision+recall)
	if f1 == 1 {
		return 1, equal
	}
	return f1, unequal("%d and %d distinct rows overlap by %.3f", len(p), len(g), f1)
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// distinctRows returns the first of each of the distinct rows of g, in order.
func (g grid) distinctRows() (rows []int) {
	class, _, n := classes(g, grid{cols: make([][]int32, len(g.cols))})
	seen := make([]bool, n)
	for i, c := range class {
		if !seen[c] {
			seen[c] = true
			rows = append(rows, i)
		}
	}
	return rows
}

// holder tells which values a row holds.
type holder struct {
	seen  []int32 // by value: the turn in which a row held it last
	turns int32
}

// among returns how many values of row i of a are in row k of b.
func (h *holder) among(a grid, i int, b grid, k int) (n int) {
	h.turns++
	for _, col := range b.cols {
		h.seen[col[k]] = h.turns
	}
	for _, col := range a.cols {
		if h.seen[col[i]] == h.turns {
			n++
		}
	}
	return n
}
