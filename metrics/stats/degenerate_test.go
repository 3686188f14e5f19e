package stats

import (
	"math"
	"testing"
)

// TestDegenerate: data of nothing but one value, of one item, or of opposite signs give intervals without NaN, in order,
// and tests with a P from 0 to 1.
func TestDegenerate(t *testing.T) {
	interval := func(what string, in Interval) {
		t.Helper()
		if math.IsNaN(in.Low+in.Estimate+in.High) || in.Low > in.Estimate || in.Estimate > in.High {
			t.Errorf("%s: %+v", what, in)
		}
	}
	test := func(what string, x Test) {
		t.Helper()
		if math.IsNaN(x.P) || x.P < 0 || x.P > 1 {
			t.Errorf("%s: %+v", what, x)
		}
	}
	for _, n := range []int{1, 2, 3, 1000} {
		for _, v := range []float64{0, 1, 0.1, 1e-300} {
			pairs, clusters, units, diffs := make([]Pair, n), make([]Cluster, n), make([]Unit, n), make([]float64, n)
			for i := range n {
				pairs[i], clusters[i], units[i], diffs[i] = Pair{v, v}, Cluster{N: 1, Diff: v}, Unit{Mean: v, Weight: 1}, v
			}
			interval("Bootstrap", Bootstrap(pairs, 0.95, 100, 1))
			interval("BootstrapClusters", BootstrapClusters(clusters, 0.95, 100, 1))
			interval("Share", Share(units, 0.95))
			interval("Alike", Alike(v, n, 0.95))
			test("SignFlip", SignFlip(diffs, 1))
			if s := Summarize(diffs); math.IsNaN(s.Mean) || n > 1 && !(s.SD >= 0) {
				t.Errorf("Summarize: %+v", s)
			}
		}
		interval("Wilson", Wilson(0, n, 0.95))
		interval("Wilson", Wilson(n, n, 0.95))
		for _, cell := range [][4]int{{n, 0, 0, 0}, {0, n, 0, 0}, {0, 0, n, 0}, {0, 0, 0, n}} {
			interval("Newcombe", Newcombe(cell[0], cell[1], cell[2], cell[3], 0.95))
		}
		test("McNemar", McNemar(n, 0))
		test("McNemar", McNemar(1<<30, 1<<30+n))
		test("SignFlip", SignFlip([]float64{float64(n), -float64(n)}, 1))
	}
	test("SignFlip", SignFlip(nil, 1))
	for _, p := range Holm([]float64{0, 1, 1, 0}) {
		test("Holm", Test{P: p})
	}
}
