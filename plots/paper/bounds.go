package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"assay/metrics"
	"assay/metrics/pool"
	"assay/plots/figure"
	"assay/plots/table"

	"gonum.org/v1/gonum/stat"
)

// poolMakers are the tables and figures of runs that have pools.
var poolMakers = []maker{
	{"bounds", "Upper and lower bound by generator and pool size: pass@k, pass^k", ours, false, whyNoPools, common, bounds},
	{"pickers", "What oracle, vote, selection and adversary would answer", ours, false, whyNoPools, common, pickers},
	{"generators", "What each generator contributes", ours, false, whyNoPools, common, generatorTable},
	{"generator-pairs", "What the oracle of each pair of generators would answer", ours, false, whyNoGenerators, common, generatorPairs},
	{"generator-order", "What each generator solves alone, and adds to those before it", ours, false, whyNoGenerators, common, generatorOrder},
	{"fixer", "What the fixer did", ours, false, whyNoFixer, common, fixerTable},
	{"selection", "How well answers were chosen by comparing pairs", ours, false, whyNoVotes, common, selectionTable},
	{"bounds-k", "Upper and lower bound, vote and selection by pool size", ours, true, whyNoPools, common, boundsFigure},
}

// sizes returns the pool sizes that a table shows: small ones, round ones, and the whole pool.
func sizes(most int) (out []int) {
	for _, k := range []int{1, 2, 3, 5, 7, 10, 15, 20, 30, 50} {
		if k < most {
			out = append(out, k)
		}
	}
	return append(out, most)
}

// bounds has one row per arm, generator and pool size: pass@k, pass^k, and what vote and selection answer between them.
func bounds(v *view) (Output, error) {
	ps := v.pools()
	columns := numerals("", "k", "items", "pass@k", "pass^k", "self-consistency", "self-consistency SE")
	columns[0].Key, columns[1].Extra, columns[5].Extra = true, true, true
	selects := slices.ContainsFunc(ps, func(p []pooled) bool { return votesIn(p) > 0 })
	if selects {
		columns = append(columns, numerals("", "selection", "selection SE")...)
		columns[7].Extra, columns[7].Note = true, errorNote
	}
	columns[5].Note = errorNote
	t := v.lines("bounds", "Upper and lower bound by pool size", append(generatorKey(), columns...), func(i int, r row) (rows [][]table.Cell) {
		for _, s := range partsOf(r, ps[i]) {
			for _, cells := range boundsRows(r, s, selects) {
				rows = append(rows, append([]table.Cell{table.Text(s.name)}, cells...))
			}
		}
		return rows
	})
	t.Notes = v.poolNotes(ps, "pass@k: at least one of k candidates drawn from the pool is right (the upper bound at that size); pass^k: all k are (the lower bound). Both are exact, over all subsets. "+curveNote,
		errorNote,
		"Pools smaller than k count with all they have. Items: those with a scored candidate, of all seeds.")
	return Output{Table: t}, nil
}

const errorNote = "SE: the standard error that drawing subsets leaves in the number before it, in points; 0 where all were taken, or all that were drawn gave the same."

// boundsRows returns the rows of one generator, one row per pool size; selection is blank where no candidates were compared.
func boundsRows(r row, s part, selects bool) (rows [][]table.Cell) {
	ks := sizes(max(1, largestPool(s.ps)))
	fans := make([]fan, len(s.ps))
	for i, p := range s.ps {
		fans[i] = fanOf(r, p, ks)
	}
	for at, k := range ks {
		cell := func(of func(pool.FanPoint) []float64) table.Cell {
			return acrossSeeds(s.ps, func(seed int, p pooled) (out []pool.Value) {
				values := of(fans[seed].points[at])
				for i, x := range pool.Values(p.items, pool.Upper)[:len(values)] {
					out = append(out, pool.Value{Item: x.Item, Value: values[i]})
				}
				return out
			})
		}
		cells := []table.Cell{table.Count(k), table.Count(itemsIn(s.ps)),
			cell(func(pt pool.FanPoint) []float64 { return pt.Upper }), cell(func(pt pool.FanPoint) []float64 { return pt.Lower }),
			cell(func(pt pool.FanPoint) []float64 { return picked(pt, 0).Values }), drawError(fans, at, 0)}
		if selects {
			cells = append(cells, cell(func(pt pool.FanPoint) []float64 { return picked(pt, 1).Values }), drawError(fans, at, 1))
		}
		rows = append(rows, cells)
	}
	return rows
}

