package pool

import "slices"

// Rule says which candidate self-consistency answers with, where the largest cluster has several or there are several
// as large. Candidates without a result never vote; where none has one nothing tells them apart, and all lead.
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
// members of the largest clusters differ. Of no candidates it is 0. It panics on another rule.
func SelfConsistency(rule Rule) Measure {
	return func(cs []Candidate) float64 {
		all := make([]int, len(cs))
		for i := range all {
			all[i] = i
		}
		return newBallot(cs, rule).share(all)
	}
}

// Voting is SelfConsistency over some of each item's scored candidates.
func Voting(items []Item, rule Rule) Picker {
	ballots := make([]*ballot, len(items))
	for i, it := range items {
		ballots[i] = newBallot(it.Scored(), rule)
	}
	return func(item int, among []int) float64 { return ballots[item].share(among) }
}

// ballot is a pool that votes.
type ballot struct {
	rule    Rule
	cs      []Candidate
	cluster []int // of each candidate's result; -1 without one
	votes   []int // of each cluster, counted anew by share
}

func newBallot(cs []Candidate, rule Rule) *ballot {
	mustBe(slices.Contains(Rules, rule), "rule %q", rule)
	b := &ballot{rule: rule, cs: cs, cluster: make([]int, len(cs))}
	at := map[string]int{}
	for i, c := range cs {
		if b.cluster[i] = -1; c.Digest == "" {
			continue
		}
		k, ok := at[c.Digest]
		if !ok {
			k = len(at)
			at[c.Digest] = k
		}
		b.cluster[i] = k
	}
	b.votes = make([]int, len(at))
	return b
}

// share is how often the answer is right when the candidates at these places vote, which are in their order.
func (b *ballot) share(among []int) float64 {
	clear(b.votes)
	most := 0
	for _, i := range among {
		if k := b.cluster[i]; k >= 0 {
			b.votes[k]++
			most = max(most, b.votes[k])
		}
	}
	leaders, right, pick := 0, 0, -1
	for _, i := range among {
		if k := b.cluster[i]; most > 0 && (k < 0 || b.votes[k] < most) {
			continue
		}
		leaders++
		if b.cs[i].Correct {
			right++
		}
		if pick < 0 || b.rule == Shortest && len(b.cs[i].SQL) < len(b.cs[pick].SQL) {
			pick = i
		}
	}
	switch {
	case leaders == 0:
		return 0
	case b.rule == Any:
		return float64(right) / float64(leaders)
	}
	return truth(b.cs[pick].Correct)
}

// Oracle is the accuracy where each generator answers by self-consistency over its own candidates, and someone who
// knows picks the generator. Under Any, the generators' picks are taken as independent.
func Oracle(rule Rule) Measure {
	vote := SelfConsistency(rule)
	return func(cs []Candidate) float64 {
		wrong := 1.0
		for _, g := range Generators([]Item{{Candidates: cs}}) {
			wrong *= 1 - vote(Only([]Item{{Candidates: cs}}, g)[0].Candidates)
		}
		return 1 - wrong
	}
}
