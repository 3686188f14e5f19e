package paper

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/plots/figure"
	"assay/plots/table"
)

// whyNoDifferences refuses runs that have nothing to compare with the first arm.
func whyNoDifferences(v *view) string {
	if len(v.rows) < 2 {
		return "it has one arm, and no sweep"
	}
	return whyNoScores(v)
}

// severalArms reports whether rows are of more arms than one.
func severalArms(v *view) bool {
	return slices.ContainsFunc(v.rows, func(r row) bool { return r.arm.Name != v.rows[0].arm.Name })
}

// mostEffects is how many rows a forest plot can have and be read.
const mostEffects = 60

func whyNoForest(v *view) string {
	if why := whyNoDifferences(v); why != "" {
		return why
	}
	if n := len(v.rows) - 1; n > mostEffects {
		return fmt.Sprintf("it would have up to %d rows (at most %d can be read)", n, mostEffects)
	}
	return ""
}

// contrasts compares the rows with the first arm, or the only arm's sweep points with the first. Those of one sweep point
// stand together.
func (v *view) contrasts() ([]compare.Contrast, error) {
	cs, err := compare.Within(v.run, compare.Options{Metric: v.ids[0], Level: confidence, Seed: int64(sampling.Seed)})
	if err != nil {
		return nil, err
	}
	first := func(c compare.Contrast) int {
		return slices.IndexFunc(v.rows, func(r row) bool { return slices.Equal(r.point, c.PointB) })
	}
	slices.SortStableFunc(cs, func(a, b compare.Contrast) int { return cmp.Compare(first(a), first(b)) })
	return cs, nil
}

// baseline names what the others are compared with, for titles and for sentences.
func (v *view) baseline() (short, long string) {
	first := v.rows[0]
	switch {
	case !severalArms(v):
		return v.name(first), fmt.Sprintf("%s, the first sweep point", v.name(first))
	case len(v.run.Manifest.Axes) > 0:
		return first.label, fmt.Sprintf("%s, the first arm, at the same sweep point", first.label)
	}
	return first.label, fmt.Sprintf("%s, the first arm", first.label)
}

// differenceNotes say how the differences were had, each doubt once.
func (v *view) differenceNotes(cs []compare.Contrast) (out []string) {
	var tests, intervals, doubts []string
	family := 0
	add := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, c := range cs {
		name := v.contrastName(c)
		if c.Items > 0 {
			family++
		}
		add(&tests, c.Test)
		add(&intervals, c.Interval)
		if c.Unpaired > 0 {
			add(&doubts, fmt.Sprintf("%s: %d answers have no partner, or no score on one side.", name, c.Unpaired))
		}
		for _, w := range c.Warnings {
			add(&doubts, name+": "+w+".")
		}
	}
	_, base := v.baseline()
	out = append(out, fmt.Sprintf("Differences in points of %s from %s, paired by item: only items with a score on both sides count.", display(v.ids[0]), base))
	if len(v.seeds) > 1 {
		out[0] += fmt.Sprintf(" An item's score is its mean over the %d seeds; lost and won count items times seeds.", len(v.seeds))
	}
	out = append(out, fmt.Sprintf("Interval (95 %%): %s. p, two-sided: %s; Holm's correction over %d %s, significant below 0.05.",
		strings.Join(intervals, " or "), strings.Join(tests, " or "), family, plural(family, "test", "tests")))
	if len(doubts) > shown {
		doubts = append(doubts[:shown], fmt.Sprintf("And %d more such remarks.", len(doubts)-shown))
	}
	return append(out, doubts...)
}

// contrastName is the row that is compared, as legends name it.
func (v *view) contrastName(c compare.Contrast) string {
	i := slices.IndexFunc(v.rows, func(r row) bool { return r.arm.Name == c.ArmB && slices.Equal(r.point, c.PointB) })
	if i < 0 {
		return c.ArmB
	}
	return v.name(v.rows[i])
}

