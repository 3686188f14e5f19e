package paper

import (
	"fmt"
	"math/rand/v2"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/pool"
	"assay/metrics/stats"
	"assay/plots/table"
)

// What record.Vote.By says.
const (
	byExecution = "execution"
	byAsking    = "asked"
	byMemory    = "remembered"
)

// selectionTable has a row an arm whose candidates were compared.
func selectionTable(v *view) (Output, error) {
	ps := v.pools()
	columns := numerals("answers", "chosen", "regret", "above the lower bound")
	columns = append(columns, numerals("right against wrong", "accuracy", "comparisons", "every pair")...)
	columns = append(columns, numerals("order", "first shown %", "pairs both ways", "same winner", "first both", "second both", "p")...)
	columns = append(columns, numerals("comparisons", "all", "equal results", "asked", "remembered", "calls saved %", "unread")...)
	columns = append(columns, numerals("ties", "at the top", "of them unlike")...)
	t := v.partTable("selection", "How well answers were chosen by comparing pairs", "", columns, func(i int, r row) [][]table.Cell {
		if votesIn(ps[i]) == 0 {
			return nil
		}
		return [][]table.Cell{selectionCells(ps[i])}
	})
	t.Notes = v.poolNotes(ps, "Regret: the upper bound less what was chosen. Right against wrong: the share of the comparisons of a right candidate with a wrong one that the right one won, an answer that cannot be read counting as lost; each question put to the model counts once, with an interval over items, and under every pair each pair of candidates does.",
		"Order, of the questions put to the model: how often the candidate shown first won, and of pairs shown in both orders how often the same won; p is McNemar's, exact, that neither place is favoured.",
		"Calls saved: comparisons with a question put before, of an equal pair of queries and results; comparisons of equal results need no call. Ties at the top: answers for which several candidates had as many wins; unlike: with different results.")
	return Output{Table: t}, nil
}

func votesIn(ps []pooled) (n int) {
	for _, p := range ps {
		for _, votes := range p.votes {
			n += len(votes)
		}
	}
	return n
}

// selectionCells are one arm's.
func selectionCells(ps []pooled) []table.Cell {
	pick := func(f func(pool.Selection) stats.Interval) table.Cell {
		return shareOf(ps, func(items []pool.Item) stats.Interval { return f(pool.Select(items, sampling)) })
	}
	regret := pick(func(s pool.Selection) stats.Interval { return s.Regret })
	headroom := pick(func(s pool.Selection) stats.Interval { return s.Headroom })
	cells := []table.Cell{pick(func(s pool.Selection) stats.Interval { return s.Chosen }), regret, headroom}
	asked, every := ballots(ps, true), ballots(ps, false)
	accuracy := pool.BinaryAccuracy(asked)
	cells = append(cells, binary(ps), table.Count(accuracy.Votes), share(pool.BinaryAccuracy(every).Accuracy, pool.BinaryAccuracy(every).Votes))
	bias := pool.OrderBias(asked)
	cells = append(cells, share(bias.First, bias.Votes))
	for _, n := range []int{bias.Pairs, bias.Same, bias.FirstBoth, bias.SecondBoth} {
		cells = append(cells, table.Count(n))
	}
	cells = append(cells, table.Measured(table.Number{Value: bias.Test.P, Decimals: 3}))
	by := map[string]int{}
	unread := 0
	for _, p := range ps {
		for _, votes := range p.votes {
			for _, x := range votes {
				by[x.By]++
				if x.Winner < 0 {
					unread++
				}
			}
		}
	}
	e, a, m := by[byExecution], by[byAsking], by[byMemory]
	for _, n := range []int{e + a + m, e, a, m} {
		cells = append(cells, table.Count(n))
	}
	tied, unlike := tiesIn(ps)
	return append(cells, percent(m, a+m), table.Count(unread), table.Count(tied), table.Count(unlike))
}

// share is an estimate in percent, blank of nothing. Comparisons of an item are no independent trials, so that it has no
// interval.
func share(i stats.Interval, n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * i.Estimate, N: n, Decimals: 1})
}

// ballots are the comparisons that the model decided: each question once, or one a pair of candidates.
func ballots(ps []pooled, asked bool) (out []pool.Vote) {
	for s, p := range ps {
		for i, votes := range p.votes {
			for _, x := range votes {
				if x.By == byExecution || asked && x.By != byAsking {
					continue
				}
				out = append(out, ballot(fmt.Sprintf("%d %d", s, i), p.rows[i], x, asked))
			}
		}
	}
	return out
}

// ballot is one comparison; the queries name the candidates where each question counts once.
func ballot(item string, cs []*record.Candidate, x *record.Vote, byQuery bool) pool.Vote {
	out := pool.Vote{Item: item}
	if min(x.A, x.B) < 0 || max(x.A, x.B) >= len(cs) {
		return out
	}
	name := func(i int) string {
		if byQuery {
			return cs[i].SQL
		}
		return fmt.Sprint(i)
	}
	a, b := cs[x.A], cs[x.B]
	out.A, out.B = name(x.A), name(x.B)
	out.Scored = a.Status.Scored() && b.Status.Scored()
	out.ARight, out.BRight = a.Status == metrics.Correct, b.Status == metrics.Correct
	out.Winner = "\x00" // no answer that can be read
	if x.Winner == x.A || x.Winner == x.B {
		out.Winner = name(x.Winner)
	}
	return out
}

