package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/plots/figure"
	"assay/plots/table"
)

// shownExamples returns the features, as axes.Features has them, of the example queries that the prompts of a row showed, and
// counts the texts that are no SELECT.
func shownExamples(r row) (features []string, unread int) {
	for _, a := range r.Answers {
		for _, c := range a.Calls {
			for _, sql := range c.Shown() {
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
		if c.Shown() != nil {
			return ""
		}
	}
	return "no prompt of it showed examples by method os"
}

// shownNote says how many examples a prompt showed on average.
func (v *view) shownNote() string {
	var parts []string
	for _, r := range v.rows {
		if !r.Config.Row.Examples {
			continue
		}
		f, unread := shownExamples(r)
		parts = append(parts, fmt.Sprintf("%s %.1f", v.name(r), float64(len(f)+unread)/float64(max(1, len(r.items)))))
	}
	if parts == nil {
		return ""
	}
	return "Examples shown per prompt, on average: " + strings.Join(parts, "; ") + "."
}

// collection is a set of queries of one origin, by their features.
type collection struct {
	name     string
	features []string
}

func (c collection) head() string { return fmt.Sprintf("%s (%d)", c.name, len(c.features)) }

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

// collections returns the gold queries, and the examples of each arm that showed any.
func (s *sheet) collections() []collection {
	gold := collection{name: "gold queries"}
	for _, q := range s.v.run.Questions {
		if f := cmp.Or(q.Features, axes.Features(q.Gold)); f != "" {
			gold.features = append(gold.features, f)
		}
	}
	out := []collection{gold}
	s.unread = 0
	for _, r := range s.v.rows {
		f, bad := shownExamples(r)
		if s.unread += bad; len(f) > 0 {
			out = append(out, collection{s.v.name(r), f})
		}
	}
	return out
}

// shownFeatures are all but the number of tables, which every query has.
func shownFeatures() []string {
	return slices.DeleteFunc(configs.Features.IDs(), func(f string) bool { return f == "tables" })
}

// havingColumn heads the share of a collection that has a feature.
const havingColumn = "percent"

// drawFeatures draws one bar per feature, of the gold queries and of each arm's examples.
func (s *sheet) drawFeatures() (figure.Drawing, error) {
	t := &table.Table{}
	s.features(t)
	f := &figure.Spec{ID: s.Name, Kind: figure.Bars, Title: s.Title + ": " + s.v.run.Manifest.Experiment, XLabel: "feature",
		YLabel: "percent of queries", Groups: shownFeatures(), Caption: s.v.tail(s.fill(s.Notes)...)}
	for i, c := range t.Columns {
		if c.Name != havingColumn {
			continue
		}
		bars := figure.Series{Name: c.Group}
		for _, cells := range t.Rows {
			bars.Points = append(bars.Points, point(cells[i]))
		}
		f.Series = append(f.Series, bars)
	}
	return f.Readable(f.Caption...), nil
}

func unreadNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %d examples are left out because they are no SELECT that parses.", n)
}

// features has one row per feature, and columns the gold queries and each arm's examples.
func (s *sheet) features(t *table.Table) {
	cs := s.collections()
	t.Columns = []table.Column{{Name: "feature", Key: true}}
	for i, c := range cs {
		t.Columns = append(t.Columns, numerals(c.head(), []string{havingColumn, "less gold queries"}[:min(i+1, 2)]...)...)
	}
	for _, feature := range shownFeatures() {
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
}
