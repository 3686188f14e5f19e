package stats

import (
	"math"
	"testing"
)

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
}

func TestWilson(t *testing.T) {
	check := func(k, n int, low, high float64, warnings int) {
		t.Helper()
		in := Wilson(k, n, 0.95)
		if !near(in.Low, low, 5e-5) || !near(in.High, high, 5e-5) || len(in.Warnings) != warnings {
			t.Errorf("%d of %d: %+v, want [%v, %v]", k, n, in, low, high)
		}
		if n > 0 && (in.Low > in.Estimate || in.High < in.Estimate || in.Low < 0 || in.High > 1) {
			t.Errorf("%d of %d: %+v", k, n, in)
		}
	}
	check(8, 10, 0.4902, 0.9433, 1)
	// For k = 0 the bounds are 0 and z²/(n+z²), z = 1.959964: 3.841459/13.841459.
	check(0, 10, 0, 0.2775, 1)
	check(10, 10, 0.7225, 1, 1)
	check(0, 0, 0, 1, 1)
	check(15, 30, 0.3315, 0.6685, 0) // half ± 1.959964·sqrt(1/120 + z²/3600)/(1 + z²/30)
	if in := Wilson(0, 10, 0.95); in.Low != 0 {
		t.Errorf("low is %v, want 0 exactly", in.Low)
	}
	if !math.IsNaN(Wilson(0, 0, 0.95).Estimate) {
		t.Error("a share of nothing")
	}
}

func TestSummarize(t *testing.T) {
	check := func(want Summary, xs ...float64) {
		t.Helper()
		got := Summarize(xs)
		if got.N != want.N || !near(got.Mean, want.Mean, 1e-12) || !near(got.SD, want.SD, 1e-12) || !near(got.Min, want.Min, 0) ||
			!near(got.Max, want.Max, 0) || len(got.Warnings) != len(want.Warnings) {
			t.Errorf("%v: %+v, want %+v", xs, got, want)
		}
	}
	nan, one := math.NaN(), []string{""}
	check(Summary{Mean: nan, SD: nan, Min: nan, Max: nan, Warnings: one})
	check(Summary{N: 1, Mean: 5, SD: nan, Min: 5, Max: 5, Warnings: one}, 5)
	check(Summary{N: 2, Mean: 2, SD: math.Sqrt2, Min: 1, Max: 3, Warnings: one}, 1, 3)
	check(Summary{N: 3, Mean: 4, SD: 2, Min: 2, Max: 6}, 6, 2, 4) // (4+4+0)/2
}

func TestMcNemar(t *testing.T) {
	check := func(b, c int, p float64, warnings int) {
		t.Helper()
		if got := McNemar(b, c); !near(got.P, p, 5e-7) || len(got.Warnings) != warnings {
			t.Errorf("%d, %d: %+v, want %v", b, c, got, p)
		}
	}
	check(6, 16, 0.052479, 0) // 2·Σ_{i≤6} C(22,i)/2^22
	check(16, 6, 0.052479, 0)
	check(0, 0, 1, 1)
	check(0, 5, 0.0625, 1) // 2/32
	check(0, 6, 0.03125, 0)
	check(5, 5, 1, 0) // twice a tail above one half
	check(0, 1, 1, 1)
	check(900, 1000, 0.0231088, 0) // the direct sum, in whole numbers
}

func TestHolm(t *testing.T) {
	check := func(want, ps []float64) {
		t.Helper()
		got := Holm(ps)
		for i := range want {
			if len(got) != len(want) || !near(got[i], want[i], 1e-12) {
				t.Errorf("%v: %v, want %v", ps, got, want)
				return
			}
		}
	}
	check([]float64{.03, .06, .06, .02}, []float64{.01, .04, .03, .005})
	check([]float64{1, 1}, []float64{.7, .9})
	check([]float64{.2}, []float64{.2})
	check(nil, nil)
}

func TestBootstrap(t *testing.T) {
	var pairs []Pair
	for i := range 400 { // 40 items only B has, 20 only A: the difference is 0.05
		p := Pair{A: float64(i % 2), B: float64(i % 2)}
		switch {
		case i < 40:
			p = Pair{A: 0, B: 1}
		case i < 60:
			p = Pair{A: 1, B: 0}
		}
		pairs = append(pairs, p)
	}
	in := Bootstrap(pairs, 0.95, 0, 1)
	// The variance of a difference is (60 - 400·0.05²)/400 = 0.1475, so the half width is 1.96·sqrt(0.1475/400) = 0.0376.
	if !near(in.Estimate, 0.05, 1e-12) || !near(in.Low, 0.05-0.0376, 0.003) || !near(in.High, 0.05+0.0376, 0.003) || in.Warnings != nil {
		t.Errorf("%+v", in)
	}
	if again := Bootstrap(pairs, 0.95, 0, 1); again.Low != in.Low || again.High != in.High {
		t.Error("the same seed gave another interval")
	}
	fine := []Pair{{0, 0.1}, {0.2, 0.7}, {0.3, 0.33}, {0.9, 0.81}, {0.4, 0.47}, {0.5, 0.86}}
	if one, two := Bootstrap(fine, 0.95, 100, 1), Bootstrap(fine, 0.95, 100, 2); one.Low == two.Low && one.High == two.High {
		t.Error("another seed gave the same interval")
	}
	if wide := Bootstrap(pairs, 0.99, 0, 1); wide.High-wide.Low <= in.High-in.Low {
		t.Error("more confidence gave a narrower interval")
	}
	if none := Bootstrap(nil, 0.95, 0, 1); !math.IsNaN(none.Low) || len(none.Warnings) != 1 {
		t.Errorf("no pairs: %+v", none)
	}
	if same := Bootstrap(make([]Pair, 50), 0.95, 100, 1); same.Low != 0 || same.High != 0 || same.Warnings != nil {
		t.Errorf("no difference: %+v", same)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	pairs := make([]Pair, 1034)
	for i := range pairs {
		pairs[i] = Pair{A: float64(i % 3 / 2), B: float64(i % 5 / 4)}
	}
	for b.Loop() {
		Bootstrap(pairs, 0.95, 10_000, 1)
	}
}
