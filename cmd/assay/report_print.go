package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"assay/plots/paper"
	"assay/plots/table"
	"assay/plots/terminal"
)

// printReport prints what the tables have in common, the tables, and where the files are.
func (a *app) printReport(r paper.Report, dir string, bare bool) error {
	if err := a.lines(append([]string{r.Title}, a.bullets(append(r.Notes[:len(r.Notes):len(r.Notes)], r.Warnings...))...)...); err != nil {
		return err
	}
	how := a.textOptions()
	how.Said, how.Rest = r.Said(), "the CSV file"
	for _, o := range r.Outputs {
		if o.Table == nil || o.Aside {
			continue
		}
		if err := errors.Join(a.lines(""), o.Table.WriteText(a.out.Styled(), how)); err != nil {
			return err
		}
	}
	return a.lines(append([]string{""}, a.files(r, dir, bare)...)...)
}

// files says what is in the folder of a report.
func (a *app) files(r paper.Report, dir string, bare bool) (out []string) {
	var figures, aside []string
	for _, o := range r.Outputs {
		switch {
		case o.Figure != nil:
			figures = append(figures, table.Slug(o.Name, "-"))
		case o.Aside:
			aside = append(aside, o.Name)
		}
	}
	if aside != nil {
		line := "not printed, but in the files and by --paper: " + strings.Join(aside, ", ")
		out = terminal.Hang("", "  ", line, cmp.Or(a.textOptions().Width, helpWidth))
	}
	if n := len(r.Tables()); n > 0 {
		out = append(out, fmt.Sprintf("tables: %s", filepath.Join(dir, "*.{csv,md,tex}")))
	}
	endings := ".{svg,png,pdf}"
	if bare {
		endings = ".{svg,png,pdf,caption.tex}"
	}
	if len(figures) == 1 {
		out = append(out, "figure: "+filepath.Join(dir, figures[0]+endings))
	} else if len(figures) > 1 {
		out = append(out, "figures: "+filepath.Join(dir, "{"+strings.Join(figures, ",")+"}"+endings))
	}
	return append(out, "page: "+filepath.Join(dir, "index.html"))
}

// bullets returns notes as a list in the width of the terminal.
func (a *app) bullets(notes []string) (out []string) {
	width := cmp.Or(a.textOptions().Width, helpWidth)
	for _, n := range notes {
		out = append(out, terminal.Hang("- ", "  ", terminal.Line(n), width)...)
	}
	return out
}

// lines prints lines.
func (a *app) lines(lines ...string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(a.out, l); err != nil {
			return err
		}
	}
	return nil
}

// textOptions says how tables are printed: on a terminal in its width, and in colour unless NO_COLOR is set; elsewhere
// plain, so that output in a file does not depend on the terminal.
func (a *app) textOptions() table.TextOptions {
	width, live := a.out.Terminal()
	if !live {
		return table.TextOptions{}
	}
	return table.TextOptions{Width: width, Colour: os.Getenv("NO_COLOR") == ""}
}

// outFor returns the standard output for a format: text may have colours.
func (a *app) outFor(format string) io.Writer {
	if format == "text" {
		return a.out.Styled()
	}
	return a.out
}

// text prints a table that stands alone as text.
func (a *app) text(t *table.Table) error { return t.WriteText(a.out.Styled(), a.textOptions()) }
