package plan

import (
	"context"

	"assay/metrics/execution"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// remembering runs SQL through the cache that the metrics share: what a fixer or a selection has run is not run again to
// be scored, and a query that meets its deadline does so once.
type remembering struct {
	*sandbox.Box
	results *execution.Cache
}

var _ sandbox.Runner = remembering{}

// Run implements sandbox.Runner.
func (r remembering) Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
	return r.results.Run(ctx, r.Box, db, sql)
}