// picked returns the answers of picker j; empty under a seed without comparisons, which has no selection.
func picked(pt pool.FanPoint, j int) pool.Picked {
	if j < len(pt.Picked) {
		return pt.Picked[j]
	}
	return pool.Picked{}
}

// drawError returns the standard error that drawing subsets leaves in the mean over seeds of picker j, in points; blank without
// items.
func drawError(fans []fan, at, j int) table.Cell {
	squares, seeds := 0.0, 0
	for _, f := range fans {
		if p := picked(f.points[at], j); len(p.Values) > 0 {
			squares += p.SE * p.SE
			seeds++
		}
	}
	if seeds == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * math.Sqrt(squares) / float64(seeds), Decimals: 2})
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
	share pool.Measure
}

// pickersOf returns the ways of answering from a pool, the best possible one first and the run's own among them. Over
// generators there is a choice only where there are several.
func pickersOf(r row, several bool) []picker {
	all := []picker{
		{"oracle", pool.Upper},
		{overGenerators, pool.Oracle(pool.First)},
		{"chosen: " + r.Config.Rule(), pool.Chosen},
		{"self-consistency, first", pool.SelfConsistency(pool.First)},
		{"self-consistency, shortest", pool.SelfConsistency(pool.Shortest)},
		{"self-consistency, any", pool.SelfConsistency(pool.Any)},
		{"random", pool.UpperAt(1)},
		{"adversary", pool.Lower},
	}
	return slices.DeleteFunc(all, func(p picker) bool { return p.name == overGenerators && !several })
}

const overGenerators = "oracle over generators"

// pickers has one row per arm and way of answering.
func pickers(v *view) (Output, error) {
	ps := v.pools()
	t := v.lines("pickers", "What each way of choosing answers", append([]table.Column{{Name: "picker", Key: true}}, numerals("", "accuracy %", "to the oracle")...),
		func(i int, r row) (rows [][]table.Cell) {
			top := shareOf(ps[i], pool.Upper)
			for _, p := range pickersOf(r, len(partsOf(r, ps[i])) > 1) {
				c := shareOf(ps[i], p.share)
				rows = append(rows, []table.Cell{table.Text(p.name), c, difference(c, top)})
			}
			return rows
		})
	oracle := "Oracle and adversary choose knowing the gold: a right candidate, a wrong one, wherever there is one."
	if slices.ContainsFunc(t.Rows, func(r []table.Cell) bool {
		return slices.ContainsFunc(r, func(c table.Cell) bool { return c.Text == overGenerators })
	}) {
		oracle += " Oracle over generators: each generator answers by self-consistency, and the oracle picks the generator."
	}
	t.Notes = v.poolNotes(ps, oracle,
		"Self-consistency takes the largest cluster of equal results; where several are as large or it has several queries: the first candidate, the shortest SQL, or the mean over them all.")
	return Output{Table: t}, nil
}

// difference returns a - b; blank where either is blank.
func difference(a, b table.Cell) table.Cell {
	if a.Num == nil || b.Num == nil {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: a.Num.Value - b.Num.Value, Decimals: max(a.Num.Decimals, b.Num.Decimals), Signed: true})
}

