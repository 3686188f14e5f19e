package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/experiments/runner"
	"assay/experiments/summary"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/plots/official"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

// officially holds the flags of eval-spider, which are those of test-suite-sql-eval's evaluation.py.
type officially struct {
	gold, pred, db, table, etype string
	plugValue, keepDistinct, bar bool
	limits
}

// limits are assay's own flags beside those of an official evaluator.
type limits struct {
	timeout time.Duration
	workers int
}

// settings returns the flags as settings of an experiment.
func (l limits) settings() []string {
	return []string{"timeout=" + l.timeout.String(), fmt.Sprintf("workers=%d", l.workers)}
}

func (a *app) evalSpiderCmd() *cobra.Command {
	var o officially
	c := &cobra.Command{
		Use:   "eval-spider",
		Short: "eval, with the flags and the printed tables of test-suite-sql-eval",
		Long: `Score predictions with the flags of evaluation.py of test-suite-sql-eval (Spider, SParC, CoSQL), and print its tables byte for
byte. Gold queries are lines of a query, a tab and the database's id; a blank line in either file ends an interaction, and
with several interactions there are also scores of whole interactions (joint_all) and by turn. All databases of a folder
DB/<id> are the test suite of <id>.

What differs from the original is on the standard error: an item whose gold query fails is left out, where the original
stops; see assay help metrics. For intervals, statuses and verdicts by item: assay eval.`,
		Example: "  assay eval-spider --gold dev_gold.sql --pred predicted.txt --db database \\\n    --table tables.json --etype all\n  assay eval-spider --gold gold.txt --pred pred.txt --db database --plug_value",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.evalSpider(cmd.Context(), &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.gold, "gold", "", "`FILE` of gold queries: one per line, with a tab and the database's id")
	f.StringVar(&o.pred, "pred", "", "`FILE` of predictions: one per line")
	f.StringVar(&o.db, "db", "", "`DIR` of the databases, DIR/<id>/<id>.sqlite, each with its suite beside it")
	f.StringVar(&o.table, "table", "", "`FILE` tables.json, which exact match takes foreign keys from")
	f.StringVar(&o.etype, "etype", string(official.Exec), "all, exec (results) or match (exact set match)")
	f.BoolVar(&o.plugValue, "plug_value", false, "a prediction is right too with the literals of its gold query")
	f.BoolVar(&o.keepDistinct, "keep_distinct", false, "leave DISTINCT in the queries")
	f.BoolVar(&o.bar, "progress_bar_for_each_datapoint", false, "taken, and shows nothing: items do not take that long")
	o.register(c)
	return c
}

func (l *limits) register(c *cobra.Command) {
	c.Flags().DurationVar(&l.timeout, "timeout", 30*time.Second, "deadline of one SQL execution (assay's own)")
	c.Flags().IntVar(&l.workers, "workers", 0, "items judged at once (assay's own; 0: the number of CPUs)")
}

// check returns the error of flags that are missing or not allowed.
func (o *officially) check() error {
	for _, f := range []struct{ name, value string }{{"gold", o.gold}, {"pred", o.pred}, {"db", o.db}} {
		if f.value == "" {
			return usageError{fmt.Errorf("--%s is missing (usage: assay eval-spider --gold FILE --pred FILE --db DIR [--table FILE --etype all])", f.name)}
		}
	}
	if !slices.Contains(official.Etypes, official.Etype(o.etype)) {
		return usageError{fmt.Errorf("--etype %q: want all, exec or match", o.etype)}
	}
	if o.etype != string(official.Exec) && o.table == "" {
		return usageError{fmt.Errorf("--table is missing: --etype %s needs the tables.json, for its foreign keys", o.etype)}
	}
	return nil
}

func (a *app) evalSpider(ctx context.Context, o *officially) error {
	if err := o.check(); err != nil {
		return err
	}
	gold, err := predictions.ReadSessions(o.gold, true)
	if err != nil {
		return fmt.Errorf("--gold: %w", err)
	}
	pred, err := predictions.ReadSessions(o.pred, false)
	if err != nil {
		return fmt.Errorf("--pred: %w", err)
	}
	pairs, notes, err := predictions.Pairs(gold, pred)
	if err != nil {
		return err
	}
	for _, n := range notes {
		a.note("warning: %s", n)
	}
	goldFile, predFile := predictions.Files(pairs, gold, pred)
	e, err := a.scoreFiles(ctx, append(o.settings(), o.of(pairs)...), plan.Options{Gold: goldFile, Pred: predFile, Tables: o.tables()})
	if err != nil {
		return err
	}
	turns := a.turns(e, pairs, official.Etype(o.etype))
	return official.Spider{Etype: official.Etype(o.etype), Sessions: len(gold.All), Turns: turns}.Write(a.out)
}

// of returns the dataset and the metrics of the flags as settings of an experiment.
func (o *officially) of(pairs []predictions.Pair) []string {
	var ids []string
	if o.etype != string(official.Match) {
		id := execution.TestSuite(o.keepDistinct, o.plugValue)
		if !anySuite(o.db, pairs) {
			id = execution.Single(id)
		}
		ids = append(ids, id)
	}
	if o.etype != string(official.Exec) {
		ids = append(ids, exact.Row.ID)
	}
	return []string{"dataset.kind=spider", "dataset.path=" + o.db, "dataset.databases=" + list([]string{o.db}), "metrics=" + list(ids)}
}

// tables are the files that describe the databases: without --table none, as in the original.
func (o *officially) tables() []string {
	if o.table == "" {
		return []string{}
	}
	return []string{o.table}
}

// anySuite reports whether the folder of any database has several.
func anySuite(dir string, pairs []predictions.Pair) bool {
	seen := map[string]bool{}
	for _, p := range pairs {
		if db := p.Gold.DB; !seen[db] && filepath.IsLocal(db) {
			files, _ := filepath.Glob(filepath.Join(dir, db, "*.sqlite"))
			if seen[db] = true; len(files) > 1 {
				return true
			}
		}
	}
	return false
}

// scoreFiles scores predictions by gold queries of a file; nothing is stored.
func (a *app) scoreFiles(ctx context.Context, settings []string, o plan.Options) (*evaluation, error) {
	if err := sqlite.Check(); err != nil {
		return nil, err
	}
	fewCollections()
	exp, err := predictions.Experiment("eval", configs.Options{Set: settings})
	if err != nil {
		return nil, usageError{err}
	}
	o.Names = true
	made, err := plan.Make(ctx, exp, o)
	if err != nil {
		return nil, err
	}
	defer made.Close()
	e := &evaluation{Answers: summary.Answers{Plan: made}}
	if err := runner.Score(ctx, made, e.Add); err != nil {
		return nil, err
	}
	for _, n := range made.Manifest.Warnings {
		a.note("warning: %s", n)
	}
	return e, nil
}

// turns are the scored pairs. A pair whose gold query has no verdict is left out, with a warning.
func (a *app) turns(e *evaluation, pairs []predictions.Pair, etype official.Etype) (out []official.Turn) {
	em := e.Plan.Exact()
	for i, p := range pairs {
		r := &e.Rows[i]
		t := official.Turn{Session: p.Session, Place: p.Turn, Hardness: r.Example.Hardness, Right: true,
			Predicted: strings.ReplaceAll(p.Predicted.SQL, "value", "1"), Gold: p.Gold.SQL}
		why := ""
		for m, s := range r.Scores {
			switch {
			case s.Status == metrics.GoldError:
				why = s.Why
			case e.Plan.Metrics[m].ID() != exact.Row.ID:
				t.Right = s.Value == 1
			}
		}
		if t.Hardness == "" && why == "" {
			why = "it is no query of known hardness"
		}
		if etype != official.Exec && why == "" {
			match, err := em.Match(r.SQL, r.Gold(), r.Example.Schema)
			if err != nil {
				why = err.Error()
			}
			t.Match = match
		}
		if why != "" {
			a.note("warning: the gold query on line %d is left out of every column: %s", p.Gold.Line, why)
			continue
		}
		out = append(out, t)
	}
	return out
}
