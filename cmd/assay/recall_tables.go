package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/plots/table"
	"assay/prompting/exemplar"
	"assay/prompting/relevance"
	"assay/prompting/values"
	"assay/prompting/vectors"
)

// recallTables has one table per dataset.
func recallTables(rows []recallRow, all []measured, r *recalling) (out []*table.Table) {
	for i, m := range all {
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
		t := recallTable(m, of, r.ks, r.columns)
		t.Notes = append(t.Notes, foundNotes(all[i:], m)...)
		out = append(out, t)
	}
	return out
}

// recallTable has one row per kind of retrieval, group and measurement; a part left out or other vectors show the difference.
func recallTable(m measured, rows []recallRow, ks []int, columns string) *table.Table {
	t := &table.Table{ID: "recall", Title: fmt.Sprintf("Recall of what gold queries use, %s", m.Name),
		Columns: []table.Column{{Name: "retrieval", Key: true}}}
	grouped := slices.ContainsFunc(rows, func(r recallRow) bool { return r.Group != "" })
	if grouped {
		t.Columns = append(t.Columns, table.Column{Name: "of", Key: true})
	}
	t.Columns = append(t.Columns, right("items"), right("gold"))
	for _, k := range ks {
		t.Columns = append(t.Columns, table.Column{Name: fmt.Sprint("@", k), Unit: "%", Align: table.Right})
	}
	for _, of := range beneath(m.kinds, rows, len(ks)) {
		cells := []table.Cell{table.Text(recallLabel(of[0]))}
		if grouped {
			cells = append(cells, table.Text(cmp.Or(of[0].Group, "all")))
		}
		cells = append(cells, table.Count(of[0].Items), table.Count(of[0].Gold))
		for _, x := range of {
			cells = append(cells, recallCell(x))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Brackets = "Brackets: 95% intervals, for other questions over the same databases."
	if m.Cluster {
		t.Brackets = "Brackets: 95% intervals, for other databases" + fewDatabases(m) + "."
		if grouped {
			t.Brackets += " Those of a group of one database are for other questions."
		}
	}
	t.Notes = append(t.Notes, t.Brackets, "Mean over items of the share of what an item has to find that is among the first k found.")
	t.Notes = append(t.Notes, kindNotes(m.kinds, columns)...)
	if len(rows) == 0 {
		t.Notes = append(t.Notes, "Nothing to find: no gold query uses a column of its database's schema or, for demos, has the skeleton of a demonstration of another database.")
	}
	if slices.ContainsFunc(rows, func(r recallRow) bool { return r.gain != nil }) {
		t.Notes = append(t.Notes, "Rows with - (a part left out) and + (a model's vectors) show the difference to the kind of retrieval above them.")
	}
	for _, r := range rows {
		if note := "+vectors: " + r.Vectors + "."; r.Vectors != "" && !slices.Contains(t.Notes, note) {
			t.Notes = append(t.Notes, note)
		}
	}
	if m.seen {
		t.Notes = append(t.Notes, "These are questions that the offline ranking of columns was counted in: its recall is too high here.")
	}
	if m.Unread > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Items left out, whose gold query does not parse or whose database is not described: %d.", m.Unread))
	}
	return t
}

// leastDatabases is the number below which intervals over databases come out too narrow (Cameron, Gelbach and Miller 2008).
const leastDatabases = 20

// fewDatabases says where there are too few databases; a single one has its items as units.
func fewDatabases(m measured) string {
	bases := map[string]bool{}
	for _, it := range m.Items {
		bases[it.Labels.DB] = true
	}
	switch {
	case len(bases) == 1:
		return ", of which there is one: its items were drawn from"
	case len(bases) < leastDatabases:
		return fmt.Sprintf(", of which %d are few to draw from: they are too narrow", len(bases))
	}
	return ""
}

// beneath divides the rows by what is measured, so that those of a kind of retrieval and group stand together.
func beneath(kinds []string, rows []recallRow, ks int) [][]recallRow {
	lines := slices.Collect(slices.Chunk(rows, ks))
	var groups []string
	for _, l := range lines {
		if !slices.Contains(groups, l[0].Group) {
			groups = append(groups, l[0].Group)
		}
	}
	slices.SortStableFunc(lines, func(a, b []recallRow) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a[0].Retrieval), slices.Index(kinds, b[0].Retrieval)),
			cmp.Compare(slices.Index(groups, a[0].Group), slices.Index(groups, b[0].Group)))
	})
	return lines
}

// recallLabel names a row: the kind of retrieval, and beneath it what was left out or put in its place.
func recallLabel(r recallRow) string {
	switch {
	case r.Without != "":
		return "  -" + r.Without
	case r.Vectors != "":
		return "  +vectors"
	}
	return r.Retrieval
}

// recallCell is a share in percent, or its difference to the first measurement.
func recallCell(r recallRow) table.Cell {
	if r.gain != nil {
		return table.Measured(table.Number{Value: 100 * r.gain.Estimate, Low: 100 * r.gain.Low, High: 100 * r.gain.High, HasInterval: true, Signed: true, Decimals: 1, N: r.Items})
	}
	return table.Measured(table.Number{Value: 100 * r.Recall, Low: 100 * r.Low, High: 100 * r.High, HasInterval: true, Decimals: 1, N: r.Items})
}

// foundNotes say how many values each measurement of a dataset finds for a question, the first of which stands for it.
func foundNotes(all []measured, whole measured) (out []string) {
	for _, kind := range whole.kinds {
		if whole.Found(kind) == 0 {
			continue
		}
		note := fmt.Sprintf("Values found for a question, %s: %.1f", kind, whole.Found(kind))
		for _, m := range all {
			if m.whole == whole.Recall && slices.Contains(m.kinds, kind) {
				note += fmt.Sprintf("; %s %.1f", strings.TrimSpace(recallLabel(recallRow{Without: m.without, Vectors: m.vectors})), m.Found(kind))
			}
		}
		out = append(out, note+".")
	}
	return out
}

// indexedNotes say which columns' values are looked among, by the rule of --columns.
var indexedNotes = map[string]string{
	values.Content: "Those of columns of names and words, whatever their declared type.",
	values.Chess:   "Those of columns declared TEXT that are no keys, as in CHESS's code: values of VARCHAR and CHAR columns, half of Spider's text columns, are not found.",
	values.All:     "Those of every column with a text.",
}

// kindNotes say what kinds of retrieval go by offline, and which columns' values are looked among.
func kindNotes(kinds []string, columns string) (out []string) {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(kinds, n) })
	}
	if has("columns", "phrases", "descriptions") {
		out = append(out, "Columns and descriptions offline: "+relevance.Name+".")
	}
	if has("values", "misspelt") {
		out = append(out, "Values offline: "+vectors.Name+". "+indexedNotes[columns])
	}
	if has("demos") {
		out = append(out, "Demonstrations by strategy similarity offline: "+exemplar.SimilarityName+".")
	}
	if has("demos-whole") {
		out = append(out, "Demonstrations by whole questions offline: "+vectors.Name+".")
	}
	if has("demos", "demos-whole", "demos-random") {
		out = append(out, "Items whose skeleton no demonstration has are left out of demos.")
	}
	return out
}
