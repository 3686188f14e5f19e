package main

import (
	"cmp"

	"assay/experiments/axes"
	"assay/experiments/summary"
	"assay/metrics/exact"
	"assay/plots/table"
)

// partsOf returns the partial scores of exact match; nil where they are not wanted.
func partsOf(e *evaluation, wanted bool, by []axes.Axis, all []summary.Summary) ([]summary.PartLevel, error) {
	if !wanted {
		return nil, nil
	}
	return e.Parts(partsAxis(by, all))
}

// partsAxis returns the axis that breaks the parts down: the first of --by, else the dataset's own labels.
func partsAxis(by []axes.Axis, all []summary.Summary) axes.Axis {
	if len(by) > 0 {
		return by[0]
	}
	if all[0].Leveling == axes.Difficulty.Name {
		return axes.Difficulty
	}
	return axes.Hardness
}

// emPartsTable has one row per part of exact match, and one column per group.
func emPartsTable(levels []summary.PartLevel) *table.Table {
	t := &table.Table{ID: "parts", Title: "Exact match by its parts, percent of items in which the part agrees",
		Columns: []table.Column{{Name: "part", Key: true}}}
	items, parsed := []table.Cell{table.Text("items")}, []table.Cell{table.Text("prediction parses")}
	for _, l := range levels {
		t.Columns = append(t.Columns, table.Column{Name: l.Name, Align: table.Right})
		items, parsed = append(items, table.Count(l.Items)), append(parsed, partShare(l.Parsed, l.Items))
	}
	t.Rows = [][]table.Cell{items, parsed}
	for p := range exact.PartCount {
		row := []table.Cell{table.Text(p.String())}
		for _, l := range levels {
			row = append(row, partShare(l.Agree[p], l.Items))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Items whose gold query is in Spider's grammar. A prediction outside it is compared as an empty query, so parts that the gold query lacks agree.",
		"em requires every part and the same tables."}
	return t
}

// partShare is n of so many items, in percent; empty where there are none.
func partShare(n, of int) table.Cell {
	if of == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * float64(n) / float64(of), N: of, Decimals: 1})
}

// partsJSON returns the parts for JSON: shares from 0 to 1.
func partsJSON(levels []summary.PartLevel) []any {
	out := []any{}
	for _, l := range levels {
		of, parts := float64(cmp.Or(l.Items, 1)), map[string]float64{}
		for p := range exact.PartCount {
			parts[p.String()] = float64(l.Agree[p]) / of
		}
		out = append(out, map[string]any{"level": l.Name, "items": l.Items, "parsed": l.Parsed, "parts": parts})
	}
	return out
}
