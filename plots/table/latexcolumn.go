package table

import (
	"fmt"
	"regexp"
	"strings"

	"assay/metrics/stats"
)

// column is a column in the words of LaTeX, with all its rows.
type column struct {
	of        Column
	spec      string // of the tabular
	width     float64
	head      string
	headLines int
	spans     bool // the head needs an alignment of its own
	cells     []string
	under     []string  // the line under each cell; empty: none
	lines     []float64 // how many lines each cell takes
}

// columns prepares the columns at the positions.
func (l layout) columns(t *Table, at []int) []column {
	out := make([]column, len(at))
	for k, i := range at {
		c := column{of: t.Columns[i], under: make([]string, len(t.Rows)), lines: make([]float64, len(t.Rows))}
		if numeric(t, i) {
			l.numbers(&c, t, i)
		} else {
			l.texts(&c, t, i)
		}
		out[k] = c
	}
	return out
}

// heading returns the lines of a column's name over cells of the given width.
func (l layout) heading(c Column, width float64) []string {
	name := c.Heading()
	if l.shorter {
		name = c.short()
	}
	name = typeset(name, longestHeading)
	if !l.stacks {
		return []string{name}
	}
	return l.size.stack(name, width)
}

// decimal is what a column of siunitx aligns.
var decimal = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// longestNumber is how many characters a number and what belongs to it have at most; longer ones are wrapped as texts.
const longestNumber = 80

// number returns the digits of a cell and what stands behind them; false where it is no number.
func (l layout) number(c Cell) (digits, behind string, ok bool) {
	if c.Num == nil {
		return "", "", false
	}
	n := *c.Num
	digits = n.digits()
	if n.HasSD {
		behind = "±" + stats.Fixed(n.SD, n.spread())
	}
	if n.HasInterval && l.where == beside {
		behind += " " + n.typesetInterval()
	}
	return digits, behind, decimal.MatchString(digits) && len(digits+behind+n.interval()) <= longestNumber
}

// typesetInterval returns the interval with signs as numbers have them, and not hyphens.
func (n Number) typesetInterval() string { return strings.ReplaceAll(n.interval(), "-", "−") }

// numeric reports whether a column is aligned by the points of its numbers. Numbers in parentheses are texts.
func numeric(t *Table, i int) bool {
	for _, r := range t.Rows {
		if _, _, ok := (layout{}).number(r[i]); ok {
			return !t.Columns[i].Parens
		}
	}
	return false
}

// format is what a column of numbers needs room for.
type format struct {
	whole, decimals int
	sign            string // "-" or "+" where a number has one
	behind          string // the widest of what stands behind a number
}

func (l layout) format(t *Table, i int) (f format) {
	for _, r := range t.Rows {
		digits, behind, ok := l.number(r[i])
		if !ok {
			continue
		}
		whole, decimals, _ := strings.Cut(strings.TrimLeft(digits, "-+"), ".")
		f.whole, f.decimals = max(f.whole, len(whole)), max(f.decimals, len(decimals))
		if len(whole) < len(digits) && digits[0] < '0' {
			f.sign = digits[:1]
		}
		if l.size.width(behind) > l.size.width(f.behind) {
			f.behind = behind
		}
	}
	return f
}

// String returns the format as siunitx has it, such as "2.1{$\pm$2.51}".
func (f format) String() string {
	s := fmt.Sprintf("%s%d", f.sign, f.whole)
	if f.decimals > 0 {
		s += fmt.Sprintf(".%d", f.decimals)
	}
	return s + braced(escaped(f.behind, 0))
}

// width returns the format's width in pt.
func (f format) width(z size) float64 {
	s := strings.Repeat("0", f.whole+f.decimals)
	if f.decimals > 0 {
		s += "."
	}
	if f.sign != "" {
		s += "−"
	}
	return z.width(s + f.behind)
}

func braced(s string) string {
	if s == "" {
		return ""
	}
	return "{" + s + "}"
}

