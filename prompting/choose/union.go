package choose

import (
	"context"
	"errors"
	"strings"

	"assay/prompting"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
)

// used is the tables and columns that queries read, in lower case.
type used map[string]map[string]bool

func (u used) add(table, column string) {
	table = strings.ToLower(table)
	if u[table] == nil {
		u[table] = map[string]bool{}
	}
	if column != "" {
		u[table][strings.ToLower(column)] = true
	}
}

// uses lists what a query reads. SQLite itself tells; of a query that it does not compile, and where there is no
// database file, the query's words are held against the description's names.
func (s *setup) uses(ctx context.Context, q prompting.Question, sql string) (used, error) {
	u := used{}
	if !q.Database.None() {
		refs, err := s.box.Reads(ctx, q.Database, sql)
		if err == nil {
			for _, r := range refs {
				u.add(r.Table, r.Column)
			}
			return u, nil
		}
		if _, ok := errors.AsType[*engine.Error](err); !ok {
			return nil, err
		}
	}
	words := wordsOf(sql)
	for _, t := range q.Schema.Tables {
		if !words[strings.ToLower(t.Name)] {
			continue
		}
		u.add(t.Name, "")
		for _, c := range t.Columns {
			if words[strings.ToLower(c.Name)] {
				u.add(t.Name, c.Name)
			}
		}
	}
	return u, nil
}

// wordsOf has every name that a query could mean, in lower case and without quotes.
func wordsOf(sql string) map[string]bool {
	words := map[string]bool{}
	for _, t := range lexer.Lex(sql) {
		if token.IsName(t.Kind) {
			words[strings.ToLower(strings.Trim(sql[t.Pos:t.End], "\"'`[]"))] = true
		}
	}
	return words
}

// union is the description of what any of the queries uses: those tables, in each those columns. Keys stay where all
// their columns do. A table of which no column is used keeps its primary key, or else its first column. Where nothing
// is used, the whole description stays.
func union(db *schema.Database, queries ...used) *schema.Database {
	out := &schema.Database{Name: db.Name, Examples: db.Examples}
	for _, t := range db.Tables {
		if wanted, ok := wantedOf(t, queries); ok {
			out.Tables = append(out.Tables, pruned(t, wanted))
		}
	}
	if len(out.Tables) == 0 {
		return db
	}
	for _, k := range db.ForeignKeys {
		if has(out, k.Table, k.Column) && has(out, k.RefTable, k.RefColumn) {
			out.ForeignKeys = append(out.ForeignKeys, k)
		}
	}
	for i := range out.Tables {
		out.Tables[i].DDL = schema.CreateTable(out.Tables[i], out.ForeignKeys)
	}
	return out
}

// wantedOf is the columns of a table that are used, by position; ok is false where the table is not.
func wantedOf(t schema.Table, queries []used) (wanted []int, ok bool) {
	named := map[string]bool{}
	for _, u := range queries {
		columns, in := u[strings.ToLower(t.Name)]
		ok = ok || in
		for c := range columns {
			named[c] = true
		}
	}
	for i, c := range t.Columns {
		if named[strings.ToLower(c.Name)] {
			wanted = append(wanted, i)
		}
	}
	if len(wanted) > 0 {
		return wanted, ok
	}
	for i, c := range t.Columns {
		for _, k := range t.PrimaryKey {
			if strings.EqualFold(c.Name, k) {
				wanted = append(wanted, i)
			}
		}
	}
	if len(wanted) == 0 && len(t.Columns) > 0 {
		wanted = []int{0}
	}
	return wanted, ok
}

// pruned is a copy of the table with the columns at these positions.
func pruned(t schema.Table, wanted []int) schema.Table {
	columns, samples := t.Columns, t.Samples
	t.Columns, t.Samples = nil, nil
	for _, i := range wanted {
		t.Columns = append(t.Columns, columns[i])
	}
	for _, row := range samples {
		var cells []string
		for _, i := range wanted {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		t.Samples = append(t.Samples, cells)
	}
	for _, k := range t.PrimaryKey {
		if t.Column(k) == nil {
			t.PrimaryKey = nil
			break
		}
	}
	return t
}

func has(db *schema.Database, table, column string) bool {
	t := db.Table(table)
	return t != nil && t.Column(column) != nil
}
