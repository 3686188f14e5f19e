package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/experiments/axes"
	"assay/experiments/join"
	"assay/experiments/record"
	"assay/plots/paper"
	"assay/plots/table"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func (a *app) reportCmd() *cobra.Command {
	var list bool
	var names, by []string
	var out string
	var together, watch bool
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make tables (CSV, Markdown, LaTeX) and plots (SVG, PNG, PDF) of stored runs, and one HTML page",
		Long: `Make the tables and figures that the experiment names, or those given by --paper and --by, from stored runs alone: no model, key
or network. The files go into the run's report folder.`,
		Example: "  assay report quickstart\n  assay report tai-table1 --paper tai2023/table1\n  assay report quickstart --by joins,database\n  assay report run-of-one-model run-of-another --join\n  assay report quickstart --list",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if watch && (len(given) > 1 || list) {
				return usageError{errors.New("report: --watch takes one run, and no --list")}
			}
			if out != "" && len(given) > 1 && !together {
				return usageError{errors.New("report: --out takes one run, or several with --join: they would overwrite each other")}
			}
			breakdown, err := axes.FindAll(by)
			if err != nil {
				return usageError{fmt.Errorf("--by: %w", err)}
			}
			for _, x := range breakdown {
				names = append(names, paper.By(x))
			}
			if watch {
				return a.watch(cmd.Context(), given[0], func(r *record.Run) error { return a.reportRun(r, names, out, false) })
			}
			runs, err := a.readRuns(given)
			if err != nil {
				return err
			}
			if together && len(runs) > 1 {
				joined, err := join.Runs(runs)
				if err != nil {
					return err
				}
				if out == "" {
					out = filepath.Join(a.storeDir, "joined", joined.Manifest.ID)
				}
				runs = []*record.Run{joined}
			}
			for _, r := range runs {
				if err := a.reportRun(r, names, out, list); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&list, "list", false, "name what can be made of these runs")
	c.Flags().StringArrayVar(&names, "paper", nil, "table or figure to make, by `NAME` (repeatable)")
	c.Flags().StringSliceVar(&by, "by", nil, "break the scores down, a table each: --by joins is --paper by/joins. One or more of "+axisNames())
	c.Flags().StringVar(&out, "out", "", "folder of the files (default: report/ in the run's folder; joined runs: joined/ in the store)")
	c.Flags().BoolVar(&watch, "watch", false, "report again whenever the run's folder changes, until the run is complete")
	c.Flags().BoolVar(&together, "join", false, "one report of all the runs: every arm of each is a row, and what else sets them apart is a warning")
	return c
}

func (a *app) readRuns(given []string) (runs []*record.Run, err error) {
	for _, g := range given {
		r, err := a.store().Read(g)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (a *app) reportRun(r *record.Run, names []string, dir string, list bool) error {
	if list {
		return a.listPapers(r)
	}
	if len(names) == 0 {
		names = paper.Names(r)
	}
	if dir == "" {
		dir = filepath.Join(r.Dir, "report")
	}
	outs, err := paper.Make(r, names...)
	if err != nil {
		return err
	}
	for _, o := range outs {
		if o.Table == nil {
			continue
		}
		if err := o.Table.WriteText(a.out, a.textOptions()); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	files, err := paper.Write(dir, outs)
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(a.out, f)
	}
	return nil
}

func (a *app) listPapers(r *record.Run) error {
	for _, in := range paper.List(r) {
		why := ""
		if in.Why != "" {
			why = "  (not of this run: " + in.Why + ")"
		}
		if _, err := fmt.Fprintf(a.out, "%-16s %s%s\n", in.Name, in.Title, why); err != nil {
			return err
		}
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
