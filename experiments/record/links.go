package record

import (
	"encoding/json"

	"assay/prompting/sql/schema"
)

// Listing encodes lists of texts as the cells of a Link hold them: JSON, and nothing for nil. An empty list is "[]", since a
// stage that found nothing differs from one that did not look.
func Listing(rows [][]string) string {
	if rows == nil {
		return ""
	}
	b, err := json.Marshal(rows)
	if err != nil { // texts always encode
		return ""
	}
	return string(b)
}

// Listed reads a Listing back; nil where it is empty or malformed.
func Listed(cell string) (rows [][]string) {
	if json.Unmarshal([]byte(cell), &rows) != nil {
		return nil
	}
	return rows
}

// Columns returns the columns that a choice named, and those that prompts then showed; nil for a link to values.
func (l Link) Columns() (named, shown []schema.ColumnName) {
	return columnNames(l.Chosen), columnNames(l.Shown)
}

// columnNames decodes a cell of [table, column] pairs.
func columnNames(cell string) (out []schema.ColumnName) {
	for _, c := range Listed(cell) {
		if len(c) == 2 {
			out = append(out, schema.ColumnName{Table: c[0], Column: c[1]})
		}
	}
	return out
}
