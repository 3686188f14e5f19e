package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/compare"
	"assay/plots/table"
)

func whyNoDemonstrations(v *view) string {
	if len(compare.Overlaps(v.index)) == 0 {
		return "no prompt of it shows demonstrations by [exemplars], or it is older than the record of them"
	}
	return ""
}

// choosesDemonstrations reports whether the run varies how demonstrations are chosen, or how many.
func choosesDemonstrations(v *view) bool {
	return slices.ContainsFunc(v.run.Manifest.Axes, func(a string) bool {
		return a == "k" || a == "strategy" || compare.IsSource(a) || strings.HasPrefix(a, "exemplars.")
	})
}

// demonstrationsTable has one row per way to choose demonstrations: the pool, and how much two draws of it have in common.
func demonstrationsTable(v *view) (Output, error) {
	t := &table.Table{ID: "demonstrations", Title: "Demonstrations that two draws share"}
	t.Columns = []table.Column{{Name: "choice", Key: true}, {Name: "k", Align: table.Right, Key: true}, {Name: "pool", Key: true}}
	t.Columns = append(t.Columns, numerals("", "size", "draws", "shared", "expected", "distinct", "sd kept %")...)
	var pools []string
	for _, o := range compare.Overlaps(v.index) {
		row := []table.Cell{table.Text(choiceName(o.Exemplars)), table.Count(o.Exemplars.K), table.Text(o.Pool.Name), {}, table.Count(o.Draws), {}, {}, table.Count(o.Distinct), {}}
		if o.Pool.Size > 0 {
			size := o.Pool.Size
			if o.Exemplars.PoolSize > 0 {
				size = o.Exemplars.PoolSize
			}
			if row[3] = table.Count(size); !math.IsNaN(o.Expected) {
				row[6] = table.Measured(table.Number{Value: o.Expected, Decimals: 1})
			}
			pools = append(pools, poolNote(o))
		}
		if o.Draws > 1 {
			kept := math.Sqrt(max(0, 1-o.Shared/float64(o.Exemplars.K)))
			row[5] = table.Measured(table.Number{Value: o.Shared, Decimals: 1})
			row[8] = table.Measured(table.Number{Value: 100 * kept, Decimals: 0})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = v.notes(append(unique(pools),
		"shared: demonstrations that two draws have in common, over items and pairs of draws; expected: of independent draws from such a pool, but for those of the question's own database. distinct: shown in all.",
		"sd kept, in percent: what is left of a standard deviation over draws, √(1 − shared / k), where each demonstration moves the score on its own: draws that share much differ little, and the printed ± is too small by that factor. Similarity draws nothing, so that its seeds say nothing of demonstrations.")...)
	return Output{Table: t}, nil
}

// choiceName names a way to choose demonstrations.
func choiceName(x configs.Exemplars) string {
	name := x.Strategy
	if x.Preset != "" {
		name = x.Preset
	}
	if len(x.Levels) > 0 && strings.HasPrefix(x.Strategy, "hardness") {
		name += " (" + strings.Join(x.Levels, ", ") + ")"
	}
	return name
}

// poolNote says what a pool is made of, as the draws of a strategy depend on it.
func poolNote(o compare.Overlap) string {
	var parts []string
	for _, l := range configs.Levels.IDs() {
		if n := o.Pool.Levels[l]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d (%.0f %%)", l, n, 100*float64(n)/float64(o.Pool.Size)))
		}
	}
	note := fmt.Sprintf("Pool %s: %d demonstrations, %s.%s", o.Pool.Name, o.Pool.Size, strings.Join(parts, ", "), makersNote(o.Pool.By))
	if o.Exemplars.SameDatabase {
		note += " Each question draws on those of its own database, so that none is expected of the whole."
	}
	return note
}

// makersNote says who made the annotations of a pool: " Annotations: cot 57 by rule; steps 50 by hand, 7 by rule." Empty where a
// run does not say.
func makersNote(by map[string]map[string]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		var makers []string
		for _, who := range slices.Sorted(maps.Keys(by[kind])) {
			makers = append(makers, fmt.Sprintf("%d by %s", by[kind][who], who))
		}
		parts = append(parts, kind+" "+strings.Join(makers, ", "))
	}
	if parts == nil {
		return ""
	}
	return " Annotations: " + strings.Join(parts, "; ") + "."
}
