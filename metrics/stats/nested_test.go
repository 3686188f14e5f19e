package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// nestedScores draws scores of a design with given standard deviations: of items, then by source of what moves all items and
// what moves each one, then of sampling. Binary scores are 1 where the sum is above 0.
func nestedScores(r *rand.Rand, items int, values []int, samples int, item, sampling float64, common, own []float64, binary bool) [][][]float64 {
	cells := 1
	for _, n := range values {
		cells *= n
	}
	// effects returns the sum over sources of one draw for each value of a source, by cell.
	effects := func(sd []float64) []float64 {
		out, under := make([]float64, cells), cells
		for l, n := range values {
			under /= n
			for c := 0; c < cells; c += under {
				x := sd[l] * r.NormFloat64()
				for k := c; k < c+under; k++ {
					out[k] += x
				}
			}
		}
		return out
	}
	all, out := effects(common), make([][][]float64, items)
	for i := range out {
		base, mine := item*r.NormFloat64(), effects(own)
		for c := range cells {
			var cell []float64
			for range samples {
				x := base + all[c] + mine[c] + sampling*r.NormFloat64()
				if binary {
					x = map[bool]float64{true: 1}[x > 0]
				}
				cell = append(cell, x)
			}
			out[i] = append(out[i], cell)
		}
	}
	return out
}

// TestNestedByHand: three items, two draws with two orders each, two samples.
func TestNestedByHand(t *testing.T) {
	scores := [][][]float64{
		{{1, 0}, {1, 1}, {0, 0}, {1, 0}},
		{{0, 0}, {1, 0}, {0, 0}, {0, 0}},
		{{1, 1}, {1, 1}, {1, 1}, {0, 1}},
	}
	got := VarianceNested([]int{2, 2}, scores, 0.95, 200, 1)
	check := func(what string, x, want float64) {
		t.Helper()
		if math.Abs(x-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, x, want)
		}
	}
	check("mean", got.Mean, 12.0/24)
	// Draws have the means 8/12 and 4/12; the orders of the first 3/6 and 5/6, of the second 2/6 twice.
	s := newNesting([]int{2, 2}, scores).squares(nil)
	check("draws", s.main[0], 24*square(1.0/6))
	check("orders", s.main[1], (12*square(1.0/6)+12*square(0))/2)
	check("within", s.within, 2.0/12)
	check("total of draws", got.Sources[0].Total.Estimate, (s.main[0]-s.main[1])/(3*2*2))
	check("common of orders", got.Sources[1].Common.Estimate, (s.main[1]-s.both[1])/(3*2))
	check("own of orders", got.Sources[1].Own.Estimate, (s.both[1]-s.within)/2)
	for _, src := range got.Sources {
		check("total is common and own", src.Total.Estimate, src.Common.Estimate+src.Own.Estimate/3)
	}
}

// TestNestedIsVariance: with one source the components are those of Variance.
func TestNestedIsVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scores := nestedScores(r, 40, []int{6}, 3, 1, 1, []float64{0.5}, []float64{0.5}, false)
	a, b := Variance(scores), VarianceNested([]int{6}, scores, 0.95, 10, 1)
	for what, pair := range map[string][2]float64{"item": {a.Item, b.Item.Estimate}, "seed": {a.Seed, b.Sources[0].Common.Estimate},
		"item x seed": {a.ItemSeed, b.Sources[0].Own.Estimate}, "sampling": {a.Sampling, b.Sampling.Estimate}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s: %v and %v", what, pair[0], pair[1])
		}
	}
}

// TestNestedRecoversComponents: over many simulated studies the estimates are unbiased, and the intervals hold what they say.
func TestNestedRecoversComponents(t *testing.T) {
	const studies, items, samples = 300, 60, 2
	values := []int{4, 3, 3}
	common, own := []float64{0.3, 0.2, 0.1}, []float64{0.4, 0.6, 0.3}
	sums, held := make([]float64, 9), make([]int, 9)
	r := rand.New(rand.NewPCG(3, 4))
	for range studies {
		n := VarianceNested(values, nestedScores(r, items, values, samples, 1, 0.7, common, own, false), 0.95, 100, 1)
		for l, s := range n.Sources {
			for k, in := range []Interval{s.Total, s.Common, s.Own} {
				truth := []float64{square(common[l]) + square(own[l])/items, square(common[l]), square(own[l])}[k]
				sums[3*l+k] += in.Estimate / truth / studies
				if in.Low <= truth && truth <= in.High {
					held[3*l+k]++
				}
			}
		}
	}
	for i := range sums {
		if sums[i] < 0.85 || sums[i] > 1.15 {
			t.Errorf("component %d: on average %.2f of the truth", i, sums[i])
		}
		if share := float64(held[i]) / studies; share < 0.85 {
			t.Errorf("component %d: its interval holds the truth in %.0f %%", i, 100*share)
		}
	}
	t.Logf("mean of estimate/truth %.2f, coverage %v of %d", sums, held, studies)
}

// TestNestedOfLittle: a design that says nothing gives no numbers, and does not fail.
func TestNestedOfLittle(t *testing.T) {
	one := VarianceNested([]int{1}, [][][]float64{{{1}}}, 0.95, 10, 1)
	if !math.IsNaN(one.Sources[0].Total.Estimate) || len(one.Warnings) != 2 {
		t.Errorf("%+v", one)
	}
	same := VarianceNested([]int{2, 2}, [][][]float64{{{1}, {1}, {1}, {1}}, {{0}, {0}, {0}, {0}}}, 0.95, 10, 1)
	if same.Sources[0].Total.Estimate != 0 || same.Sources[0].Total.Low != 0 || same.Sources[0].Total.High != 0 {
		t.Errorf("%+v", same.Sources[0])
	}
}
