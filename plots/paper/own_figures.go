package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/stats"
	"assay/plots/figure"

	"gonum.org/v1/gonum/stat/distuv"
)

// figureMakers are figures that any run may have. All but outcomes appear only in reports of experiments that name them.
var figureMakers = []maker{
	{"outcomes", "What became of the answers", ours, true, whyNoRows, common, outcomes},
	{"forest", "Differences from the first arm, with intervals and tests", ours, true, whyNoForest, onDemand, forest},
	{"forest-ablation", "What each part of a prompt and each param is worth", ours, true, whyNoForestAblation, common, forestAblation},
	{"heat-database", "Accuracy by arm and database", ours, true, whyNoHeatDatabase, onDemand, heatDatabase},
	{"heat-hardness", "Accuracy by arm and hardness or difficulty", ours, true, whyNoHeatHardness, onDemand, heatHardness},
	{"venn-arms", "Which arms solve which items", ours, true, whyNoVenn, onDemand, vennArms},
	{"seeds", "Accuracy of each seed, and what chance alone would spread", ours, true, whyNoSeeds, onDemand, seedsFigure},
	{"bounds-temperature", "Upper and lower bound, vote and choice by temperature", ours, true, whyNoTemperatures, onDemand, temperatureFan},
	{"money", "Accuracy against the money of an answer", ours, true, whyNoMoney, onDemand, money},
}

// mostRows is how many rows a heat map or a stack can have and still be read.
const mostRows = 60

func whyNoRows(v *view) string {
	if len(v.rows) > mostRows {
		return fmt.Sprintf("it would have %d rows (at most %d can be read)", len(v.rows), mostRows)
	}
	return ""
}

// whyNoScores refuses runs in which nothing has a score under the headline metric.
func whyNoScores(v *view) string {
	for _, r := range v.rows {
		if slices.ContainsFunc(r.items, func(it *record.Item) bool { return score(it, 0).OK }) {
			return ""
		}
	}
	return "none of its answers has a score"
}

// outcomes draws one bar per row, divided by the status of its answers. Statuses that do not occur are left out.
func outcomes(v *view) (Output, error) {
	f := &figure.Stack{ID: "outcomes", Title: "What became of the answers: " + v.run.Manifest.Experiment, Label: "percent of answers", Share: true, Places: 1}
	for _, r := range v.rows {
		f.Rows = append(f.Rows, v.name(r))
	}
	for _, s := range metrics.Statuses {
		p, any := figure.Part{Name: string(s)}, false
		for _, r := range v.rows {
			n := float64(withStatus(r.items, s))
			p.Values = append(p.Values, n)
			any = any || n > 0
		}
		if any {
			f.Parts = append(f.Parts, p)
		}
	}
	f.Caption = v.tail("Statuses under " + v.ids[0] + "; an answer is one item under one seed, and the number of answers is at the right. " +
		"Model errors and gold errors count as answers here, though they are in no share of correct answers elsewhere.")
	return Output{Figure: f}, nil
}

// heatGroup is one column of a heat map.
type heatGroup struct {
	name  string
	keep  keep
	items int // distinct items answered
}

// heatGroup measures a column.
func (v *view) heatGroup(name string, k keep) heatGroup {
	return heatGroup{name, k, distinctItems(v.together(nil).where(k).items)}
}

// mostColumns is how many databases a heat map shows at most.
const mostColumns = 40

// heatDatabase shows the databases in the order of the questions, the largest of many.
func heatDatabase(v *view) (Output, error) {
	var groups []heatGroup
	for _, db := range v.sets {
		groups = append(groups, v.heatGroup(db, inSet(db)))
	}
	note := ""
	if len(groups) > mostColumns {
		sizes := make([]int, len(groups))
		for i, g := range groups {
			sizes[i] = g.items
		}
		slices.SortFunc(sizes, func(a, b int) int { return cmp.Compare(b, a) })
		least, all := sizes[mostColumns-1], len(groups)
		ties := mostColumns - slices.Index(sizes, least) // of the databases as small as the last, the first ones
		groups = slices.DeleteFunc(groups, func(g heatGroup) bool {
			if g.items == least {
				ties--
				return ties < 0
			}
			return g.items < least
		})
		note = fmt.Sprintf("Shown are the %d databases with the most items, of %d.", mostColumns, all)
	}
	return v.heat("heat-database", "database", groups, note)
}

func whyNoHeatDatabase(v *view) string {
	if len(v.sets) < 2 {
		return "its items are of one database"
	}
	return cmp.Or(whyNoRows(v), whyNoScores(v))
}

func heatHardness(v *view) (Output, error) {
	var groups []heatGroup
	for _, l := range v.levels {
		groups = append(groups, v.heatGroup(l, v.atLevel(l)))
	}
	return v.heat("heat-hardness", v.leveling, groups, "")
}