// generatorTable has one row per arm and generator.
func generatorTable(v *view) (Output, error) {
	ps := v.pools()
	columns := numerals("", "items", "candidates", "one candidate", "self-consistency", "lower bound", "upper bound", "solved by it alone", "answers chosen", "of them right")
	t := v.lines("generators", "What each generator contributes", append(generatorKey(), columns...), func(i int, r row) (rows [][]table.Cell) {
		alone := aloneSolved(ps[i])
		for _, s := range partsOf(r, ps[i]) {
			all, right, candidates := choices(s.ps)
			only := table.Cell{}
			if s.name != pooledName {
				only = table.Count(alone[s.name])
			}
			rows = append(rows, []table.Cell{table.Text(s.name), table.Count(itemsIn(s.ps)), table.Count(candidates), shareOf(s.ps, pool.UpperAt(1)),
				shareOf(s.ps, pool.SelfConsistency(pool.Any)), shareOf(s.ps, pool.Lower), shareOf(s.ps, pool.Upper), only, table.Count(all), percent(right, all)})
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
		for i := range p.answers {
			for _, c := range p.candidates(i) {
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

// fan is the bounds of one seed's pools per size, with the answers of self-consistency, and of selection where candidates were
// compared, from the same subsets.
type fan struct {
	points []pool.FanPoint
	picks  []string // names of the pickers
}

func fanOf(r row, p pooled, sizes []int) fan {
	f := fan{picks: []string{"self-consistency"}}
	pickers := []pool.Picker{pool.Voting(p.items, pool.Any)}
	if votesIn([]pooled{p}) > 0 {
		f.picks = append(f.picks, "selection")
		pickers = append(pickers, selecting(p, r.Config.Selection.Tie))
	}
	f.points = pool.Fan(p.items, sizes, sampling, pickers...)
	return f
}

// upperLine is the series of upper bounds, in every panel of a figure.
const upperLine = "upper bound (pass@k)"

// figureOf draws the fan.
func (f fan) figureOf(id, title, metric string, caption []string) *figure.Spec {
	s := &figure.Spec{ID: id, Kind: figure.Lines, Title: title, XLabel: "candidates", YLabel: metric + ", percent"}
	add := func(name string, values func(pool.FanPoint) []float64) {
		line := figure.Series{Name: name}
		for _, pt := range f.points {
			line.Points = append(line.Points, figure.Point{Y: 100 * stat.Mean(values(pt), nil), OK: len(pt.Upper) > 0})
		}
		s.Series = append(s.Series, line)
	}
	add(upperLine, func(pt pool.FanPoint) []float64 { return pt.Upper })
	add("lower bound (pass^k)", func(pt pool.FanPoint) []float64 { return pt.Lower })
	for j, name := range f.picks {
		add(name, func(pt pool.FanPoint) []float64 { return pt.Picked[j].Values })
	}
	for _, pt := range f.points {
		s.Groups, s.X = append(s.Groups, strconv.Itoa(pt.K)), append(s.X, float64(pt.K))
	}
	s.Fills = []figure.Fill{{Low: 1, High: 0, Name: "what selection can change"}}
	s.Caption = append(caption, curvesNote(f))
	return s
}

// curvesNote says what the curves of some fans are, and how precise.
func curvesNote(fans ...fan) string {
	worst, drawn := 0.0, false
	for _, f := range fans {
		for _, pt := range f.points {
			drawn = drawn || pt.Drawn > 0
			for _, p := range pt.Picked {
				worst = max(worst, 100*p.SE)
			}
		}
	}
	return curveNote + " " + drawnNote(drawn, worst)
}

// drawnNote states the precision of the curves; worst is their largest standard error in points.
func drawnNote(drawn bool, worst float64) string {
	if !drawn {
		return "Here all subsets are taken."
	}
	return fmt.Sprintf("The standard error that drawing leaves is at most %.2f points.", worst)
}

// boundsFigure draws the fan of every arm and sweep point with pools, over all generators together; of more than mostPanels
// those first whose pools have right and wrong candidates.
func boundsFigure(v *view) (Output, error) {
	ps := v.pools()
	var with []int
	var fans []fan
	for i, p := range ps {
		if len(p) > 0 && largestPool(p) > 1 {
			with = append(with, i)
		}
	}
	if len(with) == 0 {
		return Output{}, fmt.Errorf("no pool is scored")
	}
	slices.SortStableFunc(with, func(a, b int) int { return cmp.Compare(rank(ps[a]), rank(ps[b])) })
	drawn := slices.Sorted(slices.Values(with[:min(len(with), mostPanels)]))
	metric := v.display(v.ids[0])
	title := func(of string) string { return fmt.Sprintf("%s by pool size: %s", metric, of) }
	fanAt := func(i int) fan { return fanOf(v.rows[i], ps[i][0], everySize(ps[i][0])) }
	if i := drawn[0]; len(drawn) == 1 {
		return Output{Figure: fanAt(i).figureOf("bounds-k", title(v.name(v.rows[i])), metric, v.poolCaption(i, ps[i]))}, nil
	}
	all := &figure.Panels{ID: "bounds-k", Title: title(v.run.Manifest.Experiment), XLabel: "candidates", YLabel: metric + ", percent"}
	for _, i := range drawn {
		f := fanAt(i)
		one := f.figureOf("", v.name(v.rows[i]), metric, nil)
		one.XLabel = ""
		fans, all.Panels = append(fans, f), append(all.Panels, one)
	}
	all.Caption = append(v.panelsCaption(ps, drawn, len(with)), curvesNote(fans...))
	return Output{Figure: all}, nil
}

// rank is 0 for pools in which a choice can change anything, and 1 for others.
func rank(ps []pooled) int {
	if mixed(ps) {
		return 0
	}
	return 1
}

// panelsCaption returns the caption of one fan per row; with is how many rows have pools.
func (v *view) panelsCaption(ps [][]pooled, drawn []int, with int) []string {
	least, most, seeds := math.MaxInt, 0, false
	for _, i := range drawn {
		n := scoredItems(ps[i][0].items)
		least, most, seeds = min(least, n), max(most, n), seeds || len(v.rows[i].Seeds) > 1
	}
	items := fmt.Sprint(most)
	if least < most {
		items = fmt.Sprintf("%d to %d", least, most)
	}
	note := fmt.Sprintf("Percent of the %s items with a scored candidate, pools smaller than a size counting whole. Bounds are exact, over all subsets of a pool.", items)
	if seeds {
		note += " The first seed of each alone."
	}
	if len(drawn) < with {
		note += fmt.Sprintf(" Shown are %d of %d arms and sweep points with pools, those first in which a choice can change anything.", len(drawn), with)
	}
	return v.tail(note)
}

// mixed reports whether a choice can change anything: whether a pool of the first seed has right and wrong candidates.
func mixed(ps []pooled) bool {
	if len(ps) == 0 {
		return false
	}
	return slices.ContainsFunc(ps[0].items, func(it pool.Item) bool {
		cs := it.Scored()
		return pool.Upper(cs) > pool.Lower(cs)
	})
}

// everySize returns 1 to the size of the largest pool.
func everySize(p pooled) (out []int) {
	for k := 1; k <= largestPool([]pooled{p}); k++ {
		out = append(out, k)
	}
	return out
}

const curveNote = "Self-consistency and selection are over the same subsets of each pool: all up to 1000 of a size, elsewhere 200 random ones of those with right and wrong candidates, which are all that a choice can change. Of tied clusters each candidate counts evenly. Selection is read off the comparisons that were made, and of the whole pool it is the choice that was made."

// poolCaption returns the caption of a figure of a row's pools.
func (v *view) poolCaption(i int, ps []pooled) []string {
	out := []string{fmt.Sprintf("Percent of the %d items with a scored candidate, pools smaller than a size counting whole. Bounds are exact, over all subsets of a pool.",
		scoredItems(ps[0].items))}
	if len(v.rows) > 1 {
		out[0] += " Arm " + v.name(v.rows[i]) + "."
	}
	if len(v.rows[i].Seeds) > 1 {
		out[0] += fmt.Sprintf(" Seed %d alone.", ps[0].answers[0].Item.Seed)
	}
	return v.tail(out...)
}
