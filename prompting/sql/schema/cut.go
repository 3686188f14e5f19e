package schema

import (
	"slices"
	"strings"
)

// Cut returns a copy of the description with these columns and what they leave whole: the tables that have one of them,
// the primary keys all of whose columns are among them, and the foreign keys both of whose ends are. A name without a
// column keeps its table. Order stays; statements are made by createTable. Where no column is named, the description
// itself is returned.
func (d *Database) Cut(keep []ColumnName) *Database {
	if len(keep) == 0 {
		return d
	}
	tables, columns := map[string]bool{}, map[ColumnName]bool{}
	for _, c := range keep {
		tables[strings.ToLower(c.Table)] = true
		columns[c.Folded()] = true
	}
	out := &Database{Name: d.Name, Examples: d.Examples}
	for _, k := range d.ForeignKeys {
		if columns[k.From().Folded()] && columns[k.To().Folded()] {
			out.ForeignKeys = append(out.ForeignKeys, k)
		}
	}
	for _, t := range d.Tables {
		if tables[strings.ToLower(t.Name)] {
			out.Tables = append(out.Tables, t.cut(columns, out.ForeignKeys))
		}
	}
	return out
}

// cut is a copy of a table with the columns of a set, whose names are folded.
func (t Table) cut(keep map[ColumnName]bool, keys []ForeignKey) Table {
	kept := func(column string) bool { return keep[ColumnName{t.Name, column}.Folded()] }
	var at []int
	for i, c := range t.Columns {
		if kept(c.Name) {
			at = append(at, i)
		}
	}
	if slices.ContainsFunc(t.PrimaryKey, func(k string) bool { return !kept(k) }) {
		t.PrimaryKey = nil
	}
	t = t.permuted(at)
	t.DDL = createTable(t, keys)
	return t
}

// Joined adds to columns what joins them: the primary keys of their tables and of those on a shortest path of foreign
// keys between them, and the columns of the foreign keys between any of these tables. A table to which no path leads
// stays alone.
func (d *Database) Joined(columns []ColumnName) []ColumnName {
	tables := map[string]bool{} // in lower case
	for _, c := range columns {
		tables[strings.ToLower(c.Table)] = true
	}
	d.connect(tables)
	out := slices.Clone(columns)
	for _, t := range d.Tables {
		if tables[strings.ToLower(t.Name)] {
			for _, k := range t.PrimaryKey {
				out = append(out, ColumnName{t.Name, k})
			}
		}
	}
	for _, k := range d.ForeignKeys {
		if tables[strings.ToLower(k.Table)] && tables[strings.ToLower(k.RefTable)] {
			out = append(out, k.From(), k.To())
		}
	}
	return out
}

// connect adds the tables on the way from the first of the tables to each of the others, where there is a way.
func (d *Database) connect(tables map[string]bool) {
	var ends []string
	for _, t := range d.Tables {
		if n := strings.ToLower(t.Name); tables[n] {
			ends = append(ends, n)
		}
	}
	next := d.neighbours()
	for _, to := range ends[min(1, len(ends)):] {
		for _, t := range path(next, ends[0], to) {
			tables[t] = true
		}
	}
}

// neighbours lists the tables one foreign key away from each, in the order of the keys.
func (d *Database) neighbours() map[string][]string {
	out := map[string][]string{}
	for _, k := range d.ForeignKeys {
		a, b := strings.ToLower(k.Table), strings.ToLower(k.RefTable)
		out[a] = append(out[a], b)
		out[b] = append(out[b], a)
	}
	return out
}

// path is a shortest way between two tables, both ends included; nil where there is none.
func path(next map[string][]string, from, to string) (out []string) {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			for t := to; t != ""; t = before[t] {
				out = append(out, t)
			}
			return out
		}
		for _, n := range next[queue[0]] {
			if _, seen := before[n]; !seen {
				before[n] = queue[0]
				queue = append(queue, n)
			}
		}
	}
	return nil
}
