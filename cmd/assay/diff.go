package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/metrics/execution"
	"assay/metrics/stats"
	"assay/plots/figure"
	"assay/plots/table"
	"assay/plots/versus"

	"github.com/spf13/cobra"
)

// diffFormats are the output formats of diff.
var diffFormats = configs.Choices{
	{ID: "text", Shows: "for a terminal, 80 columns or its width"},
	{ID: "csv", Shows: "one row per group, with every number"},
	{ID: "md", Shows: "Markdown"},
	{ID: "latex", Shows: "its tables, as a report's"},
	{ID: "html", Shows: "one page that needs no network"},
	{ID: "json", Shows: "everything the comparison holds"},
}

// diffing holds the flags of diff.
type diffing struct {
	compare.Options
	arms, by []string
	format   string
	out      string
	flips    int
	prompts  bool
	item     string
	fail     bool
	cmd      *cobra.Command
}

func (a *app) diffCmd() *cobra.Command {
	var d diffing
	c := &cobra.Command{
		Use:   "diff RUN_A RUN_B...",
		Short: "Compare runs with a baseline item by item: what changed, by how much, is it significant, which items flipped",
		Long: `Pair the items of each further run with those of the first, the baseline, by id, and compare them arm by arm.
The baseline is A, the others B, C and so on in the order given.

An item's score is its mean over seeds. Answers are paired by seed where both runs have the same seeds; elsewhere each
run's score is the mean over its own seeds, and a note says so. The interval is Newcombe's score interval with one seed,
and a bootstrap over items with several seeds or graded scores. p is McNemar's exact test, or a sign-flip test on the
items' differences where an item has several seeds or graded scores. With --cluster databases are the units instead of
items, because items of one database are not independent. Holm's correction covers all pairs of arms and runs, and
separately all groups of each axis of --by. "~" marks a difference that is not significant after the correction, and
"shows" is the smallest difference that so many items detect with a chance of 80 %.

Sweep points that both runs have are compared with each other. Where they share none, points that differ in a single
axis are compared, and the output says so; runs with nothing to pair are an error.

--by takes axes of the items, such as hardness, and axes of the sweep: under a value an item's score is its mean over all
sweep points with that value. Of three and more runs a table counts the items by which runs solve them, a mean score above
one half; --out lists them.

Each flip has a reason: what differs in the SQL. Runs with other items, other data or another metric are refused;
--force compares the part they have in common. Exits 3 under --fail-on-regression where a pair of arms is
significantly worse over all its items.`,
		Example: `  assay diff baseline-run new-run
  assay diff A B --arm standard=qdecomp --metric ex --by hardness,database
  assay diff A B --by k,arm
  assay diff A B C --cluster --fail-on-regression
  assay diff A B --prompts --format html > diff.html
  assay diff A B --out diff`,
		Args: args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, given []string) error {
			d.cmd = cmd
			return a.diff(&d, given)
		},
	}
	f := c.Flags()
	f.StringVar(&d.Metric, "metric", "", "metric id (default: the first that all runs have)")
	f.StringArrayVar(&d.arms, "arm", nil, "pair arm X of A with arm Y of B, as `X=Y` (repeatable)")
	f.StringSliceVar(&d.by, "by", nil, "break the difference down by one or more of "+axisNames()+", arm, or an axis that the runs sweep, such as k")
	f.StringVar(&d.format, "format", "text", "one of "+strings.Join(diffFormats.IDs(), ", "))
	f.StringVar(&d.out, "out", "", "folder for diff.md, .html and .tex, groups.csv, flips.csv, patterns.csv and forest.svg, .png and .pdf, in place of printing")
	f.IntVar(&d.flips, "flips", 20, "flipped items listed per pair of arms; -1 for all (HTML lists all by default)")
	f.BoolVar(&d.prompts, "prompts", false, "show how the sources of the methods differ, and the prompts of an example item, where the ledger has them")
	f.StringVar(&d.item, "item", "", "the example item of --prompts (default: the first that flipped, or the first)")
	f.BoolVar(&d.Cluster, "cluster", false, "use databases as the units, in place of items")
	f.Float64Var(&d.Level, "confidence", 0.95, "of intervals; p is significant below 1 less this")
	f.BoolVar(&d.Force, "force", false, "compare the common part of runs that would be refused")
	f.BoolVar(&d.fail, "fail-on-regression", false, "exit 3 where a run is significantly worse than A")
	return c
}

