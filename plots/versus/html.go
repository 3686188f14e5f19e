package versus

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"assay/experiments/compare"
	"assay/plots/style"
	"assay/plots/table"
	"assay/plots/terminal"
)

//go:embed versus.tmpl
var pageText string

//go:embed versus.css
var own string // the rules of this page alone

var page = template.Must(template.New("versus").Parse(pageText))

// The template's values.
type (
	view struct {
		Title   string
		Links   []style.Link
		Style   template.CSS // shared by all pages, and what this page alone needs
		Theme   template.JS
		Heads   []string
		Remarks []string
		Forest  template.HTML // the differences as a plot; empty where there is nothing to draw
		Tables  []tableView
		Prompts []promptView
		Solved  []patternView // of three and more runs
		Pairs   []pairView
	}
	tableView struct {
		Title, ID string
		Heads     []cellView
		Rows      [][]cellView
		Notes     []string
	}
	cellView   struct{ Text, Class string }
	promptView struct {
		Title, Note string
		Lines       []cellView
	}
	pairView struct {
		Title string
		More  int
		Flips []flipView
	}
	flipView struct {
		compare.Flip
		Change         string
		LabelA, LabelB string // of the runs
		About          string
		A, B           []cellView // the SQL in pieces; those of one side alone have a class
	}
)

// WriteHTML writes the whole report as one page that fetches nothing and runs no script but that of the theme. Every text is
// escaped.
func WriteHTML(w io.Writer, r *compare.Report, o Options) error {
	l := newLayout(r)
	v := view{Title: title(r), Links: o.Links, Style: template.CSS(style.CSS() + own), Theme: template.JS(style.Theme()), Heads: l.heads(), Remarks: l.remarks()}
	forest, err := svg(Forest(r))
	if err != nil {
		return fmt.Errorf("versus: write as html: %w", err)
	}
	v.Forest = forest
	all := l.tables(true)
	if t := l.config(); t != nil {
		all = append([]*table.Table{t}, all...)
	}
	for _, t := range all {
		v.Tables = append(v.Tables, viewTable(t))
	}
	v.Solved = l.listed()
	for _, x := range o.Prompts {
		v.Prompts = append(v.Prompts, viewPrompt(x))
	}
	for _, c := range r.Comparisons {
		for _, p := range c.Pairs {
			v.Pairs = append(v.Pairs, viewPair(l, c, p, o.Flips))
		}
	}
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return fmt.Errorf("versus: write as html: %w", err)
	}
	if _, err := io.WriteString(w, terminal.Visible(b.String())); err != nil {
		return fmt.Errorf("versus: write as html: %w", err)
	}
	return nil
}

// StyleHash and ThemeHash name the page's own style sheet and script in its policy.
func (v view) StyleHash() string { return style.Hash(string(v.Style)) }
func (v view) ThemeHash() string { return style.Hash(string(v.Theme)) }

func viewTable(t *table.Table) tableView {
	v := tableView{Title: t.Title, ID: table.Slug(t.ID, "-"), Notes: t.Notes}
	class := func(i int) string {
		if t.Columns[i].Align == table.Right {
			return "right"
		}
		return "left"
	}
	for i, c := range t.Columns {
		v.Heads = append(v.Heads, cellView{c.Heading(), class(i)})
	}
	for _, r := range t.Rows {
		var row []cellView
		for i, c := range r {
			row = append(row, cellView{t.Columns[i].Print(c), class(i)})
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func viewPrompt(x Prompt) promptView {
	v := promptView{Title: x.Title, Note: x.Note}
	for _, l := range x.Lines {
		v.Lines = append(v.Lines, cellView{l.String(), l.Class()})
	}
	return v
}

func viewPair(l layout, c *compare.Comparison, p compare.Pair, limit int) pairView {
	v := pairView{Title: fmt.Sprintf("%s: %d flips", Arm(p), len(p.Flips))}
	if l.runs {
		v.Title = run(c) + ", " + v.Title
	}
	for i, f := range p.Flips {
		if limit >= 0 && i >= limit {
			v.More = len(p.Flips) - limit
			break
		}
		fv := flipView{Flip: f, Change: outcome(f), LabelA: c.A.Label, LabelB: c.B.Label}
		for k, s := range nonempty(f.DB, f.Hardness, f.Difficulty) {
			fv.About += []string{"", ", "}[min(k, 1)] + s
		}
		fv.A, fv.B = pieces(f.SQLA, f.SQLB)
		v.Flips = append(v.Flips, fv)
	}
	return v
}

// pieces splits two statements where they differ, token by token; blanks stay with the token before them.
func pieces(a, b string) (x, y []cellView) {
	wa, wb := compare.Words(a), compare.Words(b)
	la, lb := make([]string, len(wa)), make([]string, len(wb))
	for i, w := range wa {
		la[i] = w.Key
	}
	for i, w := range wb {
		lb[i] = w.Key
	}
	var gx, gy gluing
	i, j := 0, 0
	for _, s := range script(la, lb) {
		switch s.Op {
		case ' ':
			gx.add(wa[i].Text, "")
			gy.add(wb[j].Text, "")
			i, j = i+1, j+1
		case '-':
			gx.add(wa[i].Text, "drop")
			i++
		case '+':
			gy.add(wb[j].Text, "add")
			j++
		}
	}
	return gx.end(), gy.end()
}

// gluing joins neighbours of one class.
type gluing struct {
	cells []cellView
	text  strings.Builder // of the last cell
}

func (g *gluing) add(text, class string) {
	if n := len(g.cells); n == 0 || g.cells[n-1].Class != class {
		g.cells = append(g.end(), cellView{Class: class})
	}
	g.text.WriteString(text)
}

// end returns the cells with the last one's text in place.
func (g *gluing) end() []cellView {
	if n := len(g.cells); n > 0 {
		g.cells[n-1].Text = g.text.String()
	}
	g.text.Reset()
	return g.cells
}
