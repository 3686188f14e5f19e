package runner

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"assay/experiments/cost"
	"assay/prompting"
)

// window is how far a job may be ahead of the slowest one, besides the jobs in progress. It bounds the outcomes in memory
// while one call takes its time.
const window = 4096

// width is how many jobs run at once: one per worker that computes, and one per call that may be in flight, as jobs that wait
// for a provider use no processor.
func (x *execution) width() int {
	return x.plan.Workers() + x.remote*x.plan.Experiment.Limits.InFlight()
}

// all does all jobs and passes their outcomes to next in order. Advisory metrics, which measure the machine too, come last,
// one outcome at a time, while nothing else runs. Until then the outcomes are in memory; a run that is stopped loses them,
// though the ledger has their completions.
func (x *execution) all(ctx context.Context, next func(*outcome) error) error {
	var untimed []*outcome
	put := next
	if x.plan.Advisory() {
		put = func(o *outcome) error { untimed = append(untimed, o); return nil }
	}
	x.order = newSequence(window+x.width(), put)
	err := errors.Join(x.work(ctx), x.order.rest(x.total))
	for _, o := range untimed {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if bad := x.judge(ctx, o, true); bad != nil {
			return errors.Join(err, bad)
		}
		if bad := next(o); bad != nil {
			return errors.Join(err, bad)
		}
	}
	return err
}

// stretch is how many jobs in a row one worker takes where no model is asked. Neighbouring items often share a gold query,
// for which two workers would wait on each other.
const stretch = 8

// work does the jobs in order, width at once, until all are done or one fails. A job that needs a call beyond the budget is
// skipped, and the jobs after it are still tried, because the ledger may answer them. So a run stopped by its budget holds
// every job that needs no further call, and a later start at that budget or a lower one never holds fewer.
func (x *execution) work(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	step := 1
	if x.plan.Imported != nil {
		step = stretch
	}
	for range x.width() {
		g.Go(func() error {
			for {
				from := int(next.Add(int64(step))) - step
				if from >= x.total {
					return nil
				}
				for i := from; i < min(from+step, x.total); i++ {
					if err := x.one(ctx, i); err != nil {
						return err
					}
				}
			}
		})
	}
	err := g.Wait()
	if over := x.over.Load(); err == nil && over != nil {
		return over
	}
	return err
}

// one does job i, once it is not too far ahead of the slowest job.
func (x *execution) one(ctx context.Context, i int) error {
	if err := x.order.admit(ctx, i); err != nil {
		return err
	}
	cells, seeds := len(x.plan.Cells), len(x.plan.Experiment.Seeds)
	out, err := x.do(ctx, job{i / (cells * seeds), i / seeds % cells, i % seeds})
	var over *cost.BudgetError
	if errors.As(err, &over) {
		x.over.CompareAndSwap(nil, over)
		out, err = nil, nil // skipped, see work
	}
	if errors.Is(err, prompting.ErrUnknown) && ctx.Err() == nil {
		x.pending.Add(1)
		out, err = nil, nil // its requests are gathered, or under way
	}
	if err != nil {
		return err
	}
	asked := out != nil && out.asked()
	if err := x.order.put(i, out); err != nil || out == nil {
		return err
	}
	x.done.Add(1)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pace.note(i, asked)
	x.report()
	return nil
}