// probability prints a p-value: three decimals, or "<0.001".
func probability(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// differences has a row an arm and sweep point but for the baseline.
func differences(v *view) (Output, error) {
	cs, err := v.contrasts()
	if err != nil {
		return Output{}, err
	}
	short, _ := v.baseline()
	metric := display(v.ids[0])
	t := &table.Table{ID: "differences", Title: fmt.Sprintf("%s against %s: %s", metric, short, v.run.Manifest.Experiment),
		Columns: []table.Column{{Name: "arm", Key: true}}}
	for _, a := range v.run.Manifest.Axes {
		t.Columns = append(t.Columns, table.Column{Name: a, Key: true})
	}
	t.Columns = append(t.Columns, numerals("", "items", "baseline", metric, "difference", "lost", "won", "p", "p, Holm", "shows")...)
	at := len(t.Columns)
	t.Columns[at-8].Short = "base"
	for _, c := range cs {
		cells := []table.Cell{table.Text(v.labelOf(c.ArmB))}
		for _, p := range c.PointB {
			cells = append(cells, table.Text(p))
		}
		t.Rows = append(t.Rows, append(cells, contrastCells(c)...))
	}
	t.Notes = v.notes(append(v.differenceNotes(cs),
		"~: not significant. Lost: right under the baseline alone; won: under the other alone. Shows: the smallest difference that so many items show with a chance of 80 %, as many telling the two apart as here; blank where nobody knows.")...)
	return Output{Table: t}, nil
}

// contrastCells are the numbers of one difference, blank where no item is scored on both sides.
func contrastCells(c compare.Contrast) []table.Cell {
	if c.Items == 0 {
		return append([]table.Cell{table.Count(0)}, make([]table.Cell, 8)...)
	}
	share := func(x float64) table.Cell {
		return table.Measured(table.Number{Value: 100 * x, N: c.Items, Decimals: 1})
	}
	diff := table.Measured(table.Number{Value: 100 * c.Diff, Low: 100 * c.Low, High: 100 * c.High, HasInterval: true, N: c.Items, Decimals: 1})
	corrected := probability(c.Holm)
	if !c.Significant {
		corrected = "~ " + corrected
	}
	shows := table.Cell{}
	if c.Smallest > 0 {
		shows = share(c.Smallest)
	}
	return []table.Cell{table.Count(c.Items), share(c.MeanA), share(c.MeanB), diff, table.Count(c.OnlyA), table.Count(c.OnlyB),
		table.Text(probability(c.P)), table.Text(corrected), shows}
}

// forest draws the differences, rows of one sweep point under a heading.
func forest(v *view) (Output, error) {
	cs, err := v.contrasts()
	if err != nil {
		return Output{}, err
	}
	short, _ := v.baseline()
	metric := display(v.ids[0])
	f := &figure.Forest{ID: "forest", Title: fmt.Sprintf("%s against %s: %s", metric, short, v.run.Manifest.Experiment),
		XLabel: metric + ", difference in points", Places: 1, Filled: "significant after Holm's correction", Hollow: "not significant"}
	for _, c := range cs {
		e := figure.Effect{Name: v.contrastName(c), Value: 100 * c.Diff, OK: c.Items > 0, Significant: c.Significant,
			Range: figure.Interval{Low: 100 * c.Low, High: 100 * c.High, OK: true}, Note: fmt.Sprintf("p %s, n %d", probability(c.Holm), c.Items)}
		if severalArms(v) && len(c.PointB) > 0 {
			e.Name, e.Group = v.labelOf(c.ArmB), v.pointName(c.PointB)
		}
		f.Rows = append(f.Rows, e)
	}
	if !slices.ContainsFunc(f.Rows, func(e figure.Effect) bool { return e.OK }) {
		return Output{}, errors.New("no arm of it has a scored item in common with the baseline")
	}
	f.Caption = v.tail(append(v.differenceNotes(cs), "p after Holm's correction.")...)
	return Output{Figure: f}, nil
}

// pointName is a sweep point as headings have it: "k 4, strategy random".
func (v *view) pointName(point []string) string {
	parts := make([]string, len(point))
	for i, p := range point {
		parts[i] = v.run.Manifest.Axes[i] + " " + p
	}
	return strings.Join(parts, ", ")
}
