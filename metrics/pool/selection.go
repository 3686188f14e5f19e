package pool

import "assay/metrics/stats"

// Outcome says what happened to an item.
type Outcome string

// The outcomes. Each item has exactly one.
const (
	Right       Outcome = "right"
	GoldInDoubt Outcome = "gold in doubt"              // not right, but the gold query itself has a warning
	NotChosen   Outcome = "in the pool but not chosen" // a correct candidate was not chosen
	NotInPool   Outcome = "not in the pool"            // no candidate is correct
	Unscored    Outcome = "not scored"                 // no candidate has a score
)

// Outcomes lists all outcomes, in the order of tables.
var Outcomes = []Outcome{Right, NotChosen, NotInPool, GoldInDoubt, Unscored}

// Outcome returns the item's outcome. A warning about the gold query does not change a right answer.
func (it Item) Outcome() Outcome {
	cs := it.Scored()
	switch {
	case len(cs) == 0:
		return Unscored
	case Chosen(cs) == 1:
		return Right
	case it.GoldInDoubt:
		return GoldInDoubt
	case right(cs) > 0:
		return NotChosen
	}
	return NotInPool
}

// Split returns the number of items of each outcome, in the order of Outcomes.
func Split(items []Item) []int {
	count := map[Outcome]int{}
	for _, it := range items {
		count[it.Outcome()]++
	}
	out := make([]int, len(Outcomes))
	for i, o := range Outcomes {
		out[i] = count[o]
	}
	return out
}

// Vote is one comparison of two candidates of an item.
type Vote struct {
	Item           string
	A, B           string // identify the two candidates within the item
	Swapped        bool   // B was shown first
	Winner         string // A, B, or anything else if the answer could not be parsed
	Scored         bool   // both candidates have a score
	ARight, BRight bool
}

// Binary is the accuracy over comparisons of a right candidate with a wrong one (Pourreza et al. 2025, Table 5).
type Binary struct {
	Accuracy stats.Interval // over Votes; an answer that cannot be parsed counts as wrong
	Votes    int            // comparisons of a right with a wrong candidate
	Right    int            // of Votes: won by the right candidate
	Unread   int            // of Votes: answers that cannot be parsed
	Other    int            // other comparisons, left out: both right, both wrong, or not scored
}

// BinaryAccuracy counts the votes for the right candidate.
func BinaryAccuracy(votes []Vote) Binary {
	var b Binary
	for _, v := range votes {
		if !v.Scored || v.ARight == v.BRight {
			b.Other++
			continue
		}
		b.Votes++
		switch v.Winner {
		case v.A:
			b.Right += int(truth(v.ARight))
		case v.B:
			b.Right += int(truth(v.BRight))
		default:
			b.Unread++
		}
	}
	b.Accuracy = stats.Wilson(b.Right, b.Votes, confidence)
	return b
}

// Bias is how much the order in which two candidates are shown decides the vote. Without bias First is one half and
// FirstBoth equals SecondBoth.
type Bias struct {
	Votes  int            // answers that can be parsed
	Unread int            // other answers, left out
	First  stats.Interval // share of votes for the candidate shown first
	// Of the pairs with votes in both orders:
	Pairs      int
	Same       int        // the same candidate won both
	FirstBoth  int        // the candidate shown first won both times
	SecondBoth int        // the candidate shown second won both times
	Test       stats.Test // of FirstBoth against SecondBoth
}

// OrderBias measures the effect of order. If a pair has several votes in the same order, only the first counts for the
// numbers of pairs.
func OrderBias(votes []Vote) Bias {
	var b Bias
	first := 0
	pairs := newPairs()
	for _, v := range votes {
		if v.Winner != v.A && v.Winner != v.B || v.A == v.B {
			b.Unread++
			continue
		}
		b.Votes++
		won := (v.Winner == v.A) != v.Swapped // the candidate shown first won
		first += int(truth(won))
		pairs.add(v, won)
	}
	b.First = stats.Wilson(first, b.Votes, confidence)
	for _, k := range pairs.order {
		p := pairs.seen[k]
		if !p.has[0] || !p.has[1] {
			continue
		}
		b.Pairs++
		switch {
		case p.first[0] != p.first[1]:
			b.Same++
		case p.first[0]:
			b.FirstBoth++
		default:
			b.SecondBoth++
		}
	}
	b.Test = stats.McNemar(b.FirstBoth, b.SecondBoth)
	return b
}

// pairs groups votes by their unordered pair.
type pairs struct {
	order []pairKey
	seen  map[pairKey]*bothOrders
}

type pairKey struct{ item, low, high string }

// bothOrders says whether the candidate shown first won, by which of the two was shown first; index 0 is the lower
// name.
type bothOrders struct{ has, first [2]bool }

func newPairs() *pairs { return &pairs{seen: map[pairKey]*bothOrders{}} }

// add counts a vote, unless the pair has one in the same order.
func (p *pairs) add(v Vote, won bool) {
	shown, other := v.A, v.B
	if v.Swapped {
		shown, other = other, shown
	}
	k, i := pairKey{v.Item, shown, other}, 0
	if shown > other {
		k, i = pairKey{v.Item, other, shown}, 1
	}
	got := p.seen[k]
	if got == nil {
		got = &bothOrders{}
		p.seen[k] = got
		p.order = append(p.order, k)
	}
	if !got.has[i] {
		got.has[i], got.first[i] = true, won
	}
}
