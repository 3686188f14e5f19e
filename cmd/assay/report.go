package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/diagnosis"
	"assay/experiments/join"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/page"
	"assay/plots/paper"

	"github.com/spf13/cobra"
)

// reporting holds the flags of report.
type reporting struct {
	names, by []string // tables and figures, and axes of further tables
	arms      []string // to show, each as a name, or as name=label
	columns   []string
	order     string
	labels    string // experiment file whose labels the arms get
	out       string // folder of the files; empty: report/ in the run's folder
	judged    string // file of a person's judgements of wrong answers; empty for none
	decimals  int    // negative: each column's own
	size      float64
	list      bool
	together  bool
	watch     bool
	page      bool // write the page alone
	look      figure.Look
	width     string // of figures, as the flag has it
	folders   []string
}

func (a *app) reportCmd() *cobra.Command {
	var o reporting
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make tables (CSV, Markdown, LaTeX) and plots (SVG, PNG, PDF) of stored runs, and one HTML page",
		Long: `Make the tables and figures that the experiment names, or those given by --paper and --by, from stored runs alone: no model, key
or network. The files go into the run's report folder. What all tables have in common, the dataset, the model and the
warnings, is said once, above them; a file that stands alone says it in a line at its end.

One that cannot be made stops no other. Where --paper or --by named it the command exits with 1 at the end; elsewhere a
note says why.

--arms, --labels and --order change what is shown and not what was run: the first arm of --arms is the one that the
others are compared with.

Among the files is index.html, one file that needs no network: the tables and figures, the settings and warnings, and
every item to look at, with prompts and completions out of the store's ledger. --html writes that file alone. It stays
under --page-size: what does not fit is left out, beginning with the prompts of candidates that were not chosen, and the
page says so.`,
		Example: `  assay report quickstart
  assay report tai-table1 --paper tai2023/table1
  assay report quickstart --by joins,database
  assay report quickstart --arms 'cot=Chain of thought,standard' --order score
  assay report quickstart --paper hardness --columns easy,all --decimals 2
  assay report run-of-one-model run-of-another --join
  assay report quickstart --paper-figures --width column
  assay report quickstart --list
  assay report quickstart --html --page-size 40`,
		Args: args(func(cmd *cobra.Command, given []string) error {
			if o.list {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, given)
		}),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := o.check(len(given)); err != nil {
				return usageError{err}
			}
			return a.report(cmd.Context(), given, o)
		},
	}
	o.register(c)
	return c
}

// register adds the flags.
func (o *reporting) register(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.page, "html", false, "write the page alone, and print its path")
	f.Float64Var(&o.size, "page-size", pageSize, "bound of the page in `MB`; 0 leaves out all prompts and completions")
	f.StringVar(&o.judged, "judged", "", "`FILE` that assay errors wrote and a person filled in, for the tables of error categories")
	f.BoolVar(&o.list, "list", false, "list the tables and figures, and why these runs cannot give some of them; without a run, list all (--json: as JSON)")
	f.StringArrayVar(&o.names, "paper", nil, "table or figure to make, by `NAME` (repeatable)")
	f.StringSliceVar(&o.by, "by", nil, "break the scores down, one table per axis: --by joins is --paper by/joins. One or more of "+axisNames())
	f.StringSliceVar(&o.arms, "arms", nil, "show these arms alone, in this order: `NAMES` or labels; NAME=LABEL calls one otherwise")
	f.StringVar(&o.order, "order", "", "order of the arms: "+orderWords())
	f.StringVar(&o.labels, "labels", "", "take the arms' labels from this `EXPERIMENT`, a name or a file, as it is now")
	f.StringSliceVar(&o.columns, "columns", nil, "keep these columns of the tables that have them, by `NAMES` or groups, in this order")
	f.IntVar(&o.decimals, "decimals", -1, "decimals of every measured number, 0 to 10 (default: as each column has them)")
	f.BoolVar(&o.look.Bare, "paper-figures", false, "figures for a paper: without title and notes, which go into NAME.caption.tex beside each")
	f.StringVar(&o.width, "width", "screen", "`WIDTH` of figures: screen; page (6.3 in); or column (3.3 in), of an article in two")
	f.StringVar(&o.out, "out", "", "folder of the files (default: report/ in the run's folder; joined runs: joined/ in the store)")
	f.BoolVar(&o.watch, "watch", false, "report again whenever the run's folder changes, until the run is complete")
	f.BoolVar(&o.together, "join", false, "one report of all the runs: one row per arm of each, and a warning for all else that differs")
}

// orderWords lists the orders of arms with what they are.
func orderWords() string {
	var words []string
	for _, c := range paper.Orders {
		words = append(words, c.ID+" ("+c.Shows+")")
	}
	return strings.Join(words, ", ")
}

// mostDecimals is the most decimals that --decimals takes.
const mostDecimals = 10

