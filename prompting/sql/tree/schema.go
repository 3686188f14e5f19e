package tree

// Schema is a database's shape as exact match needs it: names only.
type Schema struct {
	Tables      []Table
	ForeignKeys [][2]ColumnRef
}

// Table names a table and its columns in declared order.
type Table struct {
	Name       string
	Columns    []string
	PrimaryKey []string
}

// ColumnRef names a column of a table.
type ColumnRef struct{ Table, Column string }
