// Package stats computes intervals, tests and variance components from numbers.
//
// Scores come in as numbers (counts, pairs, units, clusters) and go out as an estimate with its bounds or its P, and
// with Warnings. A sample too small for its method is a warning with the number, never an error. The package must never
// know what the numbers measure, and must never draw at random without a seed that the caller gives.
package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with the bounds around it.
type Interval struct {
	Estimate, Low, High float64
	Confidence          float64 // such as 0.95
	Warnings            []string
}

// fewItems is the number of items below which an interval of a share or a mean gets a warning.
const fewItems = 30

// Wilson returns the Wilson score interval, without continuity correction, of a share of k successes in n trials
// (Wilson 1927; Brown, Cai and DasGupta 2001 recommend it for small n). Bounds are within [0, 1]. With n = 0 nothing is
// known: the estimate is NaN and the bounds are 0 and 1. It panics unless 0 <= k <= n and 0 < confidence < 1.
func Wilson(k, n int, confidence float64) Interval {
	mustBe(0 <= k && k <= n, "%d successes in %d trials", k, n)
	z := quantile(confidence)
	if n == 0 {
		return Interval{Estimate: math.NaN(), Low: 0, High: 1, Confidence: confidence, Warnings: []string{"no items"}}
	}
	p, m := float64(k)/float64(n), float64(n)
	b := wilson(p, m, p*(1-p), z)
	return Interval{Estimate: p, Low: b[0], High: b[1], Confidence: confidence, Warnings: small(n)}
}

// quantile returns the two-sided standard normal quantile, 1.96 for 0.95.
func quantile(confidence float64) float64 {
	mustBe(0 < confidence && confidence < 1, "confidence %v", confidence)
	return distuv.UnitNormal.Quantile(1 - (1-confidence)/2)
}

// small returns the warning for few items, if they are few.
func small(n int) []string {
	if n < fewItems {
		return []string{fmt.Sprintf("only %d items", n)}
	}
	return nil
}

// mustBe panics if a caller breaks a documented bound.
func mustBe(ok bool, format string, args ...any) {
	if !ok {
		panic("stats: " + fmt.Sprintf(format, args...))
	}
}

// Summary describes values over repetitions, such as seeds.
type Summary struct {
	N        int
	Mean     float64
	SD       float64 // sample standard deviation, with n-1 in the denominator; NaN if N < 2
	Min, Max float64
	Warnings []string
}

// Summarize describes xs. Without values mean, min and max are NaN too.
func Summarize(xs []float64) Summary {
	nan := math.NaN()
	s := Summary{N: len(xs), Mean: nan, SD: nan, Min: nan, Max: nan}
	switch len(xs) {
	case 0:
		s.Warnings = []string{"no values"}
		return s
	case 1:
		s.Mean, s.Warnings = xs[0], []string{"one value has no deviation"}
	default:
		s.Mean, s.SD = stat.MeanStdDev(xs, nil)
	}
	if len(xs) == 2 {
		s.Warnings = []string{"the deviation of two values says little"}
	}
	s.Min, s.Max = xs[0], xs[0]
	for _, x := range xs {
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	}
	return s
}
