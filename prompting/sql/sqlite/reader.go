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

// Reader is one read-only connection for the program's own statements, which describe a database or read whole tables. It
// has no limits and no authorizer, so statements from models and datasets must run in a sandbox instead. Only one
// goroutine may use it at a time.
type Reader struct{ conn *sqlite3.SQLiteConn }

// OpenReader opens an existing file. It bypasses database/sql, which gives no access to the declared types that asStored
// needs.
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

// Close closes the connection.
func (r *Reader) Close() error { return r.conn.Close() }

// Each runs a query and calls f for each row until f returns an error. io.EOF from f ends the query without an error.
// Values arrive as stored. The slice is reused for the next row. The error is SQLite's, f's, or ctx.Err().
func (r *Reader) Each(ctx context.Context, query string, f func(row []engine.Value) error, args ...any) error {
	return each(ctx, r.conn, query, f, args...)
}

// each is Reader.Each for any connection.
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

// asStored makes the driver return values as they are stored. By default it converts the values of columns declared DATE
// or BOOLEAN to times and bools, and loses those that it cannot parse. It decides by the slice of declared types, which
// DeclTypes returns without copying, so clearing that slice turns the conversion off.
func asStored(rows driver.Rows) {
	if r, ok := rows.(*sqlite3.SQLiteRows); ok {
		clear(r.DeclTypes())
	}
}
