package agent

import (
	"strconv"
	"strings"

	"assay/prompting"
	"assay/prompting/sql/schema"
)

// tables lists a database's tables as the rows of a Markdown table, without a line break at the end. Layout is one of
// Layouts; empty is layoutKeys. A row count that is not known is "?".
func tables(db *schema.Database, layout string) string {
	var b strings.Builder
	row := func(cells ...string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	switch layout {
	case layoutNames:
		row("Table")
		row("---")
	case layoutColumns:
		row("Table", "Primary Key", "Foreign Key", "Row Count", "Columns")
		row("---", "---", "---", "---", "---")
	default:
		row("Table", "Primary Key", "Foreign Key", "Row Count")
		row("---", "---", "---", "---")
	}
	for i := range db.Tables {
		t := &db.Tables[i]
		cells := []string{cell(t.Name), names(t.PrimaryKey), keys(db, t.Name), count(t.Rows)}
		switch layout {
		case layoutNames:
			cells = cells[:1]
		case layoutColumns:
			all := make([]string, len(t.Columns))
			for i, c := range t.Columns {
				all[i] = c.Name
			}
			cells = append(cells, names(all))
		}
		row(cells...)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cell returns a name on one line, without what would end a cell.
func cell(name string) string {
	return strings.ReplaceAll(prompting.OneLine(name), "|", `\|`)
}

func names(all []string) string {
	out := make([]string, len(all))
	for i, n := range all {
		out[i] = cell(n)
	}
	return strings.Join(out, ", ")
}

// keys returns the foreign keys of a table: "column -> table.column", one after the other.
func keys(db *schema.Database, table string) string {
	var out []string
	for _, k := range db.ForeignKeys {
		if strings.EqualFold(k.Table, table) {
			out = append(out, cell(k.Column)+" -> "+cell(k.RefTable)+"."+cell(k.RefColumn))
		}
	}
	return strings.Join(out, ", ")
}

func count(rows int) string {
	if rows < 0 {
		return "?"
	}
	return strconv.Itoa(rows)
}
