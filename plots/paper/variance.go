package paper

import (
	"fmt"
	"math"
	"slices"

	"assay/experiments/compare"
	"assay/plots/table"
)

// whyNoVariance refuses a run whose rows would be blank: there items alone are drawn, and nothing is repeated. Several
// candidates of an item are no repeats where they are of several generators.
func whyNoVariance(v *view) string {
	if _, most := v.seedCounts(); most < 2 && len(v.run.Candidates) <= len(v.run.Items) {
		return "it has one seed, and one sample per item"
	}
	rows, err := compare.Variance(v.index, "")
	if err != nil {
		return "" // making the table reports why
	}
	if slices.ContainsFunc(rows, repeated) {
		return ""
	}
	if _, most := v.seedCounts(); most < 2 {
		return "it has one seed, and no arm of it several samples of one generator for each item"
	}
	return "no arm of it has two items with a score under several seeds"
}

// repeated reports whether a row separates any source of variance from the items.
func repeated(r compare.VarianceRow) bool {
	return !math.IsNaN(r.Seed) || !math.IsNaN(r.ItemSeed) || !math.IsNaN(r.Sampling)
}

// onDemand keeps a table out of reports unless the experiment names it.
func onDemand(*view) bool { return false }

// varianceTable has one row per arm and sweep point: how far the accuracy of one run with one seed and one sample per item
// would move if only the items, the seed, or the samples were drawn anew.
func varianceTable(v *view) (Output, error) {
	rows, err := compare.Variance(v.index, v.ids[0])
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "variance", Title: "What the accuracy varies by: " + v.ids[0] + ", standard deviation in points",
		Columns: append(v.keyColumns(), table.Column{Name: "of"})}
	for _, name := range []string{"items", "seeds", "samples", "mean"} {
		t.Columns = append(t.Columns, table.Column{Name: name, Align: table.Right})
	}
	for _, name := range []string{"items", "seed", "item x seed", "sampling", "± over seeds"} {
		t.Columns = append(t.Columns, table.Column{Name: name, Group: "drawn anew", Align: table.Right})
	}
	t.Columns[len(t.Columns)-1].Short = "± seeds"
	var remarks []remark
	for _, r := range rows {
		label := v.labelOf(r.Arm)
		cells := append(v.keysOf(r.Arm, r.Point), table.Text(r.Of), table.Count(r.Items), table.Count(r.Seeds), table.Count(r.Samples))
		t.Rows = append(t.Rows, append(cells, spreads(r)...))
		if r.Dropped > 0 {
			remarks = append(remarks, remark{label, fmt.Sprintf("%d items are left out, a score of theirs being missing", r.Dropped)})
		}
		for _, w := range r.Warnings {
			remarks = append(remarks, remark{label, w})
		}
	}
	t.Notes = v.notes(append([]string{
		"score = mean + item + seed + item x seed + sampling, all drawn anew (random effects, estimated by the method of moments from the two-way analysis of variance). A seed chooses the exemplars of every item; blank: the run cannot tell.",
		"Each number is how far the accuracy over so many items, of one seed and one sample, would move if that alone were drawn anew. ± over seeds is what a paper prints that repeats a run: seed, item x seed and sampling together, without the items.",
	}, gathered(remarks)...)...)
	return Output{Table: t}, nil
}

// labelOf returns an arm's label.
func (v *view) labelOf(arm string) string {
	for _, r := range v.rows {
		if r.Config.Name == arm {
			return r.label
		}
	}
	return arm
}

// spreads returns the mean in percent, and the standard deviations in points.
func spreads(r compare.VarianceRow) []table.Cell {
	item, seed, both, sampling := r.Spread(r.Items, 1, 1)
	points := func(sd, variance float64) table.Cell {
		if math.IsNaN(variance) {
			return table.Cell{}
		}
		return table.Measured(table.Number{Value: 100 * sd, Decimals: 2})
	}
	mean := table.Cell{}
	if !math.IsNaN(r.Mean) {
		mean = table.Measured(table.Number{Value: 100 * r.Mean, N: r.Items, Decimals: 1})
	}
	return []table.Cell{mean, points(item, r.Item), points(seed, r.Seed), points(both, r.ItemSeed), points(sampling, r.Sampling),
		points(math.Sqrt(seed*seed+both*both+sampling*sampling), r.Seed)}
}
