package main

import (
	"fmt"

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

// partMeasures are the three scores that the official evaluators print of each part.
var partMeasures = []struct {
	id, title string
	of        func(*exact.Tally, exact.Part) float64
}{
	{"accuracy", "Partial matching accuracy: of the predictions with the part, those in which it agrees, percent", (*exact.Tally).Accuracy},
	{"recall", "Partial matching recall: of the gold queries with the part, those whose prediction agrees in it, percent", (*exact.Tally).Recall},
	{"f1", "Partial matching F1 of accuracy and recall, percent", (*exact.Tally).F1},
}

// emPartsTables are the partial scores of exact match, one table for each of the three: one row per part, one column per group.
func emPartsTables(levels []summary.PartLevel) (out []*table.Table) {
	for _, m := range partMeasures {
		t := &table.Table{ID: "parts-" + m.id, Title: m.title, Columns: []table.Column{{Name: "part", Key: true}}}
		items := []table.Cell{table.Text("items")}
		for _, l := range levels {
			t.Columns = append(t.Columns, table.Column{Name: l.Name, Align: table.Right})
			items = append(items, table.Count(l.Items))
		}
		t.Rows = [][]table.Cell{items}
		for p := range exact.PartCount {
			row := []table.Cell{table.Text(p.String())}
			for _, l := range levels {
				row = append(row, partScore(m.of(&l.Tally, p), l.Items))
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	all := levels[len(levels)-1]
	out[len(out)-1].Notes = []string{
		fmt.Sprintf("As test-suite-sql-eval prints them: F1 is 100 where accuracy and recall are both 0, for a part that never occurs and for one that never agrees alike. %d of %d predictions are in Spider's grammar; the others have no part.", all.Parsed, all.Items),
		"em requires every part and the same tables."}
	return out
}

// partScore is a share of a group's items in percent; empty where there are none.
func partScore(share float64, items int) table.Cell {
	if items == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * share, N: items, Decimals: 1})
}

// partsJSON returns the parts for JSON: shares from 0 to 1, and how many predictions and gold queries have each part.
func partsJSON(levels []summary.PartLevel) []any {
	out := []any{}
	for _, l := range levels {
		parts := map[string]map[string]any{}
		for p := range exact.PartCount {
			right, predicted, gold := l.Of(p)
			parts[p.String()] = map[string]any{"right": right, "predicted": predicted, "gold": gold}
			for _, m := range partMeasures {
				parts[p.String()][m.id] = m.of(&l.Tally, p)
			}
		}
		out = append(out, map[string]any{"level": l.Name, "items": l.Items, "parsed": l.Parsed, "parts": parts})
	}
	return out
}
