package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/overview"
	"assay/experiments/store"
	"assay/plots/table"
	"assay/plots/terminal"

	"github.com/spf13/cobra"
)

func (a *app) runsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "runs [EXPERIMENT]",
		Short: "List the runs of the store, the latest first",
		Long: `List the runs of the store, the latest first: each with the start of its id, which other verbs take in its place, when
it was written, its items and arms, the best score by the first metric in percent with the arm that has it, what its
calls cost, its model, dataset and state. What all runs have in common stands below the table. In a narrow terminal the
last columns are left out, and named; --json has them all, and the score of each arm.

With EXPERIMENT, the start of a name, only its runs are listed, and then the settings in which runs of the same name
differ.`,
		Example: "  assay runs\n  assay runs quickstart\n  assay runs --store elsewhere --json",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			infos, err := a.store().List()
			if err != nil {
				return err
			}
			if len(given) > 0 && len(infos) > 0 {
				if infos, err = ofExperiment(infos, given[0]); err != nil {
					return err
				}
			}
			runs := overview.Of(infos, catalog.Known)
			switch {
			case a.json:
				return a.runsJSON(runs)
			case len(runs) == 0:
				a.note("no runs in %q: `assay run EXPERIMENT` makes one", a.storeDir)
				return nil
			}
			return a.listRuns(runs, len(given) > 0)
		},
	}
}

// ofExperiment keeps the runs whose experiment is called so or, where none is, begins so.
func ofExperiment(infos []store.Info, name string) ([]store.Info, error) {
	var same, begin []store.Info
	var known []string
	for _, in := range infos {
		of := in.Manifest.Experiment
		if in.Err != nil {
			of = in.Name
		}
		known = append(known, of)
		if of == name {
			same = append(same, in)
		}
		if strings.HasPrefix(of, name) {
			begin = append(begin, in)
		}
	}
	switch {
	case len(same) > 0:
		return same, nil
	case len(begin) > 0:
		return begin, nil
	}
	return nil, fmt.Errorf("runs: %s", configs.Unknown(name, slices.Compact(slices.Sorted(slices.Values(known)))))
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
	State      string             `json:"state"` // complete, incomplete, damaged
	Best       string             `json:"best"`  // in words; empty where nothing is scored
	Spent      cost.Charge        `json:"spent"` // by the run's own calls
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
			Complete: m.Complete, State: r.State(), Best: r.Best(), Spent: r.Spent, Written: r.Written, Models: orEmpty(r.Models), Scores: orEmpty(r.Scores), Differs: orEmpty(r.Differs)}
		if r.Err != nil {
			one.Damaged = r.Err.Error()
		}
		out = append(out, one)
	}
	return json.NewEncoder(a.out).Encode(out)
}

// runColumn is a column of the list of runs; the first columns are the last to be left out.
type runColumn struct {
	table.Column
	always bool // even where all runs have the same
	of     func(overview.Run) string
}

// runColumns are the columns in their order; short is the shortest start of an id that stands for its run alone.
func runColumns(short int, now time.Time) []runColumn {
	text := func(name string, always bool, of func(overview.Run) string) runColumn {
		return runColumn{table.Column{Name: name}, always, of}
	}
	number := func(name string, always bool, of func(overview.Run) string) runColumn {
		return runColumn{table.Column{Name: name, Align: table.Right}, always, of}
	}
	all := []runColumn{
		text("Experiment", true, func(r overview.Run) string { return cmp.Or(r.Manifest.Experiment, r.Name) }),
		text("Run", true, func(r overview.Run) string { return cmp.Or(r.Manifest.ID[:min(short, len(r.Manifest.ID))], "-") }),
		text("Written", true, func(r overview.Run) string { return r.Written.Format("2006-01-02 15:04") }),
		text("Best", true, func(r overview.Run) string { return cmp.Or(r.Best(), "-") }),
		text("State", false, overview.Run.State),
		number("Items", false, func(r overview.Run) string { return strconv.Itoa(r.Manifest.Items) }),
		number("Arms", false, func(r overview.Run) string { return strconv.Itoa(r.Arms()) }),
		number("Ago", true, func(r overview.Run) string { return ago(now.Sub(r.Written)) }),
		number("USD", false, func(r overview.Run) string { return cost.Money(r.Spent.USD, r.Spent.Unpriced > 0) }),
		text("Model", false, func(r overview.Run) string { return cmp.Or(strings.Join(r.Models, " "), "-") }),
		text("Dataset", false, func(r overview.Run) string { return cmp.Or(r.Manifest.Dataset, "-") }),
	}
	all[0].Key, all[1].Key = true, true
	return all
}

