package values

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"assay/prompting/sql/sandbox"
)

// texts hands over a column's non-empty texts of at most the given length in bytes, as valid UTF-8, in storage order.
// NOT INDEXED keeps that order where an index covers the column.
func texts(ctx context.Context, c *sandbox.Reader, table, column string, most int, f func(s string) error) error {
	q := fmt.Sprintf("SELECT %[1]s FROM %[2]s NOT INDEXED WHERE typeof(%[1]s) = 'text' AND octet_length(%[1]s) BETWEEN 1 AND %[3]d",
		sandbox.Quoted(column), sandbox.Quoted(table), most)
	return c.Each(ctx, q, func(row []driver.Value) error {
		s, ok := row[0].(string)
		if !ok {
			return nil
		}
		return f(strings.ToValidUTF8(s, "\uFFFD"))
	})
}
