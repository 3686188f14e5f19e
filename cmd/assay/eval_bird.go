package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"assay/configs/output"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/metrics"
	"assay/plots/official"

	"github.com/spf13/cobra"
)

// birdly holds the flags of eval-bird, which are those of BIRD mini-dev's evaluators.
type birdly struct {
	pred, gold, root, questions, dialect, log, score string
	seconds                                          float64
	workers                                          int
}

func (a *app) evalBirdCmd() *cobra.Command {
	var o birdly
	c := &cobra.Command{
		Use:   "eval-bird",
		Short: "eval, with the flags and the printed table of BIRD mini-dev's evaluators",
		Long: `Score predictions with the flags of evaluation_ex.py of BIRD mini-dev, and print its table byte for byte; --score chooses
among this, evaluation_f1.py and evaluation_ves.py. Predictions are BIRD's JSON, one object, in the order of the gold queries:
its keys are not looked at. Gold queries are lines of a query, a tab and the database's id.

What differs from the original is on the standard error: an item whose gold query fails is left out, where the original counts
it as wrong; see assay help metrics. For intervals, statuses and verdicts by item: assay eval.`,
		Example: "  assay eval-bird --predicted_sql_path pred.json --ground_truth_path gold.sql \\\n    --db_root_path dev_databases/ --diff_json_path mini_dev_sqlite.jsonl",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.evalBird(cmd.Context(), &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.pred, "predicted_sql_path", "", "`FILE` of predictions, BIRD's JSON")
	f.StringVar(&o.gold, "ground_truth_path", "", "`FILE` of gold queries: one per line, with a tab and the database's id")
	f.StringVar(&o.root, "db_root_path", "", "`DIR` of the databases, DIR/<id>/<id>.sqlite")
	f.StringVar(&o.questions, "diff_json_path", "", "`FILE` with the difficulty of each item: JSONL, or a JSON array")
	f.Float64Var(&o.seconds, "meta_time_out", 30, "deadline of one SQL execution in seconds")
	f.IntVar(&o.workers, "num_cpus", 0, "items judged at once (0: the number of CPUs)")
	f.StringVar(&o.dialect, "sql_dialect", "SQLite", "SQLite, the only one here")
	f.StringVar(&o.log, "output_log_path", "", "`FILE` for the table as the original's log has it")
	f.StringVar(&o.score, "score", official.Scores[0].ID, "ex, f1 or ves, which have a program each in the original")
	return c
}

// check returns the score that is asked for, or the error of flags that are missing or not allowed.
func (o *birdly) check() (official.Score, error) {
	for _, f := range []struct{ name, value string }{{"predicted_sql_path", o.pred}, {"ground_truth_path", o.gold}, {"db_root_path", o.root}, {"diff_json_path", o.questions}} {
		if f.value == "" {
			return official.Score{}, fmt.Errorf("--%s is missing (see the example in assay eval-bird --help)", f.name)
		}
	}
	at := slices.IndexFunc(official.Scores, func(s official.Score) bool { return s.ID == o.score })
	switch {
	case at < 0:
		return official.Score{}, fmt.Errorf("--score %q: want ex, f1 or ves", o.score)
	case o.dialect != "SQLite":
		return official.Score{}, fmt.Errorf("--sql_dialect %q: want SQLite; assay runs no other", o.dialect)
	case !(o.seconds > 0 && o.seconds <= 1e6):
		return official.Score{}, fmt.Errorf("--meta_time_out %v: want seconds, more than 0", o.seconds)
	}
	return official.Scores[at], nil
}

// read reads the files: the gold queries, the predictions in their order, and the difficulties.
func (o *birdly) read() (gold, pred *predictions.File, levels []string, err error) {
	s, err := predictions.ReadSessions(o.gold, true)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("--ground_truth_path: %w", err)
	}
	if pred, err = predictions.Read(o.pred); err != nil {
		return nil, nil, nil, fmt.Errorf("--predicted_sql_path: %w", err)
	}
	if levels, err = predictions.ReadDifficulties(o.questions); err != nil {
		return nil, nil, nil, fmt.Errorf("--diff_json_path: %w", err)
	}
	n := s.Turns()
	switch {
	case pred.Form != predictions.BIRD:
		err = fmt.Errorf("--predicted_sql_path: %q is no JSON object of BIRD's: for other forms, assay eval --dataset bird", o.pred)
	case len(s.All) > 1:
		err = fmt.Errorf("--ground_truth_path: line %d of %q is blank: want a gold query on each", s.End(0), o.gold)
	case len(pred.Entries) != n:
		err = fmt.Errorf("--predicted_sql_path: %q has %d predictions, and %q %d gold queries: want one for each, in the same order", o.pred, len(pred.Entries), o.gold, n)
	case len(levels) != n:
		err = fmt.Errorf("--diff_json_path: %q has %d records, and %q %d gold queries: want one for each, in the same order", o.questions, len(levels), o.gold, n)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range pred.Entries {
		pred.Entries[i].ID, pred.Entries[i].DB = "", "" // neither counts in the original
	}
	return s.File(), pred, levels, nil
}

func (a *app) evalBird(ctx context.Context, o *birdly) error {
	score, err := o.check()
	if err != nil {
		return usageError{err}
	}
	gold, pred, levels, err := o.read()
	if err != nil {
		return err
	}
	limit := limits{time.Duration(o.seconds * float64(time.Second)), o.workers}
	e, err := a.scoreFiles(ctx, append(limit.settings(), "dataset.kind=bird", "dataset.path="+o.root,
		"dataset.databases="+list([]string{o.root}), "metrics="+list([]string{score.Metric})), plan.Options{Gold: gold, Pred: pred, Tables: []string{}})
	if err != nil {
		return err
	}
	b := official.BIRD{Score: score}
	for i, r := range e.Rows {
		if s := r.Scores[0]; s.Status == metrics.GoldError {
			a.note("warning: the gold query on line %d is left out of every column: %s", gold.Entries[i].Line, s.Why)
		} else {
			b.Items = append(b.Items, official.Item{Difficulty: levels[i], Value: s.Value})
		}
	}
	if o.log != "" {
		err = output.Write(ctx, o.log, a.out, func(w io.Writer) error { return b.WriteLog(w) })
	}
	return errors.Join(b.Write(a.out), err)
}
