package sqlite

import (
	"context"
	"errors"
	"time"

	"assay/prompting/sql/engine"
)

// Bounds on what is asked for at once. A worker that answers the first request must never wait for a parent that still
// writes the last, so all of them fit into a pipe.
const (
	manyQueries = 64
	manyBytes   = 32 << 10
)

// RunMany implements engine.Engine: most of the cost of a short statement is the way to a worker and back.
func (e Engine) RunMany(ctx context.Context, queries []engine.Execution, l engine.Limits, each func(i int, res *engine.Result, err error)) {
	for i := 0; i < len(queries); {
		n, spent, err := e.batch(ctx, queries[i:], l, func(k int, res *engine.Result, err error) { each(i+k, res, err) })
		i += n
		if i == len(queries) {
			return
		}
		if late, ok := errors.AsType[*engine.Error](err); ok && late.Limit == engine.Deadline {
			each(i, nil, late)
		} else { // the next one is for Run, which knows what to do
			res, err := e.run(ctx, queries[i], l, spent)
			each(i, res, err)
		}
		i++
	}
}

// batch asks a worker for the first of the queries at once, as many as fit. It returns how many were answered, and what
// befell the next, with the time that it took.
func (Engine) batch(ctx context.Context, queries []engine.Execution, l engine.Limits, each func(i int, res *engine.Result, err error)) (answered int, spent time.Duration, err error) {
	paths := fitting(queries)
	if len(paths) < 2 {
		return 0, 0, nil
	}
	err = processes.do(ctx, l.Time, 0, func() bool { return false }, func(w *worker, heap int64) error {
		begun := time.Now()
		var b []byte
		for i, path := range paths {
			b = job{op: opRun, longest: l.MaxValue, path: path, sql: queries[i].Statement.Text, more: i+1 < len(paths)}.request(b, heap)
		}
		w.begin()
		if err := w.send(b); err != nil {
			return err
		}
		for i := range paths {
			if i > 0 {
				w.following()
				w.timer.Reset(l.Time)
			}
			res, err := conversation{worker: w, limits: l}.rows()
			e, judged := errors.AsType[*engine.Error](err)
			if err != nil && !judged || damaged(err) {
				w.giveUp(i, len(paths))
				spent = time.Since(begun)
				return err
			}
			each(i, res, err)
			answered++
			begun = time.Now()
			if judged && e.Kind == engine.Timeout { // the rows beyond the limit are on their way
				w.giveUp(i, len(paths))
				return nil
			}
		}
		return nil
	})
	return answered, spent, err
}

// giveUp ends a worker that has more to say than anybody reads.
func (w *worker) giveUp(i, of int) {
	if i+1 < of || !w.ended {
		w.kill()
	}
}

// fitting returns the absolute paths of the first queries, as many as may be asked for at once.
func fitting(queries []engine.Execution) (paths []string) {
	bytes := 0
	for _, q := range queries[:min(len(queries), manyQueries)] {
		path, err := absolute(q.Source)
		bytes += len(path) + len(q.Statement.Text) + 64
		if err != nil || q.Statement.Verb == engine.Other || bytes > manyBytes {
			break
		}
		paths = append(paths, path)
	}
	return paths
}
