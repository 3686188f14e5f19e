package versus

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"assay/experiments/compare"
	"assay/plots/table"
	"assay/plots/terminal"

	"github.com/jedib0t/go-pretty/v6/text"
)

// pen writes wrapped lines.
type pen struct {
	strings.Builder
	width  int
	colour bool
}

// line writes a text in lines of at most the width, the first after first and the others after a blank as wide.
func (p *pen) line(first, s string) {
	rest := strings.Repeat(" ", text.StringWidthWithoutEscSequences(first))
	p.WriteString(strings.Join(terminal.Hang(first, rest, terminal.Line(s), p.width), "\n") + "\n")
}

// paint colours a text where the terminal wants colours: green for won and added, red for lost and dropped.
func (p *pen) paint(good bool, s string) string {
	if !p.colour {
		return s
	}
	return map[bool]terminal.Sequence{true: terminal.Green, false: terminal.Red}[good].Paint(s)
}

// WriteText writes the whole report as text of at most the terminal's width.
func WriteText(w io.Writer, r *compare.Report, o Options) error {
	l := newLayout(r)
	if o.Text.Width <= 0 {
		o.Text.Width = 80
	}
	p := &pen{width: o.Text.Width, colour: o.Text.Colour}
	for _, h := range append(l.heads(), l.remarks()...) {
		p.line("", h)
	}
	for _, c := range r.Comparisons {
		for _, d := range c.Config {
			first := "config "
			if l.runs {
				first += c.B.Label + " "
			}
			p.line(first, d.Key+": "+dash(d.A)+" -> "+dash(d.B))
		}
	}
	for _, t := range l.tables(false) {
		p.WriteString("\n")
		if err := t.WriteText(p, o.Text); err != nil {
			return fmt.Errorf("versus: write as text: %w", err)
		}
	}
	for _, x := range o.Prompts {
		p.prompt(x)
	}
	for _, c := range r.Comparisons {
		for _, pair := range c.Pairs {
			p.flips(l, c, pair, o.Flips)
		}
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("versus: write as text: %w", err)
	}
	return nil
}

func (p *pen) flips(l layout, c *compare.Comparison, pair compare.Pair, limit int) {
	if len(pair.Flips) == 0 || limit == 0 {
		return
	}
	title := Arm(pair)
	if l.runs {
		title = run(c) + ", " + title
	}
	p.line("\n", fmt.Sprintf("%s: %d flips", title, len(pair.Flips)))
	for i, f := range pair.Flips {
		if i == limit {
			p.line("  ", fmt.Sprintf("... and %d more (--flips -1 lists all)", len(pair.Flips)-limit))
			return
		}
		about := strings.Join(nonempty(f.DB, f.Hardness, f.Difficulty), ", ")
		if pair.All.Pairs > pair.All.Items {
			about += fmt.Sprintf(", seed %d", f.Seed)
		}
		p.line("  "+p.paint(!f.Lost(), fmt.Sprintf("%-4s", outcome(f)))+" ", fmt.Sprintf("%s (%s): %s", f.Item, about, f.Reason))
		p.line(fmt.Sprintf("    %-2s ", c.A.Label), dash(f.SQLA))
		p.line(fmt.Sprintf("    %-2s ", c.B.Label), dash(f.SQLB))
	}
}

func nonempty(words ...string) (out []string) {
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// promptLines bounds a prompt's diff on a terminal.
const promptLines = 120

func (p *pen) prompt(x Prompt) {
	p.line("\n", x.Title)
	if x.Note != "" {
		p.line("  ", x.Note)
	}
	for i, l := range x.Lines {
		if i == promptLines {
			p.line("  ", fmt.Sprintf("... and %d more lines (--format html has all)", len(x.Lines)-i))
			return
		}
		s := terminal.Line(l.String())
		if l.Op == '+' || l.Op == '-' {
			s = p.paint(l.Op == '+', s)
		}
		p.WriteString("  " + strings.TrimRight(s, " ") + "\n") // not wrapped: the breaks are the prompt's own
	}
}

// WriteCSV writes one row per group; see Groups.
func WriteCSV(w io.Writer, r *compare.Report) error { return Groups(r).WriteCSV(w) }

// WriteJSON writes the report as indented JSON.
func WriteJSON(w io.Writer, r *compare.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("versus: write as json: %w", err)
	}
	return nil
}

// WriteMarkdown writes the whole report as Markdown.
func WriteMarkdown(w io.Writer, r *compare.Report, o Options) error {
	l := newLayout(r)
	var b strings.Builder
	b.WriteString("# " + table.Markdown(title(r)) + "\n\n")
	for _, h := range append(l.heads(), l.remarks()...) {
		fmt.Fprintf(&b, "- %s\n", table.Markdown(h))
	}
	all := l.tables(true)
	if t := l.config(); t != nil {
		all = append([]*table.Table{t}, all...)
	}
	for _, c := range r.Comparisons {
		for _, p := range c.Pairs {
			if t := flipTable(l, c, p, o.Flips); t != nil {
				all = append(all, t)
			}
		}
	}
	for _, t := range all {
		b.WriteString("\n")
		if err := t.WriteMarkdown(&b); err != nil {
			return fmt.Errorf("versus: write as markdown: %w", err)
		}
	}
	for _, x := range o.Prompts {
		fmt.Fprintf(&b, "\n**%s**\n\n%s\n", table.Markdown(x.Title), table.Markdown(x.Note))
		if len(x.Lines) > 0 {
			fence := x.fence()
			fmt.Fprintf(&b, "\n%sdiff\n%s%s\n", fence, x.unified(), fence)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("versus: write as markdown: %w", err)
	}
	return nil
}

// WriteLaTeX writes the tables of the report, without prompts and flips, one after another.
func WriteLaTeX(w io.Writer, r *compare.Report) error {
	l := newLayout(r)
	all := l.tables(true)
	if t := l.config(); t != nil {
		all = append(all, t)
	}
	for _, t := range all {
		t.Source = title(r) + "."
		if err := t.WriteLaTeX(w); err != nil {
			return fmt.Errorf("versus: write as latex: %w", err)
		}
	}
	return nil
}

// title names the runs of a report.
func title(r *compare.Report) string {
	var names []string
	for _, c := range r.Comparisons {
		names = append(names, c.B.Name)
	}
	return strings.Join(names, ", ") + " against " + r.Base.Name
}

// flipTable is the flips of one pair of arms; nil where there are none.
func flipTable(l layout, c *compare.Comparison, p compare.Pair, limit int) *table.Table {
	if len(p.Flips) == 0 || limit == 0 {
		return nil
	}
	name := Arm(p)
	if l.runs {
		name = run(c) + ", " + name
	}
	t := &table.Table{ID: "diff/flips", Title: fmt.Sprintf("%s: %d flips", name, len(p.Flips))}
	for _, n := range []string{"item", "database", "level", "change", "reason", "SQL of A", "SQL of " + c.B.Label} {
		t.Columns = append(t.Columns, table.Column{Name: n})
	}
	for i, f := range p.Flips {
		if i == limit {
			t.Notes = []string{fmt.Sprintf("%d more are not listed.", len(p.Flips)-limit)}
			break
		}
		t.Rows = append(t.Rows, texts(f.Item, f.DB, strings.Join(nonempty(f.Hardness, f.Difficulty), ", "), outcome(f), f.Reason, dash(f.SQLA), dash(f.SQLB)))
	}
	return t
}
