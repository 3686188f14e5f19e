package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// meanSquare is a mean square with its weight in a sum.
type meanSquare struct{ weight, value, df float64 }

// combined returns a weighted sum of independent mean squares with the bounds of Ting, Burdick, Graybill, Jeyaratnam and Lu
// (1990, Journal of Statistical Computation and Simulation 35), which hold for weights of either sign. Each bound adds to the
// estimate what the mean squares' own chi-squared bounds would, so that it is exact for one mean square alone, and for the
// sign of a difference of two. NaN where a mean square has no degrees of freedom.
func combined(list []meanSquare, confidence float64) Interval {
	out := Interval{Confidence: confidence}
	for _, m := range list {
		out.Estimate += m.weight * m.value
		if m.df == 0 {
			out.Estimate = math.NaN()
		}
	}
	if math.IsNaN(out.Estimate) {
		out.Low, out.High = math.NaN(), math.NaN()
		return out
	}
	tail := (1 - confidence) / 2
	flipped := make([]meanSquare, len(list))
	for i, m := range list {
		flipped[i] = meanSquare{-m.weight, m.value, m.df}
	}
	out.Low, out.High = out.Estimate-reach(list, tail), out.Estimate+reach(flipped, tail)
	return out
}

// reach is how far below the estimate the lower bound lies; that of the negated sum is how far above it the upper bound does.
func reach(list []meanSquare, tail float64) float64 {
	v := 0.0
	plus := 0
	for _, m := range list {
		v += square(share(m, tail) * m.weight * m.value)
		if m.weight > 0 {
			plus++
		}
	}
	for i, a := range list {
		for _, b := range list[i+1:] {
			cross := math.Abs(a.weight*b.weight) * a.value * b.value
			switch {
			case a.weight > 0 && b.weight < 0:
				v += opposed(a, b, tail) * cross
			case a.weight < 0 && b.weight > 0:
				v += opposed(b, a, tail) * cross
			case a.weight > 0:
				v += added(a, b, tail) / float64(plus-1) * cross
			}
		}
	}
	return math.Sqrt(max(0, v))
}

// share is G of a mean square that adds to the sum, and H of one that is taken away.
func share(m meanSquare, tail float64) float64 {
	chi := distuv.ChiSquared{K: m.df}
	if m.weight > 0 {
		return 1 - m.df/chi.Quantile(1-tail)
	}
	return m.df/chi.Quantile(tail) - 1
}

// opposed is the term of a mean square that adds and one that is taken away.
func opposed(plus, minus meanSquare, tail float64) float64 {
	f := distuv.F{D1: plus.df, D2: minus.df}.Quantile(1 - tail)
	return (square(f-1) - square(share(plus, tail)*f) - square(share(minus, tail))) / f
}

// added is the term of two mean squares that both add.
func added(a, b meanSquare, tail float64) float64 {
	n := a.df + b.df
	both := 1 - n/distuv.ChiSquared{K: n}.Quantile(1-tail)
	return square(both)*n*n/(a.df*b.df) - square(share(a, tail))*a.df/b.df - square(share(b, tail))*b.df/a.df
}
