package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"assay/experiments/catalog"
	"assay/experiments/overview"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

func (a *app) runsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the store, the latest first",
		Long: `List the runs of the store, the latest first: their folder, dataset, items, whether they are complete, their model, and
their score by the first metric in percent; with several arms, the lowest and the highest. A second table lists the
settings in which runs of the same name differ. --json has the score of each arm.`,
		Example: "  assay runs\n  assay runs --store elsewhere --json",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			infos, err := a.store().List()
			if err != nil {
				return err
			}
			runs := overview.Of(infos, catalog.Known)
			if a.json {
				return a.runsJSON(runs)
			}
			if len(runs) == 0 {
				a.note("no runs in %q: `assay run EXPERIMENT` makes one", a.storeDir)
				return nil
			}
			return a.listRuns(runs)
		},
	}
}

// runJSON is a run in the JSON output.
type runJSON struct {
	Run        string             `json:"run"`
	Dir        string             `json:"dir"`
	Experiment string             `json:"experiment"`
	ID         string             `json:"id"`
	Dataset    string             `json:"dataset"`
	Items      int                `json:"items"`
	Metrics    []string           `json:"metrics"`
	Complete   bool               `json:"complete"`
	Written    time.Time          `json:"written"`
	Models     []string           `json:"models"`
	Scores     []overview.Score   `json:"scores"`            // by the first metric, one per arm and sweep point
	Differs    []overview.Setting `json:"differs"`           // from the other runs of its experiment
	Damaged    string             `json:"damaged,omitempty"` // why it cannot be read
}

// runsJSON prints the runs as a JSON list; a damaged run is listed with the reason.
func (a *app) runsJSON(runs []overview.Run) error {
	out := []runJSON{}
	for _, r := range runs {
		m := r.Manifest
		one := runJSON{Run: r.Name, Dir: r.Dir, Experiment: m.Experiment, ID: m.ID, Dataset: m.Dataset, Items: m.Items, Metrics: m.MetricIDs(),
			Complete: m.Complete, Written: r.Written, Models: orEmpty(r.Models), Scores: orEmpty(r.Scores), Differs: orEmpty(r.Differs)}
		if r.Err != nil {
			one.Damaged = r.Err.Error()
		}
		out = append(out, one)
	}
	return json.NewEncoder(a.out).Encode(out)
}

// listRuns prints a table of the runs, and one of the settings in which runs of the same name differ.
func (a *app) listRuns(runs []overview.Run) error {
	t := &table.Table{Columns: []table.Column{{Name: "Run", Key: true}, {Name: "Dataset"}, {Name: "Items", Align: table.Right}, {Name: "State"},
		{Name: "Model"}, {Name: "Score"}, {Name: "Written"}}}
	differ := &table.Table{Title: "Settings in which runs of the same name differ", Columns: []table.Column{{Name: "Run", Key: true}, {Name: "Written"}, {Name: "Settings"}}}
	for _, r := range runs {
		state, score := "complete", r.Headline()
		switch {
		case r.Err != nil:
			state = "damaged"
			t.Notes = append(t.Notes, r.Name+": "+r.Err.Error())
		case !r.Manifest.Complete:
			state = "incomplete"
		}
		cells := []string{r.Name, r.Manifest.Dataset, fmt.Sprint(r.Manifest.Items), state, strings.Join(r.Models, " "), cmp.Or(score, "-"), r.Written.Format("2006-01-02")}
		t.Rows = append(t.Rows, textCells(cells))
		if r.Differs != nil {
			var parts []string
			for _, d := range r.Differs {
				parts = append(parts, d.Key+" "+cmp.Or(d.Value, "-"))
			}
			if parts == nil {
				parts = []string{"the same as the others"}
			}
			differ.Rows = append(differ.Rows, textCells([]string{r.Name, r.Written.Format("2006-01-02 15:04"), strings.Join(parts, ", ")}))
		}
	}
	if err := a.text(t); err != nil || len(differ.Rows) == 0 {
		return err
	}
	fmt.Fprintln(a.out)
	return a.text(differ)
}

// textCells turns texts into cells of a row.
func textCells(texts []string) []table.Cell {
	out := make([]table.Cell, len(texts))
	for i, s := range texts {
		out[i] = table.Text(s)
	}
	return out
}
