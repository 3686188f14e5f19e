package columns

import (
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// Prune returns a copy of the description with the chosen columns, the primary keys of their tables, and what joins
// these: the tables on a shortest path of foreign keys between them, and the columns of foreign keys within what is kept.
// The description itself is returned where nothing is chosen.
func Prune(db *schema.Database, chosen []schema.ColumnName) *schema.Database {
	p := pruning{db, map[string]bool{}, map[schema.ColumnName]bool{}}
	for _, c := range chosen {
		p.tables[strings.ToLower(c.Table)] = true
		p.columns[c.Folded()] = true
	}
	if len(chosen) == 0 {
		return db
	}
	p.connect()
	out := &schema.Database{Name: db.Name, Examples: db.Examples}
	for _, k := range db.ForeignKeys {
		if p.tables[strings.ToLower(k.Table)] && p.tables[strings.ToLower(k.RefTable)] {
			out.ForeignKeys = append(out.ForeignKeys, k)
			p.columns[schema.ColumnName{Table: k.Table, Column: k.Column}.Folded()] = true
			p.columns[schema.ColumnName{Table: k.RefTable, Column: k.RefColumn}.Folded()] = true
		}
	}
	for _, t := range db.Tables {
		if p.tables[strings.ToLower(t.Name)] {
			out.Tables = append(out.Tables, p.table(t, out.ForeignKeys))
		}
	}
	return out
}

// pruning is what is kept, by names in lower case.
type pruning struct {
	db      *schema.Database
	tables  map[string]bool
	columns map[schema.ColumnName]bool
}

// connect adds the tables on the way from the first kept table to each of the others, where there is a way.
func (p *pruning) connect() {
	var kept []string
	for _, t := range p.db.Tables {
		if n := strings.ToLower(t.Name); p.tables[n] {
			kept = append(kept, n)
		}
	}
	next := p.neighbours()
	for _, to := range kept[min(1, len(kept)):] {
		for _, t := range path(next, kept[0], to) {
			p.tables[t] = true
		}
	}
}

// neighbours lists the tables one foreign key away from each, in the order of the keys.
func (p *pruning) neighbours() map[string][]string {
	out := map[string][]string{}
	for _, k := range p.db.ForeignKeys {
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

// table is a kept table, its statement made anew of what is left.
func (p *pruning) table(t schema.Table, keys []schema.ForeignKey) schema.Table {
	out := t
	out.Columns, out.Samples = nil, nil
	var at []int
	for i, c := range t.Columns {
		if p.columns[schema.ColumnName{Table: t.Name, Column: c.Name}.Folded()] || slices.ContainsFunc(t.PrimaryKey, func(k string) bool { return strings.EqualFold(k, c.Name) }) {
			out.Columns = append(out.Columns, c)
			at = append(at, i)
		}
	}
	for _, row := range t.Samples {
		short := make([]string, 0, len(at))
		for _, i := range at {
			if i < len(row) {
				short = append(short, row[i])
			}
		}
		out.Samples = append(out.Samples, short)
	}
	out.DDL = schema.CreateTable(out, keys)
	return out
}
