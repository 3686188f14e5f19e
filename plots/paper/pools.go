package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/pool"
	"assay/metrics/stats"
	"assay/plots/table"
)

// pooled is what one row of a view has under one seed, item by item.
type pooled struct {
	items   []pool.Item
	rows    [][]*record.Candidate // the items' rows of candidates.csv, in their order
	places  [][]int               // of those among all of the item's rows, as votes name them
	dropped [][]*record.Candidate
	votes   [][]*record.Vote
	answers []*record.Item
}

// sampling is how intervals and random subsets are drawn: always the same.
var sampling = pool.Sampling{Seed: 1, Resamples: 2000, Draws: 50}

// cellKey names an arm at a sweep point under a seed.
func cellKey(arm string, point []string, seed int64) string {
	return arm + "\x00" + strings.Join(point, "\x00") + "\x00" + strconv.FormatInt(seed, 10)
}

// pools gathers the candidates of every row, a pooled a seed that has items. Rows of the same run stand in the same order.
func (v *view) pools() [][]pooled {
	type place struct{ row, seed, item int }
	at := map[string]map[string]place{}
	doubted := map[string]bool{}
	for _, q := range v.run.Questions {
		doubted[q.Item] = q.Override != ""
	}
	out := make([][]pooled, len(v.rows))
	for i, r := range v.rows {
		for _, seed := range v.seeds {
			var p pooled
			places := map[string]place{}
			for _, it := range r.items {
				if it.Seed == seed {
					places[it.Item] = place{i, len(out[i]), len(p.items)}
					p.items = append(p.items, pool.Item{ID: it.Item, GoldInDoubt: doubted[it.Item]})
					p.answers = append(p.answers, it)
				}
			}
			if n := len(p.items); n > 0 {
				p.rows, p.dropped = make([][]*record.Candidate, n), make([][]*record.Candidate, n)
				p.places, p.votes = make([][]int, n), make([][]*record.Vote, n)
				at[cellKey(r.arm.Name, r.point, seed)] = places
				out[i] = append(out[i], p)
			}
		}
	}
	find := func(arm string, point []string, seed int64, item string) (*pooled, int) {
		w, ok := at[cellKey(arm, point, seed)][item]
		if !ok {
			return &pooled{}, -1
		}
		return &out[w.row][w.seed], w.item
	}
	v.fill(find)
	return out
}

// fill puts the run's rows where find says that they belong.
func (v *view) fill(find func(arm string, point []string, seed int64, item string) (*pooled, int)) {
	for k := range v.run.Candidates {
		c := &v.run.Candidates[k]
		if p, i := find(c.Arm, c.Point, c.Seed, c.Item); i >= 0 {
			p.places[i] = append(p.places[i], len(p.rows[i]))
			p.rows[i] = append(p.rows[i], c)
			p.items[i].Candidates = append(p.items[i].Candidates, pool.Candidate{Generator: c.Generator, Sample: c.Sample, SQL: c.SQL,
				Scored: c.Status.Scored(), Correct: c.Status == metrics.Correct, Digest: c.Digest, Chosen: c.Chosen == 1})
		}
	}
	for k := range v.run.Dropped {
		c := &v.run.Dropped[k]
		if p, i := find(c.Arm, c.Point, c.Seed, c.Item); i >= 0 {
			p.dropped[i] = append(p.dropped[i], c)
		}
	}
	for k := range v.run.Votes {
		x := &v.run.Votes[k]
		if p, i := find(x.Arm, x.Point, x.Seed, x.Item); i >= 0 {
			p.votes[i] = append(p.votes[i], x)
		}
	}
}

// whyNoPools refuses runs whose items have one candidate each.
func whyNoPools(v *view) string {
	seen := map[string]bool{}
	for _, c := range v.run.Candidates {
		k := cellKey(c.Arm, c.Point, c.Seed) + "\x00" + c.Item
		if seen[k] {
			return ""
		}
		seen[k] = true
	}
	return "no item of it has several candidates"
}

func whyNoVotes(v *view) string {
	if len(v.run.Votes) == 0 {
		return "no candidates of it were compared: it needs selection.rule = \"pairwise\""
	}
	return ""
}

