package paper

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/pool"
	"assay/plots/table"
)

// pooled is the pools of one row under one seed, one per item.
type pooled struct {
	items     []pool.Item
	answers   []*record.Answer // one per item: its rows of candidates.csv, dropped.csv and votes.csv
	generator string           // the only one whose candidates count; empty: all of them
}

// candidates are those of item i, each with its place among all of the item's, which is how votes name them.
func (p pooled) candidates(i int) iter.Seq2[int, *record.Candidate] {
	return p.own(p.answers[i].Candidates)
}

// dropped are the candidates of item i that the fixer took out of the pool.
func (p pooled) dropped(i int) iter.Seq2[int, *record.Candidate] { return p.own(p.answers[i].Dropped) }

// own are the rows of the pool's generator.
func (p pooled) own(rows []record.Candidate) iter.Seq2[int, *record.Candidate] {
	return func(yield func(int, *record.Candidate) bool) {
		for i := range rows {
			if (p.generator == "" || rows[i].Generator == p.generator) && !yield(i, &rows[i]) {
				return
			}
		}
	}
}

// sampling draws subsets of pools and bootstrap samples. Its seed is fixed, so that a report of the same run has the same numbers.
var sampling = pool.Sampling{Seed: 1}

// resamples of a bootstrap interval.
const resamples = 2000

// pools returns the pools of every row, one pooled per seed. They are gathered once for all tables and figures: nobody
// changes them.
func (v *view) pools() [][]pooled {
	if v.gathered != nil {
		return v.gathered
	}
	out := make([][]pooled, len(v.rows))
	for i, r := range v.rows {
		for _, seed := range r.Seeds {
			var p pooled
			for _, a := range r.Answers {
				if a.Item.Seed == seed {
					p.add(a)
				}
			}
			out[i] = append(out[i], p)
		}
	}
	v.gathered = out
	return out
}

// add appends an answer's pool.
func (p *pooled) add(a *record.Answer) {
	it := pool.Item{ID: a.Item.Item, GoldInDoubt: a.Question.Override != ""}
	it.Candidates = make([]pool.Candidate, len(a.Candidates))
	for i, c := range a.Candidates {
		it.Candidates[i] = pool.Candidate{Generator: c.Generator, Sample: c.Sample, SQL: c.SQL,
			Scored: c.Status.Scored(), Correct: c.Status == metrics.Correct, Digest: c.Digest, Chosen: c.Chosen == 1}
	}
	p.items, p.answers = append(p.items, it), append(p.answers, a)
}

// whyNoPools refuses runs with one candidate per item.
func whyNoPools(v *view) string {
	if slices.ContainsFunc(v.index.Answers, func(a record.Answer) bool { return len(a.Candidates) > 1 }) {
		return ""
	}
	return "no item of it has several candidates"
}

func whyNoVotes(v *view) string {
	if len(v.run.Votes) == 0 {
		return "no candidates of it were compared: it needs selection.rule = \"pairwise\""
	}
	return ""
}

// shareOf returns the mean of a pool measure over the items with a scored candidate.
func shareOf(ps []pooled, m pool.Measure) table.Cell {
	return acrossSeeds(ps, func(_ int, p pooled) []pool.Value { return pool.Values(p.items, m) })
}

// acrossSeeds returns the mean of the values that the pools of each seed give.
func acrossSeeds(ps []pooled, of func(seed int, p pooled) []pool.Value) table.Cell {
	var seeds [][]itemScore
	for s, p := range ps {
		var one []itemScore
		for _, x := range of(s, p) {
			one = append(one, itemScore{x.Item, x.Value})
		}
		if len(one) > 0 {
			seeds = append(seeds, one)
		}
	}
	return ranged(seeds, 1)
}

// scoredItems counts the items with a scored candidate.
func scoredItems(items []pool.Item) int { return len(pool.Values(items, pool.Upper)) }

// only restricts pools to one generator; "" keeps them whole.
func only(ps []pooled, generator string) []pooled {
	if generator == "" {
		return ps
	}
	out := make([]pooled, len(ps))
	for i, p := range ps {
		out[i] = pooled{pool.Only(p.items, generator), p.answers, generator}
		for k := range p.items {
			out[i].standIn(k)
		}
	}
	return out
}

