package sqlite

import (
	"context"
	"errors"
	"io"

	"assay/prompting/sql/engine"
)

// Each runs one of the program's own queries on a file, read-only, and calls f for each row until f returns an error. The
// query has no authorizer and no limits but on memory and ten minutes of time, so statements from models and datasets must
// run in a sandbox instead. io.EOF from f ends the query without an error. Values arrive as stored. f must neither keep the
// slice nor run a statement itself. The error is SQLite's, f's, or ctx.Err().
func Each(ctx context.Context, path, query string, f func(row []engine.Value) error) error {
	abs, err := absolute(path)
	if err != nil {
		return err
	}
	rows := 0
	return processes.do(ctx, patience, func() bool { return rows == 0 }, func(w *worker, heap int64) error {
		return w.each(job{op: opScan, path: abs, sql: query}, heap, func(row []engine.Value) error {
			rows++
			return f(row)
		})
	})
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
