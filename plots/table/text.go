package table

import (
	"cmp"
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

	Rest string          // who has what is left out for want of room; empty: a wider terminal
	Said map[string]bool // notes printed above, which are not printed again; those that are printed here join it. May be nil
}

const padding = 2 // spaces after a column

// form is one way to print a table as text, from the roomiest to the tightest.
type form struct {
	shorter bool  // short names
	stacks  bool  // names may take several lines
	lean    bool  // columns marked Extra are left out
	where   where // the intervals stand
	turned  bool  // columns are rows, and rows columns
	wrap    int   // width at which a text cell is wrapped
}

// where is where an interval is printed.
type where int

// Beside its number is the zero value.
const (
	beside where = iota
	under
	nowhere
)

// forms are tried in this order; the first that fits is taken.
var forms = []form{
	{wrap: 28},
	{wrap: 28, stacks: true},
	{wrap: 28, stacks: true, shorter: true},
	{wrap: 28, stacks: true, lean: true},
	{wrap: 28, stacks: true, lean: true, shorter: true},
	{wrap: 18, stacks: true, lean: true, shorter: true},
	{wrap: 28, stacks: true, lean: true, shorter: true, where: under},
	{wrap: 18, stacks: true, lean: true, shorter: true, where: under},
	{wrap: 18, stacks: true, lean: true, shorter: true, where: nowhere},
	{wrap: 28, stacks: true, turned: true},
	{wrap: 18, stacks: true, turned: true, where: under},
	{wrap: 28, stacks: true, turned: true, shorter: true, where: nowhere},
	{wrap: 18, stacks: true, turned: true, shorter: true, where: nowhere},
}

// inParts are the forms of a table that no other form holds: the second where a column alone does not fit in the first.
var inParts = [2]form{
	{wrap: 18, stacks: true, lean: true, shorter: true, where: under},
	{wrap: 12, stacks: true, lean: true, shorter: true, where: under},
}

// WriteText writes aligned text; with colours, to a writer that passes styles, such as [terminal.Writer.Styled]. Of several
// ways to print the table the first that fits the width is taken: with names over several lines, with short names,
// without the columns marked Extra, with intervals under their values, without intervals, with columns as rows, and last
// in parts, each with the key columns and as many groups as fit. Notes say what is left out.
func (t *Table) WriteText(w io.Writer, o TextOptions) error {
	if err := t.check(); err != nil {
		return t.wrap("write as text", err)
	}
	if o.Width <= 0 {
		o.Width = 80
	}
	t = t.flat()
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(softly(cut(t.Title, longestText), o.Width) + "\n\n")
	}
	blocks, f := t.blocks(o)
	b.WriteString(strings.Join(blocks, "\n\n") + "\n")
	for i, n := range t.textNotes(f, o) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.Join(terminal.Hang("- ", "  ", cut(n, longestText), o.Width), "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return t.wrap("write as text", err)
}

// textNotes lists what stands under the table: what its print means and leaves out, then its notes.
func (t *Table) textNotes(f form, o TextOptions) (out []string) {
	// Without colours the star is the only mark, so it is explained.
	if !o.Colour && t.pick(t.printed(f.lean)).starred() {
		out = append(out, map[bool]string{false: "* best of its column", true: "* best of its row"}[f.turned])
	}
	out = append(out, t.everyRow(f.lean)...)
	if names := t.omissions(f.lean, f.where); names != nil {
		out = append(out, "Left out for want of room, and in "+cmp.Or(o.Rest, "a wider terminal")+": "+strings.Join(names, ", ")+".")
	}
	for _, n := range t.notesOf(t.printed(f.lean), f.where) {
		if o.Said[n] {
			continue
		}
		if o.Said != nil {
			o.Said[n] = true
		}
		out = append(out, n)
	}
	return out
}

// starred reports whether any cell is marked as best.
func (t *Table) starred() bool { return t.any(func(c Cell) bool { return c.Mark == Best }) }

// blocks prints the whole table in the first form that fits, or else as few parts as possible.
func (t *Table) blocks(o TextOptions) ([]string, form) {
	for _, f := range forms {
		if s := t.block(t.printed(f.lean), f, o); fits(s, o) {
			return []string{s}, f
		}
	}
	parts := t.split(inParts[0], o)
	if !slices.ContainsFunc(parts, func(s string) bool { return !fits(s, o) }) {
		return parts, inParts[0]
	}
	return t.split(inParts[1], o), inParts[1]
}

