package plan

import (
	"context"

	"assay/metrics/execution"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// cachedBox runs SQL through the cache that the metrics share. A query that a fixer or a selection rule has run is then not
// run again to be scored, and one that exceeds its time limit costs that time once.
type cachedBox struct {
	*sandbox.Box
	results *execution.Cache
}

var _ sandbox.Runner = cachedBox{}

// Run implements sandbox.Runner.
func (r cachedBox) Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
	return r.results.Run(ctx, r.Box, db, sql)
}
