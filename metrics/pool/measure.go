package pool

import "assay/metrics/stats"

// Measure is what an item's scored candidates give, within [0, 1]: whether an answer from them is right, or how often.
type Measure func([]Candidate) float64

// Upper is the best that a selection could do, at least one candidate being right (Pourreza et al. 2025, section 4.4).
func Upper(cs []Candidate) float64 { return truth(right(cs) > 0) }

// Lower is the worst: all candidates are right.
func Lower(cs []Candidate) float64 { return truth(right(cs) == len(cs)) }

// Chosen is whether the candidate that became the answer is right.
func Chosen(cs []Candidate) float64 {
	for _, c := range cs {
		if c.Chosen && c.Correct {
			return 1
		}
	}
	return 0
}

// Regret is a right candidate passed over: Upper less Chosen.
func Regret(cs []Candidate) float64 { return Upper(cs) - Chosen(cs) }

// Headroom is a right choice where a wrong one was possible: Chosen less Lower. It is 0 too of a pool that is all right
// where its answer has no score.
func Headroom(cs []Candidate) float64 { return max(0, Chosen(cs)-Lower(cs)) }

// UpperAt is pass@k, Upper over all subsets of k candidates. Pools smaller than k count whole.
func UpperAt(k int) Measure {
	return func(cs []Candidate) float64 { return PassAtK(len(cs), right(cs), min(k, len(cs))) }
}

// LowerAt is pass^k, Lower over all subsets of k candidates. Pools smaller than k count whole.
func LowerAt(k int) Measure {
	return func(cs []Candidate) float64 { return PassHatK(len(cs), right(cs), min(k, len(cs))) }
}

// Value is an item with what was measured of it.
type Value struct {
	Item  string
	Value float64
}

// Values measures every item that has a scored candidate; the others are left out.
func Values(items []Item, m Measure) (out []Value) {
	for _, it := range items {
		if cs := it.Scored(); len(cs) > 0 {
			out = append(out, Value{it.ID, m(cs)})
		}
	}
	return out
}

// Mean is the mean over the items that have a scored candidate, NaN without any; the interval has items as units.
func Mean(items []Item, m Measure) stats.Interval {
	var units []stats.Unit
	for _, x := range Values(items, m) {
		units = append(units, stats.Unit{Mean: x.Value, Weight: 1})
	}
	return stats.Share(units, Confidence)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