// numbers fills a column whose numbers are aligned by their points.
func (l layout) numbers(c *column, t *Table, i int) {
	f := l.format(t, i)
	c.spec, c.width = fmt.Sprintf("S[table-format=%s]", f), f.width(l.size)
	if bold(t, i) {
		c.width *= boldly
	}
	cellWidth := c.width
	for r, row := range t.Rows {
		c.lines[r] = 1
		digits, behind, ok := l.number(row[i])
		if !ok {
			lines := []string{typeset(t.Columns[i].Print(row[i]), longestCell)}
			if l.stacks {
				lines = l.size.stack(lines[0], cellWidth)
			}
			c.width, c.lines[r] = max(c.width, l.size.widestOf(lines)), float64(max(1, len(lines)))
			c.cells = append(c.cells, braced(marked(row[i], stacked(lines))))
			continue
		}
		c.cells = append(c.cells, f.cell(row[i], digits, behind))
		if n := row[i].Num; l.where == under && n.HasInterval {
			c.under[r] = braced(scriptType.name + " " + escaped(n.typesetInterval(), 0))
			c.width = max(c.width, scriptType.width(n.typesetInterval()))
		}
	}
	lines := l.heading(c.of, c.width)
	c.width, c.headLines = max(c.width, l.size.widestOf(lines)), len(lines)
	c.head = "{" + stacked(lines) + "}"
}

// cell returns a number with its mark and what stands behind it. The line under a second best one is drawn back from
// there, over the decimals that it has fewer than the others.
func (f format) cell(c Cell, digits, behind string) string {
	behind = escaped(behind, 0)
	switch {
	case c.Mark == Best:
		digits = `\bfseries ` + digits
	case c.Mark == Second:
		_, decimals, point := strings.Cut(digits, ".")
		missing := strings.Repeat("0", f.decimals-len(decimals))
		if !point && f.decimals > 0 {
			missing = "." + missing
		}
		line := strings.NewReplacer("-", `$-$`, "+", `$+$`).Replace(digits)
		behind = fmt.Sprintf(`\llap{\underline{\phantom{%s}}%s}%s`, line, phantom(missing), behind)
	case c.Published:
		digits = `\itshape ` + digits
	}
	return digits + braced(behind)
}

// phantom returns the empty space of a text.
func phantom(s string) string {
	if s == "" {
		return ""
	}
	return `\phantom{` + s + `}`
}

// marked returns a text with its mark.
func marked(c Cell, s string) string {
	return emphasis(c, s, [...]string{`\textbf{%s}`, `\underline{%s}`, `\textit{%s}`})
}

// bold reports whether a column has a cell in bold type.
func bold(t *Table, i int) bool {
	for _, r := range t.Rows {
		if r[i].Mark == Best {
			return true
		}
	}
	return false
}

// alignments are the specs of texts.
var alignments = [...]string{Left: "l", Right: "r", Center: "c"}

// textWidth is the part of a line, of a page upright at most, that a column of texts takes: longer ones are wrapped.
const textWidth = 0.35

// texts fills a column of texts, wrapped where one is long.
func (l layout) texts(c *column, t *Table, i int) {
	printed := make([]string, len(t.Rows))
	for r, row := range t.Rows {
		printed[r] = typeset(t.Columns[i].Print(row[i]), longestCell)
		w := l.size.width(printed[r])
		if row[i].Mark == Best {
			w *= boldly
		}
		c.width = max(c.width, w)
	}
	c.spec = alignments[c.of.Align]
	most := min(l.width, pageWidth) * textWidth
	limit := min(most*1.3, max(most, l.size.longestWord(printed)))
	if l.beside > 0 {
		limit = min(limit, (l.width-1)/float64(l.beside)-2*l.gap)
	}
	wraps := c.width > limit
	if wraps {
		c.width = limit
		c.spec = fmt.Sprintf(`>{\raggedright\arraybackslash}p{%.0fpt}`, limit)
	}
	for r, row := range t.Rows {
		c.lines[r] = 1
		s := escaped(printed[r], 0)
		if wraps {
			c.lines[r] = l.size.lines(printed[r], limit)
			s = breakable(printed[r], l.size, limit)
		}
		c.cells = append(c.cells, marked(row[i], s))
	}
	lines := l.heading(c.of, c.width)
	c.width, c.headLines = max(c.width, l.size.widestOf(lines)), len(lines)
	c.head = stacked(lines)
	c.spans = c.of.Align != Left || wraps
}