// split prints the table in parts, each with the key columns and as many groups as fit. A group that is too wide alone is
// split; a single column is not.
func (t *Table) split(f form, o TextOptions) (out []string) {
	for _, at := range t.sets(t.printed(f.lean), func(at ...int) bool { return fits(t.block(at, f, o), o) }) {
		out = append(out, t.block(at, f, o))
	}
	return out
}

// fits reports whether the widest line fits into the terminal.
func fits(s string, o TextOptions) bool { return text.LongestLineLen(s) <= o.Width }

// block prints the columns at the given positions.
func (t *Table) block(at []int, f form, o TextOptions) string {
	g := t.pick(at).grid(f, o)
	if f.turned {
		g = g.turned(f)
	}
	p := pretty.NewWriter()
	style := pretty.StyleLight
	style.Options = pretty.Options{SeparateColumns: false, SeparateHeader: true}
	style.Format = pretty.FormatOptions{}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", padding)
	p.SetStyle(style)
	p.SuppressTrailingSpaces()
	widths := g.layOut(f)
	over := groupLines(g.columns, widths, f)
	p.AppendHeader(row(g.names()))
	for _, r := range g.cells {
		p.AppendRow(row(r))
	}
	configs := make([]pretty.ColumnConfig, len(g.columns))
	for k, c := range g.columns {
		align := [...]text.Align{Left: text.AlignLeft, Right: text.AlignRight, Center: text.AlignCenter}[c.Align]
		configs[k] = pretty.ColumnConfig{Number: k + 1, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom, WidthMin: widths[k]}
	}
	p.SetColumnConfigs(configs)
	return over + p.Render()
}

func row(cells []string) pretty.Row {
	out := make(pretty.Row, len(cells))
	for i, c := range cells {
		out[i] = c
	}
	return out
}

// cut returns a text as one line that is not too long to be laid out.
func cut(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			s = s[:i] + "…"
			break
		}
	}
	return terminal.Line(s)
}

// grid is a table whose cells are printed, each as one line or more.
type grid struct {
	columns []Column // whose names are as they are printed
	cells   [][]string
}

// grid prints the table's cells, long texts over several lines. A key of several lines, but for the last, stands once where
// rows that follow each other have it.
func (t *Table) grid(f form, o TextOptions) grid {
	g := grid{columns: slices.Clone(t.Columns)}
	for i, c := range t.Columns {
		name := c.Heading()
		if f.shorter {
			name = c.short()
		}
		g.columns[i].Name, g.columns[i].Group = cut(name, longestHeading), cut(c.Group, longestHeading)
	}
	last := 0
	for i, c := range t.Columns {
		if c.Key {
			last = i
		}
	}
	for k, r := range t.Rows {
		cells := make([]string, len(r))
		above := k > 0 && !f.turned
		for i := range r {
			cells[i] = t.shown(r, i, f, o)
			if above = above && t.Columns[i].Key && r[i] == t.Rows[k-1][i]; above && i < last && strings.Contains(cells[i], "\n") {
				cells[i] = ""
			}
		}
		g.cells = append(g.cells, cells)
	}
	return g
}

func (g grid) names() []string {
	out := make([]string, len(g.columns))
	for i, c := range g.columns {
		out[i] = c.Name
	}
	return out
}

// turned returns the grid with a row for each column and a column for each row, headed by its first key. Further keys are
// rows.
func (g grid) turned(f form) grid {
	first := slices.IndexFunc(g.columns, func(c Column) bool { return c.Key })
	out := grid{columns: []Column{{Key: true}}}
	for _, r := range g.cells {
		c := Column{Align: Right}
		if first >= 0 {
			c.Name = strings.ReplaceAll(r[first], "\n", " ")
		}
		out.columns = append(out.columns, c)
	}
	for i, c := range g.columns {
		if i == first {
			out.columns[0].Name = c.Name
			continue
		}
		name := c.Name
		if c.Group != "" {
			name = strings.TrimSuffix(c.Group+": "+c.Name, ": ")
		}
		cells := []string{softly(name, f.wrap)}
		for _, r := range g.cells {
			cells = append(cells, r[i])
		}
		out.cells = append(out.cells, cells)
	}
	return out
}