// standIn puts a wrong candidate into the pool of item k where the fixer took all of the generator's out: the item is one
// that the generator did not solve. It has no row and no place.
func (p pooled) standIn(k int) {
	for range p.candidates(k) {
		return
	}
	for _, c := range p.dropped(k) {
		if c.Status.Scored() {
			p.items[k].Candidates = []pool.Candidate{{Generator: p.generator, Scored: true}}
			return
		}
	}
}

// generators returns those of a row: first in the order of its arm, then others in the order of the candidates.
func generators(r row, ps []pooled) []string {
	var names []string
	if !r.Config.Row.Imported { // candidates of others name their sources
		names = slices.Clone(r.Config.Asks())
	}
	for _, p := range ps {
		for _, g := range pool.Generators(p.items) {
			if !slices.Contains(names, g) {
				names = append(names, g)
			}
		}
		for i := range p.answers {
			for _, c := range p.dropped(i) {
				if !slices.Contains(names, c.Generator) {
					names = append(names, c.Generator)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(g string) bool { return g == "" })
}

// largestPool returns the largest number of scored candidates of an item.
func largestPool(ps []pooled) int {
	most := 0
	for _, p := range ps {
		for _, it := range p.items {
			most = max(most, len(it.Scored()))
		}
	}
	return most
}

// part is a piece of a row: one generator's candidates, or all together.
type part struct {
	name string // as tables print it
	ps   []pooled
}

const pooledName = "pooled"

// partsOf divides a row by generator, with all generators together last; a row of one generator has that part alone.
func partsOf(r row, ps []pooled) (out []part) {
	names := generators(r, ps)
	for _, g := range names {
		out = append(out, part{g, only(ps, g)})
	}
	if len(names) != 1 {
		out = append(out, part{pooledName, ps})
	}
	return out
}

// generatorKey is the column that says which generator a row is of.
func generatorKey() []table.Column { return []table.Column{{Name: "generator", Key: true}} }

// numerals returns columns of numbers under one head.
func numerals(group string, names ...string) (out []table.Column) {
	for _, n := range names {
		out = append(out, table.Column{Group: group, Name: n, Align: table.Right})
	}
	return out
}

// percent returns a share in percent; blank where n is 0.
func percent(k, n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * float64(k) / float64(n), N: n, Decimals: 1})
}

// shareNote explains the cells of tables of pools.
func (v *view) shareNote() string {
	s := "Cells are percent of the items that have a scored candidate"
	if _, most := v.seedCounts(); most > 1 {
		s += ", means over " + v.overMeans() + " ± the sample standard deviation"
	}
	return s + "."
}

// poolIntervalNote names the interval in brackets of the cells of tables of pools.
const poolIntervalNote = "In brackets the 95 % interval over items: Wilson's, and its formula carried over to items that are right by chance, as over subsets of a pool, or in some seeds."

// unpooled counts what is in no pool: candidates that the fixer dropped, and those without a score.
func unpooled(v *view, ps [][]pooled) string {
	items, candidates, all, gone := 0, 0, 0, 0
	for _, row := range ps {
		for _, p := range row {
			items += len(p.items) - scoredItems(p.items)
			for i, it := range p.items {
				candidates += len(it.Candidates) - len(it.Scored())
				all += len(it.Candidates)
				gone += len(p.answers[i].Dropped)
				if cs := p.answers[i].Candidates; len(cs) == 1 && cs[0].Rule == standIn {
					all--
				}
			}
		}
	}
	var parts []string
	if gone > 0 {
		parts = append(parts, fmt.Sprintf("The fixer took %d candidates out, of %d, which are in no pool; a pool that it emptied counts as wrong.", gone, all+gone))
	}
	if candidates+items > 0 {
		parts = append(parts, fmt.Sprintf("Without a score and in no pool: %d of %d candidates; without any scored candidate and left out: %d of %d answers.",
			candidates, all, items, answersIn(v)))
	}
	return strings.Join(parts, " ")
}

func answersIn(v *view) (n int) {
	for _, r := range v.rows {
		n += len(r.items)
	}
	return n
}

// poolNotes is notes for tables of pools: with shareNote first, and what pools leave out last.
func (v *view) poolNotes(ps [][]pooled, own ...string) []string {
	own = append([]string{v.shareNote()}, own...)
	if s := unpooled(v, ps); s != "" {
		own = append(own, s)
	}
	return v.notes(slices.DeleteFunc(own, func(s string) bool { return s == "" })...)
}
