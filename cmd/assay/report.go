package main

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/experiments/record"
	"assay/plots/paper"
	"assay/plots/table"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func (a *app) reportCmd() *cobra.Command {
	var list bool
	var names []string
	var out string
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make tables (CSV, Markdown, LaTeX) and plots (SVG, PNG) of stored runs, and one HTML page",
		Long: `Make the tables and figures that the experiment names, or those given by --paper, from stored runs alone: no model, key
or network. The files go into the first run's report folder.`,
		Example: "  assay report quickstart\n  assay report tai-table1 --paper tai2023/table1\n  assay report quickstart --list",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			runs := make([]*record.Run, len(given))
			for i, g := range given {
				var err error
				if runs[i], err = a.store().Read(g); err != nil {
					return err
				}
			}
			if list {
				return a.listPapers(runs)
			}
			if out == "" {
				out = filepath.Join(runs[0].Dir, "report")
			}
			return a.report(runs, names, out)
		},
	}
	c.Flags().BoolVar(&list, "list", false, "name what can be made of these runs")
	c.Flags().StringArrayVar(&names, "paper", nil, "table or figure to make, by `NAME` (repeatable)")
	c.Flags().StringVar(&out, "out", "", "folder of the files (default: report/ in the first run's folder)")
	return c
}

func (a *app) listPapers(runs []*record.Run) error {
	for _, in := range paper.List(runs) {
		fmt.Fprintf(a.out, "%-20s %s\n", in.Name, in.Title)
	}
	return nil
}

func (a *app) report(runs []*record.Run, names []string, dir string) error {
	outs, err := paper.Make(runs, names)
	if err != nil {
		return err
	}
	for i, o := range outs {
		if o.Table == nil {
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := o.Table.WriteText(a.out, a.textOptions()); err != nil {
			return err
		}
	}
	files, err := paper.Write(dir, runs, outs)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	for _, f := range files {
		fmt.Fprintln(a.out, f)
	}
	return nil
}

// textOptions is how tables are printed here: in the terminal's width and with colour, unless NO_COLOR is set.
func (a *app) textOptions() table.TextOptions {
	f, ok := a.out.(*os.File)
	if !ok || !isTerminal(f) {
		return table.TextOptions{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return table.TextOptions{Width: width, Colour: os.Getenv("NO_COLOR") == ""}
}
