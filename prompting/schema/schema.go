// Package schema describes a database as a prompt needs it: tables, columns, keys, row counts and sample values.
package schema

// Database is one database's description. Tables are in the order of the database file, columns in declared order.
type Database struct {
	Name        string
	Tables      []Table
	ForeignKeys []ForeignKey
}

// Table is one table with its columns.
type Table struct {
	Name        string
	Columns     []Column
	PrimaryKey  []string   // column names in key order; empty where none is declared
	Rows        int        // row count; -1 where unknown (a schema without a database file)
	DDL         string     // the CREATE TABLE statement as stored; synthesised where there is no file
	Samples     [][]string // first rows, each value printed as SQL text, NULL as "NULL"
	Description string
}

// Column is one column.
type Column struct {
	Name        string
	Type        string   // as declared, may be empty
	Samples     []string // distinct non-NULL values in order of first appearance, printed as text
	Meaning     string   // expanded name, where the dataset gives one (BIRD, tables.json)
	Description string   // what the column holds, where the dataset says
	Values      string   // what its values mean, where the dataset says
}

// ForeignKey is one column that refers to another; a composite key is one ForeignKey a column.
type ForeignKey struct {
	Table, Column       string
	RefTable, RefColumn string
}
