package main

import (
	"encoding/json"
	"fmt"
	"time"

	"assay/experiments/store"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

func (a *app) runsCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "runs",
		Short:   "List the runs of the store, the latest first",
		Long:    "List the runs of the store, the latest first: their folder, dataset, items, and whether they are complete.",
		Example: "  assay runs\n  assay runs --store elsewhere --json",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			infos, err := a.store().List()
			if err != nil {
				return err
			}
			if a.json {
				return a.runsJSON(infos)
			}
			if len(infos) == 0 {
				a.note("no runs in %q: `assay run EXPERIMENT` makes one", a.storeDir)
				return nil
			}
			return a.listRuns(infos)
		},
	}
}

// runJSON is a run as JSON has it.
type runJSON struct {
	Run        string    `json:"run"`
	Dir        string    `json:"dir"`
	Experiment string    `json:"experiment"`
	ID         string    `json:"id"`
	Dataset    string    `json:"dataset"`
	Items      int       `json:"items"`
	Metrics    []string  `json:"metrics"`
	Complete   bool      `json:"complete"`
	Written    time.Time `json:"written"`
	Damaged    string    `json:"damaged,omitempty"` // why it cannot be read
}

func (a *app) runsJSON(infos []store.Info) error {
	out := []runJSON{}
	for _, in := range infos {
		m := in.Manifest
		one := runJSON{in.Name, in.Dir, m.Experiment, m.ID, m.Dataset, m.Items, m.MetricIDs(), m.Complete, in.Written, ""}
		if in.Err != nil {
			one.Damaged = in.Err.Error()
		}
		out = append(out, one)
	}
	return json.NewEncoder(a.out).Encode(out)
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