// check turns the flags into options, and fails on a value that is not allowed.
func (d *diffing) check(asJSON bool) (err error) {
	if d.Arms, err = armFlags(d.arms); err != nil {
		return usageError{err}
	}
	if asJSON {
		d.format = "json"
	}
	if !diffFormats.Has(d.format) {
		return usageError{fmt.Errorf("--format %s", configs.Unknown(d.format, diffFormats.IDs()))}
	}
	if d.Level <= 0 || d.Level >= 1 {
		return usageError{fmt.Errorf("--confidence %v: want a share between 0 and 1, such as 0.95", d.Level)}
	}
	return nil
}

// axes divides --by into axes of the items, and those that the runs in these folders sweep or compare.ArmAxis. It comes before
// the runs are read, which may take long.
func (d *diffing) axes(dirs []string) error {
	swept := []string{compare.ArmAxis}
	for _, dir := range dirs {
		m, _, err := record.ReadManifest(dir)
		if err != nil {
			return err
		}
		swept = append(swept, m.Axes...)
	}
	var items []string
	for _, name := range d.by {
		switch {
		case slices.Contains(d.Over, name):
		case slices.Contains(swept, name):
			d.Over = append(d.Over, name)
		default:
			items = append(items, name)
		}
	}
	var err error
	if d.By, err = axes.FindAll(items); err != nil {
		slices.Sort(swept)
		return usageError{fmt.Errorf("--by: %w; or of these runs %s", err, strings.Join(slices.Compact(swept), ", "))}
	}
	return nil
}

// armFlags parses X=Y pairs into a map from the first run's arm to the second run's.
func armFlags(pairs []string) (map[string]string, error) {
	m := map[string]string{}
	for _, p := range pairs {
		x, y, ok := strings.Cut(p, "=")
		if !ok || x == "" || y == "" {
			return nil, fmt.Errorf("--arm %q: want X=Y", p)
		}
		m[x] = y
	}
	return m, nil
}

