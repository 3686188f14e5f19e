package rows

import (
	"slices"

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
	in := newInterner(decodeExact)
	g, p := distinctRows(in.read(gold)), distinctRows(in.read(pred))
	var found, wrong, missed float64
	for i := range max(len(g), len(p)) {
		switch {
		case i >= len(p):
			missed++
		case i >= len(g):
			wrong++
		default:
			n := float64(len(g[i]))
			held := among(p[i], g[i])
			found += float64(held) / n
			wrong += float64(len(p[i])-held) / n
			missed += float64(len(g[i])-among(g[i], p[i])) / n
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

// distinctRows returns the distinct rows of g, in order of first appearance.
func distinctRows(g grid) [][]int32 {
	class := make([]int32, g.rows)
	none := []int32{}
	for _, col := range g.cols {
		refine(class, none, col, none)
	}
	var out [][]int32
	seen := map[int32]bool{}
	for i, c := range class {
		if seen[c] {
			continue
		}
		seen[c] = true
		row := make([]int32, len(g.cols))
		for j := range row {
			row[j] = g.cols[j][i]
		}
		out = append(out, row)
	}
	return out
}

// among returns how many values of a are in b.
func among(a, b []int32) (n int) {
	for _, v := range a {
		if slices.Contains(b, v) {
			n++
		}
	}
	return n
}