func whyNoHeatHardness(v *view) string {
	return cmp.Or(whyNoLevels(v), whyNoRows(v), whyNoScores(v))
}

// heat maps the headline metric by rows and groups, and over all items at last.
func (v *view) heat(id, by string, groups []heatGroup, note string) (Output, error) {
	metric := v.display(v.ids[0])
	f := &figure.Heat{ID: id, Title: fmt.Sprintf("%s by arm and %s: %s", metric, by, v.run.Manifest.Experiment), XLabel: by + " (items)", Unit: metric + ", percent"}
	all := v.heatGroup("all", nil)
	smallest := all.items
	for _, g := range groups {
		smallest = min(smallest, g.items)
	}
	columns := append(slices.Clone(groups), all)
	if len(columns) <= 12 {
		f.Places = 1
	}
	for _, g := range columns {
		f.Columns = append(f.Columns, fmt.Sprintf("%s (%d)", g.name, g.items))
	}
	widest := 0.0
	for _, r := range v.rows {
		f.Rows = append(f.Rows, v.name(r))
		cells := make([]figure.Cell, len(columns))
		for k, g := range columns {
			if c := v.ranged(r, 0, g.keep, 1); c.Num != nil {
				cells[k] = figure.Cell{Value: c.Num.Value, OK: true}
				widest = max(widest, c.Num.High-c.Num.Low)
			}
		}
		f.Cells = append(f.Cells, cells)
	}
	f.Caption = v.tail(fmt.Sprintf("Percent of scored items%s. In brackets how many items there are: %d at least. A cell's interval spans up to %.0f points: %s.",
		v.overSeeds(), smallest, widest, v.intervalName()))
	if note != "" {
		f.Caption = slices.Insert(f.Caption, 1, note)
	}
	return Output{Figure: f}, nil
}

// overSeeds says that cells are means, where they are.
func (v *view) overSeeds() string {
	if _, most := v.seedCounts(); most < 2 {
		return ", one seed" + v.each()
	}
	return ", mean over " + v.overMeans()
}

// peers returns the rows to compare by item: the arms at the first sweep point, or the sweep points of the only arm.
func (v *view) peers() (out []row) {
	if !severalArms(v) {
		return v.rows
	}
	for _, r := range v.rows {
		if slices.Equal(r.Point, v.rows[0].Point) {
			out = append(out, r)
		}
	}
	return out
}

// mostSets is how many rows the figure of solved items can have and still be read.
const mostSets = 12

func whyNoVenn(v *view) string {
	switch n := len(v.peers()); {
	case n < 2:
		return "it has one arm, and no sweep"
	case n > mostSets:
		return fmt.Sprintf("it would have %d sets (at most %d can be read)", n, mostSets)
	}
	counts, _ := v.solvers()
	for m, n := range counts {
		if m > 0 && n > 0 {
			return ""
		}
	}
	return "no item that all of its arms have a score for is solved by any"
}

// solvers counts, under the first seed of each peer, the items by the set of peers that solve them, bit i being the i-th peer;
// without counts the items for which some peer has no score.
func (v *view) solvers() (counts []int, without int) {
	peers := v.peers()
	counts = make([]int, 1<<len(peers))
	masks, scores := map[string]int{}, map[string]int{}
	var order []string
	for i, r := range peers {
		for _, it := range r.items {
			if it.Seed != r.Seeds[0] {
				continue
			}
			if _, seen := scores[it.Item]; !seen {
				order = append(order, it.Item)
				scores[it.Item] = 0
			}
			if score(it, 0).OK {
				scores[it.Item]++
			}
			if it.Status == metrics.Correct {
				masks[it.Item] |= 1 << i
			}
		}
	}
	for _, item := range order {
		if scores[item] < len(peers) {
			without++
			continue
		}
		counts[masks[item]]++
	}
	return counts, without
}

// vennArms draws which peers solve which items.
func vennArms(v *view) (Output, error) {
	counts, without := v.solvers()
	total := 0
	for _, n := range counts {
		total += n
	}
	f := &figure.Sets{ID: "venn-arms", Title: "Which arms solve which items: " + v.run.Manifest.Experiment, Counts: counts}
	for _, r := range v.peers() {
		name := v.name(r)
		if severalArms(v) {
			name = r.label
		}
		f.Names = append(f.Names, name)
	}
	note := fmt.Sprintf("%d items, those that every arm has a score for. An arm solves an item where its answer is correct under %s.", total, v.ids[0])
	if without > 0 {
		note += fmt.Sprintf(" Left out: %d.", without)
	}
	note += v.firstSeedNote()
	if severalArms(v) && len(v.rows[0].Point) > 0 {
		note += fmt.Sprintf(" At the first sweep point alone: %s.", v.pointName(v.rows[0].Point))
	}
	f.Caption = v.tail(note)
	return Output{Figure: f}, nil
}

