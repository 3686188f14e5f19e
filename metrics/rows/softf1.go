package rows

import (
	"slices"

	"assay/prompting/sql/engine"
)

// SoftF1 is the soft F1 score of the BIRD mini-dev evaluator, in [0, 1], number for number; the verdict says Equal where
// it is 1. Repeated rows are dropped, keeping the first. Then row i of the prediction is held against row i of the gold:
// of its values, the share that the gold's row holds counts as found, the share that it does not as false, and that of
// the gold's values it lacks as missed, all in parts of the gold's columns. Surplus rows are false, lacking rows missed.
//
// So the order of rows matters and that of columns does not, and results that BIRD finds equal can score 0. Two empty
// results score 1. The reference fails on text that is not UTF-8, and so nothing is found then.
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

// ratio is a/b, and 0 where b is.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// distinctRows is the rows of g, each once, in order of first appearance.
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

// among counts the values of a that b holds.
func among(a, b []int32) (n int) {
	for _, v := range a {
		if slices.Contains(b, v) {
			n++
		}
	}
	return n
}
