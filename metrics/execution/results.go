package execution

import (
	"context"
	"strings"

	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// Results runs a case's gold query and prediction as they are written, on the item's own database, for metrics that compare
// results in their own way. Where either has no result, verdict is the score by every such metric: a gold-error, no-sql, or the
// status of the prediction's failure with the value 0. The error is that of [metrics.Metric].
func (c *Cache) Results(ctx context.Context, box *sandbox.Box, one metrics.Case) (gold, predicted *engine.Result, verdict *metrics.Score, err error) {
	if one.Database.None() {
		return nil, nil, &metrics.Score{Status: metrics.GoldError, Why: "the dataset has no database for this item"}, nil
	}
	c.fetch(ctx, box, jobsOf(one))
	gold, err = c.Run(ctx, box, one.Database, strings.TrimSpace(one.Gold))
	if err != nil {
		e, judged := failed(err)
		if !judged {
			return nil, nil, nil, err
		}
		return nil, nil, &metrics.Score{Status: metrics.GoldError, Why: reason(one.Database, one, "gold: ", e)}, nil
	}
	pred := strings.TrimSpace(one.Predicted)
	if pred == "" {
		return nil, nil, &metrics.Score{Status: metrics.NoSQL, Why: "no SQL"}, nil
	}
	predicted, err = c.Run(ctx, box, one.Database, pred)
	if err != nil {
		e, judged := failed(err)
		if !judged {
			return nil, nil, nil, err
		}
		return nil, nil, &metrics.Score{Status: statusOf(e), Why: reason(one.Database, one, "", e)}, nil
	}
	return gold, predicted, nil, nil
}

// Try runs a query alone, as it is written. Where it has no result, verdict has the status of its failure and why: GoldError
// where the database cannot be read. The error is that of [metrics.Metric].
func (c *Cache) Try(ctx context.Context, box *sandbox.Box, db engine.DB, sql string) (res *engine.Result, verdict *metrics.Score, err error) {
	sql = strings.TrimSpace(sql)
	switch {
	case db.None():
		return nil, &metrics.Score{Status: metrics.GoldError, Why: "the dataset has no database for this item"}, nil
	case sql == "":
		return nil, &metrics.Score{Status: metrics.NoSQL, Why: "no SQL"}, nil
	}
	res, err = c.Run(ctx, box, db, sql)
	if err == nil {
		return res, nil, nil
	}
	e, judged := failed(err)
	if !judged {
		return nil, nil, err
	}
	return nil, &metrics.Score{Status: statusOf(e), Why: reason(db, metrics.Case{Database: db}, "", e)}, nil
}

// jobsOf is a case's gold query and, where there is one, its prediction.
func jobsOf(one metrics.Case) []sandbox.Job {
	jobs := []sandbox.Job{{DB: one.Database, SQL: strings.TrimSpace(one.Gold)}}
	if pred := strings.TrimSpace(one.Predicted); pred != "" {
		jobs = append(jobs, sandbox.Job{DB: one.Database, SQL: pred})
	}
	return jobs
}
