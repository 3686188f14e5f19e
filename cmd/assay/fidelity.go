package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/fidelity"
	"assay/plots/paper"
	"assay/plots/table"
)

// fidelityFormats are those of config show --fidelity.
var fidelityFormats = []string{"text", "csv", "md", "latex"}

// fidelity prints the sheet of an experiment, whose data set need not be here.
func (a *app) fidelity(o *overrides, experiment, format string) error {
	if !slices.Contains(fidelityFormats, format) {
		return usageError{fmt.Errorf("config show: --format %s", configs.Unknown(format, fidelityFormats))}
	}
	with := o.options()
	with.Unset = true
	e, err := configs.Load(experiment, known(), with)
	if err != nil {
		return ofFlags(err)
	}
	rows := fidelity.Of(e)
	if len(rows) == 0 {
		return fmt.Errorf("config show %q: it repeats no paper: its report has no table of one, with which its settings could be compared", experiment)
	}
	t := paper.Fidelity(e.Name, rows)
	switch {
	case a.json:
		return json.NewEncoder(a.out).Encode(rows)
	case format == "csv":
		return t.WriteCSV(a.out)
	case format == "md":
		return t.WriteMarkdown(a.out)
	case format == "latex":
		return t.WriteLaTeX(a.out)
	}
	for i, source := range fidelity.Sources(rows) {
		own := slices.DeleteFunc(slices.Clone(rows), func(r fidelity.Row) bool { return r.Source != source })
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := a.fidelityText(paper.Fidelity(e.Name, own), own); err != nil {
			return err
		}
	}
	return nil
}

// fidelityText prints the sheet of one paper for a terminal, whose lines have no room for two columns more: a place stands in brackets behind
// what the paper has there, and the reasons stand below.
func (a *app) fidelityText(t *table.Table, rows []fidelity.Row) error {
	for _, r := range rows {
		note := fmt.Sprintf("%s, %s: %s.", r.What, r.Class, r.Why)
		if r.Why != "" && !slices.Contains(t.Notes, note) {
			t.Notes = append(t.Notes, note)
		}
	}
	var kept []int
	for i, c := range t.Columns {
		if !c.Extra {
			kept = append(kept, i)
		}
	}
	for i, r := range rows {
		says := len(kept) - 3
		t.Rows[i][kept[says]] = table.Text(strings.TrimSpace(r.Says + " [" + r.Where + "]"))
	}
	for i, cells := range t.Rows {
		t.Rows[i] = pick(cells, kept)
	}
	t.Columns = pick(t.Columns, kept)
	return a.text(t)
}

// pick returns the elements at these positions.
func pick[T any](all []T, at []int) (out []T) {
	for _, i := range at {
		out = append(out, all[i])
	}
	return out
}
