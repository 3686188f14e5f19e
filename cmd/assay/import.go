package main

import (
	"encoding/json"
	"fmt"

	"assay/experiments/evaluate"
	"assay/experiments/record"

	"github.com/spf13/cobra"
)

func (a *app) importCmd() *cobra.Command {
	var p predicting
	var name string
	c := &cobra.Command{
		Use:   "import",
		Short: "Score a file of predicted SQL and store it as a run, for report and diff",
		Long: `Score predictions as eval does, and store them as a run with one arm of the given name. Of an item with several
candidates the first is the answer; candidates.csv has them all with their scores. Importing the same file again gives
the same run.`,
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
			r.Dir = a.store().RunDir(name, r.Manifest.ID)
			if err := record.Write(r.Dir, r); err != nil {
				return err
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(map[string]any{"run": r.Dir, "id": r.Manifest.ID, "items": r.Manifest.Items})
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