// ago prints a time that has passed, by its largest unit.
func ago(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= u.unit {
			return fmt.Sprintf("%d %s", d/u.unit, u.name)
		}
	}
	return "now"
}

// shortest is the length from which on the ids of the runs differ, at least four characters.
func shortest(runs []overview.Run) int {
	const least = 4
	for n := least; ; n++ {
		seen, equal := map[string]bool{}, false
		for _, r := range runs {
			id := r.Manifest.ID
			if r.Err == nil && n < len(id) {
				equal = equal || seen[id[:n]]
				seen[id[:n]] = true
			}
		}
		if !equal {
			return n
		}
	}
}

// listRuns prints a table of the runs, and where settings is set one of those in which runs of the same name differ.
func (a *app) listRuns(runs []overview.Run, settings bool) error {
	t := a.runsTable(runs)
	differ := settingsTable(runs)
	if !settings && len(differ.Rows) > 0 {
		t.Notes = append(t.Notes, "Several runs share a name: `assay runs EXPERIMENT` lists their settings.")
	}
	if err := a.text(t); err != nil || !settings || len(differ.Rows) == 0 {
		return err
	}
	fmt.Fprintln(a.out)
	return a.text(differ)
}

// runsTable makes the list of the runs. What all have in common is a note, and so is what does not fit.
func (a *app) runsTable(runs []overview.Run) *table.Table {
	width := a.textOptions().Width
	if width == 0 {
		width = helpWidth
	}
	t := &table.Table{Rows: make([][]table.Cell, len(runs))}
	var common, without []string
	for _, c := range runColumns(shortest(runs), time.Now()) {
		cells := make([]string, len(runs))
		wide := utf8.RuneCountInString(c.Name)
		same := len(runs) > 1 && !c.always
		for i, r := range runs {
			cells[i] = c.of(r)
			same = same && cells[i] == cells[0]
			wide = max(wide, min(utf8.RuneCountInString(terminal.Line(cells[i])), widestCell))
		}
		const between = 2
		switch {
		case same:
			common = append(common, c.Name+" "+cells[0])
			continue
		case len(t.Columns) >= leastColumns && wide > width:
			without = append(without, c.Name)
			continue
		}
		width -= wide + between
		t.Columns = append(t.Columns, c.Column)
		for i, s := range cells {
			t.Rows[i] = append(t.Rows[i], table.Text(s))
		}
	}
	if len(common) > 0 {
		t.Notes = append(t.Notes, "All runs: "+strings.Join(common, ", ")+".")
	}
	if len(without) > 0 {
		t.Notes = append(t.Notes, "No room for "+strings.Join(without, ", ")+": a wider terminal has it, or --json.")
	}
	t.Notes = append(t.Notes, damaged(runs)...)
	return t
}

// damaged says why runs cannot be read, of the first of them.
func damaged(runs []overview.Run) (notes []string) {
	const most = 5
	n := 0
	for _, r := range runs {
		if r.Err == nil {
			continue
		}
		if n++; n <= most {
			notes = append(notes, r.Name+": "+r.Err.Error())
		}
	}
	if n > most {
		notes = append(notes, fmt.Sprintf("and %d more that are damaged: --json has the reason of each", n-most))
	}
	return notes
}

// widestCell is the width at which tables wrap a text.
const widestCell = 28

// leastColumns are shown whatever the width.
const leastColumns = 4

// settingsTable lists the settings in which runs of the same name differ.
func settingsTable(runs []overview.Run) *table.Table {
	t := &table.Table{Title: "Settings in which runs of the same name differ", Columns: []table.Column{{Name: "Run", Key: true}, {Name: "Written"}, {Name: "Settings"}}}
	for _, r := range runs {
		if r.Differs == nil {
			continue
		}
		var parts []string
		for _, d := range r.Differs {
			parts = append(parts, d.Key+" "+cmp.Or(d.Value, "-"))
		}
		if parts == nil {
			parts = []string{"the same as the others"}
		}
		t.Rows = append(t.Rows, textCells([]string{r.Name, r.Written.Format("2006-01-02 15:04"), strings.Join(parts, ", ")}))
	}
	return t
}

// textCells turns texts into cells of a row.
func textCells(texts []string) []table.Cell {
	out := make([]table.Cell, len(texts))
	for i, s := range texts {
		out[i] = table.Text(s)
	}
	return out
}
