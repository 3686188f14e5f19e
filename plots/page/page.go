// Package page is one self-contained HTML page of a run.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"assay/plots/figure"
	"assay/plots/table"
)

//go:embed page.tmpl
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.tmpl"))

// Page is what stands on the page, in order.
type Page struct {
	Title    string
	Sections []Section
}

// Section is one table or one figure.
type Section struct {
	Name   string // its name in links, such as "tai2023-table1"
	Table  *table.Table
	Figure figure.Drawing
}

// Write writes the page: styles and figures are in it, and nothing is fetched. The same page gives the same bytes.
func Write(w io.Writer, p Page) error {
	v := view{Title: p.Title}
	for _, s := range p.Sections {
		sv := section{Name: s.Name}
		if s.Figure != nil {
			svg, err := inline(s.Figure)
			if err != nil {
				return fmt.Errorf("page: write %q: %w", p.Title, err)
			}
			sv.Title, _ = s.Figure.Words()
			sv.SVG = svg
		}
		if s.Table != nil {
			sv.fill(s.Table)
		}
		v.Sections = append(v.Sections, sv)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return fmt.Errorf("page: write %q: %w", p.Title, err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("page: write %q: %w", p.Title, err)
	}
	return nil
}

// inline is the figure's SVG without the prolog that only a file of its own may have. Package figure escapes its texts.
func inline(f figure.Drawing) (template.HTML, error) {
	var b strings.Builder
	if err := f.WriteSVG(&b); err != nil {
		return "", err
	}
	s := b.String()
	return template.HTML(s[strings.Index(s, "<svg"):]), nil
}

// The template's values.
type (
	view struct {
		Title    string
		Sections []section
	}
	section struct {
		Name, Title string
		SVG         template.HTML
		Groups      []heading // nil where the table has none
		Heads       []heading
		Rows        [][]cell
		Notes       []string
	}
	heading struct {
		Text  string
		Span  int
		Align string
	}
	cell struct{ Text, Align, Class string }
)

var aligns = [...]string{table.Left: "left", table.Right: "right", table.Center: "center"}

func (s *section) fill(t *table.Table) {
	s.Title, s.Notes = t.Title, t.Notes
	grouped := false
	for _, c := range t.Columns {
		s.Heads = append(s.Heads, heading{c.Heading(), 1, aligns[c.Align]})
		grouped = grouped || c.Group != ""
	}
	for _, run := range table.Runs(t.Columns) {
		if grouped {
			s.Groups = append(s.Groups, heading{t.Columns[run[0]].Group, run[1] - run[0], "center"})
		}
	}
	for _, r := range t.Rows {
		cells := make([]cell, len(r))
		for i, c := range r {
			class := [...]string{table.Plain: "", table.Best: "best", table.Second: "second"}[c.Mark]
			if c.Published {
				class = "published"
			}
			cells[i] = cell{t.Columns[i].Print(c), aligns[t.Columns[i].Align], class}
		}
		s.Rows = append(s.Rows, cells)
	}
}
