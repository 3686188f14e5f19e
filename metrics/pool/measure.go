package pool

import "assay/metrics/stats"

// Measure scores an item's scored candidates, within [0, 1]: whether an answer chosen from them is right, or how often.
type Measure func([]Candidate) float64

// Upper is 1 if at least one candidate is right: the best that a selection could do (Pourreza et al. 2025, section
// 4.4).
func Upper(cs []Candidate) float64 { return truth(right(cs) > 0) }

// Lower is 1 if all candidates are right: the worst that a selection could do.
func Lower(cs []Candidate) float64 { return truth(right(cs) == len(cs)) }

// Chosen is 1 if the candidate that became the answer is right.
func Chosen(cs []Candidate) float64 {
	for _, c := range cs {
		if c.Chosen && c.Correct {
			return 1
		}
	}
	return 0
}

// Regret is 1 if there is a right candidate and it was not chosen: Upper minus Chosen.
func Regret(cs []Candidate) float64 { return Upper(cs) - Chosen(cs) }

// Headroom is 1 if the right candidate was chosen and a wrong one could have been: Chosen minus Lower. It is also 0 if
// all candidates are right and the answer has no score.
func Headroom(cs []Candidate) float64 { return max(0, Chosen(cs)-Lower(cs)) }

// UpperAt is pass@k: Upper averaged over all subsets of k candidates. A pool smaller than k counts as a whole.
func UpperAt(k int) Measure {
	return func(cs []Candidate) float64 { return passAtK(len(cs), right(cs), min(k, len(cs))) }
}

// lowerAt is pass^k: Lower averaged over all subsets of k candidates. A pool smaller than k counts as a whole.
func lowerAt(k int) Measure {
	return func(cs []Candidate) float64 { return passHatK(len(cs), right(cs), min(k, len(cs))) }
}

// Value is an item with its measured value.
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

// Mean returns the mean over the items that have a scored candidate, NaN if none has. The units of its interval are
// items.
func Mean(items []Item, m Measure) stats.Interval {
	var units []stats.Unit
	for _, x := range Values(items, m) {
		units = append(units, stats.Unit{Mean: x.Value, Weight: 1})
	}
	return stats.Share(units, confidence)
}

// truth returns 1 for true and 0 for false.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
