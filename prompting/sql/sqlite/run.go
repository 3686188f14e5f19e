package sqlite

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
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

// Run implements engine.Engine.
func (e Engine) Run(ctx context.Context, source string, s engine.Statement, l engine.Limits) (*engine.Result, error) {
	return e.run(ctx, engine.Execution{Source: source, Statement: s}, l, 0)
}

// run is Run of a statement that has taken some of its time already.
func (Engine) run(ctx context.Context, x engine.Execution, l engine.Limits, spent time.Duration) (res *engine.Result, err error) {
	s := x.Statement
	err = untrusted(ctx, x.Source, l, spent, func(c conversation) error {
		op := opRun
		if s.Verb == engine.Other {
			op = opNames // to say what it would have done
		}
		res, err = c.result(op, s.Text, false)
		if err == nil && s.Verb == engine.Other {
			err = errWrites
		}
		return err
	})
	return unless(res, err)
}

// Explain implements engine.Engine. It compiles the statement without EXPLAIN first, for the names of its result columns,
// and so that it is refused exactly where Run would refuse it.
func (Engine) Explain(ctx context.Context, source string, s engine.Statement, l engine.Limits) (x *engine.Explanation, err error) {
	err = untrusted(ctx, source, l, 0, func(c conversation) error {
		res, err := c.result(opNames, s.Text, false)
		if err != nil {
			return err
		}
		x = &engine.Explanation{Columns: res.Columns}
		if x.Plan, err = c.listing("EXPLAIN QUERY PLAN "+s.Text, false); err != nil {
			return err
		}
		if x.Program, err = c.listing("EXPLAIN "+s.Text, false); err != nil {
			return err
		}
		x.Stored, err = c.listing(storedColumns, true)
		if e, ok := errors.AsType[*engine.Error](err); ok && e.Kind == engine.SQL { // a table of the file has the name of a pragma
			x.Stored, err = &engine.Result{}, nil
		}
		return err
	})
	return unless(x, err)
}

// Reads implements engine.Engine. SQLite asks its authorizer about every column that a statement reads while it compiles
// the statement, which resolves aliases, stars and views as SQLite itself does.
func (Engine) Reads(ctx context.Context, source string, s engine.Statement, l engine.Limits) (refs []schema.ColumnName, err error) {
	err = untrusted(ctx, source, l, 0, func(c conversation) error {
		seen := map[schema.ColumnName]bool{}
		if err := c.ask(job{op: opReads, longest: l.MaxValue, path: c.path, sql: s.Text}, c.heap); err != nil {
			return err
		}
		if _, err := c.columns(); err != nil {
			return err
		}
		for {
			row, err := c.next()
			if err == io.EOF {
				refs = sorted(seen)
				return c.verdict()
			}
			if err != nil {
				return err
			}
			seen[schema.ColumnName{Table: row[0].Bytes(), Column: row[1].Bytes()}] = true
		}
	})
	return unless(refs, err)
}

// unless returns v where there is no error, and else nothing.
func unless[T any](v T, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// conversation is a worker asked about one database under limits.
type conversation struct {
	*worker
	path   string
	heap   int64
	limits engine.Limits
}

// untrusted lends a worker for a statement that is not the program's own.
func untrusted(ctx context.Context, source string, l engine.Limits, spent time.Duration, f func(conversation) error) error {
	path, err := absolute(source)
	if err != nil {
		return &engine.Error{Kind: engine.Unavailable, Err: err}
	}
	return processes.do(ctx, l.Time, spent, always, func(w *worker, heap int64) error {
		return f(conversation{w, path, heap, l})
	})
}

// absolute returns a path that means the same in a worker, which runs in another folder.
func absolute(source string) (string, error) {
	if strings.IndexByte(source, 0) >= 0 {
		return "", errors.New("a path with a NUL byte")
	}
	return filepath.Abs(source)
}

// result runs a statement and returns its rows.
func (c conversation) result(op operation, sql string, own bool) (*engine.Result, error) {
	if err := c.ask(job{op: op, flag: own, longest: c.limits.MaxValue, path: c.path, sql: sql}, c.heap); err != nil {
		return nil, err
	}
	return c.rows()
}

// rows reads the answer to a statement. A truncated result has no Duration, since the statement did not end.
func (c conversation) rows() (*engine.Result, error) {
	columns, err := c.columns()
	if err != nil {
		return nil, err
	}
	res, err := c.limits.Gather(columns, c.next)
	if err != nil || res.Truncated {
		return res, err
	}
	res.Duration = c.ending.took
	return unless(res, c.verdict())
}

// listing runs an EXPLAIN of a statement, or another of the program's own statements, and refuses a truncated result.
func (c conversation) listing(sql string, own bool) (*engine.Result, error) {
	res, err := c.result(opRun, sql, own)
	if err == nil && res.Truncated {
		return nil, &engine.Error{Kind: engine.Timeout, Limit: engine.RowCap, Err: errors.New("the listing is longer than the cap on rows or bytes")}
	}
	return res, err
}
