package suite

import (
	"fmt"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
)

// catalog is a database as the fuzzer sees it: its shape, a sample of its rows, and what gold queries say about its
// columns.
type catalog struct {
	schema   schema.Database // names alone
	tables   []*table
	order    []*table // parents before children, as far as references have no cycle
	indexes  []string // CREATE statements
	later    []string // those of views and triggers
	encoding string
}

// table is one table. Its columns are those that rows store: generated ones are not among them.
type table struct {
	name    string
	sql     string // CREATE TABLE
	columns []column
	unique  [][]int      // sets of columns that no two rows share, the primary key first where there is one
	primary bool         // unique[0] is the primary key
	foreign []foreignKey // declared ones first, then those that gold queries join on
	opaque  bool         // a virtual table: rows are copied, never fuzzed
	rows    []row
	total   int // rows in the original; len(rows) is less in a large table
	at      int // index in catalog.tables
}

// column is one stored column.
type column struct {
	name     string
	affinity sqlite.Affinity
	notNull  bool
	rowid    bool           // INTEGER PRIMARY KEY
	pool     []engine.Value // its distinct values, by first row; NULL is not among them
	hints    []engine.Value // literals of the gold queries, and what lies next to them
	asked    []engine.Value // of hints, the literals themselves
	sorted   bool           // a gold query orders by it
	nulls    bool           // the original has NULLs in it
	distinct bool           // every row of the original has a value of its own
	linked   bool           // gold queries join on it, or a key refers to or from it
}

type row []engine.Value

// foreignKey says that columns hold a key of parent; self references are possible. A soft one is not declared: gold
// queries join so, and neighbours need not hold to it.
type foreignKey struct {
	columns []int
	parent  *table
	key     []int
	soft    bool
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

// hasAll reports whether the table has all of these columns, in lower case.
func (t *table) hasAll(names map[string]bool) bool {
	for name := range names {
		if t.index(name) < 0 {
			return false
		}
	}
	return true
}

// inUnique reports whether a column is part of a set that must be unique.
func (t *table) inUnique(i int) bool {
	return slices.ContainsFunc(t.unique, func(set []int) bool { return slices.Contains(set, i) })
}

// foreignOf returns the index of a foreign key that the column is part of, or -1.
func (t *table) foreignOf(i int) int {
	return slices.IndexFunc(t.foreign, func(f foreignKey) bool { return slices.Contains(f.columns, i) })
}

// link notes that gold queries compare two columns. Where one is the whole of a unique set, the other refers to it,
// softly.
func (c *catalog) link(from, to schema.ColumnName) {
	child, parent := c.find(from.Table), c.find(to.Table)
	if child == nil || parent == nil || child == parent || child.opaque || parent.opaque {
		return
	}
	i, k := child.index(from.Column), parent.index(to.Column)
	if i < 0 || k < 0 || child.foreignOf(i) >= 0 {
		return
	}
	alone := func(t *table, at int) bool {
		return slices.ContainsFunc(t.unique, func(set []int) bool { return len(set) == 1 && set[0] == at })
	}
	if !alone(parent, k) || alone(child, i) && parent.foreignOf(k) >= 0 {
		return
	}
	child.foreign = append(child.foreign, foreignKey{columns: []int{i}, parent: parent, key: []int{k}, soft: true})
}

// asks reports whether a row has a value that a gold query compares its column with.
func (t *table) asks(r row) bool {
	for i := range t.columns {
		if slices.Contains(t.columns[i].asked, r[i]) {
			return true
		}
	}
	return false
}

// sort orders tables so that parents come first. Tables in a cycle stay in order of creation.
func (c *catalog) sort() {
	c.order = nil
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
		if len(t.rows) == 0 && !t.opaque {
			t.rows = t.invented()
		}
		for i := range t.columns {
			col := &t.columns[i]
			seen := map[engine.Value]bool{}
			for _, r := range t.rows {
				col.nulls = col.nulls || r[i].Kind() == engine.Null
				if v := r[i]; v.Kind() != engine.Null && !seen[v] {
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

// invented makes rows for a table that has none, without which no mutant of a gold query over it could be killed.
func (t *table) invented() []row {
	var rows []row
	for n := range 12 {
		r := make(row, len(t.columns))
		for i, c := range t.columns {
			switch c.affinity {
			case sqlite.Real:
				r[i] = engine.OfReal(float64(n+1) + 0.5)
			case sqlite.Text, sqlite.Blob:
				r[i] = engine.OfText(string(rune('a' + n)))
			default:
				r[i] = engine.OfInt(int64(n + 1))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// mayBeNull reports whether neighbours may have NULLs in the column. Columns that join tables have them only where the
// original does: NOT IN over a stray NULL would call right predictions wrong.
func (c *column) mayBeNull() bool { return !c.notNull && !c.rowid && (c.nulls || !c.linked) }

// keyOf returns the text of some columns of a row, equal where SQLite would take them as equal; ok is false where one
// is NULL.
func keyOf(r row, columns []int) (key string, ok bool) {
	var b strings.Builder
	ok = true
	for _, i := range columns {
		v := r[i].Canonical()
		ok = ok && v.Kind() != engine.Null
		fmt.Fprintf(&b, "%d:%d:%s,", v.Kind(), len(v.String()), v.String())
	}
	return b.String(), ok
}
