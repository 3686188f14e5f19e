package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/plots/terminal"
)

// layout is one way to print a table in LaTeX, from the roomiest to the tightest.
type layout struct {
	env    string  // the environment that holds it
	width  float64 // of its line, in pt
	height float64 // of its page, in pt
	size   size
	gap    float64 // half the distance between columns, in pt

	stacks  bool  // headings may take several lines
	lean    bool  // columns marked Extra are left out
	where   where // intervals stand; under their numbers they are in small type
	shorter bool  // short names
	beside  int   // the columns of texts that must stand side by side, where a part of a table holds no more; 0: not known
}

// The widths in pt: a column and a page of two columns, as ACL has them, a page of one column, as ICLR and NeurIPS have it,
// which is narrower than the first, and a page on its side. The heights leave room for what LaTeX puts between.
const (
	columnWidth, pageWidth, pageHeight = 219, 397, 560
	sideWidth, sideHeight              = 600, 350
)

// layouts are tried in this order; the first that is wide enough is taken.
var layouts = []layout{
	{env: "table", width: columnWidth, height: pageHeight, size: smallType, gap: 4},
	{env: "table", width: columnWidth, height: pageHeight, size: smallType, gap: 4, stacks: true},
	{env: "table", width: columnWidth, height: pageHeight, size: footnoteType, gap: 3, stacks: true},
	{env: "table*", width: pageWidth, height: pageHeight, size: smallType, gap: 4},
	{env: "table*", width: pageWidth, height: pageHeight, size: smallType, gap: 4, stacks: true},
	{env: "table*", width: pageWidth, height: pageHeight, size: footnoteType, gap: 3, stacks: true},
	{env: "table*", width: pageWidth, height: pageHeight, size: footnoteType, gap: 3, stacks: true, lean: true},
	{env: "table*", width: pageWidth, height: pageHeight, size: footnoteType, gap: 3, stacks: true, lean: true, where: under},
	{env: "table*", width: pageWidth, height: pageHeight, size: footnoteType, gap: 3, stacks: true, lean: true, where: under, shorter: true},
	{env: "table*", width: pageWidth, height: pageHeight, size: scriptType, gap: 2.5, stacks: true, lean: true, where: under, shorter: true},
	{env: "table*", width: pageWidth, height: pageHeight, size: footnoteType, gap: 3, stacks: true, lean: true, where: nowhere, shorter: true},
	{env: "sidewaystable*", width: sideWidth, height: sideHeight, size: footnoteType, gap: 3, stacks: true, lean: true, where: under},
	{env: "sidewaystable*", width: sideWidth, height: sideHeight, size: footnoteType, gap: 3, stacks: true, lean: true, where: under, shorter: true},
	{env: "sidewaystable*", width: sideWidth, height: sideHeight, size: footnoteType, gap: 3, stacks: true, lean: true, where: nowhere, shorter: true},
}

// split is the layout of a table that no other layout holds: in parts.
var split = layouts[8]

// WriteLaTeX writes the table as one or more environments in the style of package booktabs, and says in comments which
// packages they need and which columns are left out. Its width is known from its texts, and of several ways to print it the first that fits is taken: in
// one column of a page, over both, in smaller type, without the columns marked Extra, with intervals under their values or
// without them, on its side, and last in parts, each with the key columns. A table that is too long for a page is printed in parts as
// well. The best value is bold, the second underlined, a published one in italics.
func (t *Table) WriteLaTeX(w io.Writer) error {
	if err := t.check(); err != nil {
		return t.wrap("write as latex", err)
	}
	t = t.flat()
	l, sets := t.layout()
	var parts []page
	for _, columns := range sets {
		parts = append(parts, l.pages(t, columns)...)
	}
	var b strings.Builder
	b.WriteString("% " + l.packages() + "\n")
	if names := t.omissions(l.lean, l.where); names != nil {
		fmt.Fprintf(&b, "%% left out for want of room, and in the CSV file: %s\n", terminal.Line(strings.Join(names, ", ")))
	}
	for i, p := range parts {
		p.number, p.last = i, i == len(parts)-1
		if i > 0 && i%10 == 0 {
			b.WriteString("\\clearpage\n") // LaTeX holds some fifty floats that have no page yet
		}
		p.write(&b, t, l)
	}
	_, err := io.WriteString(w, b.String())
	return t.wrap("write as latex", err)
}

