package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"assay/experiments/axes"
	"assay/experiments/diagnosis"
	"assay/experiments/join"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/page"
	"assay/plots/paper"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

func (a *app) reportCmd() *cobra.Command {
	var list bool
	var names, by []string
	var out string
	var together, watch bool
	o := reportOptions{}
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make tables (CSV, Markdown, LaTeX) and plots (SVG, PNG, PDF) of stored runs, and one HTML page",
		Long: `Make the tables and figures that the experiment names, or those given by --paper and --by, from stored runs alone: no model, key
or network. The files go into the run's report folder.

Among them is index.html, one file that needs no network: the tables and figures, the settings and warnings, and every
item to look at, with prompts and completions out of the store's ledger. --html writes that file alone. It stays under
--page-size: what does not fit is left out, beginning with the prompts of candidates that were not chosen, and the page
says so.`,
		Example: "  assay report quickstart\n  assay report tai-table1 --paper tai2023/table1\n  assay report quickstart --by joins,database\n  assay report run-of-one-model run-of-another --join\n  assay report quickstart --list\n  assay report quickstart --html --page-size 40",
		Args: args(func(cmd *cobra.Command, given []string) error {
			if list {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, given)
		}),
		RunE: func(cmd *cobra.Command, given []string) error {
			if list && len(given) == 0 {
				return a.listPapers(nil)
			}
			if watch && (len(given) > 1 || list) {
				return usageError{errors.New("report: --watch takes one run, and no --list")}
			}
			if out != "" && len(given) > 1 && !together {
				return usageError{errors.New("report: --out takes one run, or several with --join: they would overwrite each other")}
			}
			if o.judged != "" && (len(given) > 1 || list) {
				return usageError{errors.New("report: --judged takes one run, and no --list")}
			}
			breakdown, err := axes.FindAll(by)
			if err != nil {
				return usageError{fmt.Errorf("--by: %w", err)}
			}
			for _, x := range breakdown {
				names = append(names, paper.By(x))
			}
			o.names, o.dir = names, out
			if watch {
				return a.watch(cmd.Context(), given[0], func(r *record.Run) error {
					o := o
					if o.folders = []string{r.Dir}; !r.Manifest.Complete {
						o.folders = nil // the ledger would be read again for every report
					}
					return a.reportRun(cmd.Context(), r, o)
				})
			}
			runs, err := a.readRuns(given)
			if err != nil {
				return err
			}
			for _, r := range runs {
				o.folders = append(o.folders, r.Dir)
			}
			if together && len(runs) > 1 {
				joined, err := join.Runs(runs)
				if err != nil {
					return err
				}
				if o.dir == "" {
					o.dir = filepath.Join(a.storeDir, "joined", joined.Manifest.ID)
				}
				runs = []*record.Run{joined}
			}
			if list {
				return a.listPapers(runs)
			}
			for _, r := range runs {
				if err := a.reportRun(cmd.Context(), r, o); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&o.page, "html", false, "write the page alone, and print its path")
	c.Flags().Float64Var(&o.size, "page-size", pageSize, "bound of the page in `MB`; 0 leaves out all prompts and completions")
	c.Flags().StringVar(&o.judged, "judged", "", "`FILE` that assay errors wrote and a person filled in, for the tables of error categories")
	c.Flags().BoolVar(&list, "list", false, "list the tables and figures, and why these runs cannot give some of them; without a run, list all (--json: as JSON)")
	c.Flags().StringArrayVar(&names, "paper", nil, "table or figure to make, by `NAME` (repeatable)")
	c.Flags().StringSliceVar(&by, "by", nil, "break the scores down, one table per axis: --by joins is --paper by/joins. One or more of "+axisNames())
	c.Flags().StringVar(&out, "out", "", "folder of the files (default: report/ in the run's folder; joined runs: joined/ in the store)")
	c.Flags().BoolVar(&watch, "watch", false, "report again whenever the run's folder changes, until the run is complete")
	c.Flags().BoolVar(&together, "join", false, "one report of all the runs: one row per arm of each, and a warning for all else that differs")
	return c
}

// readRuns reads the runs given by name or path, whole.
func (a *app) readRuns(given []string) (runs []*record.Run, err error) {
	for _, g := range given {
		r, err := a.read(g)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// reportOptions says how a run is reported.
type reportOptions struct {
	names   []string // tables and figures; empty: those that the experiment names
	dir     string   // folder of the files; empty: report/ in the run's folder
	folders []string // run folders whose stores' ledgers have the texts
	page    bool     // write the page alone
	size    float64  // bound of the page in MB
	judged  string   // file of a person's judgements of wrong answers; empty for none
}

// reportRun makes the tables and figures of one run, and writes them with the page or the page alone. --judged adds the
// table of error categories where no name asks for it.
func (a *app) reportRun(ctx context.Context, r *record.Run, o reportOptions) error {
	if len(o.names) == 0 {
		o.names = paper.Names(r)
	}
	if o.dir == "" {
		o.dir = filepath.Join(r.Dir, "report")
	}
	var of paper.ErrorOptions
	if o.judged != "" {
		var err error
		if of.Judged, err = diagnosis.ReadJudged(o.judged, r); err != nil {
			return err
		}
		if !slices.ContainsFunc(o.names, paper.OfErrors) {
			o.names = append(slices.Clone(o.names), "errors")
		}
	}
	outs, err := paper.MakeWith(r, of, o.names...)
	if err != nil {
		return err
	}
	return a.withPage(ctx, r, o.folders, o.size, func(p page.Page) error {
		if o.page {
			path, err := paper.WritePage(o.dir, outs, p)
			if err == nil {
				fmt.Fprintln(a.out, path)
			}
			return err
		}
		return a.reportFiles(o.dir, outs, p)
	})
}

// reportFiles writes every file and prints the tables.
func (a *app) reportFiles(dir string, outs []paper.Output, p page.Page) error {
	files, err := paper.Write(dir, outs, figure.Look{}, p) // before printing, because a reader such as head may close the pipe
	if err != nil {
		return err
	}
	for _, o := range outs {
		if o.Table == nil {
			continue
		}
		if err := a.text(o.Table); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	for _, f := range files {
		fmt.Fprintln(a.out, f)
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

// text prints a table as text.
func (a *app) text(t *table.Table) error { return t.WriteText(a.out.Styled(), a.textOptions()) }
