package paper

import (
	"fmt"
	"slices"
	"strconv"

	"assay/metrics"
	"assay/metrics/pool"
	"assay/metrics/stats"
	"assay/plots/figure"
	"assay/plots/table"
)

// poolMakers are the tables and figures of runs that have pools.
var poolMakers = []maker{
	{"bounds", "Upper and lower bound by generator and pool size: pass@k, pass^k", ours, false, whyNoPools, common, bounds},
	{"pickers", "What oracle, vote, selection and adversary would answer", ours, false, whyNoPools, common, pickers},
	{"generators", "What each generator contributes", ours, false, whyNoPools, common, generatorTable},
	{"fixer", "What the fixer did", ours, false, whyNoFixer, common, fixerTable},
	{"selection", "How well answers were chosen by comparing pairs", ours, false, whyNoVotes, common, selectionTable},
	{"bounds-k", "Upper and lower bound, vote and selection by pool size", ours, true, whyNoPools, common, boundsFigure},
}

// sizes are the pool sizes that a table shows: small ones, round ones, and the whole pool.
func sizes(most int) (out []int) {
	for _, k := range []int{1, 2, 3, 5, 7, 10, 15, 20, 30, 50} {
		if k < most {
			out = append(out, k)
		}
	}
	return append(out, most)
}

// bounds has a row an arm, generator and pool size: pass@k, pass^k and self-consistency.
func bounds(v *view) (Output, error) {
	ps := v.pools()
	t := v.partTable("bounds", "Upper and lower bound by pool size", "generator", numerals("", "k", "items", "pass@k", "pass^k"),
		func(i int, r row) (rows [][]table.Cell) {
			for _, s := range partsOf(r, ps[i]) {
				for _, k := range sizes(max(1, largestPool(s.ps))) {
					rows = append(rows, []table.Cell{table.Text(s.name), table.Count(k), table.Count(itemsIn(s.ps)),
						shareOf(s.ps, func(items []pool.Item) stats.Interval { return atSize(items, k, pool.PassAtK) }),
						shareOf(s.ps, func(items []pool.Item) stats.Interval { return atSize(items, k, pool.PassHatK) })})
				}
			}
			return rows
		})
	t.Notes = v.poolNotes(ps, "pass@k: at least one of k candidates drawn from the pool is right (the upper bound at that size); pass^k: all k are (the lower bound). Both are exact, over all subsets.",
		"Pools smaller than k count with all they have. Items: those with a scored candidate, of all seeds.")
	return Output{Table: t}, nil
}

func itemsIn(ps []pooled) (n int) {
	for _, p := range ps {
		n += scoredItems(p.items)
	}
	return n
}

// picker is one way of answering from a pool.
type picker struct {
	name  string
	share func([]pool.Item) stats.Interval
}

// pickersOf are the ways of answering, the best that there can be first; the run's own is among them.
func pickersOf(r row) []picker {
	rule := r.arm.Selection.Rule
	if rule == "" {
		rule = "first"
	}
	return []picker{
		{"oracle", upperBound},
		{"oracle over generators", func(items []pool.Item) stats.Interval { return pool.Oracle(items, pool.First, sampling) }},
		{"chosen: " + rule, chosen},
		{"self-consistency, first", consistent(pool.First)},
		{"self-consistency, shortest", consistent(pool.Shortest)},
		{"self-consistency, any", consistent(pool.Any)},
		{"random", singleQuery},
		{"adversary", lowerBound},
	}
}

// pickers has a row an arm and way of answering.
func pickers(v *view) (Output, error) {
	ps := v.pools()
	t := v.partTable("pickers", "What each way of choosing answers", "picker", numerals("", "accuracy %", "to the oracle"),
		func(i int, r row) (rows [][]table.Cell) {
			top := shareOf(ps[i], upperBound)
			for _, p := range pickersOf(r) {
				c := shareOf(ps[i], p.share)
				rows = append(rows, []table.Cell{table.Text(p.name), c, difference(c, top)})
			}
			return rows
		})
	t.Notes = v.poolNotes(ps, "Oracle and adversary choose knowing the gold: a right candidate, a wrong one, wherever there is one. Oracle over generators: each generator answers by self-consistency, and the oracle picks the generator.",
		"Self-consistency takes the largest cluster of equal results; where several are as large or it has several queries: the first candidate, the shortest SQL, or the mean over them all.")
	return Output{Table: t}, nil
}

// difference is a - b as a number, blank where either is.
func difference(a, b table.Cell) table.Cell {
	if a.Num == nil || b.Num == nil {
		return table.Cell{}
	}
	return signed(a.Num.Value-b.Num.Value, max(a.Num.Decimals, b.Num.Decimals))
}

func signed(x float64, decimals int) table.Cell {
	return table.Measured(table.Number{Value: x, Decimals: decimals})
}

