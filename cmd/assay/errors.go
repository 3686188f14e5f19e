package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/diagnosis"
	"assay/experiments/record"
	"assay/plots/paper"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

// diagnosing holds the flags of errors.
type diagnosing struct {
	arm, taxonomy, out, format, judged string
	papers                             []string
	sample                             int
	seed                               uint64
	rules                              bool
}

func (a *app) errorsCmd() *cobra.Command {
	var d diagnosing
	c := &cobra.Command{
		Use:   "errors RUN",
		Short: "Suggest why a run's answers are wrong, for a person to judge",
		Long: `Sort the wrong answers of a stored run into the categories of CHASE-SQL (appendix A.7) and of Interactive-T2S (Table 11), by
stated rules over the two queries, the statuses and the results. They are suggestions: a rule does not know what the
question means. --rules lists them, in order of precedence.

--out writes a CSV with one row per wrong answer: the question, both queries, what the rules suggest and why. Fill in
its column judged with a category (or one of each taxonomy, separated by a semicolon), and pass it to --judged, here or
in assay report: the tables then have the judged counts beside the suggested ones, and how well the two agree (Cohen's
kappa).`,
		Example: `  assay errors quickstart --out errors.csv
  assay errors quickstart --judged errors.csv
  assay errors dail --paper it2s/table11 --sample 100 --seed 1 --format md
  assay errors --rules`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := d.check(given); err != nil {
				return usageError{err}
			}
			if d.rules {
				return errors.Join(a.write(categoriesTable(), d.format), a.write(rulesTable(), d.format))
			}
			return a.errors(cmd.Context(), given[0], &d)
		},
	}
	f := c.Flags()
	f.StringVar(&d.arm, "arm", "", "this arm alone")
	f.StringVar(&d.taxonomy, "taxonomy", "", "chase or it2s (default: both)")
	f.StringVar(&d.out, "out", "", "`FILE` to write one row per wrong answer to, as CSV; - is the standard output, without the table")
	f.StringVar(&d.format, "format", "text", "of the table: text, csv or md")
	f.StringVar(&d.judged, "judged", "", "`FILE` that --out wrote and a person filled in")
	f.IntVar(&d.sample, "sample", 0, "draw `N` wrong answers for each arm and sweep point (0: all)")
	f.Uint64Var(&d.seed, "seed", 1, "seed of the draw")
	f.StringArrayVar(&d.papers, "paper", []string{"errors"}, "table to print, by `NAME` (repeatable): errors, chase/errors, it2s/table11")
	f.BoolVar(&d.rules, "rules", false, "list the categories and the rules")
	return c
}

// check fails on flags that are not allowed, or on a missing run.
func (d *diagnosing) check(given []string) error {
	switch {
	case len(given) == 0 && !d.rules:
		return errors.New("errors: name a run (usage: assay errors RUN)")
	case !slices.Contains([]string{"text", "csv", "md"}, d.format):
		return fmt.Errorf("--format %q: want text, csv or md", d.format)
	case slices.ContainsFunc(d.papers, func(p string) bool { return !paper.OfErrors(p) }):
		return fmt.Errorf("--paper %s: want errors, chase/errors or it2s/table11", d.papers)
	case d.sample < 0:
		return fmt.Errorf("--sample %d: want 0 or more", d.sample)
	case d.taxonomy != "":
		if _, err := diagnosis.FindTaxonomy(d.taxonomy); err != nil {
			return fmt.Errorf("--taxonomy: %w", err)
		}
	}
	return nil
}

// errors classifies a run's wrong answers, writes them to --out where it is given, and prints the tables.
func (a *app) errors(ctx context.Context, name string, d *diagnosing) error {
	run, err := a.read(name)
	if err != nil {
		return err
	}
	if err := knownArm(run, d.arm); err != nil {
		return usageError{err}
	}
	o := paper.ErrorOptions{Arm: d.arm, Taxonomy: d.taxonomy, Sample: d.sample, Seed: d.seed}
	if d.judged != "" {
		if o.Judged, err = diagnosis.ReadJudged(d.judged, run); err != nil {
			return fmt.Errorf("errors: --judged: %w", err)
		}
	}
	drawn := o.Sampled(run)
	if d.out != "" {
		write := func(w io.Writer) error { return diagnosis.Write(w, run, drawn, o.Judged) }
		if err := output.Write(ctx, d.out, a.out, write); err != nil || output.IsStandard(d.out) {
			return err
		}
		a.note("%d wrong answers in %s; fill in its column judged, and read it back with --judged", len(drawn), d.out)
	}
	if len(drawn) == 0 {
		a.note("no answer is wrong")
		return nil
	}
	made, err := paper.Make(run, paper.Options{Names: d.papers, Errors: o})
	for _, t := range made.Tables() {
		err = errors.Join(err, a.write(t, d.format))
	}
	return errors.Join(err, made.Err())
}

// knownArm fails where the run has no arm of that name; an empty name means all arms.
func knownArm(run *record.Run, arm string) error {
	var arms []string
	for _, it := range run.Items {
		if !slices.Contains(arms, it.Arm) {
			arms = append(arms, it.Arm)
		}
	}
	if arm == "" || slices.Contains(arms, arm) {
		return nil
	}
	return fmt.Errorf("--arm %s", configs.Unknown(arm, arms))
}

// write prints a table as text, csv or md; --json wins over the format.
func (a *app) write(t *table.Table, format string) error {
	switch {
	case a.json:
		return json.NewEncoder(a.out).Encode(t)
	case format == "csv":
		return t.WriteCSV(a.out)
	case format == "md":
		return t.WriteMarkdown(a.out)
	}
	return a.text(t)
}

// categoriesTable lists both taxonomies.
func categoriesTable() *table.Table {
	t := &table.Table{ID: "categories", Title: "Categories of wrong answers", Columns: []table.Column{
		{Name: "taxonomy", Key: true}, {Name: "group", Key: true}, {Name: "category", Key: true}, {Name: "meaning"}}}
	for _, x := range diagnosis.Taxonomies {
		for _, c := range x.Categories {
			t.Rows = append(t.Rows, []table.Cell{table.Text(x.ID), table.Text(c.Group), table.Text(c.ID), table.Text(c.Shows)})
		}
		t.Notes = append(t.Notes, x.ID+": "+x.Source+".")
	}
	return t
}

// rulesTable lists the rules in order of precedence.
func rulesTable() *table.Table {
	t := &table.Table{ID: "rules", Title: "Rules that suggest why an answer is wrong, in order of precedence", Columns: []table.Column{
		{Name: "rule", Key: true}, {Name: "fires where"}, {Name: "chase: generation"}, {Name: "chase: selection"}, {Name: "it2s"}},
		Notes: []string{"In each taxonomy the first rule that fires decides; a rule with a blank is skipped there. Selection is for answers whose pool has a right candidate. Answers that no rule classifies are to-be-judged."}}
	for _, r := range diagnosis.Rules() {
		var cells []table.Cell
		for _, s := range []string{r.ID, r.Says, r.Generation, r.Selection, r.IT2S} {
			cells = append(cells, table.Text(s))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