// over measures a share for each seed and prints it in percent: over several seeds the mean with its deviation, the
// interval's ends then being the means of theirs.
func over(ps []pooled, n func([]pool.Item) int, share func(pooled) stats.Interval) table.Cell {
	var all []float64
	var num table.Number
	for _, p := range ps {
		if i := share(p); !math.IsNaN(i.Estimate) {
			all = append(all, 100*i.Estimate)
			num.Low += 100 * i.Low
			num.High += 100 * i.High
			num.N += n(p.items)
		}
	}
	if len(all) == 0 {
		return table.Cell{}
	}
	s := stats.Summarize(all)
	num.Value, num.Decimals, num.HasInterval = s.Mean, 1, true
	num.Low, num.High = min(num.Low/float64(len(all)), num.Value), max(num.High/float64(len(all)), num.Value)
	if !math.IsNaN(s.SD) {
		num.SD, num.HasSD = s.SD, true
	}
	return table.Measured(num)
}

// scoredItems is how many of the items have a scored candidate.
func scoredItems(items []pool.Item) int { return pool.Bounds(items).Items }

// shareOf is over with a measure of the items alone.
func shareOf(ps []pooled, f func([]pool.Item) stats.Interval) table.Cell {
	return over(ps, scoredItems, func(p pooled) stats.Interval { return f(p.items) })
}

// The measures of a pool.
func upperBound(items []pool.Item) stats.Interval { return pool.Bounds(items).Upper }
func lowerBound(items []pool.Item) stats.Interval { return pool.Bounds(items).Lower }
func chosen(items []pool.Item) stats.Interval     { return pool.Select(items, sampling).Chosen }

// singleQuery is one candidate drawn at random: pass@1.
func singleQuery(items []pool.Item) stats.Interval { return atSize(items, 1, pool.PassAtK) }

// atSize is the mean over items of pass@k or pass^k, pools smaller than k counting whole.
func atSize(items []pool.Item, k int, pass func(n, c, k int) float64) stats.Interval {
	return meanOver(items, func(cs []pool.Candidate) float64 {
		c := 0
		for _, x := range cs {
			if x.Correct {
				c++
			}
		}
		return pass(len(cs), c, min(k, len(cs)))
	})
}

// meanOver is the mean over items of a measure of their scored candidates, with its bootstrap interval.
func meanOver(items []pool.Item, f func([]pool.Candidate) float64) stats.Interval {
	var pairs []stats.Pair
	for _, it := range items {
		if cs := scoredOf(it); len(cs) > 0 {
			pairs = append(pairs, stats.Pair{B: f(cs)})
		}
	}
	if len(pairs) == 0 {
		return stats.Interval{Estimate: math.NaN()}
	}
	return stats.Bootstrap(pairs, confidence, sampling.Resamples, sampling.Seed)
}

func scoredOf(it pool.Item) (out []pool.Candidate) {
	for _, c := range it.Candidates {
		if c.Scored {
			out = append(out, c)
		}
	}
	return out
}

// consistent is self-consistency under a rule.
func consistent(rule pool.Rule) func([]pool.Item) stats.Interval {
	return func(items []pool.Item) stats.Interval {
		return meanOver(items, func(cs []pool.Candidate) float64 { return pool.SelfConsistency(cs, rule) })
	}
}

// only cuts pools down to one generator; "" keeps them whole.
func only(ps []pooled, generator string) []pooled {
	if generator == "" {
		return ps
	}
	out := make([]pooled, len(ps))
	for i, p := range ps {
		o := pooled{items: pool.Only(p.items, generator), votes: p.votes, answers: p.answers,
			rows: make([][]*record.Candidate, len(p.rows)), places: make([][]int, len(p.rows)), dropped: make([][]*record.Candidate, len(p.rows))}
		for k, cs := range p.rows {
			for x, c := range cs {
				if c.Generator == generator {
					o.rows[k], o.places[k] = append(o.rows[k], c), append(o.places[k], p.places[k][x])
				}
			}
			for _, c := range p.dropped[k] {
				if c.Generator == generator {
					o.dropped[k] = append(o.dropped[k], c)
				}
			}
			o.standIn(k, generator)
		}
		out[i] = o
	}
	return out
}