// compared finds the runs, checks --by against them, and reads them.
func (a *app) compared(d *diffing, given []string) (runs []*record.Run, err error) {
	dirs := make([]string, len(given))
	for i, g := range given {
		if dirs[i], err = a.find(g); err != nil {
			return nil, err
		}
	}
	if err := d.axes(dirs); err != nil {
		return nil, err
	}
	read := record.ReadItems // candidates and calls are large, and only --prompts needs them
	if d.prompts {
		read = record.Read
	}
	for _, dir := range dirs {
		r, err := read(dir, catalog.Known)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// diff reads the runs, compares each with the first, and prints the result or writes it into a folder.
func (a *app) diff(d *diffing, given []string) error {
	if err := d.check(a.json); err != nil {
		return err
	}
	runs, err := a.compared(d, given)
	if err != nil {
		return err
	}
	r, err := compare.Against(runs[0], runs[1:], d.Options)
	if err != nil {
		return err
	}
	noteSuites(r, runs)
	if len(d.Arms) == 0 && runs[0].Dir == runs[1].Dir {
		a.note("%s is compared with itself: --arm X=Y compares two of its arms, and assay report RUN --paper effects the values of a swept axis", given[0])
	}
	o := versus.Options{Flips: d.flips, Text: a.textOptions()}
	if d.prompts {
		if o.Prompts, err = a.prompts(d, runs, r); err != nil {
			return err
		}
	}
	if d.out != "" {
		err = a.diffFiles(d, r, o)
	} else {
		err = d.write(a.outFor(d.format), d.format, r, o)
	}
	if err != nil || !d.fail {
		return err
	}
	return regression(r)
}

// noteSuites adds a note to each comparison by a test-suite metric: in which run items have no suite. There the metric is
// its single-database form, and a difference between runs may come from that alone. runs begins with the baseline.
func noteSuites(r *compare.Report, runs []*record.Run) {
	of := map[string]string{record.AllItems: "no item has a test suite", record.SomeItems: "some databases have no test suite"}
	lacks := func(run *record.Run) string {
		for _, m := range run.Manifest.Metrics {
			if m.ID == r.Metric {
				return of[m.NoSuite]
			}
		}
		return ""
	}
	for i, c := range r.Comparisons {
		a, b := lacks(runs[0]), lacks(runs[i+1])
		byRun := map[string]string{c.A.Label + ": ": a, c.B.Label + ": ": b}
		if a == b { // one note without a run's label
			byRun = map[string]string{"": a}
		}
		for _, label := range slices.Sorted(maps.Keys(byRun)) {
			if why := byRun[label]; why != "" {
				c.Notes = append(c.Notes, fmt.Sprintf("%s%s: there, %s is %s", label, why, r.Metric, execution.Single(r.Metric)))
			}
		}
	}
}

// write writes a report in one of diffFormats.
func (d *diffing) write(w io.Writer, format string, r *compare.Report, o versus.Options) error {
	switch format {
	case "csv":
		return versus.WriteCSV(w, r)
	case "md":
		return versus.WriteMarkdown(w, r, o)
	case "latex":
		return versus.WriteLaTeX(w, r)
	case "json":
		return versus.WriteJSON(w, r)
	case "html":
		if !d.cmd.Flags().Changed("flips") {
			o.Flips = -1
		}
		return versus.WriteHTML(w, r, o)
	}
	return versus.WriteText(w, r, o)
}

// diffFiles writes every format, the flips and the forest plot into a folder, and prints the path of each file. A file is
// built in memory first, so that a failure leaves no half of one.
func (a *app) diffFiles(d *diffing, r *compare.Report, o versus.Options) error {
	if err := os.MkdirAll(d.out, 0o777); err != nil {
		return err
	}
	csv := func(t *table.Table) func(io.Writer) error { return t.WriteCSV }
	type file struct {
		name  string
		write func(io.Writer) error
	}
	files := []file{
		{"groups.csv", csv(versus.Groups(r))},
		{"flips.csv", csv(versus.Flips(r))},
		{"diff.tex", func(w io.Writer) error { return d.write(w, "latex", r, o) }},
		{"diff.md", func(w io.Writer) error { return d.write(w, "md", r, o) }},
		{"diff.html", func(w io.Writer) error { return d.write(w, "html", r, o) }},
	}
	if len(r.Patterns) > 0 {
		files = append(files, file{"patterns.csv", csv(versus.Patterns(r))})
	}
	if f := versus.Forest(r); f != nil {
		for _, as := range figure.Formats {
			files = append(files, file{"forest." + as.Name, func(w io.Writer) error { return as.Write(w, f, figure.Look{}) }})
		}
	}
	for _, f := range files {
		path := filepath.Join(d.out, f.name)
		if err := output.File(path, f.write); err != nil {
			return err
		}
		fmt.Fprintln(a.out, path)
	}
	return nil
}

// regression returns an error for the first pair of arms that is significantly worse after Holm's correction; nil for none.
func regression(r *compare.Report) error {
	for _, c := range r.Comparisons {
		for _, p := range c.Pairs {
			if g := p.All; g.Significant && g.Diff < 0 {
				return fmt.Errorf("%w: %s of %s: %s points (p = %.3g after Holm)", errRegression, versus.Arm(p), c.B.Name, stats.Fixed(100*g.Diff, 1), g.Holm)
			}
		}
	}
	return nil
}
