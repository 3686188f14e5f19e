package sandbox

import (
	"context"

	"assay/prompting/sql/schema"
)

// Runner runs untrusted SQL on a database file, and says what it reads: a [Box], or what remembers a box's results.
// Results may be shared and are not to be changed.
type Runner interface {
	// Run is [Box.Run].
	Run(ctx context.Context, path, sql string) (*Result, error)
	// Reads is [Box.Reads].
	Reads(ctx context.Context, path, sql string) ([]schema.ColumnName, error)
}

var _ Runner = (*Box)(nil)
