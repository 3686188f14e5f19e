package pool

import "assay/metrics/stats"

// Outcome is what became of an item.
type Outcome string

// The outcomes, of which each item has one.
const (
	Right       Outcome = "right"
	GoldInDoubt Outcome = "gold in doubt"              // not right, and the gold itself is doubted
	NotChosen   Outcome = "in the pool but not chosen" // a correct candidate was passed over
	NotInPool   Outcome = "not in the pool"            // no candidate is correct
	Unscored    Outcome = "not scored"                 // no candidate has a score
)

// Outcomes has all of them, in the order of a table.
var Outcomes = []Outcome{Right, NotChosen, NotInPool, GoldInDoubt, Unscored}

// Outcome is what became of the item. Doubt about the gold does not take a right answer away.
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

// Split counts the items of each outcome, in the order of Outcomes.
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
	A, B           string // what names the two within the item
	Swapped        bool   // B was shown first
	Winner         string // A, B, or anything else where the answer could not be read
	Scored         bool   // of both candidates
	ARight, BRight bool
}

// Binary is the accuracy over comparisons of a right candidate with a wrong one (Pourreza et al. 2025, Table 5).
type Binary struct {
	Accuracy stats.Interval // of Votes; an answer that cannot be read is wrong
	Votes    int            // with one right and one wrong
	Right    int            // of Votes, those that the right one won
	Unread   int            // of Votes
	Other    int            // left out: both right, both wrong, or not scored
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
	b.Accuracy = stats.Wilson(b.Right, b.Votes, Confidence)
	return b
}

// Bias is how much the order in which two candidates are shown decides. Without bias First is a half and FirstBoth
// equals SecondBoth.
type Bias struct {
	Votes  int            // that could be read
	Unread int            // left out
	First  stats.Interval // share of votes for the candidate shown first
	// Of pairs with a vote in either order:
	Pairs      int
	Same       int        // the same candidate won both
	FirstBoth  int        // whichever was shown first won
	SecondBoth int        // whichever was shown second won
	Test       stats.Test // of FirstBoth against SecondBoth
}

// OrderBias measures the effect of order. Of several votes on the same pair in the same order the first counts in
// Pairs.
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
		won := (v.Winner == v.A) != v.Swapped // the one shown first
		first += int(truth(won))
		pairs.add(v, won)
	}
	b.First = stats.Wilson(first, b.Votes, Confidence)
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

// pairs gathers votes by the unordered pair they are on.
type pairs struct {
	order []pairKey
	seen  map[pairKey]*bothOrders
}

type pairKey struct{ item, low, high string }

// bothOrders is whether the one shown first won, by which one that was: 0 for the pair's lower name.
type bothOrders struct{ has, first [2]bool }

func newPairs() *pairs { return &pairs{seen: map[pairKey]*bothOrders{}} }

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
