package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/metrics/stats"
	"assay/plots/table"
)

// whyNoSources refuses a run in which no source of chance takes several values.
func whyNoSources(v *view) string {
	s, err := compare.Sources(v.index, v.ids[0])
	if err != nil {
		return err.Error()
	}
	if len(s.Rows) == 0 {
		return "no source of chance varies: it has one seed, or no demonstrations, and sweeps none of exemplars.pool_seed, exemplars.draw and exemplars.order"
	}
	return whyNoScores(v)
}

// sweepsSources reports whether the run is a study of the sources of chance.
func sweepsSources(v *view) bool {
	return slices.ContainsFunc(v.run.Manifest.Axes, compare.IsSource)
}

// sourcesTable has a row per arm, point and source of chance: how far the accuracy of one run over these items moves if only
// that source is drawn anew.
func sourcesTable(v *view) (Output, error) {
	split, err := compare.Sources(v.index, v.ids[0])
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "sources", Title: "Where the ± comes from: " + v.ids[0] + ", in points"}
	t.Columns = []table.Column{{Name: "arm", Key: true}}
	for _, a := range split.Axes {
		t.Columns = append(t.Columns, table.Column{Name: a, Key: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "source", Key: true})
	t.Columns = append(t.Columns, numerals("", "values", "sd", "95 % interval", "share", "common to items")...)
	at := len(t.Columns)
	t.Columns[at-1].Short = "common"
	var remarks []remark
	var answers []string
	for _, r := range split.Rows {
		keys := append([]string{v.labelOf(r.Arm)}, r.Point...)
		name := strings.Join(keys, ", ")
		rows, total := sourceRows(r)
		for _, row := range rows {
			cells := []table.Cell{}
			for _, k := range keys {
				cells = append(cells, table.Text(k))
			}
			t.Rows = append(t.Rows, append(cells, row...))
		}
		if total != "" && len(answers) < mostAnswers {
			answers = append(answers, name+": "+total)
		}
		for _, w := range r.Warnings {
			remarks = append(remarks, remark{v.labelOf(r.Arm), w})
		}
		if r.Dropped > 0 {
			remarks = append(remarks, remark{v.labelOf(r.Arm), fmt.Sprintf("%d items are left out, a score of theirs being missing", r.Dropped)})
		}
	}
	t.Notes = v.notes(append(append(answers, sourceNotes(split)...), gathered(remarks)...)...)
	return Output{Table: t}, nil
}

// mostAnswers bounds the sentences that sum up rows.
const mostAnswers = 6

// sourceNotes says what the columns are.
func sourceNotes(split *compare.Splits) []string {
	notes := []string{
		"sd: how far the accuracy over these items moves from run to run if that source alone is drawn anew; share: of the variance of a run in which all are. common to items: the part that moves all items together, the only one that more items do not make smaller.",
		"score = mean + item + source + item x source + ... + sampling: pool, draw and order are nested in this order and crossed with the items; method of moments (Searle, Casella and McCulloch 1992). Intervals of sources: Ting et al. (1990), by how few values there are; of sampling: bootstrap over items. An estimate below 0, which chance gives where a variance is small, is printed as <0.",
	}
	if slices.ContainsFunc(split.Rows, func(r compare.Split) bool { return r.Seeded }) {
		notes = append(notes, "A source that is not stated follows the run's seed, and stands with what else the seed carries. State exemplars.draw, or sweep it, to tell it from sampling.")
	}
	return notes
}

// sourceRows returns the rows of a split from the column of the source on, and a sentence that sums them up.
func sourceRows(r compare.Split) (rows [][]table.Cell, answer string) {
	sum, names, parts := 0.0, []string{}, []stats.Interval{}
	for i, s := range r.Nested.Sources {
		names, parts = append(names, sourceName(r, i)), append(parts, s.Total)
		sum += max(0, s.Total.Estimate)
	}
	if r.Samples > 1 {
		by := func(x float64) float64 { return x / float64(r.Items) }
		w := r.Sampling
		names = append(names, "sampling")
		parts = append(parts, stats.Interval{Estimate: by(w.Estimate), Low: by(w.Low), High: by(w.High)})
		sum += by(w.Estimate)
	}
	var shares []string
	for i, p := range parts {
		row := []table.Cell{table.Text(names[i]), {}, deviation(p.Estimate), table.Text(deviations(p)), {}, {}}
		if i < len(r.Nested.Sources) {
			row[1], row[5] = table.Count(r.Nested.Sources[i].Values), deviation(r.Nested.Sources[i].Common.Estimate)
		} else {
			row[1] = table.Count(r.Samples)
		}
		if sum > 0 {
			share := 100 * max(0, p.Estimate) / sum
			row[4] = table.Measured(table.Number{Value: share, Decimals: 0})
			shares = append(shares, fmt.Sprintf("%s %.0f %%", names[i], share))
		}
		rows = append(rows, row)
	}
	switch {
	case math.IsNaN(sum):
		return rows, ""
	case sum == 0:
		return rows, fmt.Sprintf("a run's accuracy of %.1f does not move from repetition to repetition over these %d items.", 100*r.Mean, r.Items)
	}
	return rows, fmt.Sprintf("a run's accuracy of %.1f moves by ±%.2f points from repetition to repetition over these %d items: %s.",
		100*r.Mean, 100*math.Sqrt(sum), r.Items, strings.Join(shares, ", "))
}

// sourceName names a source with what cannot be told from it: without samples, the last one's includes sampling, of which there
// is none at temperature 0.
func sourceName(r compare.Split, i int) string {
	if i == len(r.Names)-1 && r.Samples == 1 && r.Config.Model.Temperature > 0 {
		return r.Names[i] + " and sampling"
	}
	return r.Names[i]
}

// deviation prints a variance as a standard deviation in points.
func deviation(v float64) table.Cell {
	switch {
	case math.IsNaN(v):
		return table.Cell{}
	case v < -1e-12:
		return table.Text("<0")
	}
	return table.Measured(table.Number{Value: 100 * math.Sqrt(max(0, v)), Decimals: 2})
}

// deviations prints the bounds of a variance as standard deviations in points.
func deviations(in stats.Interval) string {
	if math.IsNaN(in.Low) || math.IsNaN(in.High) {
		return ""
	}
	of := func(v float64) string { return fmt.Sprintf("%.2f", 100*math.Sqrt(max(0, v))) }
	return of(in.Low) + " to " + of(in.High)
}
