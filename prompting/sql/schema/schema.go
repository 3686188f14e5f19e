// Package schema describes a database: tables, columns, keys, row counts and sample values.
//
// An engine reads a description from a database, [New] makes one where there is none. Prompts are rendered from a
// description, or from one that is cut to the columns that a question needs; the statement tree and metrics read its
// names and keys alone, which may come from elsewhere than the database: such a description has nothing else in it. The
// package knows no engine and opens no file.
package schema

import (
	"math/rand/v2"
	"strings"
)

// Database is one database's description. Tables are in the order of the database file, columns in declared order.
//
// A Database is shared between prompts: treat it as read-only once made, and change a copy.
type Database struct {
	Name        string
	Tables      []Table
	ForeignKeys []ForeignKey
	Examples    Examples `json:",omitempty"`
}

// Examples says which of a description's example values and rows prompts show besides the values found.
type Examples int

// The rules.
const (
	EveryExample Examples = iota
	OfUnfound             // example values of the columns in which no value was found, and rows
	NoExample
)

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

	// Found are values of the column that the question at hand seems to mention, the likeliest first; empty in the
	// description that all questions of a database share.
	Found []string `json:",omitempty"`
}

// ForeignKey is one column that refers to another; a composite key is one ForeignKey a column.
type ForeignKey struct {
	Table, Column       string
	RefTable, RefColumn string
}

// From is the column that refers.
func (k ForeignKey) From() ColumnName { return ColumnName{k.Table, k.Column} }

// To is the column that it refers to.
func (k ForeignKey) To() ColumnName { return ColumnName{k.RefTable, k.RefColumn} }

// New makes a description without a database file: row counts are unknown (-1), and a table without a DDL gets the
// one that createTable makes of it.
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

// Add adds columns, of which only the names are known, to the last table, or to a new one where the last has another
// name. It returns d.
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

// Columns names every column, in order.
func (d *Database) Columns() []ColumnName {
	var out []ColumnName
	for _, t := range d.Tables {
		for _, c := range t.Columns {
			out = append(out, ColumnName{t.Name, c.Name})
		}
	}
	return out
}

// Table finds a table by its name, without regard to case; nil where there is none, and where d is nil.
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

// Names are the names of the columns, in declared order.
func (t *Table) Names() []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Name
	}
	return out
}

// Column finds a column by its name, without regard to case; nil where there is none.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i]
		}
	}
	return nil
}

// Shuffled returns a copy with tables and, within each, columns in an order drawn from r. A stored DDL would show the
// old order, so the copy's is made by createTable; key columns keep the key's order, foreign keys theirs.
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

// permuted is a copy of the table with the columns at these positions, in their order.
func (t Table) permuted(order []int) Table {
	t.Columns = permuted(t.Columns, order)
	rows := make([][]string, len(t.Samples))
	for i, row := range t.Samples {
		rows[i] = permuted(row, order)
	}
	t.Samples = rows
	return t
}

// permuted returns the elements of s in the given order; positions s lacks are left out.
func permuted[T any](s []T, order []int) []T {
	out := make([]T, 0, len(order))
	for _, i := range order {
		if i < len(s) {
			out = append(out, s[i])
		}
	}
	return out
}