// standIn puts a wrong candidate into the pool of item k where the fixer took all of the generator's out: the item is one
// that the generator did not solve. It has no row and no place.
func (p *pooled) standIn(k int, generator string) {
	gone := slices.ContainsFunc(p.dropped[k], func(c *record.Candidate) bool { return c.Status.Scored() })
	if len(p.rows[k]) == 0 && gone {
		p.items[k].Candidates = []pool.Candidate{{Generator: generator, Scored: true}}
	}
}

// generators are those of a row, in the order of its arm, and others as they come.
func generators(r row, ps []pooled) []string {
	var names []string
	if r.arm.Method != configs.Imported { // candidates of others name their sources
		names = slices.Clone(r.arm.Asks())
	}
	for _, p := range ps {
		for _, g := range pool.Generators(p.items) {
			if !slices.Contains(names, g) {
				names = append(names, g)
			}
		}
		for _, cs := range p.dropped {
			for _, c := range cs {
				if !slices.Contains(names, c.Generator) {
					names = append(names, c.Generator)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(g string) bool { return g == "" })
}

// largestPool is the most candidates that an item has.
func largestPool(ps []pooled) int {
	most := 0
	for _, p := range ps {
		for _, it := range p.items {
			most = max(most, len(scoredOf(it)))
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

// partsOf cuts a row by generator, all together last; where there is but one, that one alone.
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

// partTable is a table with a row an arm, sweep point and one further key, for which rows gives the cells.
func (v *view) partTable(id, title, key string, columns []table.Column, rows func(i int, r row) [][]table.Cell) *table.Table {
	t := &table.Table{ID: id, Title: title + ": " + v.run.Manifest.Experiment, Columns: []table.Column{{Name: "arm", Key: true}}}
	for _, a := range v.run.Manifest.Axes {
		t.Columns = append(t.Columns, table.Column{Name: a, Key: true})
	}
	if key != "" {
		t.Columns = append(t.Columns, table.Column{Name: key, Key: true})
	}
	t.Columns = append(t.Columns, columns...)
	for i, r := range v.rows {
		head := []table.Cell{table.Text(r.label)}
		for _, p := range r.point {
			head = append(head, table.Text(p))
		}
		for _, cells := range rows(i, r) {
			t.Rows = append(t.Rows, append(slices.Clone(head), cells...))
		}
	}
	return t
}

// numerals are columns of numbers.
func numerals(group string, names ...string) (out []table.Column) {
	for _, n := range names {
		out = append(out, table.Column{Group: group, Name: n, Align: table.Right})
	}
	return out
}

// percent is a share of whole numbers, in percent; blank of nothing.
func percent(k, n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * float64(k) / float64(n), N: n, Decimals: 1})
}

// shareNote says what the cells of the tables of pools are.
func (v *view) shareNote() string {
	s := "Cells are percent of the items that have a scored candidate, with 95 % intervals: Wilson's for bounds and answers, otherwise the bootstrap over items."
	if len(v.seeds) > 1 {
		s += fmt.Sprintf(" They are means over %d seeds ± the sample standard deviation, and so are the ends of the intervals.", len(v.seeds))
	}
	return s
}

// unpooled tells of what is left out of pools.
func unpooled(v *view, ps [][]pooled) string {
	items, candidates, all, gone := 0, 0, 0, 0
	for _, row := range ps {
		for _, p := range row {
			for _, cs := range p.dropped {
				gone += len(cs)
			}
			items += pool.Bounds(p.items).Unscored
			for i, it := range p.items {
				candidates += len(it.Candidates) - len(scoredOf(it))
				all += len(it.Candidates)
				if len(p.rows[i]) == 1 && p.rows[i][0].Rule == standIn {
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

// poolNotes is notes with what pools leave out.
func (v *view) poolNotes(ps [][]pooled, own ...string) []string {
	own = append([]string{v.shareNote()}, own...)
	if s := unpooled(v, ps); s != "" {
		own = append(own, s)
	}
	return v.notes(slices.DeleteFunc(own, func(s string) bool { return s == "" })...)
}
