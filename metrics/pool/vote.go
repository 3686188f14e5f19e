package pool

import "slices"

// Rule says which candidate self-consistency answers with if the largest cluster has several candidates, or several
// clusters are equally large. Candidates without a result never vote. If none has a result, all of them count as the
// largest cluster.
type Rule string

// The published rules.
const (
	First    Rule = "first"    // the earliest candidate of the largest clusters (DAIL-SQL: results regardless of row order)
	Shortest Rule = "shortest" // the shortest SQL in the largest clusters, of equal ones the earliest (CHESS)
	Any      Rule = "any"      // any candidate of the largest clusters (CHASE-SQL's baseline): the mean over all of them
)

// rules lists the three rules.
var rules = []Rule{First, Shortest, Any}

// SelfConsistency is the chance that self-consistency over the candidates is correct: 0 or 1, or a share under Any if
// members of the largest clusters differ. It is 0 for no candidates. It panics on another rule.
func SelfConsistency(rule Rule) Measure {
	return func(cs []Candidate) float64 {
		all := make([]int, len(cs))
		for i := range all {
			all[i] = i
		}
		return newBallot(cs, rule).share(all)
	}
}

// Voting applies SelfConsistency to subsets of each item's scored candidates.
func Voting(items []Item, rule Rule) Picker {
	ballots := make([]*ballot, len(items))
	for i, it := range items {
		ballots[i] = newBallot(it.Scored(), rule)
	}
	return func(item int, among []int) float64 { return ballots[item].share(among) }
}

// ballot is a pool prepared for voting.
type ballot struct {
	rule    Rule
	cs      []Candidate
	cluster []int // number of each candidate's cluster; -1 without a result
	votes   []int // per cluster, recounted by share
}

// newBallot clusters the candidates by their results.
func newBallot(cs []Candidate, rule Rule) *ballot {
	mustBe(slices.Contains(rules, rule), "rule %q", rule)
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

// share returns how often the answer is right if only the candidates at these places, in ascending order, vote.
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

// Oracle is the accuracy if each generator answers by self-consistency over its own candidates and an oracle picks a
// right generator if there is one. Under Any the generators' answers are taken as independent.
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
