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

// shownExamples are the features of the SQL of the examples that the prompts of a row showed, as axes.Features has them;
// texts that are no SELECT are counted in unread.
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

// shownNote says how many examples prompts showed on average.
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
	return "Examples shown a prompt, on average: " + strings.Join(parts, "; ") + "."
}

// collection is queries of one kind, by their features.
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

// collections are the gold queries and each arm's examples.
func (s *sheet) collections() []collection {
	golds := collection{name: "golds"}
	for _, q := range s.v.run.Questions {
		if f := cmp.Or(q.Features, axes.Features(q.Gold)); f != "" {
			golds.features = append(golds.features, f)
		}
	}
	out := []collection{golds}
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

// drawFeatures draws a bar a feature, of the gold queries and of each arm's examples.
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
	return f, nil
}

func unreadNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %d examples are no SELECT that parses, and left out.", n)
}

// features has a row a feature, and columns the gold queries and each arm's examples.
func (s *sheet) features(t *table.Table) {
	cs := s.collections()
	t.Columns = []table.Column{{Name: "feature", Key: true}}
	for i, c := range cs {
		t.Columns = append(t.Columns, numerals(c.head(), []string{havingColumn, "less golds"}[:min(i+1, 2)]...)...)
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
