package stats

import "math"

// Unit is one of the independent things that a mean is taken over, such as an item with its scores under every seed.
type Unit struct {
	Mean   float64 // of its scores, within [0, 1]
	Weight float64 // above 0: its weight in the mean over all units; only the weights' ratios matter
}

// Share returns the mean of the units with an interval whose random draws are the units, and not their scores: more
// seeds, samples or subsets make a unit's mean surer, but they do not add units. For 0/1 means with equal weights, as
// one seed gives, it is Wilson's interval.
//
// For means in between, Wilson's formula can be generalized in two ways. Either the variance p(1-p) is replaced by that
// of the units' means, and z² imagined units (half of them all right, half all wrong) are added to the real ones. Or
// p(1-p) stays, and the number of units is replaced by the number of independent 0/1 scores that would determine the
// mean equally well (effective sample size: Rao and Scott 1992; Korn and Graubard 1998), where the imagined units count
// among those whose spread is measured. The first is too narrow on the side away from one half if units hardly differ,
// the second if some unlike units happen not to be drawn. So each end of the interval is the wider of the two;
// TestShareCovers holds how often it covers. If all units have the same mean their spread says nothing, and the
// interval is Wilson's for that mean and number of units. Unequal weights count as 1/Σw² units (Kish 1965), with
// weights that sum to 1.
//
// Without units nothing is known: the estimate is NaN and the bounds are 0 and 1. It panics on a mean that is not in
// [0, 1], on a weight that is not above 0, and unless 0 < confidence < 1.
func Share(units []Unit, confidence float64) Interval {
	if len(units) == 0 {
		return Wilson(0, 0, confidence)
	}
	n, p, squares := moments(units)
	z := quantile(confidence)
	in := Interval{Estimate: p, Confidence: confidence, Warnings: small(len(units))}
	between := 1.0 // the share of p(1-p) that is variance between units
	if all := p * (1 - p); squares > 1e-12*n && all > 0 {
		between = (squares + z*z*all) / ((n + z*z) * all)
	}
	a, b := wilson(p, n, squares/n, z), wilson(p, n/between, p*(1-p), z)
	in.Low, in.High = min(a[0], b[0], p), max(a[1], b[1], p)
	return in
}

// moments returns the number of equal units to which the weights are equivalent, the mean, and the sum of squares about
// it.
func moments(units []Unit) (n, mean, squares float64) {
	whole := 0.0
	for _, u := range units {
		mustBe(0 <= u.Mean && u.Mean <= 1, "mean %v of a unit", u.Mean)
		mustBe(u.Weight > 0 && !math.IsInf(u.Weight, 0), "weight %v of a unit", u.Weight)
		whole += u.Weight
		mean += u.Weight * u.Mean
	}
	mean /= whole
	weights := 0.0
	for _, u := range units {
		w := u.Weight / whole
		weights += w * w
		squares += w * w * square(u.Mean-mean)
	}
	n = 1 / weights
	return n, mean, n * n * squares
}

// wilson returns the bounds of Wilson's interval for a mean p of n units with the given variance, p(1-p) for 0/1 units.
func wilson(p, n, variance, z float64) [2]float64 {
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(variance/n+z*z/(4*n*n))
	low, high := max(0, center-half), min(1, center+half)
	if p == 0 {
		low = 0 // exactly, because rounding leaves 1e-17
	}
	if p == 1 {
		high = 1
	}
	return [2]float64{low, high}
}

// Alike returns the interval of the mean of n differences, of scores within [0, 1], that all equal d. Resampling finds
// no spread among them and so no interval. It adds Wilson's z² imagined units, half at a difference of -1 and half at
// 1. If both systems are right everywhere it equals Newcombe's. It panics unless -1 <= d <= 1, n > 0 and 0 < confidence
// < 1.
func Alike(d float64, n int, confidence float64) Interval {
	mustBe(-1 <= d && d <= 1 && n > 0, "%d differences of %v", n, d)
	z := quantile(confidence)
	m := float64(n)
	low, high := (m*d-z*z)/(m+z*z), (m*d+z*z)/(m+z*z)
	return Interval{Estimate: d, Low: min(low, d), High: max(high, d), Confidence: confidence, Warnings: small(n)}
}
