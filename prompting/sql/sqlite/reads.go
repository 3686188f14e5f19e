package sqlite

import (
	"context"
	"slices"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Reads implements engine.Conn. SQLite asks its authorizer about every column that a statement reads while it compiles the
// statement, which resolves aliases, stars and views as SQLite itself does.
func (c *conn) Reads(ctx context.Context, s engine.Statement) ([]schema.ColumnName, error) {
	seen := map[schema.ColumnName]bool{}
	c.seen = seen
	defer func() { c.seen = nil }()
	rows, err := c.query(ctx, s.Text, true)
	if err == nil {
		err = rows.close()
	}
	if err != nil {
		return nil, c.blame(ctx, err)
	}
	return sorted(seen), nil
}

// sorted returns the references in order. SQLite also reports a table without a column where the statement reads columns
// of the table under another alias; sorted drops that entry.
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
