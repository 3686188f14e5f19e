package tree

import "assay/prompting/sql/schema"

// Schema is a database's shape as exact match needs it: names only.
type Schema struct {
	Tables      []Table
	ForeignKeys [][2]schema.ColumnName
}

// Table names a table and its columns in declared order.
type Table struct {
	Name       string
	Columns    []string
	PrimaryKey []string
}
