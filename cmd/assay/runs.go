package main

import (
	"encoding/json"
	"fmt"

	"assay/experiments/store"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

func (a *app) runsCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "runs",
		Short:   "List the runs of the store, the latest first",
		Example: "  assay runs\n  assay runs --store elsewhere --json",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			infos, err := a.store().List()
			if err != nil {
				return err
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(infos)
			}
			if len(infos) == 0 {
				a.note("no runs in %q: `assay run EXPERIMENT` makes one", a.storeDir)
				return nil
			}
			return a.listRuns(infos)
		},
	}
}

func (a *app) listRuns(infos []store.Info) error {
	t := &table.Table{Columns: []table.Column{{Name: "Run"}, {Name: "Dataset"}, {Name: "Items", Align: table.Right}, {Name: "State"}, {Name: "Written"}}}
	for _, in := range infos {
		state := "complete"
		switch {
		case in.Err != nil:
			state = "damaged: " + in.Err.Error()
		case !in.Manifest.Complete:
			state = "incomplete"
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(in.Name), table.Text(in.Manifest.Dataset), table.Text(fmt.Sprint(in.Manifest.Items)),
			table.Text(state), table.Text(in.Written.Format("2006-01-02 15:04"))})
	}
	return t.WriteText(a.out, a.textOptions())
}
