// Package schema describes a database: tables, columns, keys, row counts and sample values.
//
// An engine reads a [Database] from a database file; [New] builds one from a dataset that has no files. Methods add the
// values found for a question and [Database.Cut] it to the columns that the question needs, and package render prints
// it into the prompt. The statement tree and the metrics use names and keys only, so they also accept a Database
// without samples or row counts. The package must never know an engine or open a file.
package schema

import (
	"math/rand/v2"
	"strings"
)

// Database describes one database. Tables are in creation order, columns in declared order.
//
// Prompts share a Database, also between goroutines: treat it as read-only, and change a copy.
type Database struct {
	Name        string
	Tables      []Table
	ForeignKeys []ForeignKey
	Examples    Examples `json:",omitempty"`
}

// Examples selects the sample values and rows that prompts show besides the values found for a question.
type Examples int

// The selections.
const (
	EveryExample Examples = iota // all sample values and rows
	OfUnfound                    // the sample values of columns without a found value, and the rows
	NoExample                    // the found values alone
)

// Table is one table with its columns.
type Table struct {
	Name        string
	Columns     []Column
	PrimaryKey  []string   // column names in key order; empty where none is declared
	Rows        int        // row count; -1 where unknown, as in a schema without a database file
	DDL         string     // the CREATE TABLE statement as stored; made by createTable where there is no file
	Samples     [][]string // first rows, each value printed as SQLite prints it, NULL as "NULL"
	Description string
}

// Column is one column.
type Column struct {
	Name        string
	Type        string   // as declared, may be empty
	Samples     []string // distinct non-NULL values in order of first appearance, printed as text
	Meaning     string   // expanded name, where the dataset gives one (BIRD, tables.json)
	Description string   // content of the column, where the dataset describes it
	Values      string   // meaning of the values, where the dataset explains it

	// Found lists values of the column that the present question may mention, the likeliest first. It is empty in the
	// Database that all questions share.
	Found []string `json:",omitempty"`
}

// ForeignKey is one column that refers to another. A composite key has one ForeignKey per column.
type ForeignKey struct {
	Table, Column       string
	RefTable, RefColumn string
}

// From returns the referring column.
func (k ForeignKey) From() ColumnName { return ColumnName{k.Table, k.Column} }

// To returns the referenced column.
func (k ForeignKey) To() ColumnName { return ColumnName{k.RefTable, k.RefColumn} }

// New returns a Database that does not come from a file: its row counts are unknown (-1), and createTable writes the DDL
// of every table that has none.
func New(name string, tables []Table, keys []ForeignKey) *Database {
	d := &Database{Name: name, Tables: tables, ForeignKeys: keys}
	for i := range d.Tables {
		t := &d.Tables[i]
		t.Rows = -1
		if t.DDL == "" {
			t.DDL = createTable(*t, keys)
		}
	}
	return d
}

// Add appends columns with nothing but a name to the last table, or to a new table if the last has another name. It
// returns d, so that calls can be chained.
func (d *Database) Add(table string, columns ...string) *Database {
	if n := len(d.Tables); n == 0 || d.Tables[n-1].Name != table {
		d.Tables = append(d.Tables, Table{Name: table})
	}
	t := &d.Tables[len(d.Tables)-1]
	for _, name := range columns {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	return d
}

// Columns returns the name of every column, in order.
func (d *Database) Columns() []ColumnName {
	var out []ColumnName
	for _, t := range d.Tables {
		for _, c := range t.Columns {
			out = append(out, ColumnName{t.Name, c.Name})
		}
	}
	return out
}

// Table returns the table of that name, ignoring case, or nil. It accepts a nil d, which has no tables.
func (d *Database) Table(name string) *Table {
	if d == nil {
		return nil
	}
	for i := range d.Tables {
		if strings.EqualFold(d.Tables[i].Name, name) {
			return &d.Tables[i]
		}
	}
	return nil
}

// Names returns the names of the columns in declared order.
func (t *Table) Names() []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Name
	}
	return out
}

// Column returns the column of that name, ignoring case, or nil.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i]
		}
	}
	return nil
}

// Shuffled returns a copy with the tables, and the columns within each table, in an order drawn from r. createTable
// writes the DDL of the copy, because the stored one would show the old order. Key columns keep their order, since it is
// part of the key, and so do foreign keys.
func (d *Database) Shuffled(r *rand.Rand) *Database {
	c := &Database{Name: d.Name, Examples: d.Examples, ForeignKeys: append([]ForeignKey(nil), d.ForeignKeys...)}
	for _, i := range r.Perm(len(d.Tables)) {
		t := d.Tables[i].permuted(r.Perm(len(d.Tables[i].Columns)))
		t.PrimaryKey = append([]string(nil), t.PrimaryKey...)
		t.DDL = createTable(t, d.ForeignKeys)
		c.Tables = append(c.Tables, t)
	}
	return c
}

// permuted returns a copy of the table with the columns at these positions, in the order of the positions.
func (t Table) permuted(order []int) Table {
	t.Columns = permuted(t.Columns, order)
	rows := make([][]string, len(t.Samples))
	for i, row := range t.Samples {
		rows[i] = permuted(row, order)
	}
	t.Samples = rows
	return t
}

// permuted returns the elements of s in the given order. It skips positions beyond s: a sample row may be shorter than the
// list of columns.
func permuted[T any](s []T, order []int) []T {
	out := make([]T, 0, len(order))
	for _, i := range order {
		if i < len(s) {
			out = append(out, s[i])
		}
	}
	return out
}