// packages says what a document needs.
func (l layout) packages() string {
	names := "booktabs, makecell, siunitx (version 3), threeparttable"
	if strings.HasPrefix(l.env, "sideways") {
		names += ", rotating"
	}
	return "needs the packages " + names + " and \\usepackage[T1]{fontenc}"
}

// layout returns the first layout that is wide enough, and the positions of the columns in each part.
func (t *Table) layout() (layout, [][]int) {
	for _, l := range layouts {
		at := t.printed(l.lean)
		if l.total(t, at) <= l.width {
			return l, [][]int{at}
		}
	}
	l := split
	for _, c := range t.Columns {
		if c.Key {
			l.beside++
		}
	}
	l.beside++ // each part has the keys, and a column more
	return l, t.sets(t.printed(l.lean), func(at ...int) bool { return l.total(t, at) <= l.width })
}

// total returns the width of the table with the columns at the positions, in pt.
func (l layout) total(t *Table, at []int) float64 { return l.natural(l.columns(t, at)) }

// natural returns the width of the columns under their groups' names, in pt.
func (l layout) natural(set []column) float64 {
	total := l.inside(set)
	for _, run := range Runs(headings(set)) {
		inside := l.inside(set[run[0]:run[1]])
		name := l.group(set[run[0]].of.Group, inside)
		total += max(0, l.size.widestOf(name)-inside)
	}
	return total + 1
}

// inside returns the width from the first column to the last.
func (l layout) inside(columns []column) float64 {
	total := -2 * l.gap
	for _, c := range columns {
		total += c.width + 2*l.gap
	}
	return total
}

// group returns the lines of a group's name over columns of the given width.
func (l layout) group(name string, width float64) []string {
	name = typeset(name, longestHeading)
	if !l.stacks || name == "" {
		return []string{name}
	}
	return l.size.stack(name, width)
}

func headings(set []column) []Column {
	out := make([]Column, len(set))
	for i, c := range set {
		out[i] = c.of
	}
	return out
}

// page is a part of a table: some of its columns and rows.
type page struct {
	set      []column
	from, to int
	number   int // of the part, from 0
	last     bool
}

// pages splits the rows into parts that are short enough, with the notes under the last.
func (l layout) pages(t *Table, at []int) (out []page) {
	set := l.columns(t, at)
	foot := l.notesHeight(t)
	head := l.headHeight(t, set)
	from, used := 0, head
	for r := range t.Rows {
		h := l.rowHeight(set, r)
		room := l.height
		if r == len(t.Rows)-1 {
			room -= foot
		}
		if r > from && used+h > room {
			out, from, used = append(out, page{set: set, from: from, to: r}), r, head
		}
		used += h
	}
	return append(out, page{set: set, from: from, to: len(t.Rows)})
}

// headHeight returns how high the caption and the heading are, in pt.
func (l layout) headHeight(t *Table, set []column) float64 {
	most := 1.0
	for _, c := range set {
		most = max(most, float64(c.headLines))
	}
	return captionType.lines(typeset(t.Title, longestCell), l.width)*captionType.line + (most+2)*(l.size.line+2) + 30
}

// notesHeight returns how high the notes are, in pt; at most half a page, for the rest is not printed.
func (l layout) notesHeight(t *Table) (h float64) {
	for _, n := range l.notes(t) {
		h += l.noteHeight(n)
	}
	return h
}

func (l layout) noteHeight(n string) float64 {
	return footnoteType.lines(n, l.width)*footnoteType.line + 1
}

// rowHeight returns how high a row is, in pt.
func (l layout) rowHeight(set []column, r int) float64 {
	most, under := 1.0, 0.0
	for _, c := range set {
		most = max(most, c.lines[r])
		if c.under[r] != "" {
			under = scriptType.line + 4
		}
	}
	return most*l.size.line + 1 + under
}

// notes lists the notes that are printed, as many as half a page holds.
func (l layout) notes(t *Table) (out []string) {
	all := append(t.everyRow(l.lean), t.notesOf(t.printed(l.lean), l.where)...)
	used := 0.0
	for i, n := range all {
		if used += l.noteHeight(n); used > l.height/2 {
			return append(out, fmt.Sprintf("%d more notes are in the other formats of this table.", len(all)-i))
		}
		out = append(out, n)
	}
	return out
}

