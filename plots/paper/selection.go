package paper

import (
	"fmt"
	"strings"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/pool"
	"assay/metrics/stats"
	"assay/plots/table"
)

// What record.Vote.DecidedBy says.
const (
	byExecution = "execution"
	byModel     = "model"
	byReuse     = "reused"
)

// selectionTable has one row per arm whose candidates were compared.
func selectionTable(v *view) (Output, error) {
	ps := v.pools()
	columns := numerals("answers", "chosen", "regret", "above the lower bound")
	columns = append(columns, numerals("right against wrong", "accuracy", "comparisons", "every pair")...)
	columns = append(columns, numerals("order", "first shown %", "pairs both ways", "same winner", "first both", "second both", "p")...)
	columns = append(columns, numerals("comparisons", "all", "equal results", "asked", "remembered", "calls saved %", "unread")...)
	columns = append(columns, numerals("ties", "at the top", "of them unlike")...)
	t := v.lines("selection", "How well answers were chosen by comparing pairs", columns, func(i int, r row) [][]table.Cell {
		if votesIn(ps[i]) == 0 {
			return nil
		}
		return [][]table.Cell{selectionCells(ps[i])}
	})
	t.Notes = v.poolNotes(ps, "Regret: the upper bound less what was chosen. Right against wrong: the share of the comparisons of a right candidate with a wrong one that the right one won, an answer that cannot be parsed counting as lost; each question put to the model counts once, with an interval over items, and under every pair each pair of candidates does.",
		"Order, of the questions put to the model: how often the candidate shown first won, and of pairs shown in both orders how often the same won; p is McNemar's, exact, that neither place is favoured.",
		"Calls saved: comparisons with a question put before, of an equal pair of queries and results; comparisons of equal results need no call. Ties at the top: answers for which several candidates had as many wins; unlike: with different results.")
	return Output{Table: t}, nil
}

func votesIn(ps []pooled) (n int) {
	for _, p := range ps {
		for _, a := range p.answers {
			n += len(a.Votes)
		}
	}
	return n
}

// selectionCells returns the numbers of one arm.
func selectionCells(ps []pooled) []table.Cell {
	cells := []table.Cell{shareOf(ps, pool.Chosen), shareOf(ps, pool.Regret), shareOf(ps, pool.Headroom)}
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
		for _, a := range p.answers {
			for _, x := range a.Votes {
				by[x.DecidedBy]++
				if x.Winner < 0 {
					unread++
				}
			}
		}
	}
	e, a, m := by[byExecution], by[byModel], by[byReuse]
	for _, n := range []int{e + a + m, e, a, m} {
		cells = append(cells, table.Count(n))
	}
	tied, unlike := tiesIn(ps)
	return append(cells, percent(m, a+m), table.Count(unread), table.Count(tied), table.Count(unlike))
}

// share returns an estimate in percent, blank where n is 0. It has no interval, because the comparisons of one item are not
// independent.
func share(i stats.Interval, n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * i.Estimate, N: n, Decimals: 1})
}

// ballots returns the comparisons that the model decided: each question once, or one per pair of candidates.
func ballots(ps []pooled, asked bool) (out []pool.Vote) {
	for s, p := range ps {
		for _, a := range p.answers {
			for _, x := range a.Votes {
				if x.DecidedBy == byExecution || asked && x.DecidedBy != byModel {
					continue
				}
				out = append(out, ballot(fmt.Sprintf("%d %s", s, a.Item.Item), a.Candidates, x, asked))
			}
		}
	}
	return out
}

// ballot returns one comparison. Where each question counts once the queries name the candidates, since equal queries share a
// question.
func ballot(item string, cs []record.Candidate, x record.Vote, byQuery bool) pool.Vote {
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

// binary returns the share of the questions about a right candidate and a wrong one that the model answered with the right one.
func binary(ps []pooled) table.Cell {
	var all proportion
	for _, x := range ballots(ps, true) {
		_, item, _ := strings.Cut(x.Item, " ")
		one := pool.BinaryAccuracy([]pool.Vote{x})
		all.add(item, one.Right, one.Votes)
	}
	return all.cell()
}

// match is the comparisons of an item by place: won[a][b] is how often a won against b.
type match struct {
	won  [][]int
	has  []bool // a query
	like []string
}

// match returns the comparisons of item i, by place among all of the item's candidates. Candidates that are not in p count as
// having no query.
func (p pooled) match(i int) *match {
	n := len(p.answers[i].Candidates)
	m := &match{won: make([][]int, n), has: make([]bool, n), like: make([]string, n)}
	for k := range m.won {
		m.won[k] = make([]int, n)
	}
	for at, c := range p.candidates(i) {
		m.has[at], m.like[at] = c.SQL != "", c.Digest
	}
	for _, x := range p.answers[i].Votes {
		if min(x.A, x.B) < 0 || max(x.A, x.B) >= n {
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

// best returns the places of the candidates with the most wins among the given ones. Candidates without a query are left out;
// where none has a query, it returns the first.
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

// tiesIn counts the answers with several best candidates, and how many of these answers have best candidates with different
// results.
func tiesIn(ps []pooled) (tied, unlike int) {
	for _, p := range ps {
		for i, a := range p.answers {
			if len(a.Votes) == 0 {
				continue
			}
			var all []int
			for at := range p.candidates(i) {
				all = append(all, at)
			}
			m := p.match(i)
			best := m.best(all)
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

// selecting returns a picker that repeats pairwise selection on a subset of each item's scored candidates. It uses the stored
// comparisons within the subset, which are those that selection would have made, and breaks ties by tie, the arm's
// selection.tie. For an item's whole pool it returns the choice that the run made.
func selecting(p pooled, tie string) pool.Picker {
	matches, places, right := make([]*match, len(p.items)), make([][]int, len(p.items)), make([][]bool, len(p.items))
	whole := make([]bool, len(p.items)) // p has all of the item's candidates
	for i := range p.items {
		matches[i] = p.match(i)
		right[i] = make([]bool, len(p.answers[i].Candidates))
		n := 0
		for at, c := range p.candidates(i) {
			if n++; c.Status.Scored() {
				places[i] = append(places[i], at)
				right[i][at] = c.Status == metrics.Correct
			}
		}
		whole[i] = n == len(p.answers[i].Candidates)
	}
	return func(item int, among []int) float64 {
		if len(among) == len(places[item]) && whole[item] {
			return pool.Chosen(p.items[item].Scored())
		}
		at := make([]int, len(among))
		for i, a := range among {
			at[i] = places[item][a]
		}
		if right[item][matches[item].pick(at, tie)] {
			return 1
		}
		return 0
	}
}

// pick returns the best candidate after ties are broken: the earliest or, with "consistency", the one whose result most others
// share, then the earliest.
func (m *match) pick(among []int, tie string) int {
	best := m.best(among)
	if tie != "consistency" {
		return best[0]
	}
	pick, most := best[0], -1
	for _, b := range best {
		n := 0
		for _, a := range among {
			if m.like[a] != "" && m.like[a] == m.like[b] {
				n++
			}
		}
		if n > most {
			pick, most = b, n
		}
	}
	return pick
}
