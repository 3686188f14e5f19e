package stats

import "math"

// Apart returns the interval of the difference b - a of two independent shares, from the interval of each, by squaring and
// adding the distances to their ends: Newcombe's score interval where both are Wilson's (Newcombe 1998, Statistics in
// Medicine 17, method 10 of 11), and the method of variance estimates recovery of Zou and Donner (2008) elsewhere. Where
// either is unknown the estimate is NaN and the bounds are -1 and 1. The confidence is a's.
func Apart(a, b Interval) Interval {
	in := Interval{Estimate: b.Estimate - a.Estimate, Confidence: a.Confidence, Warnings: warned(a, b)}
	if math.IsNaN(in.Estimate) {
		in.Low, in.High = -1, 1
		return in
	}
	in.Low = max(-1, in.Estimate-math.Hypot(b.Estimate-b.Low, a.High-a.Estimate))
	in.High = min(1, in.Estimate+math.Hypot(b.High-b.Estimate, a.Estimate-a.Low))
	return in
}

// Ratio returns the interval of the ratio b / a of two independent shares, from the interval of each (Donner and Zou 2012,
// Statistical Methods in Medical Research 21, equation 9). The estimate is NaN where either is unknown or a is 0; a lower
// bound of a that is 0 leaves the ratio without an upper one, +Inf. The confidence is a's.
func Ratio(a, b Interval) Interval {
	in := Interval{Estimate: b.Estimate / a.Estimate, Confidence: a.Confidence, Warnings: warned(a, b), High: math.Inf(1)}
	if math.IsNaN(a.Estimate) || math.IsNaN(b.Estimate) || a.Estimate == 0 {
		in.Estimate = math.NaN()
		return in
	}
	product := a.Estimate * b.Estimate
	bound := func(b1, a1 float64, sign float64) float64 {
		root := product*product - a1*b1*(2*a.Estimate-a1)*(2*b.Estimate-b1)
		return (product + sign*math.Sqrt(max(0, root))) / (a1 * (2*a.Estimate - a1))
	}
	if 2*a.Estimate > a.High {
		in.Low = max(0, bound(b.Low, a.High, -1))
	}
	if a.Low > 0 {
		in.High = bound(b.High, a.Low, 1)
	}
	return in
}

// warned joins the warnings of two intervals, each once.
func warned(a, b Interval) (out []string) {
	out = append(out, a.Warnings...)
	for _, w := range b.Warnings {
		if len(out) == 0 || out[len(out)-1] != w {
			out = append(out, w)
		}
	}
	return out
}
