package main

import (
	"cmp"
	"fmt"
	"slices"

	"assay/plots/table"
	"assay/prompting/relevance"
	"assay/prompting/vectors"
)

// recallTables has one table per dataset.
func recallTables(rows []recallRow, all []measured, ks []int) (out []*table.Table) {
	for _, m := range all {
		if m.vectors != "" || m.without != "" {
			continue // the first measurement of a dataset stands for it
		}
		of := slices.Collect(func(yield func(recallRow) bool) {
			for _, r := range rows {
				if r.Dataset == m.Name && !yield(r) {
					return
				}
			}
		})
		out = append(out, recallTable(m, of, ks))
	}
	return out
}

// recallTable has one row per kind of retrieval, group and measurement; a part left out or other vectors show the difference.
func recallTable(m measured, rows []recallRow, ks []int) *table.Table {
	t := &table.Table{ID: "recall", Title: fmt.Sprintf("Recall of what gold queries use, %s", m.Name),
		Columns: []table.Column{{Name: "retrieval", Key: true}, {Name: "of", Key: true}, right("items"), right("gold")}}
	for _, k := range ks {
		t.Columns = append(t.Columns, table.Column{Name: fmt.Sprint("@", k), Unit: "%", Align: table.Right})
	}
	for i := 0; i < len(rows); i += len(ks) {
		r := rows[i]
		what := cmp.Or(r.Group, "all")
		if r.Without != "" {
			what += " -" + r.Without
		} else if r.Vectors != "" {
			what += " +vectors"
		}
		cells := []table.Cell{table.Text(r.Retrieval), table.Text(what), table.Count(r.Items), table.Count(r.Gold)}
		for _, x := range rows[i : i+len(ks)] {
			cells = append(cells, recallCell(x))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Brackets = "Brackets: 95% intervals by bootstrap over items, paired ones for differences."
	t.Notes = append(t.Notes, t.Brackets, "Mean over items of the share of the gold query's columns or values that is among the first k found.",
		"Columns and descriptions offline: "+relevance.Name+". Values offline: "+vectors.Name+".")
	if slices.ContainsFunc(rows, func(r recallRow) bool { return r.gain != nil }) {
		t.Notes = append(t.Notes, "Rows with - (a part left out) and +vectors (a model's) show the difference to the row without.")
	}
	for _, r := range rows {
		if note := "+vectors: " + r.Vectors + "."; r.Vectors != "" && !slices.Contains(t.Notes, note) {
			t.Notes = append(t.Notes, note)
		}
	}
	if m.Unread > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d items are left out: their gold query does not parse, or their database is not described.", m.Unread))
	}
	return t
}

// recallCell is a share in percent, or its difference to the first measurement.
func recallCell(r recallRow) table.Cell {
	if r.gain != nil {
		return table.Measured(table.Number{Value: 100 * r.gain.Estimate, Low: 100 * r.gain.Low, High: 100 * r.gain.High, HasInterval: true, Signed: true, Decimals: 1, N: r.Items})
	}
	return table.Measured(table.Number{Value: 100 * r.Recall, Low: 100 * r.Low, High: 100 * r.High, HasInterval: true, Decimals: 1, N: r.Items})
}