// check refuses flags that exclude each other or that mean nothing, for so many runs, and adds the axes to the names.
func (o *reporting) check(runs int) error {
	switch {
	case o.watch && (runs > 1 || o.list):
		return errors.New("report: --watch takes one run, and no --list")
	case o.out != "" && runs > 1 && !o.together:
		return errors.New("report: --out takes one run, or several with --join: they would overwrite each other")
	case o.judged != "" && (runs > 1 || o.list):
		return errors.New("report: --judged takes one run, and no --list")
	case o.decimals < -1 || o.decimals > mostDecimals:
		return fmt.Errorf("report: --decimals %d: want 0 to %d", o.decimals, mostDecimals)
	}
	var err error
	if o.look.Width, err = figure.ParseWidth(o.width); err != nil {
		return fmt.Errorf("report: --width: %w", err)
	}
	breakdown, err := axes.FindAll(o.by)
	if err != nil {
		return fmt.Errorf("--by: %w", err)
	}
	for _, x := range breakdown {
		o.names = append(o.names, paper.By(x))
	}
	return nil
}

// report lists, watches or reports the runs.
func (a *app) report(ctx context.Context, given []string, o reporting) error {
	if o.list && len(given) == 0 {
		return a.listPapers(nil)
	}
	if o.watch {
		return a.watch(ctx, given[0], func(r *record.Run) error {
			o := o
			if r.Manifest.Complete { // before, the ledger would be read again for every report
				o.folders = []string{r.Dir}
			}
			return a.reportRun(ctx, r, o)
		})
	}
	runs, err := a.readRuns(given)
	if err != nil {
		return err
	}
	for _, r := range runs {
		o.folders = append(o.folders, r.Dir)
	}
	if o.together && len(runs) > 1 {
		joined, err := join.Runs(runs)
		if err != nil {
			return err
		}
		if o.out == "" {
			o.out = filepath.Join(a.storeDir, "joined", joined.Manifest.ID)
		}
		runs = []*record.Run{joined}
	}
	if o.list {
		return a.listPapers(runs)
	}
	var failed error
	for i, r := range runs {
		if i > 0 && !o.page {
			fmt.Fprintln(a.out)
		}
		if err := a.reportRun(ctx, r, o); errors.As(err, new(usageError)) {
			return err
		} else if err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
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

// options returns what a report of the run has. --judged adds the table of error categories where no name asks for it.
func (o reporting) options(r *record.Run) (p paper.Options, err error) {
	p = paper.Options{Names: o.names, Columns: o.columns, Arms: paper.Arms{Order: o.order}}
	if o.decimals >= 0 {
		p.Decimals = &o.decimals
	}
	for _, text := range o.arms {
		p.Arms.Shown = append(p.Arms.Shown, paper.ParseArm(text, r))
	}
	if o.labels != "" {
		if p.Arms.Labels, err = labelsOf(o.labels, r); err != nil {
			return p, err
		}
	}
	if o.judged != "" {
		if p.Errors.Judged, err = diagnosis.ReadJudged(o.judged, r); err != nil {
			return p, err
		}
		if len(p.Names) == 0 {
			p.Names = paper.Names(r)
		}
		if !slices.ContainsFunc(p.Names, paper.OfErrors) {
			p.Names = append(slices.Clone(p.Names), "errors")
		}
	}
	return p, nil
}

// labelsOf returns the labels that an experiment gives its arms, by name. It must have an arm of the run.
func labelsOf(experiment string, r *record.Run) (map[string]string, error) {
	e, err := configs.Load(experiment, known(), configs.Options{})
	if err != nil {
		return nil, err
	}
	labels, common := map[string]string{}, false
	for _, arm := range e.Arms {
		labels[arm.Name] = arm.Label
		common = common || slices.ContainsFunc(r.Resolved.Arms, func(x configs.Arm) bool { return x.Name == arm.Name })
	}
	if !common {
		return nil, usageError{fmt.Errorf("report: --labels %s: it has no arm of the run %q", experiment, r.Manifest.Experiment+"-"+r.Manifest.ID)}
	}
	return labels, nil
}

// reportRun makes the tables and figures of one run, and writes them with the page, or the page alone. It fails at the end
// where one that a flag names could not be made.
func (a *app) reportRun(ctx context.Context, r *record.Run, o reporting) error {
	if o.out == "" {
		o.out = filepath.Join(r.Dir, "report")
	}
	with, err := o.options(r)
	if err != nil {
		return err
	}
	made, err := paper.Make(r, with)
	if err != nil {
		return usageError{err}
	}
	err = a.withPage(ctx, made.Run, o.folders, o.size, func(p page.Page) (err error) {
		var path string
		if o.page {
			if made, path, err = paper.WritePage(o.out, made, p); err == nil {
				fmt.Fprintln(a.out, path)
			}
			return err
		}
		if made, _, err = paper.Write(o.out, made, o.look, p); err != nil { // before printing, because a reader such as head may close the pipe
			return err
		}
		return a.printReport(made, o.out, o.look.Bare)
	})
	if err != nil {
		return err
	}
	for _, d := range made.Doubts {
		a.note("%s", d)
	}
	if len(o.names) > 0 {
		return made.Err()
	}
	for _, m := range made.Missing {
		a.note("%s", m)
	}
	return nil
}
