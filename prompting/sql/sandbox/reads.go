package sandbox

import (
	"context"
	"errors"
	"slices"
	"strings"

	"assay/prompting/sql/schema"

	"github.com/sqlc-dev/meyer/token"
)

// Reads compiles sql, which must be one statement that reads, and returns what it reads, without running it. The
// columns are those that SQLite asks its authorizer about: resolved through aliases, stars, common table expressions
// and views, spelled as the database spells them, sorted by table and column, each once. SQLite's own tables and views
// are among the tables, and "ROWID" is a row id that is no column. A table appears with an empty Column only where the
// statement reads no column of it. Errors are those of [Box.Run], but for what SQLite finds only as a statement runs.
func (b *Box) Reads(ctx context.Context, path, sql string) ([]schema.ColumnName, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	refs, err := b.references(ctx, path, sql)
	if err == nil {
		return refs, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Path, e.SQL = path, sql
	}
	return nil, err
}

func (b *Box) references(ctx context.Context, path, sql string) (refs []schema.ColumnName, err error) {
	stmt, first, err := single(sql)
	if err != nil {
		return nil, err
	}
	if !reads[first] || first == token.EXPLAIN {
		return nil, &Error{Kind: Rejected, Err: errors.New("only a statement that reads has columns that it reads")}
	}
	err = blamed(func() error {
		return b.borrow(ctx, path, func(ctx context.Context, c *conn) error {
			seen := map[schema.ColumnName]bool{}
			c.seen = seen
			defer func() { c.seen = nil }()
			rows, err := c.query(ctx, stmt, true)
			if err != nil {
				return err
			}
			refs = sorted(seen)
			return rows.close()
		})
	})
	return refs, err
}

// sorted lists what was seen. The authorizer hears of a table without a column also where the statement reads columns of
// it under another alias: that is dropped here.
func sorted(seen map[schema.ColumnName]bool) []schema.ColumnName {
	whole := map[string]bool{} // tables of which a column is read
	for r := range seen {
		if r.Column != "" {
			whole[r.Table] = true
		}
	}
	var refs []schema.ColumnName
	for r := range seen {
		if r.Column != "" || !whole[r.Table] {
			refs = append(refs, r)
		}
	}
	slices.SortFunc(refs, func(a, b schema.ColumnName) int {
		if c := strings.Compare(a.Table, b.Table); c != 0 {
			return c
		}
		return strings.Compare(a.Column, b.Column)
	})
	return refs
}
