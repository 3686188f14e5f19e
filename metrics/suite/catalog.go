package suite

import (
	"fmt"
	"slices"
	"strings"

	"assay/metrics"
	"assay/metrics/goldcheck"
	"assay/prompting/sandbox"
)

// catalog is a database as the fuzzer sees it: its shape, a sample of its rows, and what golds say about its columns.
type catalog struct {
	schema   metrics.Schema
	tables   []*table
	order    []*table // parents before children, as far as references have no cycle
	later    []string // CREATE statements of indexes, views and triggers
	encoding string
}

// table is one table. Its columns are those that rows store: generated ones are not among them.
type table struct {
	name    string
	sql     string // CREATE TABLE
	columns []column
	unique  [][]int // sets of columns that no two rows share, the primary key first where there is one
	primary bool    // unique[0] is the primary key
	foreign []foreignKey
	opaque  bool // a virtual table: rows are copied, never fuzzed
	rows    []row
	total   int // rows in the original; len(rows) is less in a large table
	at      int // index in catalog.tables
}

// column is one stored column.
type column struct {
	name     string
	affinity goldcheck.Affinity
	notNull  bool
	rowid    bool            // INTEGER PRIMARY KEY
	pool     []sandbox.Value // its distinct values, by first row; NULL is not among them
	hints    []sandbox.Value // literals of the golds, and what lies next to them
	sorted   bool            // a gold orders by it
	distinct bool            // every row of the original has a value of its own
	linked   bool            // golds join on it, or a key refers to or from it
}

type row []sandbox.Value

// foreignKey says that columns hold a key of parent; self references are possible.
type foreignKey struct {
	columns []int
	parent  *table
	key     []int
}

func (c *catalog) find(name string) *table {
	for _, t := range c.tables {
		if strings.EqualFold(t.name, name) {
			return t
		}
	}
	return nil
}

func (c *catalog) column(tableName, name string) *column {
	if t := c.find(tableName); t != nil {
		if i := t.index(name); i >= 0 {
			return &t.columns[i]
		}
	}
	return nil
}

func (t *table) index(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

// hasAll tells whether the table has all of these columns, in lower case.
func (t *table) hasAll(names map[string]bool) bool {
	for name := range names {
		if t.index(name) < 0 {
			return false
		}
	}
	return true
}

// inUnique tells whether a column is part of a set that must be unique.
func (t *table) inUnique(i int) bool {
	return slices.ContainsFunc(t.unique, func(set []int) bool { return slices.Contains(set, i) })
}

// foreignOf is the index of a foreign key that the column is part of, or -1.
func (t *table) foreignOf(i int) int {
	return slices.IndexFunc(t.foreign, func(f foreignKey) bool { return slices.Contains(f.columns, i) })
}

// sort orders tables so that parents come first. Tables in a cycle stay in order of creation.
func (c *catalog) sort() {
	state := map[*table]int{}
	var visit func(t *table)
	visit = func(t *table) {
		if state[t] != 0 {
			return
		}
		state[t] = 1
		for _, f := range t.foreign {
			visit(f.parent)
		}
		c.order = append(c.order, t)
	}
	for _, t := range c.tables {
		visit(t)
	}
}

// pools fills in what the rows say about each column.
func (c *catalog) pools() {
	for _, t := range c.tables {
		for i := range t.columns {
			col := &t.columns[i]
			seen := map[sandbox.Value]bool{}
			for _, r := range t.rows {
				if v := r[i]; v.Kind() != sandbox.Null && !seen[v] {
					seen[v] = true
					col.pool = append(col.pool, v)
				}
			}
			col.distinct = len(seen) == len(t.rows)
			col.linked = t.foreignOf(i) >= 0
		}
	}
	for _, t := range c.tables {
		for _, f := range t.foreign {
			for _, k := range f.key {
				f.parent.columns[k].linked = true
			}
		}
	}
}

// keyOf is the text of some columns of a row, equal where SQLite would take them as equal; ok is false where one is
// NULL.
func keyOf(r row, columns []int) (key string, ok bool) {
	var b strings.Builder
	ok = true
	for _, i := range columns {
		v := r[i].Canonical()
		ok = ok && v.Kind() != sandbox.Null
		fmt.Fprintf(&b, "%d:%d:%s,", v.Kind(), len(v.String()), v.String())
	}
	return b.String(), ok
}
