package table

import (
	"io"
	"slices"
	"strings"

	"assay/plots/terminal"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// TextOptions says how WriteText prints.
type TextOptions struct {
	Width  int  // columns of the terminal; 0: 80
	Colour bool // escape codes: best bold, second underlined, published faint; otherwise best has a star
}

const (
	longest = 28 // width at which a text cell is wrapped
	padding = 2  // spaces after a column
)

// WriteText writes aligned text; with colours, to a writer that passes styles, such as [terminal.Writer.Styled]. A table that is too wide first takes the columns' short names. If it is still too wide
// it is split into parts, each with the key columns and as many groups as fit, under short names if those make fewer
// parts. A group that is too wide alone is split; a single column is not.
func (t *Table) WriteText(w io.Writer, o TextOptions) error {
	if err := t.check(); err != nil {
		return t.wrap("write as text", err)
	}
	if o.Width <= 0 {
		o.Width = 80
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(text.WrapSoft(terminal.Line(t.Title), o.Width) + "\n\n")
	}
	b.WriteString(strings.Join(t.parts(o), "\n\n") + "\n")
	notes := t.Notes
	// Without colours the star is the only mark, so it is explained.
	if !o.Colour && t.starred() {
		notes = append([]string{"* best of its column"}, notes...)
	}
	for i, n := range notes {
		if i == 0 {
			b.WriteString("\n")
		}
		lines := strings.Split(text.WrapSoft(terminal.Line(n), o.Width-2), "\n")
		for k, l := range lines {
			b.WriteString([]string{"- ", "  "}[min(k, 1)] + strings.TrimRight(l, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return t.wrap("write as text", err)
}

// starred reports whether any cell is marked as best.
func (t *Table) starred() bool {
	for _, r := range t.Rows {
		for _, c := range r {
			if c.Mark == Best {
				return true
			}
		}
	}
	return false
}

// parts prints the whole table if it fits, or else as few parts as possible, under short names if those need fewer.
func (t *Table) parts(o TextOptions) []string {
	all := make([]int, len(t.Columns))
	for i := range t.Columns {
		all[i] = i
	}
	for _, heading := range []func(Column) string{Column.Heading, Column.short} {
		if s := t.block(all, heading, o); fits(s, o) {
			return []string{s}
		}
	}
	// Full names take precedence: short ones are used only if they save a part.
	whole := t.split(Column.Heading, o)
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Short != "" }) {
		return whole
	}
	if short := t.split(Column.short, o); len(short) < len(whole) {
		return short
	}
	return whole
}

// split prints the table in parts, each with the key columns and as many groups as fit.
func (t *Table) split(heading func(Column) string, o TextOptions) (out []string) {
	var keys []int
	for i, c := range t.Columns {
		if c.Key {
			keys = append(keys, i)
		}
	}
	// Greedy: add groups to the part until it is too wide, then begin the next part with the key columns.
	have, last := keys, ""
	for _, group := range t.groups(keys, heading, o) {
		longer := append(have[:len(have):len(have)], group...)
		s := t.block(longer, heading, o)
		if last != "" && !fits(s, o) {
			out = append(out, last)
			longer = append(keys[:len(keys):len(keys)], group...)
			s = t.block(longer, heading, o)
		}
		have, last = longer, s
	}
	return append(out, last)
}

// groups lists the runs of columns to keep together, without the keys; a group that is too wide alone is listed column
// by column.
func (t *Table) groups(keys []int, heading func(Column) string, o TextOptions) (out [][]int) {
	for _, run := range Runs(t.Columns) {
		var group []int
		for i := run[0]; i < run[1]; i++ {
			if !t.Columns[i].Key {
				group = append(group, i)
			}
		}
		switch {
		case len(group) == 0:
		case fits(t.block(append(keys[:len(keys):len(keys)], group...), heading, o), o):
			out = append(out, group)
		default:
			for _, i := range group {
				out = append(out, []int{i})
			}
		}
	}
	return out
}

// fits reports whether the widest line fits into the terminal.
func fits(s string, o TextOptions) bool { return text.LongestLineLen(s) <= o.Width }

// block prints the columns at the given positions.
func (t *Table) block(at []int, heading func(Column) string, o TextOptions) string {
	p := pretty.NewWriter()
	style := pretty.StyleLight
	style.Options = pretty.Options{SeparateColumns: false, SeparateHeader: true}
	style.Format = pretty.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", padding)
	p.SetStyle(style)
	p.SuppressTrailingSpaces()
	columns := make([]Column, len(at))
	head, widths := make(pretty.Row, len(at)), make([]int, len(at))
	for k, i := range at {
		columns[k] = t.Columns[i]
		head[k] = terminal.Line(heading(columns[k]))
		widths[k] = widest(terminal.Line(heading(columns[k])))
	}
	p.AppendHeader(head)
	for _, r := range t.Rows {
		row := make(pretty.Row, len(at))
		for k, i := range at {
			s := t.shown(r, i, o)
			row[k], widths[k] = s, max(widths[k], widest(s))
		}
		p.AppendRow(row)
	}
	over := groupLine(columns, widths)
	configs := make([]pretty.ColumnConfig, len(at))
	for k, c := range columns {
		align := [...]text.Align{Left: text.AlignLeft, Right: text.AlignRight, Center: text.AlignCenter}[c.Align]
		configs[k] = pretty.ColumnConfig{Number: k + 1, Align: align, AlignHeader: align,
			WidthMin: widths[k], WidthMax: max(longest, widths[k]), WidthMaxEnforcer: text.WrapSoft}
	}
	p.SetColumnConfigs(configs)
	return over + p.Render()
}

// widest returns the width of a cell's widest line.
func widest(s string) int { return text.LongestLineLen(text.WrapSoft(s, longest)) }

// groupLine returns the line of the groups' names, each centred over its columns, or nothing if there are none. A group
// narrower than its name widens its columns. The printer's merged cells would do this but divide by zero for some
// widths (go-pretty v6.8.3, reBalanceMaxMergedColumnLengths).
func groupLine(columns []Column, widths []int) string {
	if !grouped(columns) {
		return ""
	}
	line := ""
	for _, run := range Runs(columns) {
		name, n := terminal.Line(columns[run[0]].Group), run[1]-run[0]
		span := padding * (n - 1)
		for _, w := range widths[run[0]:run[1]] {
			span += w
		}
		for k := 0; span < text.StringWidthWithoutEscSequences(name); k++ {
			widths[run[0]+k%n]++
			span++
		}
		line += text.AlignCenter.Apply(name, span) + strings.Repeat(" ", padding)
	}
	return strings.TrimRight(line, " ") + "\n"
}

// shown prints one cell. A star has a place of its own, so that numbers stay aligned.
func (t *Table) shown(r []Cell, i int, o TextOptions) string {
	s := terminal.Line(t.Columns[i].Print(r[i]))
	if o.Colour {
		return emphasisCodes(r[i], s)
	}
	if r[i].Mark == Best {
		return s + "*"
	}
	for _, other := range t.Rows {
		if other[i].Mark == Best && t.Columns[i].Align == Right {
			return s + " "
		}
	}
	return s
}

func emphasisCodes(c Cell, s string) string {
	return emphasis(c, s, [...]string{terminal.Bold.Paint("%s"), terminal.Underline.Paint("%s"), terminal.Faint.Paint("%s")})
}
