package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mattn/go-sqlite3"
	"github.com/sqlc-dev/meyer/token"
)

// Explanation is what SQLite tells of a statement without running it.
type Explanation struct {
	Columns []string // names of the statement's result, as SQLite gives them
	Plan    *Result  // EXPLAIN QUERY PLAN: id, parent, notused, detail
	Program *Result  // EXPLAIN: addr, opcode, p1, p2, p3, p4, p5, comment
	// Stored has a row a column of every table and index, in the order of their records on disk: rootpage, type
	// ("table" or "index"), name, tbl_name, column (NULL for an expression or the row id), and 1 where the column
	// is the row id itself, else 0; then the position. Without rows where a table of the file hides what would tell.
	Stored *Result
}

// storedColumns lists what Explanation.Stored holds. A table WITHOUT ROWID is stored like an index, in the order
// that index_xinfo gives; a virtual generated column is not stored.
const storedColumns = `
WITH t AS (SELECT s.rootpage, s.name, s.tbl_name, row_number() OVER (PARTITION BY s.name ORDER BY x.cid) - 1 AS seq, x.name AS col, x.pk, upper(x.type) = 'INTEGER' AS whole,
    max(x.pk) OVER (PARTITION BY s.name) AS keys
  FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x
  WHERE s.type = 'table' AND s.rootpage > 0 AND x.hidden <> 2
    AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(s.name)))
SELECT rootpage, 'table', name, tbl_name, col, pk = 1 AND keys = 1 AND whole, seq FROM t
UNION ALL SELECT s.rootpage, s.type, s.name, s.tbl_name, x.name, 0, x.seqno
  FROM sqlite_schema AS s, pragma_index_xinfo(s.name) AS x WHERE s.type IN ('table', 'index') AND s.rootpage > 0
ORDER BY 1, 7`

// Explain compiles sql, which must be one statement that reads, and returns what SQLite would do; it does not run it.
// The rules and errors are those of [Box.Run]; a listing that meets a cap is an error whatever Options.Truncate.
func (b *Box) Explain(ctx context.Context, path, sql string) (*Explanation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := b.explanation(ctx, path, sql)
	if err == nil {
		return x, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Path, e.SQL = path, sql
	}
	return nil, err
}

func (b *Box) explanation(ctx context.Context, path, sql string) (*Explanation, error) {
	stmt, first, err := single(sql)
	if err != nil {
		return nil, err
	}
	if !reads[first] || first == token.EXPLAIN {
		return nil, &Error{Kind: Rejected, Err: fmt.Errorf("only a statement that reads can be explained, not one that begins with %q", word(stmt))}
	}
	x := &Explanation{}
	err = blamed(func() error { return b.describe(ctx, path, stmt, x) })
	return x, err
}

// word is what a statement begins with.
func word(stmt string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(stmt), " ")
	if r := []rune(w); len(r) > 20 {
		w = string(r[:20]) + "..."
	}
	return w
}

func (b *Box) describe(ctx context.Context, path, stmt string, x *Explanation) (err error) {
	if x.Columns, err = b.names(ctx, path, stmt); err != nil {
		return err
	}
	if x.Plan, err = b.listing(ctx, path, "EXPLAIN QUERY PLAN "+stmt); err != nil {
		return err
	}
	if x.Program, err = b.listing(ctx, path, "EXPLAIN "+stmt); err != nil {
		return err
	}
	x.Stored, err = b.listing(ctx, path, storedColumns)
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == SQL { // a table of the file has the name of a pragma
		x.Stored, err = &Result{}, nil
	}
	return err
}

// names compiles stmt and returns its result's columns.
func (b *Box) names(ctx context.Context, path, stmt string) (names []string, err error) {
	err = b.borrow(ctx, path, func(ctx context.Context, c *conn) error {
		rows, err := c.query(ctx, stmt, true)
		if err != nil {
			return err
		}
		names = rows.columns()
		return rows.close()
	})
	return names, err
}

// listing runs one of our own statements about a statement. Only the fixed one about stored columns needs pragmas.
func (b *Box) listing(ctx context.Context, path, stmt string) (res *Result, err error) {
	err = b.borrow(ctx, path, func(ctx context.Context, c *conn) error {
		c.describing = stmt == storedColumns
		defer func() { c.describing = false }()
		res, err = b.query(ctx, c, stmt, true)
		if err == nil && res.Truncated {
			return &Error{Kind: Timeout, Limit: RowCap, Err: errors.New("the listing is longer than the cap on rows or bytes")}
		}
		return err
	})
	return res, err
}

// describes has the pragmas that tell of tables and indexes and change nothing.
var describes = map[string]bool{"table_xinfo": true, "index_xinfo": true}

// mayDescribe reports whether the authorizer lets op pass because the statement is ours.
func (c *conn) mayDescribe(op int, arg string) bool {
	return c.describing && op == sqlite3.SQLITE_PRAGMA && describes[arg]
}
