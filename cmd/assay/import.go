package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"assay/experiments/predictions"
	"assay/experiments/runner"
	"assay/experiments/summary"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

func (a *app) importCmd() *cobra.Command {
	var p predicting
	var name string
	c := &cobra.Command{
		Use:   "import",
		Short: "Score a file of predicted SQL and store it as a run, for report and diff",
		Long: `Score predictions as eval does, and store them as a run with one arm of the given name. The first of an item's several
candidates is the answer; candidates.csv has all of them with their scores. Importing the same file again gives the same
run.

A line of JSONL may give the cost of its answer, beside "sql" or in each of its "candidates": "prompt_tokens",
"completion_tokens", "cost_usd" and "prompt", and beside "id" its "seed", the same one in the whole file. What it does not
give is unknown in every report, not 0; a warning names other fields. Prompts go into the store's ledger. In place of these
a line may list its "calls", each with "stage", "sample", "key" (of the completion in the ledger), "prompt_tokens",
"completion_tokens", "cached_tokens", "reasoning_tokens", "cost_usd", "finish", "note" and "failure", as the file of
assay proxy does: then the run has these calls.

--pred also takes an imported run, to score it by other metrics: the answers are those in its folder, and its name,
dataset and other settings are kept unless a flag says otherwise.`,
		Example: "  assay import --name dail --dataset spider --data spider --pred predicted.txt\n  assay import --pred dail --suite suites --metrics ts,ex\n  assay diff dail my-run --arm dail=standard",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			begin := time.Now()
			made, err := p.plan(cmd.Context(), a, name, a.planned())
			if err != nil {
				return err
			}
			defer made.Close()
			e := &evaluation{Answers: summary.Answers{Plan: made}, places: p.places, loading: time.Since(begin)}
			// Before the run: a run's calls.csv must not name completions that the ledger lacks.
			if err := a.keepPrompts(cmd.Context(), made.Imported.Exchanges()); err != nil {
				return err
			}
			if err := a.holdsCalls(cmd.Context(), made.Imported.Keys()); err != nil {
				return err
			}
			res, err := runner.Run(cmd.Context(), made, runner.Options{Store: a.store(), Scored: e.Add})
			if err != nil {
				return err
			}
			e.scoring = res.Duration
			m := made.Manifest
			if a.json {
				return json.NewEncoder(a.out).Encode(map[string]any{"run": res.Dir, "id": m.ID, "items": m.Items, "warnings": orEmpty(m.Warnings)})
			}
			if !a.quiet {
				if err := a.printEval(e, nil, false, "text"); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(a.out, "run:", res.Dir)
			return err
		},
	}
	p.register(c)
	a.allows(c)
	a.answerOfficial(c)
	c.Flags().StringVar(&name, "name", "", "name of the run and of its arm (default: the file's, or the run's)")
	return c
}

// keepPrompts puts the prompts of predictions into the store's ledger, where show and the page look for them.
func (a *app) keepPrompts(ctx context.Context, all []predictions.Exchange) (err error) {
	if len(all) == 0 {
		return nil
	}
	l, err := a.store().Ledger()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	const together = 256 // concurrent puts share a write to disk, which is what takes the time
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(together)
	for _, x := range all {
		g.Go(func() error { return l.Put(ctx, x.Request, x.Response) })
	}
	return g.Wait()
}

// holdsCalls checks that the store's ledger has the completions that predictions name.
func (a *app) holdsCalls(ctx context.Context, keys []string) (err error) {
	if len(keys) == 0 {
		return nil
	}
	l, err := a.store().Ledger()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, key := range keys {
		_, ok, err := l.Get(ctx, key)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("import: the predictions name the completion %s, which the ledger of the store %q lacks: import into the store where it was recorded (--store), or import that one's ledger first (assay ledger import)",
				key, a.storeDir)
		}
	}
	return nil
}
