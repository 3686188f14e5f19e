package schema

import "strings"

// ColumnName names a column of a table. It is spelled as the schema spells it, unless the text it was read from is all
// there is; SQL takes no notice of letter case in names, so two names are of one column where they are equal [ColumnName.Folded].
// The table is empty where it cannot be told.
type ColumnName struct {
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Folded is the name in lower case, to compare names by and to key maps with.
func (c ColumnName) Folded() ColumnName {
	return ColumnName{strings.ToLower(c.Table), strings.ToLower(c.Column)}
}

// Dotted is "table.column", or the column alone where the table is empty.
func (c ColumnName) Dotted() string {
	if c.Table == "" {
		return c.Column
	}
	return c.Table + "." + c.Column
}

// MayBe reports whether the two may be of one column: a table that cannot be told may be any.
func (c ColumnName) MayBe(d ColumnName) bool {
	c, d = c.Folded(), d.Folded()
	return c.Column == d.Column && (c.Table == d.Table || c.Table == "" || d.Table == "")
}
