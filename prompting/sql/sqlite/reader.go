package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"path/filepath"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// Reader is one read-only connection for statements of the program's own, those that describe a database or read whole
// tables. It has none of a sandbox's bounds and no authorizer: what others wrote is for a sandbox. It is for one goroutine
// at a time.
type Reader struct{ conn *sqlite3.SQLiteConn }

// OpenReader opens an existing file. It bypasses database/sql, which leaves no way to the declared types below.
func OpenReader(path string) (*Reader, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Path: filepath.ToSlash(abs)}
	c, err := (&sqlite3.SQLiteDriver{}).Open("file:" + u.EscapedPath() + "?mode=ro&_query_only=1")
	if err != nil {
		return nil, err
	}
	return &Reader{c.(*sqlite3.SQLiteConn)}, nil
}

// Close gives the connection back.
func (r *Reader) Close() error { return r.conn.Close() }

// Each runs a query and hands over its rows until f returns an error, io.EOF among them, which ends it without one. Values
// come as they are stored. The row's slice is used again. Errors are SQLite's, f's, or ctx.Err().
func (r *Reader) Each(ctx context.Context, query string, f func(row []engine.Value) error, args ...any) error {
	return each(ctx, r.conn, query, f, args...)
}

func each(ctx context.Context, c *sqlite3.SQLiteConn, query string, f func(row []engine.Value) error, args ...any) error {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := c.QueryContext(ctx, query, named)
	if err != nil {
		return err
	}
	defer rows.Close()
	asStored(rows)
	got := make([]driver.Value, len(rows.Columns()))
	row := make([]engine.Value, len(got))
	for {
		if err = rows.Next(got); err == nil {
			for i, v := range got {
				row[i], _ = fromDriver(v) // every class that SQLite stores has a Value
			}
			err = f(row)
		}
		if errors.Is(err, io.EOF) {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// asStored makes the driver return values as they are stored. It turns those of columns declared DATE or BOOLEAN into
// times and bools, and loses those it cannot read; it decides by this slice, which is its own.
func asStored(rows driver.Rows) {
	if r, ok := rows.(*sqlite3.SQLiteRows); ok {
		clear(r.DeclTypes())
	}
}
