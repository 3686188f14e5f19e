package table

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes a pipe table under its title, and the notes as a list below. Markdown has no headings that span
// columns, so each column repeats its group's name. The best value is bold, the second underlined, a published one in
// italics.
func (t *Table) WriteMarkdown(w io.Writer) error {
	if err := t.check(); err != nil {
		return t.wrap("write as markdown", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", Markdown(t.Title))
	head, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = Markdown(strings.TrimSpace(c.Group + " " + c.Heading()))
		rule[i] = [...]string{Left: ":---", Right: "---:", Center: ":---:"}[c.Align]
	}
	pipes(&b, head)
	pipes(&b, rule)
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = emphasis(c, Markdown(t.Columns[i].Print(c)), [...]string{"**%s**", "<u>%s</u>", "*%s*"})
		}
		pipes(&b, cells)
	}
	for i, n := range t.notes() {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", Markdown(n))
	}
	_, err := io.WriteString(w, b.String())
	return t.wrap("write as markdown", err)
}

func pipes(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// emphasis puts a printed cell into the form for a best, second or published value.
func emphasis(c Cell, printed string, forms [3]string) string {
	switch {
	case printed == "":
	case c.Mark == Best:
		return fmt.Sprintf(forms[0], printed)
	case c.Mark == Second:
		return fmt.Sprintf(forms[1], printed)
	case c.Published:
		return fmt.Sprintf(forms[2], printed)
	}
	return printed
}
