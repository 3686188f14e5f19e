package pool

import (
	"math/rand/v2"

	"assay/metrics/stats"
)

// PassAtK is the chance that k candidates drawn without replacement from n, of which c are correct, hold a correct one:
// 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374, section 2.1), as a product. It panics unless
// 0 <= c <= n and 1 <= k <= n.
func PassAtK(n, c, k int) float64 {
	mustBe(0 <= c && c <= n && 1 <= k && k <= n, "pass@k of n=%d, c=%d, k=%d", n, c, k)
	return 1 - drawn(n, n-c, k)
}

// PassHatK is the chance that all k candidates drawn so are correct: C(c, k)/C(n, k), known as pass^k. It panics as
// PassAtK does.
func PassHatK(n, c, k int) float64 {
	mustBe(0 <= c && c <= n && 1 <= k && k <= n, "pass^k of n=%d, c=%d, k=%d", n, c, k)
	return drawn(n, c, k)
}

// drawn is C(m, k)/C(n, k), the chance that k of n are all among m. Each factor is at most 1, so that nothing
// overflows; of its two forms, the one with fewer factors is taken.
func drawn(n, m, k int) float64 {
	if k > m {
		return 0
	}
	p := 1.0
	if k <= n-m {
		for i := range k {
			p *= float64(m-i) / float64(n-i)
		}
		return p
	}
	for i := range n - m {
		p *= float64(n-k-i) / float64(n-i)
	}
	return p
}

// Point is a pool size with the bounds at it: means over items, with bootstrap intervals.
type Point struct {
	K     int
	Items int
	Short int // items with fewer than K candidates, which count with all they have
	Upper stats.Interval
	Lower stats.Interval
}

// Sampling says how intervals and random subsets are drawn.
type Sampling struct {
	Seed      uint64
	Resamples int // of a bootstrap interval; 0 means 10,000
	Draws     int // random subsets of an item's pool; 0 means 200
}

func (s Sampling) draws() int {
	if s.Draws <= 0 {
		return 200
	}
	return s.Draws
}

// mean is the mean of xs with its bootstrap interval.
func (s Sampling) mean(xs []float64) stats.Interval {
	pairs := make([]stats.Pair, len(xs))
	for i, x := range xs {
		pairs[i].B = x
	}
	return stats.Bootstrap(pairs, Confidence, s.Resamples, s.Seed)
}

// Curve is the bounds at every pool size from 1 to the largest pool's, exactly: the upper bound is the mean of
// PassAtK, the lower that of PassHatK.
func Curve(items []Item, s Sampling) []Point {
	ps, _ := pools(items)
	var out []Point
	for k := 1; k <= largest(ps); k++ {
		pt := Point{K: k, Items: len(ps)}
		upper, lower := make([]float64, len(ps)), make([]float64, len(ps))
		for i, cs := range ps {
			if len(cs) < k {
				pt.Short++
			}
			n, c, k := len(cs), right(cs), min(k, len(cs))
			upper[i], lower[i] = PassAtK(n, c, k), PassHatK(n, c, k)
		}
		pt.Upper, pt.Lower = s.mean(upper), s.mean(lower)
		out = append(out, pt)
	}
	return out
}

func largest(ps [][]Candidate) int {
	most := 0
	for _, cs := range ps {
		most = max(most, len(cs))
	}
	return most
}

// Sampled is the bounds at pool size k by random subsets, s.Draws an item: what Curve computes, as the paper does it.
// Without scored items both are 0.
func Sampled(items []Item, k int, s Sampling) (upper, lower float64) {
	ps, _ := pools(items)
	r := s.rand(k)
	for _, cs := range ps {
		for range s.draws() {
			n := right(subset(cs, k, r))
			if n > 0 {
				upper++
			}
			if n == min(k, len(cs)) {
				lower++
			}
		}
	}
	if all := float64(len(ps) * s.draws()); all > 0 {
		return upper / all, lower / all
	}
	return 0, 0
}

func (s Sampling) rand(k int) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, uint64(k))) }

// subset is k of cs, or all where there are no more, in their order: each is taken with the chance that leaves every
// subset as likely (Knuth, algorithm S).
func subset(cs []Candidate, k int, r *rand.Rand) []Candidate {
	if k >= len(cs) {
		return cs
	}
	out := make([]Candidate, 0, k)
	for i, c := range cs {
		if r.IntN(len(cs)-i) < k-len(out) {
			out = append(out, c)
		}
	}
	return out
}
