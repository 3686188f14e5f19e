package paper

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	files "assay/configs/output"
	"assay/plots/figure"
	"assay/plots/page"
	"assay/plots/table"
)

// Write writes a report into dir: a table as .csv, .md and .tex, a figure as .svg, .png and .pdf, and everything together on
// index.html, which shows the items of p's run below. "tai2023/table1" becomes tai2023-table1.csv. It returns the report
// without what cannot be drawn, which is among its Missing then, with its Doubts, and the paths in the order written. A bare look of figures
// leaves their words to a file beside each, as NAME.caption.tex; the page keeps the look of a screen.
func Write(dir string, r Report, look figure.Look, p page.Page) (Report, []string, error) {
	var paths []string
	fail := func(err error) (Report, []string, error) {
		return r, paths, fmt.Errorf("paper: write %q: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fail(err)
	}
	var kept []Output
	for _, o := range r.Outputs {
		drawn, err := o.draw(look)
		if err != nil {
			r.Missing = append(r.Missing, Missing{o.Name, err})
			continue
		}
		kept, r.Doubts = append(kept, o), append(r.Doubts, o.doubts(look)...)
		for _, d := range drawn {
			path := filepath.Join(dir, table.Slug(o.Name, "-")+d.ending)
			if err := files.File(path, func(w io.Writer) error { _, err := w.Write(d.body); return err }); err != nil {
				return fail(err)
			}
			paths = append(paths, path)
		}
	}
	r.Outputs = kept
	path, err := writePage(dir, r, p)
	if err != nil {
		return fail(err)
	}
	return r, append(paths, path), nil
}

// rendered is one file of a table or figure.
type rendered struct {
	ending string
	body   []byte
}

// draw returns the files of a table or figure. It fails where one cannot be drawn, so that no half of it is left in the folder.
func (o Output) draw(look figure.Look) (out []rendered, err error) {
	type form struct {
		ending string
		write  func(io.Writer) error
	}
	var forms []form
	if o.Table != nil {
		forms = []form{{".csv", o.Table.WriteCSV}, {".md", o.Table.WriteMarkdown}, {".tex", o.Table.WriteLaTeX}}
	}
	if o.Figure != nil {
		for _, as := range figure.Formats {
			forms = append(forms, form{"." + as.Name, func(w io.Writer) error { return as.Write(w, o.Figure, look) }})
		}
		if look.Bare {
			forms = append(forms, form{".caption.tex", func(w io.Writer) error { return writeCaption(w, o.Figure, look) }})
		}
	}
	for _, f := range forms {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			return nil, fmt.Errorf("draw it: %w", err)
		}
		out = append(out, rendered{f.ending, b.Bytes()})
	}
	return out, nil
}

// doubts says what does not show in a figure that can be drawn.
func (o Output) doubts(look figure.Look) (out []string) {
	if o.Figure == nil {
		return nil
	}
	all, _ := figure.Doubts(o.Figure, look) // drawn before, so that it cannot fail
	for _, d := range all {
		out = append(out, fmt.Sprintf("%s: %s", o.Name, d))
	}
	return out
}

// WritePage writes the page of a report alone, index.html in dir, and returns its path with the report as Write does.
func WritePage(dir string, r Report, p page.Page) (Report, string, error) {
	r = r.drawable()
	path, err := writePage(dir, r, p)
	if err != nil {
		return r, "", fmt.Errorf("paper: write %q: %w", dir, err)
	}
	return r, path, nil
}

// Page writes the page of a report: p with the report's title, where it has none, its notes and its sections.
func (r Report) Page(w io.Writer, p page.Page) error { return page.Write(w, r.drawable().page(p)) }

// drawable is the report with the figures that cannot be drawn among its Missing.
func (r Report) drawable() Report {
	var kept []Output
	for _, o := range r.Outputs {
		if o.Figure != nil {
			if err := figure.SVG(io.Discard, o.Figure, figure.Look{}); err != nil {
				r.Missing = append(r.Missing[:len(r.Missing):len(r.Missing)], Missing{o.Name, fmt.Errorf("draw it: %w", err)})
				continue
			}
		}
		kept = append(kept, o)
	}
	r.Outputs = kept
	return r
}

func (r Report) page(p page.Page) page.Page {
	if p.Title == "" {
		p.Title = r.Title
	}
	p.Notes = r.Notes
	for _, m := range r.Missing {
		p.Notes = append(p.Notes[:len(p.Notes):len(p.Notes)], m.String())
	}
	for _, o := range r.Once() {
		p.Sections = append(p.Sections, page.Section{Name: table.Slug(o.Name, "-"), Table: o.Table, Figure: o.Figure})
	}
	return p
}

func writePage(dir string, r Report, p page.Page) (path string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "index.html")
	return path, files.File(path, func(w io.Writer) error { return page.Write(w, r.page(p)) })
}

// writeCaption writes the words of a figure that has none in it: its title and caption as LaTeX's \caption.
func writeCaption(w io.Writer, d figure.Drawing, look figure.Look) error {
	title, _ := d.Words()
	caption, err := figure.Caption(d, look)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\\caption{%s. %s}\n", table.LaTeX(title), table.LaTeX(strings.Join(caption, " ")))
	return err
}
