package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	"assay/prompting/sql/sandbox"
)

// conn is one read-only connection.
type conn struct{ *sandbox.Reader }

// each runs a query and hands over its rows until f returns false. The row's slice is reused.
func (c *conn) each(ctx context.Context, query string, args []any, f func(row []driver.Value) bool) error {
	return c.Each(ctx, query, func(row []driver.Value) error {
		if !f(row) {
			return io.EOF
		}
		return nil
	}, args...)
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
