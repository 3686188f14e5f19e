package schema

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// conn is one read-only connection. It bypasses database/sql because that leaves no way to the declared types below.
type conn struct{ *sqlite3.SQLiteConn }

// open opens an existing file for reading alone.
func open(path string) (*conn, error) {
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

// each runs a query and hands over its rows until f returns false. The row's slice is reused.
func (c *conn) each(ctx context.Context, query string, args []any, f func(row []any) bool) error {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := c.QueryContext(ctx, query, named)
	if err != nil {
		return err
	}
	defer rows.Close()
	keepStored(rows)
	dest := make([]driver.Value, len(rows.Columns()))
	row := make([]any, len(dest))
	for {
		if err := rows.Next(dest); errors.Is(err, io.EOF) {
			return ctx.Err()
		} else if err != nil {
			return err
		}
		for i, v := range dest {
			row[i] = v
		}
		if !f(row) {
			return ctx.Err()
		}
	}
}

// keepStored blanks the declared types that the driver converts by: it would turn the text of a DATE column into a
// time, and what it cannot read into the zero time.
func keepStored(rows driver.Rows) {
	if r, ok := rows.(*sqlite3.SQLiteRows); ok {
		types := r.DeclTypes()
		for i := range types {
			types[i] = ""
		}
	}
}

// text prints a value as SQLite prints it; NULL is "NULL", a blob x'..' .
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return realText(v)
	case []byte:
		return "x'" + hex.EncodeToString(v[:min(len(v), 64)]) + "'"
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	}
	return ""
}

// realText prints a floating-point number with 15 significant digits, and always as one: 2.0, 1.0e+20, Inf.
func realText(f float64) string {
	s := strconv.FormatFloat(f, 'g', 15, 64)
	switch {
	case strings.ContainsAny(s, ".IN"):
		return strings.TrimPrefix(s, "+")
	case strings.Contains(s, "e"):
		return strings.Replace(s, "e", ".0e", 1)
	}
	return s + ".0"
}

// cut keeps the first n characters of s and marks that there were more.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "..."
}

// quoted returns a name in double quotes whatever it is: for the queries of this package.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