// generatorTable has a row an arm and generator.
func generatorTable(v *view) (Output, error) {
	ps := v.pools()
	columns := numerals("", "items", "candidates", "one candidate", "self-consistency", "lower bound", "upper bound", "solved by it alone", "answers chosen", "of them right")
	t := v.partTable("generators", "What each generator contributes", "generator", columns, func(i int, r row) (rows [][]table.Cell) {
		alone := aloneSolved(ps[i])
		for _, s := range partsOf(r, ps[i]) {
			all, right, candidates := choices(s.ps)
			only := table.Cell{}
			if s.name != pooledName {
				only = table.Count(alone[s.name])
			}
			rows = append(rows, []table.Cell{table.Text(s.name), table.Count(itemsIn(s.ps)), table.Count(candidates), shareOf(s.ps, singleQuery),
				shareOf(s.ps, consistent(pool.Any)), shareOf(s.ps, lowerBound), shareOf(s.ps, upperBound), only, table.Count(all), percent(right, all)})
		}
		return rows
	})
	t.Notes = v.poolNotes(ps, "One candidate: the mean over an item's candidates. Upper bound: at least one is right; lower: all are. Self-consistency: the mean over the largest clusters of equal results.",
		"Solved by it alone: items where it has a right candidate and no other generator has; answers chosen: items whose answer is one of its candidates.")
	return Output{Table: t}, nil
}

// aloneSolved counts, over all seeds, the items that each generator alone solves.
func aloneSolved(ps []pooled) map[string]int {
	out := map[string]int{}
	for _, p := range ps {
		venn := pool.VennOf(p.items)
		for i, n := range venn.Unique() {
			out[venn.Generators[i]] += n
		}
	}
	return out
}

// choices counts candidates, those chosen, and those of them that are right.
func choices(ps []pooled) (all, right, candidates int) {
	for _, p := range ps {
		for _, cs := range p.rows {
			for _, c := range cs {
				if c.Rule != standIn {
					candidates++
				}
				if c.Chosen == 1 {
					all++
					if c.Status == metrics.Correct {
						right++
					}
				}
			}
		}
	}
	return all, right, candidates
}

// fan is the bounds of a pool at each size, and what vote, selection and a single query give.
type fan struct {
	sizes                           []int
	upper, lower, vote, pick, query []stats.Interval
}

// fanOf computes the curves under the first seed. Selection has one where candidates were compared.
func fanOf(p pooled) (f fan) {
	exact := pool.Curve(p.items, sampling)
	votes := pool.SelfConsistencyCurve(p.items, pool.Any, sampling)
	for i, pt := range exact {
		f.sizes = append(f.sizes, pt.K)
		f.upper, f.lower = append(f.upper, pt.Upper), append(f.lower, pt.Lower)
		f.vote = append(f.vote, votes[i].Value)
		f.query = append(f.query, exact[0].Upper)
	}
	f.pick = selectionCurve(p, len(exact))
	return f
}

// curve is values as a figure has them.
func curve(name string, values []stats.Interval) figure.Series {
	s := figure.Series{Name: name}
	for _, x := range values {
		s.Points = append(s.Points, figure.Point{Y: 100 * x.Estimate, OK: true})
	}
	return s
}

// figureOf draws the fan.
func (f fan) figureOf(id, title, metric string, caption []string) *figure.Spec {
	s := &figure.Spec{ID: id, Kind: figure.Lines, Title: title, XLabel: "candidates", YLabel: metric + ", percent", Caption: caption}
	for _, k := range f.sizes {
		s.Groups, s.X = append(s.Groups, strconv.Itoa(k)), append(s.X, float64(k))
	}
	s.Series = append(s.Series, curve("upper bound (pass@k)", f.upper), curve("lower bound (pass^k)", f.lower),
		curve("self-consistency", f.vote))
	if f.pick != nil {
		s.Series = append(s.Series, curve("selection", f.pick))
	}
	s.Fills = []figure.Fill{{Low: 1, High: 0, Name: "what selection can change"}}
	return s
}

// boundsFigure is the fan of the first arm that has pools which a choice can change, or pools at all; all generators
// together.
func boundsFigure(v *view) (Output, error) {
	ps := v.pools()
	i := slices.IndexFunc(ps, mixed)
	if i < 0 {
		i = slices.IndexFunc(ps, func(p []pooled) bool { return len(p) > 0 && largestPool(p) > 1 })
	}
	if i < 0 {
		return Output{}, fmt.Errorf("no pool is scored")
	}
	metric := display(v.ids[0])
	f := fanOf(ps[i][0]).figureOf("bounds-k", fmt.Sprintf("%s by pool size: %s", metric, v.name(v.rows[i])), metric, append(v.poolCaption(i, ps[i]), curveNote))
	return Output{Figure: f}, nil
}

// mixed reports whether a choice can change anything: a pool of the first seed has right and wrong candidates.
func mixed(ps []pooled) bool {
	if len(ps) == 0 {
		return false
	}
	b := pool.Bounds(ps[0].items)
	return b.Upper.Estimate > b.Lower.Estimate
}

const curveNote = "Self-consistency and selection are over random subsets of each pool; of tied clusters or candidates each counts evenly. Selection is read off the comparisons that were made."

// poolCaption says what is drawn of a row's pools.
func (v *view) poolCaption(i int, ps []pooled) []string {
	out := []string{fmt.Sprintf("Percent of the %d items with a scored candidate, pools smaller than a size counting whole. Bounds are exact, over all subsets of a pool.",
		scoredItems(ps[0].items))}
	if len(v.rows) > 1 {
		out[0] += " Arm " + v.name(v.rows[i]) + "."
	}
	if len(v.seeds) > 1 {
		out[0] += fmt.Sprintf(" Seed %d alone.", ps[0].answers[0].Seed)
	}
	out = append(out, v.dataNote()+" "+v.modelNote())
	if n := v.unscored(); n != "" {
		out = append(out, n)
	}
	return append(out, v.warnings()...)
}
