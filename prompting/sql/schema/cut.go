package schema

import (
	"cmp"
	"slices"
	"strings"
)

// Cut returns a copy with these columns alone. It keeps the tables that have one of them, the primary keys of which all
// columns remain, and the foreign keys of which both ends remain. A ColumnName with an empty Column keeps its table. The
// order does not change; createTable writes the DDL. If keep is empty, Cut returns d itself, the whole schema.
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

// cut returns a copy of a table with the columns of keep, a set of folded names.
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

// Joined returns the columns with those that are needed to join them: the primary keys of their tables and of the tables
// on a shortest path of foreign keys between them, and the columns of every foreign key between these tables. A table
// that no path reaches stays unconnected.
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

// connect adds the tables on a shortest path from the first table to each of the others. The paths form a tree, which
// connects all of them, though not always with the fewest tables: that would be the Steiner tree problem.
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

// neighbours lists, for each table, the tables one foreign key away, in the order of the keys, so that the paths found
// are the same in every run.
func (d *Database) neighbours() map[string][]string {
	out := map[string][]string{}
	for _, k := range d.ForeignKeys {
		a, b := strings.ToLower(k.Table), strings.ToLower(k.RefTable)
		out[a] = append(out[a], b)
		out[b] = append(out[b], a)
	}
	return out
}

// path returns a shortest path between two tables by breadth-first search, from to back to from, both included. It
// returns nil where there is none.
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

// Arranged returns a copy of the description whose tables, and the columns within each, stand in the order in which the names
// mention them first; those that are not named keep their order, after the others.
func (d *Database) Arranged(names []ColumnName) *Database {
	tables, columns := map[string]int{}, map[ColumnName]int{}
	for i, n := range names {
		if t := strings.ToLower(n.Table); tables[t] == 0 {
			tables[t] = i - len(names)
		}
		if f := n.Folded(); columns[f] == 0 {
			columns[f] = i - len(names)
		}
	}
	out := *d
	out.Tables = slices.Clone(d.Tables)
	slices.SortStableFunc(out.Tables, func(a, b Table) int {
		return cmp.Compare(tables[strings.ToLower(a.Name)], tables[strings.ToLower(b.Name)])
	})
	for i, t := range out.Tables {
		order := make([]int, len(t.Columns))
		for c := range order {
			order[c] = c
		}
		place := func(c int) int { return columns[ColumnName{t.Name, t.Columns[c].Name}.Folded()] }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
		out.Tables[i] = t.permuted(order)
		out.Tables[i].DDL = createTable(out.Tables[i], d.ForeignKeys)
	}
	return &out
}