// binary is the accuracy over questions put to the model about a right candidate and a wrong one, as a share of all of
// them, with an interval that draws items and not comparisons.
func binary(ps []pooled) table.Cell {
	return over(ps, func([]pool.Item) int { return 0 }, func(p pooled) stats.Interval {
		var clusters []stats.Cluster
		votes := ballots([]pooled{p}, true)
		for i := 0; i < len(votes); {
			j := i
			for j < len(votes) && votes[j].Item == votes[i].Item {
				j++
			}
			var c stats.Cluster
			for _, x := range votes[i:j] {
				if one := pool.BinaryAccuracy([]pool.Vote{x}); one.Votes == 1 {
					c.N++
					c.Diff += one.Accuracy.Estimate
				}
			}
			if i = j; c.N > 0 {
				clusters = append(clusters, c)
			}
		}
		return stats.BootstrapClusters(clusters, confidence, sampling.Resamples, sampling.Seed)
	})
}

// match is the comparisons of an item, by place: won[a][b] is how many of those with b a won.
type match struct {
	won  [][]int
	has  []bool // a query
	like []string
}

// matchOf reads an item's votes; nil where there are none.
func matchOf(cs []*record.Candidate, votes []*record.Vote) *match {
	if len(votes) == 0 {
		return nil
	}
	m := &match{won: make([][]int, len(cs)), has: make([]bool, len(cs)), like: make([]string, len(cs))}
	for i, c := range cs {
		m.won[i], m.has[i], m.like[i] = make([]int, len(cs)), c.SQL != "", c.Digest
	}
	for _, x := range votes {
		if min(x.A, x.B) < 0 || max(x.A, x.B) >= len(cs) {
			continue
		}
		switch x.Winner {
		case x.A:
			m.won[x.A][x.B]++
		case x.B:
			m.won[x.B][x.A]++
		}
	}
	return m
}

// best are the candidates of a pool with the most wins within it, by place; those without a query have no part. Where none
// has a query, it is the first.
func (m *match) best(among []int) (out []int) {
	most := -1
	for _, a := range among {
		if !m.has[a] {
			continue
		}
		n := 0
		for _, b := range among {
			n += m.won[a][b]
		}
		if n > most {
			most, out = n, nil
		}
		if n == most {
			out = append(out, a)
		}
	}
	if out == nil {
		return among[:1]
	}
	return out
}

// tiesIn counts the answers with several best candidates, and those of them whose results differ.
func tiesIn(ps []pooled) (tied, unlike int) {
	for _, p := range ps {
		for i, votes := range p.votes {
			m := matchOf(p.rows[i], votes)
			if m == nil {
				continue
			}
			best := m.best(p.places[i])
			if len(best) < 2 {
				continue
			}
			tied++
			for _, b := range best[1:] {
				if m.like[b] != m.like[best[0]] {
					unlike++
					break
				}
			}
		}
	}
	return tied, unlike
}

// selectionCurve is what pairwise selection answers from random subsets of each size, read off the stored comparisons:
// those within the subset are the ones that it would have made. Of several best candidates each counts as likely. It is
// nil where candidates were not compared.
func selectionCurve(p pooled, most int) (out []stats.Interval) {
	if votesIn([]pooled{p}) == 0 {
		return nil
	}
	full, n := fullMatches(p)
	for k := 1; k <= most; k++ {
		rng := rand.New(rand.NewPCG(sampling.Seed, uint64(k)))
		var pairs []stats.Pair
		for i := range p.items {
			var places []int // of the scored candidates, in the whole pool
			for x, c := range p.rows[i] {
				if c.Status.Scored() {
					places = append(places, p.places[i][x])
				}
			}
			switch {
			case len(places) > 0:
				pairs = append(pairs, stats.Pair{B: full[i].chance(places, min(k, len(places)), n, rng)})
			case len(scoredOf(p.items[i])) > 0: // all were dropped
				pairs = append(pairs, stats.Pair{})
			}
		}
		out = append(out, stats.Bootstrap(pairs, confidence, sampling.Resamples, sampling.Seed))
	}
	return out
}

// scoredMatch is a match with what is right.
type scoredMatch struct {
	*match
	right map[int]bool
}

// fullMatches reads every item's comparisons; draws is how many subsets to take.
func fullMatches(p pooled) (out []scoredMatch, draws int) {
	for i := range p.items {
		s := scoredMatch{right: map[int]bool{}}
		for x, c := range p.rows[i] {
			s.right[p.places[i][x]] = c.Status == metrics.Correct
		}
		s.match = &match{}
		out = append(out, s)
		size := 0
		for _, at := range p.places[i] {
			size = max(size, at+1)
		}
		for _, x := range p.votes[i] {
			size = max(size, x.A+1, x.B+1)
		}
		cs := make([]*record.Candidate, size)
		for x := range cs {
			cs[x] = &record.Candidate{}
		}
		for x, c := range p.rows[i] {
			cs[p.places[i][x]] = c
		}
		if m := matchOf(cs, p.votes[i]); m != nil {
			out[i].match = m
		} else {
			out[i].match = matchOf(cs, []*record.Vote{{A: -1}})
		}
	}
	return out, sampling.Draws
}

// chance is how often the choice among k of the places is right.
func (s scoredMatch) chance(places []int, k, draws int, rng *rand.Rand) float64 {
	if k == len(places) {
		draws = 1
	}
	sum := 0.0
	for range draws {
		among := subset(places, k, rng)
		best := s.best(among)
		n := 0
		for _, b := range best {
			if s.right[b] {
				n++
			}
		}
		sum += float64(n) / float64(len(best))
	}
	return sum / float64(draws)
}

// subset is k of the places in their order, each subset as likely (Knuth, algorithm S).
func subset(places []int, k int, rng *rand.Rand) []int {
	out := make([]int, 0, k)
	for i, x := range places {
		if rng.IntN(len(places)-i) < k-len(out) {
			out = append(out, x)
		}
	}
	return out
}
