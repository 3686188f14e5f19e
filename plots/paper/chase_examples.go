package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/plots/figure"
	"assay/plots/table"
	"assay/prompting/exemplar"
)

// shownExamples are the features of the SQL of the examples that the prompts of a row showed, as axes.Features has them;
// texts that are no SELECT are counted in unread.
func shownExamples(r row) (features []string, unread int) {
	for _, a := range r.answers {
		for _, c := range a.Calls {
			for _, sql := range exemplar.NotedSQL(c.Note) {
				if f := axes.Features(sql); f != "" {
					features = append(features, f)
				} else {
					unread++
				}
			}
		}
	}
	return features, unread
}

func whyNoShown(v *view) string {
	for _, c := range v.run.Calls {
		if exemplar.NotedSQL(c.Note) != nil {
			return ""
		}
	}
	return "no prompt of it showed examples by method os"
}

// shownNote says how many examples prompts showed on average.
func (v *view) shownNote() string {
	var parts []string
	for _, r := range v.rows {
		if r.arm.Method != "os" {
			continue
		}
		f, unread := shownExamples(r)
		parts = append(parts, fmt.Sprintf("%s %.1f", v.name(r), float64(len(f)+unread)/float64(max(1, len(r.items)))))
	}
	if parts == nil {
		return ""
	}
	return "Examples shown a prompt, on average: " + strings.Join(parts, "; ") + "."
}

// collection is queries of one kind, by their features.
type collection struct {
	name     string
	features []string
}

// having is the share of the queries that have the feature.
func (c collection) having(feature string) (k, n int) {
	for _, f := range c.features {
		if x, known := axes.Count(f, feature); known {
			if n++; x > 0 {
				k++
			}
		}
	}
	return k, n
}

// collections are the golds and each arm's examples.
func (v *view) collections() (out []collection, unread int) {
	golds := collection{name: "golds"}
	for _, q := range v.run.Questions {
		f := q.Features
		if f == "" {
			f = axes.Features(q.Gold)
		}
		if f != "" {
			golds.features = append(golds.features, f)
		}
	}
	out = append(out, golds)
	for _, r := range v.rows {
		f, bad := shownExamples(r)
		if unread += bad; len(f) > 0 {
			out = append(out, collection{v.name(r), f})
		}
	}
	return out, unread
}

// fig25Features are those that the figure has: all but the number of tables, which every query has.
func fig25Features() []string {
	return slices.DeleteFunc(configs.Features.IDs(), func(f string) bool { return f == "tables" })
}

const fig25Note = "A bar or cell is the share of queries that have the feature at least once. Examples are counted once for each prompt that showed them."

func fig25(v *view) (Output, error) {
	cs, unread := v.collections()
	f := &figure.Spec{ID: "chase/fig25", Kind: figure.Bars, Title: "SQL features of examples and golds: " + v.run.Manifest.Experiment, XLabel: "feature",
		YLabel: "percent of queries", Groups: fig25Features(), Caption: v.tail(fig25Note+unreadNote(unread), unprinted("Figure 25"))}
	for _, c := range cs {
		s := figure.Series{Name: fmt.Sprintf("%s (%d)", c.name, len(c.features))}
		for _, feature := range f.Groups {
			k, n := c.having(feature)
			s.Points = append(s.Points, figure.Point{Y: 100 * float64(k) / float64(max(1, n)), OK: n > 0})
		}
		f.Series = append(f.Series, s)
	}
	return Output{Figure: f}, nil
}

func unreadNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %d examples are no SELECT that parses, and left out.", n)
}

// fig25Table has a row a feature, and columns the golds and each arm's examples.
func fig25Table(v *view) (Output, error) {
	cs, unread := v.collections()
	t := &table.Table{ID: "chase/fig25-table", Title: "SQL features of examples and golds: " + v.run.Manifest.Experiment, Columns: []table.Column{{Name: "feature", Key: true}}}
	for i, c := range cs {
		t.Columns = append(t.Columns, numerals(fmt.Sprintf("%s (%d)", c.name, len(c.features)), "percent")...)
		if i > 0 {
			t.Columns = append(t.Columns, numerals(fmt.Sprintf("%s (%d)", c.name, len(c.features)), "less golds")...)
		}
	}
	for _, feature := range fig25Features() {
		cells := []table.Cell{table.Text(feature)}
		gold := percent(cs[0].having(feature))
		for i, c := range cs {
			x := percent(c.having(feature))
			if cells = append(cells, x); i > 0 {
				cells = append(cells, difference(x, gold))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = v.notes(fig25Note+unreadNote(unread), v.shownNote(), unprinted("Figure 25"), "The paper says that its examples follow the golds' distribution but for CASE, of which it shows none.")
	return Output{Table: t}, nil
}
