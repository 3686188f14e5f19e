package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/experiments/evaluate"
	"assay/experiments/record"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

func (a *app) importCmd() *cobra.Command {
	var p predicting
	var name string
	c := &cobra.Command{
		Use:   "import",
		Short: "Score a file of predicted SQL and store it as a run, for report and diff",
		Long: `Score predictions as eval does, and store them as a run with one arm of the given name. Of an item with several
candidates the first is the answer; candidates.csv has them all with their scores. Importing the same file again gives
the same run.

A line of JSONL may say what its answer took, beside "sql" or in each of its "candidates": "prompt_tokens",
"completion_tokens", "cost_usd" and "prompt", and beside "id" its "seed", one for the whole file. What it does not say is
unknown in every report, not 0; other fields are named in a warning. Prompts go into the store's ledger.`,
		Example: "  assay import --name dail --dataset spider --data spider --pred predicted.txt\n  assay diff dail my-run --arm dail=standard",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if name == "" {
				name = nameOf(p.pred)
			}
			e, err := p.evaluate(cmd.Context(), name, evaluate.Options{All: true})
			if err != nil {
				return err
			}
			r, err := e.Record()
			if err != nil {
				return err
			}
			if err := a.keepPrompts(cmd.Context(), e.Exchanges()); err != nil {
				return err
			}
			r.Dir = a.store().RunDir(name, r.Manifest.ID)
			if err := record.Write(r.Dir, r); err != nil {
				return err
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(map[string]any{"run": r.Dir, "id": r.Manifest.ID, "items": r.Manifest.Items, "warnings": orEmpty(e.Notes)})
			}
			if !a.quiet {
				if err := a.printEval(e, nil, false, "text"); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(a.out, "run:", r.Dir)
			return err
		},
	}
	p.register(c)
	c.Flags().StringVar(&name, "name", "", "name of the run and of its arm (default: the file's)")
	return c
}

// keepPrompts puts the prompts of predictions into the store's ledger, where show and the page find them.
func (a *app) keepPrompts(ctx context.Context, all []evaluate.Exchange) (err error) {
	if len(all) == 0 {
		return nil
	}
	l, err := a.store().Ledger()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	const together = 256 // puts that share a write to disk
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(together)
	for _, x := range all {
		g.Go(func() error { return l.Put(ctx, x.Request, x.Response) })
	}
	return g.Wait()
}
