package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Cluster sums up the pairs of one cluster, such as the items of one database: their number, and the sum of their
// differences B - A.
type Cluster struct {
	N    int
	Diff float64
}

// fewClusters is the number below which an interval over clusters gets a warning (Cameron, Gelbach and Miller 2008).
const fewClusters = 20

// BootstrapClusters is Bootstrap that draws whole clusters instead of pairs: pairs of one cluster may depend on each
// other in any way, those of different clusters must not (Davison and Hinkley 1997, section 3.8). The estimate is the
// mean over all pairs, so a cluster's weight is its number of pairs. Clusters without pairs are left out. If all
// clusters have the same mean difference the interval has no width: use Alike then. It panics unless 0 < confidence <
// 1.
func BootstrapClusters(clusters []Cluster, confidence float64, resamples int, seed uint64) Interval {
	mustBe(0 < confidence && confidence < 1, "confidence %v", confidence)
	cs := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	if len(cs) == 0 {
		nan := math.NaN()
		return Interval{Estimate: nan, Low: nan, High: nan, Confidence: confidence, Warnings: []string{"no items"}}
	}
	if resamples <= 0 {
		resamples = 10_000
	}
	in := Interval{Confidence: confidence}
	_, in.Estimate, _ = pool(cs)
	if len(cs) < fewClusters {
		in.Warnings = []string{fmt.Sprintf("only %d clusters", len(cs))}
	}
	r := rand.New(rand.NewPCG(seed, 0x94d049bb133111eb))
	means := make([]float64, resamples)
	for i := range means {
		n, sum := 0, 0.0
		for range cs {
			c := cs[r.IntN(len(cs))]
			n, sum = n+c.N, sum+c.Diff
		}
		means[i] = sum / float64(n)
	}
	slices.Sort(means)
	tail := (1 - confidence) / 2
	in.Low = stat.Quantile(tail, stat.LinInterp, means, nil)
	in.High = stat.Quantile(1-tail, stat.LinInterp, means, nil)
	return in
}

// pool returns the number of pairs, their mean difference, and its standard error by linearization (Cochran 1977,
// section 6.3): the mean is the ratio of the clusters' sums to their sizes.
func pool(cs []Cluster) (n int, mean, se float64) {
	sum := 0.0
	for _, c := range cs {
		n, sum = n+c.N, sum+c.Diff
	}
	mean = sum / float64(n)
	squares := 0.0
	for _, c := range cs {
		e := c.Diff - float64(c.N)*mean
		squares += e * e
	}
	k := float64(len(cs))
	return n, mean, math.Sqrt(k/(k-1)*squares) / float64(n)
}

// StandardError returns the standard error of the mean difference over all pairs, for independent clusters. With one
// pair per cluster it is that of a mean. It is NaN for fewer than two clusters with pairs.
func StandardError(clusters []Cluster) float64 {
	cs := slices.DeleteFunc(slices.Clone(clusters), func(c Cluster) bool { return c.N == 0 })
	if len(cs) < 2 {
		return math.NaN()
	}
	_, _, se := pool(cs)
	return se
}

// Newcombe returns the score interval of the difference of two paired shares, B minus A, by squaring and adding
// Wilson's limits with a correction for their correlation (Newcombe 1998b, Statistics in Medicine 17, method 10). It is
// valid for few items, and if no item distinguishes the systems. both, onlyA, onlyB and neither count the items that
// each has right. Without items nothing is known: the estimate is NaN, the bounds are -1 and 1. It panics on a negative
// count and unless 0 < confidence < 1.
func Newcombe(both, onlyA, onlyB, neither int, confidence float64) Interval {
	mustBe(min(both, onlyA, onlyB, neither) >= 0, "counts %d, %d, %d, %d", both, onlyA, onlyB, neither)
	n := both + onlyA + onlyB + neither
	a, b := Wilson(both+onlyA, n, confidence), Wilson(both+onlyB, n, confidence)
	if n == 0 {
		return Interval{Estimate: math.NaN(), Low: -1, High: 1, Confidence: confidence, Warnings: a.Warnings}
	}
	phi := correlation(float64(both), float64(onlyA), float64(onlyB), float64(neither))
	in := Interval{Estimate: b.Estimate - a.Estimate, Confidence: confidence, Warnings: a.Warnings}
	in.Low = in.Estimate - aside(b.Estimate-b.Low, a.High-a.Estimate, phi)
	in.High = in.Estimate + aside(b.High-b.Estimate, a.Estimate-a.Low, phi)
	in.Low, in.High = max(-1, in.Low), min(1, in.High)
	return in
}

func aside(x, y, phi float64) float64 { return math.Sqrt(max(0, x*x-2*phi*x*y+y*y)) }

// correlation returns Newcombe's phi: a continuity correction shrinks a positive one, at most to 0.
func correlation(both, onlyA, onlyB, neither float64) float64 {
	root := math.Sqrt((both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither))
	if root == 0 {
		return 0
	}
	det := both*neither - onlyA*onlyB
	if det > 0 {
		det = max(0, det-(both+onlyA+onlyB+neither)/2)
	}
	return det / root
}
