package paper

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/metrics/stats"
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
	return slices.ContainsFunc(v.rows, func(r row) bool { return r.Config.Name != v.rows[0].Config.Name })
}

// mostEffects is how many rows a forest plot can have and still be read.
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

// contrasts compares the rows with the first arm, or the sweep points of the only arm with the first point. The contrasts of one
// sweep point are adjacent.
func (v *view) contrasts() ([]compare.Contrast, error) {
	cs, err := compare.Within(v.index, compare.Options{Metric: v.ids[0], Level: confidence})
	if err != nil {
		return nil, err
	}
	first := func(c compare.Contrast) int {
		return slices.IndexFunc(v.rows, func(r row) bool { return slices.Equal(r.Point, c.PointB) })
	}
	rank := func(c compare.Contrast) int { return v.rank(record.CellOf(c.ArmB, c.PointB)) }
	slices.SortStableFunc(cs, func(a, b compare.Contrast) int { return cmp.Or(first(a)-first(b), rank(a)-rank(b)) })
	return cs, nil
}

// baseline names what the others are compared with.
func (v *view) baseline() string {
	first := v.first()
	switch {
	case !severalArms(v):
		return v.name(first) + ", the first sweep point"
	case len(v.run.Manifest.Axes) > 0:
		return first.label + ", the first arm, at the same sweep point"
	}
	return first.label + ", the first arm"
}

// differenceTitle names the baseline, and the other side where it is one arm.
func (v *view) differenceTitle(cs []compare.Contrast) string {
	base := v.first().label
	if !severalArms(v) {
		base = v.name(v.first())
	}
	of := v.display(v.ids[0])
	if arms := otherArms(cs); severalArms(v) && len(arms) == 1 {
		of += " of " + v.labelOf(arms[0])
	}
	return fmt.Sprintf("%s against %s: %s", of, base, v.run.Manifest.Experiment)
}

// otherArms returns the arms that are compared with the baseline.
func otherArms(cs []compare.Contrast) (out []string) {
	for _, c := range cs {
		out = append(out, c.ArmB)
	}
	return unique(out)
}

// differenceNotes explains how the differences from what base names were computed, with each warning once.
func (v *view) differenceNotes(cs []compare.Contrast, base string) (out []string) {
	var tests, intervals []string
	var remarks []remark
	family := 0
	for _, c := range cs {
		name := v.contrastName(c)
		if c.Items > 0 {
			family++
			tests, intervals = append(tests, c.Test), append(intervals, c.Interval)
		}
		if c.Note != "" {
			remarks = append(remarks, remark{name, c.Note})
		}
		if c.Unpaired > 0 {
			remarks = append(remarks, remark{name, fmt.Sprintf("%d answers have no partner, or no score on one side", c.Unpaired)})
		}
		for _, w := range c.Warnings {
			remarks = append(remarks, remark{name, fewNote(w, c.Group)})
		}
	}
	out = append(out, fmt.Sprintf("Differences in points of %s from %s, paired by item: only items with a score on both sides count.", v.display(v.ids[0]), base))
	if slices.ContainsFunc(cs, func(c compare.Contrast) bool { return !c.OwnSeeds && c.Pairs > c.Items }) {
		out[0] += " An item's score is its mean over " + v.overMeans() + "; lost and won count items times seeds."
	}
	if family == 0 {
		return append(out, gathered(remarks)...)
	}
	adjusted := ""
	if family > 1 {
		adjusted = ", not adjusted for the number of tests"
	}
	out = append(out, fmt.Sprintf("Interval (95 %%): %s%s. p, two-sided: %s; Holm's correction over %d %s, significant below 0.05.",
		strings.Join(unique(intervals), " or "), adjusted, strings.Join(unique(tests), " or "), family, plural(family, "test", "tests")))
	return append(out, gathered(remarks)...)
}

// fewNote returns a warning of a comparison, without the number of items that differ, which is another in every row.
func fewNote(w string, g compare.Group) string {
	if strings.HasPrefix(w, "only ") && g.P >= 1-confidence {
		return "too few items differ for p to be below 0.05"
	}
	return w
}

// remark is a warning about one row.
type remark struct{ name, text string }

// gathered returns each warning once, after the names of its rows, of many rows the first few.
func gathered(all []remark) (out []string) {
	var texts []string
	names := map[string][]string{}
	for _, r := range all {
		texts = append(texts, r.text)
		names[r.text] = append(names[r.text], r.name)
	}
	for _, text := range unique(texts) {
		out = append(out, few(unique(names[text]))+": "+text+".")
	}
	return out
}

