package schema

import "strings"

// ColumnName names a column of a table. It is spelled as in the schema, or as in the text that it was read from where no
// schema has it. SQL ignores letter case in names: compare names after [ColumnName.Folded]. Table is empty where it is
// unknown.
type ColumnName struct {
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Folded returns the name in lower case, for comparisons and map keys.
func (c ColumnName) Folded() ColumnName {
	return ColumnName{strings.ToLower(c.Table), strings.ToLower(c.Column)}
}

// Dotted returns "table.column", or the column alone where the table is unknown.
func (c ColumnName) Dotted() string {
	if c.Table == "" {
		return c.Column
	}
	return c.Table + "." + c.Column
}

// MayBe reports whether two names can mean the same column: an unknown table matches every table.
func (c ColumnName) MayBe(d ColumnName) bool {
	c, d = c.Folded(), d.Folded()
	return c.Column == d.Column && (c.Table == d.Table || c.Table == "" || d.Table == "")
}
