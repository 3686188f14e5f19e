package evaluate

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"

	"assay/metrics"
	"assay/metrics/execution"
	"assay/prompting/sandbox"

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
	judged := own
	if r.Override != nil {
		judged.Gold = r.Override.SQL
	}
	for m, metric := range s.e.Metrics {
		if execution.Advisory(metric.ID()) != advisory {
			continue
		}
		var err error
		if r.Scores[m], err = s.score(ctx, metric, judged, r, r.Entry.First()); err != nil {
			return err
		}
		if r.Override != nil {
			own.Predicted = r.Entry.First()
			if r.Before[m], err = metric.Score(ctx, own); err != nil {
				return err
			}
		}
		for i := range r.Others {
			if r.Others[i][m], err = s.score(ctx, metric, judged, r, r.Entry.Candidates[i+1].SQL); err != nil {
				return err
			}
		}
	}
	if advisory || !s.all {
		return nil
	}
	return s.digest(ctx, r)
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
		r.Others = make([][]metrics.Score, len(r.Entry.Candidates)-1)
		for i := range r.Others {
			r.Others[i] = make([]metrics.Score, n)
		}
	}
}

func (s *scorer) caseOf(r *Row) metrics.Case {
	x := &r.Example
	return metrics.Case{Item: x.Question.ID, DB: x.Question.DB, Path: x.Question.Path, Suite: x.Suite, Gold: x.Gold, Schema: x.Schema}
}

// score judges one SQL. An item without a gold, or one that an override excludes, has a gold-error whatever the metric.
func (s *scorer) score(ctx context.Context, m metrics.Metric, c metrics.Case, r *Row, sql string) (metrics.Score, error) {
	switch {
	case r.Override != nil && r.Override.Exclude:
		return metrics.Score{Status: metrics.GoldError, Why: "excluded: " + r.Override.Reason}, nil
	case c.Gold == "":
		return metrics.Score{Status: metrics.GoldError, Why: "the item has no gold"}, nil
	}
	c.Predicted = sql
	return m.Score(ctx, c)
}

// digest says of each candidate which result it has.
func (s *scorer) digest(ctx context.Context, r *Row) error {
	r.Digests = make([]string, len(r.Entry.Candidates))
	for i, c := range r.Entry.Candidates {
		if c.SQL == "" || r.Example.Question.Path == "" {
			continue
		}
		res, err := s.results.Run(ctx, s.box, r.Example.Question.Path, c.SQL)
		if _, failed := errors.AsType[*sandbox.Error](err); err != nil && !failed {
			return err
		}
		if err == nil {
			r.Digests[i] = res.MultisetDigest()[:16]
		}
	}
	return nil
}
