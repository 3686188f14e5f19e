package main

import (
	"fmt"

	"assay/experiments/demos"
	"assay/plots/table"
)

// demosTable has one row per hardness, and what the kept demonstrations have. judge says by whom they are rated, such as "by rule".
func demosTable(s demos.Summary, judge string) *table.Table {
	t := &table.Table{ID: "demos", Title: "Demonstrations by hardness", Columns: []table.Column{{Name: "hardness", Key: true},
		{Name: "tried", Align: table.Right}, {Name: "kept", Align: table.Right}, {Name: "%", Align: table.Right}}}
	all := s.Levels[len(s.Levels)-1]
	var kinds []string
	for _, k := range demos.Kinds.IDs() {
		if all.With[k] > 0 {
			kinds = append(kinds, k)
			t.Columns = append(t.Columns, table.Column{Name: k, Align: table.Right})
		}
	}
	t.Columns = append(t.Columns, table.Column{Name: "mean steps", Align: table.Right}, table.Column{Name: "natural", Align: table.Right})
	for _, l := range s.Levels {
		share := table.Text("-")
		if l.Tried > 0 {
			share = table.Measured(table.Number{Value: 100 * float64(l.Kept) / float64(l.Tried), Decimals: 1})
		}
		row := []table.Cell{table.Text(l.ID), table.Count(l.Tried), table.Count(l.Kept), share}
		for _, k := range kinds {
			row = append(row, table.Count(l.With[k]))
		}
		t.Rows = append(t.Rows, append(row, mean(l.Steps), mean(l.Naturalness)))
	}
	t.Notes = []string{"natural: mean naturalness of the sub-questions " + judge + ", from 0 to 1."}
	if all.Kept > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Of %d drawn at random from the %d kept, two seeds are expected to share %.2g.", s.Draws, all.Kept, s.Overlap))
	}
	if a := s.Asked; a != nil {
		note := fmt.Sprintf("Models: %d calls, %d completions from the ledger, %d failed", a.Called, a.Cached, a.Failed)
		if a.Spent != "" {
			note += "; spent: " + a.Spent
		}
		t.Notes = append(t.Notes, note+".")
	}
	return t
}

// mean is a mean that is above 0 where there is anything to average.
func mean(x float64) table.Cell {
	if x == 0 {
		return table.Text("-")
	}
	return table.Measured(table.Number{Value: x, Decimals: 2})
}

// failuresTable has one row per reason.
func failuresTable(s demos.Summary) *table.Table {
	t := &table.Table{ID: "failures", Title: "Annotations that are not there", Columns: []table.Column{
		{Name: "annotation", Key: true}, {Name: "reason"}, {Name: "demonstrations", Align: table.Right}}}
	for _, f := range s.Failures {
		kind := f.Kind
		if kind == "" {
			kind = "all"
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(kind), table.Text(f.Reason), table.Count(f.Count)})
	}
	return t
}
