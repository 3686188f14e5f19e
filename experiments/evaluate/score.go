package evaluate

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/metrics/goldcheck"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"

	"golang.org/x/sync/errgroup"
)

// scorer fills the rows of an evaluation.
type scorer struct {
	e        *Evaluation
	box      *sandbox.Box
	results  *execution.Cache
	all      bool
	hardness hardness
}

// stretch is how many rows in a row a worker takes: neighbours often share a gold, and two workers would wait for it.
const stretch = 8

// work scores every row: under the metrics that measure the prediction alone, as many rows at once as there are workers,
// and then, one row at a time, under those that measure the machine too.
func (s *scorer) work(ctx context.Context, workers int) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	timed := func(m metrics.Metric) bool { return execution.Advisory(m.ID()) }
	pass := func(width int, advisory bool) error {
		g, ctx := errgroup.WithContext(ctx)
		var next atomic.Int64
		for range min(width, len(s.e.Rows)) {
			g.Go(func() error {
				for {
					i := int(next.Add(stretch)) - stretch
					if i >= len(s.e.Rows) {
						return nil
					}
					for j := i; j < min(i+stretch, len(s.e.Rows)); j++ {
						if err := s.row(ctx, &s.e.Rows[j], advisory); err != nil {
							return err
						}
					}
				}
			})
		}
		return g.Wait()
	}
	if err := pass(workers, false); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.e.Metrics, timed) {
		return nil
	}
	return pass(1, true)
}

// row scores one row under the metrics that are advisory, or under those that are not.
func (s *scorer) row(ctx context.Context, r *Row, advisory bool) error {
	if r.Scores == nil {
		s.prepare(r)
	}
	own := s.caseOf(r)
	for m, metric := range s.e.Metrics {
		if execution.Advisory(metric.ID()) != advisory {
			continue
		}
		var err error
		if r.Scores[m], err = s.score(ctx, metric, own, r.Override, r.Entry.First()); err != nil {
			return err
		}
		for i := range r.Others {
			if r.Others[i][m], err = s.score(ctx, metric, own, r.Override, r.Entry.Candidates[i+1].SQL); err != nil {
				return err
			}
		}
		if r.Override == nil {
			continue
		}
		if r.Before[m], err = s.score(ctx, metric, own, nil, r.Entry.First()); err != nil {
			return err
		}
		for i := range r.Others {
			if r.OthersBefore[i][m], err = s.score(ctx, metric, own, nil, r.Entry.Candidates[i+1].SQL); err != nil {
				return err
			}
		}
	}
	if advisory || !s.all {
		return nil
	}
	return s.keepResults(ctx, r)
}

// prepare makes room for the scores of a row.
func (s *scorer) prepare(r *Row) {
	n := len(s.e.Metrics)
	r.Scores = make([]metrics.Score, n)
	r.Before = r.Scores
	if r.Override != nil {
		r.Before = make([]metrics.Score, n)
	}
	if r.Example.Hardness == "" && r.Example.Gold != "" {
		r.Example.Hardness, _ = s.hardness(r.Example.Gold, r.Example.Schema)
	}
	if s.all && len(r.Entry.Candidates) > 1 {
		r.Others = table(len(r.Entry.Candidates)-1, n)
		r.OthersBefore = r.Others
		if r.Override != nil {
			r.OthersBefore = table(len(r.Others), n)
		}
	}
}

func (s *scorer) caseOf(r *Row) metrics.Case {
	x := &r.Example
	return metrics.Case{Item: x.Question.ID, DB: x.Question.DB, Database: x.Question.Database, Suite: x.Suite, Gold: x.Gold, Schema: x.Schema}
}

func table(rows, columns int) [][]metrics.Score {
	out := make([][]metrics.Score, rows)
	for i := range out {
		out[i] = make([]metrics.Score, columns)
	}
	return out
}

// score judges one SQL, under the override where there is one. An item without a gold has a gold-error whatever the
// metric, unless it is corrected.
func (s *scorer) score(ctx context.Context, m metrics.Metric, c metrics.Case, over *goldcheck.Override, sql string) (metrics.Score, error) {
	if c.Gold == "" && over == nil {
		return metrics.Score{Status: metrics.GoldError, Why: "the item has no gold"}, nil
	}
	c.Predicted = sql
	return over.Score(ctx, m, c)
}

// keepResults keeps what the gold and each candidate return.
func (s *scorer) keepResults(ctx context.Context, r *Row) (err error) {
	if r.GoldResult, err = s.result(ctx, r, r.gold()); err != nil {
		return err
	}
	r.Results = make([]*record.Result, len(r.Entry.Candidates))
	for i, c := range r.Entry.Candidates {
		if r.Results[i], err = s.result(ctx, r, c.SQL); err != nil {
			return err
		}
	}
	return nil
}

// result is what a query returns, nil where it fails or there is nothing to run.
func (s *scorer) result(ctx context.Context, r *Row, sql string) (*record.Result, error) {
	q := r.Example.Question
	if sql == "" || q.Database.None() {
		return nil, nil
	}
	res, err := s.results.Run(ctx, s.box, q.Database, sql)
	if _, failed := errors.AsType[*engine.Error](err); err != nil {
		if failed {
			err = ctx.Err()
		}
		return nil, err
	}
	kept := record.ResultOf(q.ID, res)
	return &kept, nil
}
