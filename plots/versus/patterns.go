package versus

import (
	"fmt"
	"strings"

	"assay/experiments/compare"
	"assay/plots/table"
)

// mostPatterns is how many patterns a table lists; all are in the CSV and the JSON.
const mostPatterns = 32

// patternName names the arms and the sweep point of a table of patterns; empty where there is one arm without a sweep.
func patternName(p compare.Patterns) string {
	var parts []string
	for i, arm := range p.Arms {
		if i == 0 || arm != p.Arms[i-1] {
			parts = append(parts, arm)
		}
	}
	return strings.Join(append([]string{strings.Join(parts, " -> ")}, nonempty(compare.Place(p.Axes, p.Point))...), ", ")
}

// labels of all runs, the baseline's first.
func (l layout) labels() []string {
	out := []string{l.Base.Label}
	for _, c := range l.Comparisons {
		out = append(out, c.B.Label)
	}
	return out
}

// marks has a cell per run: a cross where it solves the items.
func marks(labels, solved []string) (out []table.Cell) {
	rest := map[string]bool{}
	for _, s := range solved {
		rest[s] = true
	}
	for _, label := range labels {
		out = append(out, table.Text(map[bool]string{true: "x", false: "-"}[rest[label]]))
	}
	return out
}

// patterns returns one table per cell of the baseline: which runs solve how many items.
func (l layout) patterns() (out []*table.Table) {
	labels := l.labels()
	for _, p := range l.Patterns {
		t := &table.Table{ID: "diff/patterns", Title: fmt.Sprintf("Items by which runs solve them: %s", patternName(p))}
		for _, label := range labels {
			t.Columns = append(t.Columns, table.Column{Name: label, Align: table.Center, Key: true})
		}
		t.Columns = append(t.Columns, right("items"), table.Column{Name: "share", Unit: "%", Align: table.Right}, table.Column{Name: "the first"})
		for i, one := range p.Patterns {
			if i == mostPatterns {
				t.Notes = append(t.Notes, fmt.Sprintf("%d more patterns are not listed.", len(p.Patterns)-i))
				break
			}
			n := len(one.Items)
			row := append(marks(labels, one.Solved), table.Count(n), table.Measured(table.Number{Value: 100 * float64(n) / float64(p.Items), Decimals: 1}), table.Text(short(one.Items[0])))
			t.Rows = append(t.Rows, row)
		}
		t.Notes = append(t.Notes, fmt.Sprintf("x: solved, a mean score of %s over seeds above one half. %s with a score in every run.", l.Metric, many(p.Items, "item")))
		out = append(out, t)
	}
	return out
}

// short is the end of an item's name.
func short(item string) string { return item[strings.LastIndex(item, "/")+1:] }

// patternView is the items of one pattern, as the page lists them.
type patternView struct{ Title, Items string }

// listed has the items of every pattern of every cell of the baseline.
func (l layout) listed() (out []patternView) {
	for _, p := range l.Patterns {
		for _, one := range p.Patterns {
			names := make([]string, len(one.Items))
			for i, it := range one.Items {
				names[i] = short(it)
			}
			by := "no run"
			if len(one.Solved) > 0 {
				by = strings.Join(one.Solved, ", ")
			}
			out = append(out, patternView{fmt.Sprintf("%s: %s solved by %s", patternName(p), many(len(names), "item"), by), strings.Join(names, ", ")})
		}
	}
	return out
}

// Patterns returns one row per item and cell of the baseline with a column per run, 1 where it solves the item, for CSV.
func Patterns(r *compare.Report) *table.Table {
	l := newLayout(r)
	t := &table.Table{ID: "patterns", Title: "Items by which runs solve them"}
	for _, name := range append([]string{"arm a", "point", "item", "solved by"}, l.labels()...) {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	for _, p := range r.Patterns {
		for _, one := range p.Patterns {
			for _, item := range one.Items {
				row := texts(p.Arms[0], compare.Place(p.Axes, p.Point), item, strings.Join(one.Solved, " "))
				for _, m := range marks(l.labels(), one.Solved) {
					row = append(row, table.Count(map[string]int{"x": 1}[m.Text]))
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}
