package sqlite

import (
	"context"
	"errors"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// storedColumns returns the rows of engine.Explanation.Stored. SQLite stores a table WITHOUT ROWID like an index, in the
// order that index_xinfo gives, and does not store a virtual generated column.
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

// Explain implements engine.Conn.
func (c *conn) Explain(ctx context.Context, s engine.Statement) (*engine.Explanation, error) {
	x, err := c.explanation(ctx, s.Text)
	return x, c.blame(ctx, err)
}

// explanation compiles the statement without EXPLAIN first, for the names of its result columns, and so that it is refused
// exactly where Run would refuse it.
func (c *conn) explanation(ctx context.Context, stmt string) (x *engine.Explanation, err error) {
	rows, err := c.query(ctx, stmt, true)
	if err != nil {
		return nil, err
	}
	if err := rows.close(); err != nil {
		return nil, err
	}
	x = &engine.Explanation{Columns: rows.names}
	if x.Plan, err = c.listing(ctx, "EXPLAIN QUERY PLAN "+stmt); err != nil {
		return nil, err
	}
	if x.Program, err = c.listing(ctx, "EXPLAIN "+stmt); err != nil {
		return nil, err
	}
	c.describing = true
	defer func() { c.describing = false }()
	x.Stored, err = c.listing(ctx, storedColumns)
	if e, ok := errors.AsType[*engine.Error](c.blame(ctx, err)); ok && e.Kind == engine.SQL { // a table of the file has the name of a pragma
		return &engine.Explanation{Columns: x.Columns, Plan: x.Plan, Program: x.Program, Stored: &engine.Result{}}, nil
	}
	return x, err
}

// listing runs an EXPLAIN of a statement, or another of the program's own statements, and refuses a truncated result.
func (c *conn) listing(ctx context.Context, stmt string) (*engine.Result, error) {
	res, err := c.result(ctx, stmt, true)
	if err == nil && res.Truncated {
		return nil, &engine.Error{Kind: engine.Timeout, Limit: engine.RowCap, Err: errors.New("the listing is longer than the cap on rows or bytes")}
	}
	return res, err
}

// describes has the pragmas that list columns of tables and indexes and change nothing.
var describes = map[string]bool{"table_xinfo": true, "index_xinfo": true}

// mayDescribe reports whether the authorizer permits a pragma because the statement is the program's own.
func (c *conn) mayDescribe(op int, arg string) bool {
	return c.describing && op == sqlite3.SQLITE_PRAGMA && describes[arg]
}
