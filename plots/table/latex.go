package table

import (
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes a table environment in the style of package booktabs. A table of more than 8 columns spans both
// columns of a page. The best value is bold, the second underlined, a published one in italics.
func (t *Table) WriteLaTeX(w io.Writer) error {
	if err := t.check(); err != nil {
		return t.wrap("write as latex", err)
	}
	var b strings.Builder
	env := "table"
	if len(t.Columns) > 8 {
		env = "table*"
	}
	fmt.Fprintf(&b, "%% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n\\begin{%s}[t]\n\\centering\n\\small\n", env)
	fmt.Fprintf(&b, "\\caption{%s}\n\\label{tab:%s}\n", latex(t.Title), Slug(t.ID, "-"))
	b.WriteString("\\setlength{\\tabcolsep}{4pt}\n\\begin{tabular}{")
	for _, c := range t.Columns {
		b.WriteString([...]string{Left: "l", Right: "r", Center: "c"}[c.Align])
	}
	b.WriteString("}\n\\toprule\n")
	t.latexHead(&b)
	b.WriteString("\\midrule\n")
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = emphasis(c, latex(t.Columns[i].Print(c)),
				[...]string{`\textbf{%s}`, `\underline{%s}`, `\textit{%s}`})
		}
		latexRow(&b, cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for i, n := range t.Notes {
		if i == 0 {
			b.WriteString("\n\\medskip\n\\footnotesize\n")
		}
		fmt.Fprintf(&b, "\\par %s\n", latex(n))
	}
	fmt.Fprintf(&b, "\\end{%s}\n", env)
	_, err := io.WriteString(w, b.String())
	return t.wrap("write as latex", err)
}

// latexHead writes the row of groups, if there are any, with a thin rule under each, and the row of columns.
func (t *Table) latexHead(b *strings.Builder) {
	if grouped(t.Columns) {
		var cells []string
		var rules strings.Builder
		for _, run := range Runs(t.Columns) {
			name := t.Columns[run[0]].Group
			if name == "" {
				cells = append(cells, "")
				continue
			}
			cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, run[1]-run[0], latex(name)))
			fmt.Fprintf(&rules, `\cmidrule(lr){%d-%d}`, run[0]+1, run[1])
		}
		latexRow(b, cells)
		b.WriteString(rules.String() + "\n")
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = latex(c.Heading())
	}
	latexRow(b, names)
}

// latexRow writes a row. It protects a leading bracket or star, which the row break before it would take as its
// argument.
func latexRow(b *strings.Builder, cells []string) {
	line := strings.Join(cells, " & ")
	if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
		line = "{}" + line
	}
	fmt.Fprintf(b, "%s \\\\\n", line)
}
