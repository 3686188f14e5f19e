package versus

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/plots/figure"
	"assay/plots/table"
)

// mostEffects is how many rows a forest plot can have and still be read.
const mostEffects = 60

// Forest draws the differences of a report with their intervals: one row per pair of arms, and below them one row per group of each
// axis. Where those are too many to be read, pairs of arms alone are drawn; where those are, it is nil.
func Forest(r *compare.Report) *figure.Forest {
	l := newLayout(r)
	f := &figure.Forest{ID: "forest", Title: fmt.Sprintf("%s, %s", l.Metric, title(r)), XLabel: l.Metric + ", B less A in points",
		Places: 1, Filled: "significant after Holm's correction", Hollow: "not significant"}
	if l.runs {
		f.XLabel = l.Metric + ", difference from A in points"
	}
	whole := 0
	for _, family := range r.Families {
		l.each(family.Axis, func(c *compare.Comparison, p compare.Pair, g compare.Group) {
			f.Rows = append(f.Rows, l.effect(c, p, g, family.Axis))
		})
		if family.Axis == "" {
			whole = len(f.Rows)
		}
	}
	f.Caption = append(l.heads(), "At the right: the difference, its interval, p after Holm's correction, and items.")
	for _, family := range r.Families {
		if family.Axis == "" || len(f.Rows) <= mostEffects {
			f.Caption = append(f.Caption, heading(family.Axis)+": "+strings.TrimSuffix(l.groupNotes(family)[0], " ~: not significant after Holm."))
		}
	}
	if len(f.Rows) > mostEffects {
		f.Caption = append(f.Caption, fmt.Sprintf("Not drawn: %d groups, too many to be read.", len(f.Rows)-whole))
		f.Rows = f.Rows[:whole]
	}
	for i := range f.Rows {
		if len(f.Rows) == whole {
			f.Rows[i].Group = ""
		}
	}
	if len(f.Rows) > mostEffects {
		return nil
	}
	return f
}

// effect returns the row of one group.
func (l layout) effect(c *compare.Comparison, p compare.Pair, g compare.Group, axis string) figure.Effect {
	return figure.Effect{Group: heading(axis), Name: l.rowName(l.keys(axis), l.keyCells(c, p, axis, g.Value)), Value: 100 * g.Diff, OK: g.Items > 0,
		Range: figure.Interval{Low: 100 * g.Low, High: 100 * g.High, OK: true}, Significant: g.Significant,
		Note: fmt.Sprintf("p %s, n %d", probability(g.Holm), g.Items)}
}

// heading returns the heading of the rows of one family.
func heading(axis string) string {
	if axis == "" {
		return "all items"
	}
	return "by " + axis
}

// rowName joins the keys of a row; a value of the sweep has its axis before it.
func (l layout) rowName(keys []string, cells []table.Cell) string {
	var words []string
	for i, k := range keys {
		word := cells[i].String()
		if slices.Contains(l.axes, k) {
			word = k + " = " + word
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// spaceNames are the declarations of name spaces in a tag.
var spaceNames = regexp.MustCompile(`\s+xmlns(:\w+)?="[^"]*"`)

// svg returns a figure's SVG for use within a page, where it needs neither a prolog nor a name space. Package figure escapes its
// texts, so that the result is safe as HTML.
func svg(f *figure.Forest) (template.HTML, error) {
	if f == nil {
		return "", nil
	}
	var b bytes.Buffer
	if err := figure.SVG(&b, f, figure.Look{}); err != nil {
		return "", err
	}
	s := b.String()
	s = s[strings.Index(s, "<svg"):]
	head, rest, _ := strings.Cut(s, ">")
	return template.HTML(spaceNames.ReplaceAllString(head, "") + ">" + rest), nil
}
