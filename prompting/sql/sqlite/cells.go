package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/prompting/sql/engine"
)

// cells reads column content. All of its queries read the table itself (NOT INDEXED) where order
// matters: a covering index would give another order than storage.
type cells struct{ path string }

// Cells implements engine.Describer.
func (Engine) Cells(path string) (engine.Cells, error) {
	_, err := Engine{}.Stamp(path)
	return cells{path}, err
}

// each runs a query of the program's own. Where it fails the database is to blame: it is damaged, or computes too long.
func (c cells) each(ctx context.Context, q string, f func(row []engine.Value) error) error {
	err := Each(ctx, c.path, q, f)
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return bad(c.path, err, e.Err)
	}
	return err
}

// Close implements engine.Cells: nothing is kept open for a reader.
func (cells) Close() error { return nil }

// Texts implements engine.Cells. The bound is in bytes (octet_length), as the caller's memory is.
func (c cells) Texts(ctx context.Context, table, column string, most int, f func(text string) error) error {
	q := fmt.Sprintf("SELECT %[1]s FROM %[2]s NOT INDEXED WHERE typeof(%[1]s) = 'text' AND octet_length(%[1]s) BETWEEN 1 AND %[3]d",
		Quote(column), Quote(table), most)
	return c.each(ctx, q, func(row []engine.Value) error { return f(strings.ToValidUTF8(row[0].Bytes(), "\uFFFD")) })
}

// First implements engine.Cells.
func (c cells) First(ctx context.Context, table, column string, most, characters int, f func(text string, isText bool) error) error {
	q := fmt.Sprintf("SELECT CASE typeof(%[1]s) WHEN 'text' THEN substr(%[1]s, 1, %[3]d) END FROM %[2]s NOT INDEXED WHERE %[1]s IS NOT NULL LIMIT %[4]d",
		Quote(column), Quote(table), characters, most)
	return c.each(ctx, q, func(row []engine.Value) error { return f(row[0].Bytes(), row[0].Kind() == engine.Text) })
}

// HasText implements engine.Cells.
func (c cells) HasText(ctx context.Context, table, column string) (found bool, err error) {
	q := fmt.Sprintf("SELECT 1 FROM %s NOT INDEXED WHERE typeof(%s) = 'text' LIMIT 1", Quote(table), Quote(column))
	err = c.each(ctx, q, func([]engine.Value) error { found = true; return io.EOF })
	return found, err
}

// Lengths implements engine.Cells.
func (c cells) Lengths(ctx context.Context, table, column string) (sum float64, distinct int64, err error) {
	q := fmt.Sprintf("SELECT total(length(v)), count(v) FROM (SELECT DISTINCT %[1]s AS v FROM %[2]s WHERE %[1]s IS NOT NULL)",
		Quote(column), Quote(table))
	err = c.each(ctx, q, func(row []engine.Value) error {
		sum, distinct = row[0].Float64(), row[1].Int64()
		return nil
	})
	return sum, distinct, err
}