// firstSeedNote says under which of several seeds the peers are shown.
func (v *view) firstSeedNote() string {
	peers, several := v.peers(), len(v.seeds) > 1
	other := func(r row) bool { return r.Seeds[0] != peers[0].Seeds[0] }
	switch {
	case !several:
		return ""
	case !slices.ContainsFunc(peers, other):
		return fmt.Sprintf(" Seed %d alone.", peers[0].Seeds[0])
	}
	var seeds []string
	names := map[string][]string{}
	for _, r := range peers {
		seed := fmt.Sprint(r.Seeds[0])
		seeds = unique(append(seeds, seed))
		names[seed] = append(names[seed], v.name(r))
	}
	for i, s := range seeds {
		seeds[i] = s + " (" + few(names[s]) + ")"
	}
	return " The first seed of each arm alone: " + strings.Join(seeds, ", ") + "."
}

func whyNoSeeds(v *view) string {
	if _, most := v.seedCounts(); most < 2 {
		return "it has one seed" + v.each()
	}
	return cmp.Or(whyNoRows(v), whyNoScores(v))
}

// binomialRange is where the share of n draws, each right with chance p, lies with at least the given confidence: between
// the quantiles of the binomial distribution.
func binomialRange(n int, p, confidence float64) (low, high float64) {
	b := distuv.Binomial{N: float64(n), P: p}
	quantile := func(q float64) float64 {
		k := 0
		for k < n && b.CDF(float64(k)) < q {
			k++
		}
		return float64(k) / float64(n)
	}
	return quantile((1 - confidence) / 2), quantile((1 + confidence) / 2)
}

// seedsFigure draws each seed's accuracy, and the range that chance alone would give if answers were independent.
func seedsFigure(v *view) (Output, error) {
	metric := v.display(v.ids[0])
	f := &figure.Seeds{ID: "seeds", Title: fmt.Sprintf("%s of each seed: %s", metric, v.run.Manifest.Experiment), XLabel: metric + ", percent",
		Places: 1, Expected: "95 % of seeds, were all answers drawn anew"}
	for _, r := range v.rows {
		all, scores := shares(v.scores(r, 0, nil))
		a := figure.SeedArm{Name: v.name(r), Values: all}
		if len(all) > 0 {
			n := int(math.Round(float64(scores) / float64(len(all))))
			low, high := binomialRange(n, stats.Summarize(all).Mean/100, confidence)
			a.Expected = figure.Interval{Low: 100 * low, High: 100 * high, OK: true}
		}
		f.Arms = append(f.Arms, a)
	}
	f.Caption = v.tail(fmt.Sprintf("Percent of scored items under each of %s; ±: the sample standard deviation over them. Striped: where 95 %% of seeds would lie if every answer were right by chance, as often as the mean says. ", v.ofSeeds()) +
		"The seeds have the same items, some easy and some hard, so that they lie closer together than that unless the exemplars that a seed chooses matter.")
	return Output{Figure: f}, nil
}

// whyNoMoney refuses runs of which no answer has a price.
func whyNoMoney(v *view) string {
	if why := whyNoCost(v); why != "" {
		return why
	}
	spent, _, err := v.spending()
	switch {
	case err != nil:
		return "the shipped prices cannot be read"
	case slices.ContainsFunc(spent, func(u usage) bool { return u.money().Num != nil }):
		return whyNoScores(v)
	case slices.ContainsFunc(spent, func(u usage) bool { return !u.priced() }):
		return "no price of its models is known"
	}
	return "its models cost nothing"
}

// money draws one point per arm and sweep point whose models all have a price.
func money(v *view) (Output, error) {
	spent, notes, err := v.spending()
	if err != nil {
		return Output{}, err
	}
	metric := v.display(v.ids[0])
	f := &figure.Scatter{ID: "money", Title: fmt.Sprintf("%s against money: %s", metric, v.run.Manifest.Experiment),
		XLabel: "USD for 1000 answers", YLabel: metric + ", percent", Front: true}
	v.against(f, func(r row) (float64, figure.Interval) {
		c := spent[v.at(r)].money()
		if c.Num == nil {
			return 0, figure.Interval{}
		}
		return 1000 * c.Num.Value, figure.Interval{Low: 1000 * c.Num.Low, High: 1000 * c.Num.High, OK: c.Num.HasInterval}
	})
	own := []string{"What answers take, the calls that the ledger answered counting in full; arms without a known price, or without any, are not drawn. " +
		"Pareto front: no other point has as much accuracy for as little money. Along x: 95 % interval over items."}
	f.Caption = slices.Concat(own, notes, v.caption("Points"))
	return Output{Figure: f}, nil
}