// contrastName returns the name of the compared row, as in legends.
func (v *view) contrastName(c compare.Contrast) string {
	i := slices.IndexFunc(v.rows, func(r row) bool { return r.Cell == record.CellOf(c.ArmB, c.PointB) })
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
	return stats.Fixed(p, 3)
}

// differences has one row per arm and sweep point but for the baseline.
func differences(v *view) (Output, error) {
	cs, err := v.contrasts()
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "differences", Title: v.differenceTitle(cs), Columns: v.keyColumns()}
	t.Columns = append(t.Columns, numerals("", "items", "baseline", v.display(v.ids[0]), "difference", "lost", "won", "p, Holm", "shows")...)
	t.Columns[len(t.Columns)-8].Short, t.Columns[len(t.Columns)-7].Short = "n", "base"
	for _, c := range cs {
		t.Rows = append(t.Rows, append(v.keysOf(c.ArmB, c.PointB), contrastCells(c)...))
	}
	last := len(t.Columns) - 1
	t.Columns[last].Extra, t.Columns[last].Note = true, showsNote
	t.Notes = v.notes(append(v.differenceNotes(cs, v.baseline()),
		"~: not significant. Lost: right under the baseline alone; won: under the other alone.", showsNote)...)
	return Output{Table: t}, nil
}

const showsNote = "Shows: the smallest difference that so many items show with a chance of 80 %, as many telling the two apart as here; blank where that is unknown."

// contrastCells returns the numbers of one difference; blank where no item is scored on both sides.
func contrastCells(c compare.Contrast) []table.Cell {
	if c.Items == 0 {
		return append([]table.Cell{table.Count(0)}, make([]table.Cell, 7)...)
	}
	share := func(x float64) table.Cell {
		return table.Measured(table.Number{Value: 100 * x, N: c.Items, Decimals: 1})
	}
	diff := table.Measured(table.Number{Value: 100 * c.Diff, Low: 100 * c.Low, High: 100 * c.High, HasInterval: true, N: c.Items, Decimals: 1, Signed: true})
	corrected := probability(c.Holm)
	if !c.Significant {
		corrected = "~ " + corrected
	}
	shows := table.Cell{}
	if c.Smallest > 0 {
		shows = share(c.Smallest)
	}
	return []table.Cell{table.Count(c.Items), share(c.MeanA), share(c.MeanB), diff, table.Count(c.OnlyA), table.Count(c.OnlyB),
		table.Text(corrected), shows}
}

// forest draws the differences, rows of one sweep point under a heading.
func forest(v *view) (Output, error) {
	cs, err := v.contrasts()
	if err != nil {
		return Output{}, err
	}
	arms := otherArms(cs)
	f := &figure.Forest{ID: "forest", Title: v.differenceTitle(cs),
		XLabel: v.display(v.ids[0]) + ", difference in points", Places: 1, Filled: "significant after Holm's correction", Hollow: "not significant"}
	for _, c := range cs {
		e := effect(v.contrastName(c), c)
		switch {
		case len(c.PointB) == 0:
		case len(arms) == 1:
			e.Name = v.pointName(c.PointB)
		default:
			e.Name, e.Group = v.labelOf(c.ArmB), v.pointName(c.PointB)
		}
		f.Rows = append(f.Rows, e)
	}
	if !slices.ContainsFunc(f.Rows, func(e figure.Effect) bool { return e.OK }) {
		return Output{}, errors.New("no arm of it has a scored item in common with the baseline")
	}
	f.Caption = v.tail(append(v.differenceNotes(cs, v.baseline()), intervalsNote)...)
	return Output{Figure: f}, nil
}

// intervalsNote says what stands at the right of a forest's rows.
const intervalsNote = "At the right: the difference, its 95 % interval, which is of this row alone and not corrected for their number, p after Holm's correction, and items. " +
	"A row is filled by its p, so that one whose interval leaves out zero may be hollow."

// effect is a difference in points as a forest plot has it.
func effect(name string, c compare.Contrast) figure.Effect {
	return figure.Effect{Name: name, Value: 100 * c.Diff, OK: c.Items > 0, Significant: c.Significant,
		Range: figure.Interval{Low: 100 * c.Low, High: 100 * c.High, OK: true}, Note: fmt.Sprintf("p %s, n %d", probability(c.Holm), c.Items)}
}

// pointName is a sweep point as headings have it: "k = 4, strategy = random".
func (v *view) pointName(point []string) string {
	parts := make([]string, len(point))
	for i, p := range point {
		parts[i] = setting(v.run.Manifest.Axes[i], p)
	}
	return strings.Join(parts, ", ")
}
