package outcome

import (
	"context"
	"errors"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Used returns the description of what any of the queries uses: those tables, in each those columns. Keys stay where all
// their columns do. A table of which no column is used keeps its primary key, or else its first column. Where nothing is
// used, the whole description stays. The error is the context's, or the sandbox's own.
func Used(ctx context.Context, box sandbox.Runner, base engine.DB, db *schema.Database, queries []string) (*schema.Database, error) {
	all := make([][]schema.ColumnName, len(queries))
	for i, sql := range queries {
		var err error
		if all[i], err = uses(ctx, box, base, db, sql); err != nil {
			return nil, err
		}
	}
	return union(db, all...), nil
}

// uses lists the columns that a query reads, and with an empty Column the tables that it reads. SQLite reports them.
// For a query that it does not compile, and where there is no database file, the query's words are compared with the
// description's names.
func uses(ctx context.Context, box sandbox.Runner, base engine.DB, db *schema.Database, sql string) ([]schema.ColumnName, error) {
	if !base.None() {
		read, err := box.Reads(ctx, base, sql)
		if err == nil {
			return read, nil
		}
		if _, ok := errors.AsType[*engine.Error](err); !ok {
			return nil, err
		}
	}
	var u []schema.ColumnName
	words := wordsOf(sql)
	for _, t := range db.Tables {
		if !words[strings.ToLower(t.Name)] {
			continue
		}
		u = append(u, schema.ColumnName{Table: t.Name})
		for _, c := range t.Columns {
			if words[strings.ToLower(c.Name)] {
				u = append(u, schema.ColumnName{Table: t.Name, Column: c.Name})
			}
		}
	}
	return u, nil
}

// wordsOf has every name that a query could mean, in lower case and without quotes.
func wordsOf(sql string) map[string]bool {
	words := map[string]bool{}
	for _, t := range tree.Tokens(sql) {
		if t.Name {
			words[strings.ToLower(strings.Trim(t.Text, "\"'`[]"))] = true
		}
	}
	return words
}

// union is Used of what the queries use.
func union(db *schema.Database, queries ...[]schema.ColumnName) *schema.Database {
	used := map[schema.ColumnName]bool{} // folded; those without a column are tables
	for _, c := range slices.Concat(queries...) {
		c = c.Folded()
		used[c], used[schema.ColumnName{Table: c.Table}] = true, true
	}
	var keep []schema.ColumnName
	for _, t := range db.Tables {
		if used[schema.ColumnName{Table: t.Name}.Folded()] {
			keep = append(keep, shownOf(t, used)...)
		}
	}
	return db.Cut(keep)
}

// shownOf returns the columns of a used table that are shown.
func shownOf(t schema.Table, used map[schema.ColumnName]bool) (out []schema.ColumnName) {
	named := func(wanted func(column string) bool) {
		for _, c := range t.Names() {
			if wanted(c) {
				out = append(out, schema.ColumnName{Table: t.Name, Column: c})
			}
		}
	}
	named(func(c string) bool { return used[schema.ColumnName{Table: t.Name, Column: c}.Folded()] })
	if out == nil {
		named(func(c string) bool {
			return slices.ContainsFunc(t.PrimaryKey, func(k string) bool { return strings.EqualFold(c, k) })
		})
	}
	if out == nil {
		named(func(c string) bool { return c == t.Columns[0].Name })
	}
	if out == nil { // it has no column
		out = []schema.ColumnName{{Table: t.Name}}
	}
	return out
}
