package sandbox

import (
	"context"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Runner runs untrusted SQL on a database, and says what it reads: a [Box], or what remembers a box's results.
// Results may be shared and are not to be changed.
type Runner interface {
	// Run is [Box.Run].
	Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error)
	// Reads is [Box.Reads].
	Reads(ctx context.Context, db engine.DB, sql string) ([]schema.ColumnName, error)
}

var _ Runner = (*Box)(nil)
