package pool

import "assay/metrics/stats"

// Rule says which candidate self-consistency answers with, where the largest cluster has several or there are several
// as large. Candidates without a result never vote.
type Rule string

// The published rules.
const (
	First    Rule = "first"    // the earliest candidate of the largest clusters (DAIL-SQL: results regardless of row order)
	Shortest Rule = "shortest" // the shortest SQL in the largest clusters, of equal ones the earliest (CHESS)
	Any      Rule = "any"      // any candidate of the largest clusters (CHASE-SQL's baseline): the mean over them all
)

// Rules has the three.
var Rules = []Rule{First, Shortest, Any}

// SelfConsistency is the chance that self-consistency over the candidates is correct: 0 or 1, but under Any where
// members of the largest clusters differ. Without a vote it is 0: an answer that fails is wrong. It panics on another
// rule.
func SelfConsistency(cs []Candidate, rule Rule) float64 {
	top := leaders(cs)
	if len(top) == 0 {
		return 0
	}
	pick := top[0]
	switch rule {
	case First:
	case Shortest:
		for _, c := range top {
			if len(c.SQL) < len(pick.SQL) {
				pick = c
			}
		}
	case Any:
		return float64(right(top)) / float64(len(top))
	default:
		mustBe(false, "rule %q", rule)
	}
	return float64(right([]Candidate{pick}))
}

// leaders is the members of the largest clusters, in their order.
func leaders(cs []Candidate) []Candidate {
	size := map[string]int{}
	most := 0
	for _, c := range cs {
		if c.Digest != "" {
			size[c.Digest]++
			most = max(most, size[c.Digest])
		}
	}
	var out []Candidate
	for _, c := range cs {
		if c.Digest != "" && size[c.Digest] == most {
			out = append(out, c)
		}
	}
	return out
}

// Accuracy is a pool size with the accuracy there.
type Accuracy struct {
	K     int
	Items int
	Value stats.Interval
}

// SelfConsistencyCurve is self-consistency at every pool size, over random subsets; where a pool is taken whole there
// is but one.
func SelfConsistencyCurve(items []Item, rule Rule, s Sampling) []Accuracy {
	ps, _ := pools(items)
	var out []Accuracy
	for k := 1; k <= largest(ps); k++ {
		r := s.rand(k)
		xs := make([]float64, len(ps))
		for i, cs := range ps {
			draws := s.draws()
			if k >= len(cs) {
				draws = 1
			}
			sum := 0.0
			for range draws {
				sum += SelfConsistency(subset(cs, k, r), rule)
			}
			xs[i] = sum / float64(draws)
		}
		out = append(out, Accuracy{k, len(ps), s.mean(xs)})
	}
	return out
}

// Oracle is the accuracy where each generator answers by self-consistency over its own candidates, and someone who
// knows picks the generator. Under Any, the generators' picks are taken as independent.
func Oracle(items []Item, rule Rule, s Sampling) stats.Interval {
	ps, _ := pools(items)
	xs := make([]float64, len(ps))
	for i, cs := range ps {
		wrong := 1.0
		for _, g := range Generators([]Item{{Candidates: cs}}) {
			own := Only([]Item{{Candidates: cs}}, g)[0].Candidates
			wrong *= 1 - SelfConsistency(own, rule)
		}
		xs[i] = 1 - wrong
	}
	return s.mean(xs)
}