// write writes one part as an environment of its own.
func (p page) write(b *strings.Builder, t *Table, l layout) {
	fmt.Fprintf(b, "\\begin{%s}[t]\n\\centering\n%s\n", l.env, l.size.name)
	b.WriteString("\\sisetup{mode=text, reset-text-series=false, reset-text-shape=false, group-digits=none, retain-explicit-plus}\n")
	fmt.Fprintf(b, "\\setlength{\\tabcolsep}{%.1fpt}\n", l.gap)
	title := typeset(t.Title, longestCell)
	if p.number == 0 {
		fmt.Fprintf(b, "\\caption{%s}\n\\label{tab:%s}\n", breakable(title, captionType, l.width), Slug(t.ID, "-"))
	} else {
		fmt.Fprintf(b, "\\addtocounter{table}{-1}\n\\caption{%s (continued)}\n", breakable(title, captionType, l.width))
	}
	b.WriteString("\\begin{threeparttable}\n")
	p.tabular(b, l)
	if notes := l.notes(t); p.last && len(notes) > 0 {
		b.WriteString("\\begin{tablenotes}[flushleft]\n\\footnotesize\n")
		for _, n := range notes {
			fmt.Fprintf(b, "\\item %s\n", protected(breakable(n, footnoteType, l.width/2)))
		}
		b.WriteString("\\end{tablenotes}\n")
	}
	fmt.Fprintf(b, "\\end{threeparttable}\n\\end{%s}\n", l.env)
}

// narrowest is the part of the line that a table fills at least, so that the notes under it have room.
const narrowest = 0.7

// tabular writes the headings and the rows.
func (p page) tabular(b *strings.Builder, l layout) {
	env, begin, specs := "tabular", "\\begin{tabular}{@{}", ""
	if l.natural(p.set) < narrowest*l.width {
		env, begin = "tabular*", fmt.Sprintf("\\begin{tabular*}{%.1f\\linewidth}{@{\\extracolsep{\\fill}}", narrowest)
	}
	for _, c := range p.set {
		specs += c.spec
	}
	b.WriteString(begin + specs + "@{}}\n\\toprule\n")
	p.heads(b, l)
	b.WriteString("\\midrule\n")
	for r := p.from; r < p.to; r++ {
		p.row(b, func(c column) string { return c.cells[r] })
		if slices.ContainsFunc(p.set, func(c column) bool { return c.under[r] != "" }) {
			p.row(b, func(c column) string { return c.under[r] })
			b.WriteString("\\addlinespace[2pt]\n")
		}
	}
	fmt.Fprintf(b, "\\bottomrule\n\\end{%s}\n", env)
}

// heads writes the row of groups, if there are any, with a thin rule under each, and the row of columns.
func (p page) heads(b *strings.Builder, l layout) {
	columns := headings(p.set)
	if grouped(columns) {
		var cells []string
		var rules strings.Builder
		for _, run := range Runs(columns) {
			name := columns[run[0]].Group
			if name == "" {
				cells = append(cells, "")
				continue
			}
			lines := l.group(name, l.inside(p.set[run[0]:run[1]]))
			cells = append(cells, p.span(run[0], run[1], "c", stacked(lines)))
			fmt.Fprintf(&rules, `\cmidrule(lr){%d-%d}`, run[0]+1, run[1])
		}
		line(b, cells)
		b.WriteString(rules.String() + "\n")
	}
	cells := make([]string, len(p.set))
	for i, c := range p.set {
		cells[i] = c.head
		if c.spans {
			cells[i] = p.span(i, i+1, alignments[c.of.Align], c.head)
		}
	}
	line(b, cells)
}

// span returns a cell over the columns in [from, to), which loses the spaces beside the first and the last that the table
// leaves out.
func (p page) span(from, to int, spec, s string) string {
	if from == 0 {
		spec = "@{}" + spec
	}
	if to == len(p.set) {
		spec += "@{}"
	}
	return fmt.Sprintf(`\multicolumn{%d}{%s}{%s}`, to-from, spec, s)
}

// row writes a line of the table.
func (p page) row(b *strings.Builder, cell func(column) string) {
	cells := make([]string, len(p.set))
	for i, c := range p.set {
		cells[i] = cell(c)
	}
	line(b, cells)
}

func line(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "%s \\\\\n", protected(strings.Join(cells, " & ")))
}
