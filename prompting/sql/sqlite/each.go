package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"assay/prompting/sql/engine"
)

// Each runs one of the program's own queries on a file, read-only, and calls f for each row until f returns an error. The
// query has no authorizer, and its only limits are on memory and time: 20 seconds without a row, ten minutes in all. So
// statements from models and datasets must run in a sandbox instead. io.EOF from f ends the query without an error. Values arrive as stored. f must neither keep the
// slice nor run a statement itself. The error is SQLite's, f's, or ctx.Err().
func Each(ctx context.Context, path, query string, f func(row []engine.Value) error) error {
	return scan(ctx, path, query, silence, f)
}

// scan is Each with another bound on the time without a row.
func scan(ctx context.Context, path, query string, silence time.Duration, f func(row []engine.Value) error) error {
	abs, err := absolute(path)
	if err != nil {
		return err
	}
	rows := 0
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = processes.do(limited, silence, 0, func() bool { return rows == 0 }, func(w *worker, heap int64) error {
		w.silence = silence
		return w.each(job{op: opScan, path: abs, sql: query}, heap, func(row []engine.Value) error {
			rows++
			return f(row)
		})
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &engine.Error{Kind: engine.Timeout, Limit: engine.Deadline, Err: fmt.Errorf("stopped after %s", patience)}
	}
	return err
}

// each calls f for each row of an answer.
func (w *worker) each(j job, heap int64, f func(row []engine.Value) error) error {
	if err := w.ask(j, heap); err != nil {
		return err
	}
	if _, err := w.columns(); err != nil {
		return err
	}
	for {
		row, err := w.next()
		if err == io.EOF {
			return w.verdict()
		}
		if err == nil {
			err = f(row)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