// layOut breaks names where that makes a column narrower, and returns the columns' widths.
func (g grid) layOut(f form) []int {
	widths := make([]int, len(g.columns))
	for i := range g.columns {
		for _, r := range g.cells {
			widths[i] = max(widths[i], text.LongestLineLen(r[i]))
		}
		room := max(f.wrap, widths[i])
		if f.stacks {
			room = max(widths[i], longestWord(g.columns[i].Name, f.wrap))
		}
		g.columns[i].Name = softly(g.columns[i].Name, room)
		widths[i] = max(widths[i], text.LongestLineLen(g.columns[i].Name))
	}
	return widths
}

// softly breaks the lines of a text, between words where it can.
func softly(s string, width int) string {
	lines := strings.Split(text.WrapSoft(s, max(width, 1)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// longestWord returns the width of the longest word, at most the limit and at least 1.
func longestWord(s string, limit int) int {
	most := 1
	for _, w := range strings.Fields(s) {
		most = max(most, text.StringWidthWithoutEscSequences(w))
	}
	return min(most, limit)
}

// groupLines returns the groups' names, each centred over its columns and where the form stacks names over several lines, or
// nothing if there are none. A group narrower than its name widens its columns. The printer's merged cells would do this but
// divide by zero for some widths (go-pretty v6.8.3, reBalanceMaxMergedColumnLengths).
func groupLines(columns []Column, widths []int, f form) string {
	if !grouped(columns) {
		return ""
	}
	var names [][]string
	var spans []int
	height := 0
	for _, run := range Runs(columns) {
		name, n := columns[run[0]].Group, run[1]-run[0]
		span := padding * (n - 1)
		for _, w := range widths[run[0]:run[1]] {
			span += w
		}
		if f.stacks {
			name = softly(name, max(span, longestWord(name, f.wrap)))
		}
		for k := 0; span < text.LongestLineLen(name); k++ {
			widths[run[0]+k%n]++
			span++
		}
		names, spans = append(names, strings.Split(name, "\n")), append(spans, span)
		height = max(height, len(names[len(names)-1]))
	}
	var b strings.Builder
	for l := range height {
		line := ""
		for i, lines := range names {
			s := ""
			if k := l - height + len(lines); k >= 0 { // the last line stands over the columns
				s = lines[k]
			}
			line += text.AlignCenter.Apply(s, spans[i]) + strings.Repeat(" ", padding)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// longestNumeral is the width of a number with what belongs to it that is printed in one line.
const longestNumeral = 32

// shown prints one cell. A star has a place of its own, so that numbers stay aligned.
func (t *Table) shown(r []Cell, i int, f form, o TextOptions) string {
	number, interval := f.parts(t.Columns[i], r[i])
	number, interval = cut(number, longestCell), cut(interval, longestCell)
	if o.Colour {
		number = emphasisCodes(r[i], number)
	} else if r[i].Mark == Best {
		number += "*"
	} else if t.stars(i, f) {
		number += " "
	}
	if r[i].Num == nil || text.StringWidthWithoutEscSequences(number) > longestNumeral {
		number = softly(number, f.wrap)
	}
	if interval != "" {
		return number + "\n" + interval
	}
	return number
}

// stars reports whether a number needs room for a star because another one of its column has it, or, where rows and columns
// change places, any other.
func (t *Table) stars(i int, f form) bool {
	if f.turned {
		return t.Columns[i].Align == Right && t.starred()
	}
	return t.Columns[i].Align == Right && bold(t, i)
}

// parts returns a printed cell, and its interval where that stands below.
func (f form) parts(col Column, c Cell) (number, below string) {
	if f.where == beside || c.Num == nil || !c.Num.HasInterval {
		return col.Print(c), ""
	}
	alone := *c.Num
	alone.HasInterval = false
	if f.where == under {
		below = c.Num.interval()
	}
	c.Num = &alone
	return col.Print(c), below
}

func emphasisCodes(c Cell, s string) string {
	return emphasis(c, s, [...]string{terminal.Bold.Paint("%s"), terminal.Underline.Paint("%s"), terminal.Faint.Paint("%s")})
}
