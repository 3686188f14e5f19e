package record

import (
	"encoding/json"

	"assay/prompting/sql/schema"
)

// Listing writes lists of texts as a Link's cells hold them: JSON, and nothing for no list at all.
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

// Columns are the columns that a choice named, and those that prompts then showed; neither of a link to values.
func (l Link) Columns() (named, shown []schema.ColumnName) {
	return columnNames(l.Chosen), columnNames(l.Shown)
}

func columnNames(cell string) (out []schema.ColumnName) {
	for _, c := range Listed(cell) {
		if len(c) == 2 {
			out = append(out, schema.ColumnName{Table: c[0], Column: c[1]})
		}
	}
	return out
}
