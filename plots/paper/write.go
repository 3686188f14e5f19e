package paper

import (
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
// index.html, which shows the items of p's run below. "tai2023/table1" becomes tai2023-table1.csv. It returns the paths in
// the order written. A bare look of figures leaves their words to a file beside each, as NAME.caption.tex; the page keeps the
// look of a screen.
func Write(dir string, outs []Output, look figure.Look, p page.Page) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("paper: write %q: %w", dir, err)
	}
	save := func(name string, body func(io.Writer) error) {
		if err != nil {
			return
		}
		path := filepath.Join(dir, name)
		if err = files.File(path, body); err == nil {
			paths = append(paths, path)
		}
	}
	for _, o := range outs {
		name := table.Slug(o.Name, "-")
		if o.Table != nil {
			save(name+".csv", o.Table.WriteCSV)
			save(name+".md", o.Table.WriteMarkdown)
			save(name+".tex", o.Table.WriteLaTeX)
		}
		if o.Figure != nil {
			for _, as := range figure.Formats {
				save(name+"."+as.Name, func(w io.Writer) error { return as.Write(w, o.Figure, look) })
			}
			if look.Bare {
				save(name+".caption.tex", func(w io.Writer) error { return writeCaption(w, o.Figure, look) })
			}
		}
	}
	if err != nil {
		return paths, fmt.Errorf("paper: write %q: %w", dir, err)
	}
	path, err := WritePage(dir, outs, p)
	if err != nil {
		return paths, err
	}
	return append(paths, path), nil
}

// WritePage writes the page of a report alone, index.html in dir, and returns its path. The page's title, where p has none,
// is the run folder's name.
func WritePage(dir string, outs []Output, p page.Page) (path string, err error) {
	if p.Title == "" {
		p.Title = title(dir)
	}
	for _, o := range outs {
		p.Sections = append(p.Sections, page.Section{Name: table.Slug(o.Name, "-"), Table: o.Table, Figure: o.Figure})
	}
	path = filepath.Join(dir, "index.html")
	err = os.MkdirAll(dir, 0o777)
	if err == nil {
		err = files.File(path, func(w io.Writer) error { return page.Write(w, p) })
	}
	if err != nil {
		return "", fmt.Errorf("paper: write %q: %w", path, err)
	}
	return path, nil
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

// title returns the name of the run's folder, which contains the folder of the report.
func title(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(filepath.Dir(abs))
	}
	return "report"
}
