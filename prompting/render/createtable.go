package render

import (
	"fmt"
	"strings"

	"assay/prompting/sql/schema"
)

// cellWidth bounds a printed cell, in characters.
const cellWidth = 60

// createTable prints each table's CREATE TABLE statement as stored, then its first rows in a comment: "Create Table +
// Select 3" of Rajkumar et al. (2022), with as many rows as asked for. Cells are separated by a tab, since values may
// hold spaces. Without rows (none asked for, or no database file) the comment is left out. Values that the question
// mentions stand in a comment of their own.
func createTable(db *schema.Database, rows int) string {
	var b strings.Builder
	for _, t := range db.Tables {
		b.WriteString(strings.TrimRight(t.DDL, "; \t\r\n") + "\n")
		if rows > 0 && t.Rows >= 0 && db.Examples != schema.NoExample {
			exampleRows(&b, t, rows)
		}
		foundValues(&b, t)
		b.WriteString("\n")
	}
	return b.String()
}

// exampleRows prints a table's first rows as the result of the query that would return them.
func exampleRows(b *strings.Builder, t schema.Table, rows int) {
	fmt.Fprintf(b, "/*\n%d example rows:\nSELECT * FROM %s LIMIT %d;\n", rows, schema.Quote(t.Name), rows)
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = clip(c.Name, cellWidth)
	}
	b.WriteString(strings.Join(names, "\t") + "\n")
	for _, row := range t.Samples[:min(rows, len(t.Samples))] {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = clip(v, cellWidth)
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	b.WriteString("*/\n")
}

// foundValues prints the values of a table that the question mentions, a line a column.
func foundValues(b *strings.Builder, t schema.Table) {
	head, foot := "/*\nvalues that the question may mention:\n", ""
	for _, c := range t.Columns {
		if v := found(c); len(v) > 0 {
			b.WriteString(head + clip(c.Name, cellWidth) + ": " + strings.Join(v, ", ") + "\n")
			head, foot = "", "*/\n"
		}
	}
	b.WriteString(foot)
}
