package values

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// conn is one read-only connection, past database/sql, which would convert values by their declared types.
type conn struct{ *sqlite3.SQLiteConn }

func connect(path string) (*conn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: "mode=ro"}
	c, err := (&sqlite3.SQLiteDriver{}).Open(u.String())
	if err != nil {
		return nil, err
	}
	return &conn{c.(*sqlite3.SQLiteConn)}, nil
}

// each runs a query and hands over its rows until f returns io.EOF or an error. The row's slice is reused.
func (c *conn) each(ctx context.Context, query string, f func(row []driver.Value) error, args ...any) error {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := c.QueryContext(ctx, query, named)
	if err != nil {
		return err
	}
	defer rows.Close()
	if r, ok := rows.(*sqlite3.SQLiteRows); ok {
		clear(r.DeclTypes()) // the driver's own slice: blank, text comes as stored
	}
	row := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return ctx.Err()
		} else if err != nil {
			return err
		}
		if err := f(row); errors.Is(err, io.EOF) {
			return ctx.Err()
		} else if err != nil {
			return err
		}
	}
}

// texts hands over a column's non-empty texts of at most the given length in bytes, as valid UTF-8, in storage order.
// NOT INDEXED keeps that order where an index covers the column.
func (c *conn) texts(ctx context.Context, table, column string, most int, f func(s string) error) error {
	q := fmt.Sprintf("SELECT %[1]s FROM %[2]s NOT INDEXED WHERE typeof(%[1]s) = 'text' AND octet_length(%[1]s) BETWEEN 1 AND %[3]d",
		quoted(column), quoted(table), most)
	return c.each(ctx, q, func(row []driver.Value) error {
		s, ok := row[0].(string)
		if !ok {
			return nil
		}
		return f(strings.ToValidUTF8(s, "\uFFFD"))
	})
}

// quoted returns a name in double quotes whatever it is.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
