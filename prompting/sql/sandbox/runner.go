package sandbox

import (
	"context"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Runner runs untrusted SQL on a database, and lists the columns that it reads. A [Box] implements it, and so does a cache
// in front of a box. Callers must not change a result: others may share it.
type Runner interface {
	// Run is [Box.Run].
	Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error)
	// Reads is [Box.Reads].
	Reads(ctx context.Context, db engine.DB, sql string) ([]schema.ColumnName, error)
}

var _ Runner = (*Box)(nil)
