package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Pair is one item's score under two systems.
type Pair struct{ A, B float64 }

// Bootstrap returns the difference of the means, B minus A, with its percentile interval: the pairs are resampled with
// replacement, the difference is computed for each resample, and the interval contains the middle share confidence of
// the differences (Efron and Tibshirani 1993, chapter 13). Quantiles are interpolated between order statistics.
//
// The draws depend only on seed, by PCG: the same pairs in the same order and the same seed give the same interval. 0
// resamples means 10,000, the customary number. Without pairs all is NaN. If all pairs differ by the same amount so do
// all resamples, and the interval has no width: use Alike then. It panics unless 0 < confidence < 1.
func Bootstrap(pairs []Pair, confidence float64, resamples int, seed uint64) Interval {
	mustBe(0 < confidence && confidence < 1, "confidence %v", confidence)
	if len(pairs) == 0 {
		nan := math.NaN()
		return Interval{Estimate: nan, Low: nan, High: nan, Confidence: confidence, Warnings: []string{"no items"}}
	}
	if resamples <= 0 {
		resamples = 10_000
	}
	diffs := make([]float64, len(pairs))
	for i, p := range pairs {
		diffs[i] = p.B - p.A
	}
	in := Interval{Estimate: stat.Mean(diffs, nil), Confidence: confidence, Warnings: small(len(pairs))}
	means := resample(diffs, resamples, rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)))
	slices.Sort(means)
	tail := (1 - confidence) / 2
	in.Low = stat.Quantile(tail, stat.LinInterp, means, nil)
	in.High = stat.Quantile(1-tail, stat.LinInterp, means, nil)
	return in
}

// resample returns the means of n resamples of xs.
func resample(xs []float64, n int, r *rand.Rand) []float64 {
	means := make([]float64, n)
	for i := range means {
		sum := 0.0
		for range xs {
			sum += xs[r.IntN(len(xs))]
		}
		means[i] = sum / float64(len(xs))
	}
	return means
}

// Test is the result of a test of a null hypothesis.
type Test struct {
	P        float64 // two-sided, within [0, 1]
	Warnings []string
}

// McNemar tests whether two systems are right equally often: b is the number of items that only the first has right,
// and c those that only the second has. It is the exact, binomial form, two-sided: twice the smaller tail of b in b+c
// fair trials, at most 1 (McNemar 1947; Dietterich 1998). Without such items P is 1. It panics if b or c is negative.
func McNemar(b, c int) Test {
	mustBe(b >= 0 && c >= 0, "counts %d and %d", b, c)
	n := b + c
	if n == 0 {
		return Test{P: 1, Warnings: []string{"the systems are right on the same items"}}
	}
	tail := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(b, c)))
	t := Test{P: min(1, 2*tail)}
	if n < 6 { // even 5 of 5 gives 2 * 0.5^5 > 0.05
		items := fmt.Sprintf("%d items tell", n)
		if n == 1 {
			items = "1 item tells"
		}
		t.Warnings = []string{"only " + items + " the systems apart: too few for P to be below 0.05"}
	}
	return t
}

// Holm adjusts the p-values of a family of tests so that the chance of any false rejection stays below the level (Holm
// 1979). The result is in the order of ps, with values of at most 1. It panics on a p that is not in [0, 1].
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i, p := range ps {
		mustBe(p >= 0 && p <= 1, "p-value %v", p)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(ps)-rank)*ps[i]))
		adjusted[i] = least
	}
	return adjusted
}
