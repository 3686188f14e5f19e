package sqlite

import (
	"context"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"time"

	"assay/prompting/sql/engine"
)

// describer reads the parts of a description of the file at path.
type describer struct {
	path    string
	sampled time.Duration // so far
}

// each runs a query and calls f for each row until f returns false.
func (c *describer) each(ctx context.Context, query string, f func(row []engine.Value) bool) error {
	return Each(ctx, c.path, query, func(row []engine.Value) error {
		if !f(row) {
			return io.EOF
		}
		return nil
	})
}

// literal returns a text as an SQL literal.
func literal(s string) string { return Literal(engine.OfText(s)) }

// text prints a value as SQLite prints it: NULL as "NULL", a blob as x'..' with its first 64 bytes.
func text(v engine.Value) string {
	switch v.Kind() {
	case engine.Real:
		return realText(v.Float64())
	case engine.Blob:
		return "x'" + hex.EncodeToString([]byte(v.Bytes()[:min(len(v.Bytes()), 64)])) + "'"
	case engine.Text:
		return strings.ToValidUTF8(v.Bytes(), "\uFFFD")
	}
	return v.String()
}

// realText prints a real with 15 significant digits, as SQLite does, and never like an integer: 2.0, 1.0e+20, Inf.
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

// cut returns the first n characters of s, with "..." where there are more.
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
