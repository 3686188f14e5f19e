package sqlite

import (
	"context"
	"errors"
	"fmt"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// blame converts what ended a statement to an *engine.Error, or to ctx.Err() where the context ended it. The context comes
// before the authorizer and SQLite, which reports an interrupted statement as a failure like any other.
func (c *conn) blame(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*engine.Error](err); ok || err == nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.denied != "" {
		return &engine.Error{Kind: engine.Rejected, Err: fmt.Errorf("%s is not allowed", c.denied)}
	}
	kind, limit := classify(err)
	return &engine.Error{Kind: kind, Limit: limit, Err: err}
}

// classify returns the kind and the limit of an error that SQLite reported. Only read-only statements get this far, so a
// failed write to disk concerns a temporary file.
func classify(err error) (engine.ErrorKind, engine.Limit) {
	var lite sqlite3.Error
	if !errors.As(err, &lite) {
		return engine.SQL, ""
	}
	switch lite.ExtendedCode {
	case sqlite3.ErrIoErrNoMem:
		return engine.Timeout, engine.MemoryCap
	case sqlite3.ErrIoErrWrite:
		return engine.Timeout, engine.DiskCap
	case sqlite3.ErrCorruptVTab:
		return engine.SQL, ""
	}
	switch lite.Code {
	case sqlite3.ErrNomem:
		return engine.Timeout, engine.MemoryCap
	case sqlite3.ErrTooBig:
		return engine.Timeout, engine.ValueCap
	case sqlite3.ErrFull:
		return engine.Timeout, engine.DiskCap
	case sqlite3.ErrAuth, sqlite3.ErrReadonly:
		return engine.Rejected, ""
	case sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrCantOpen, sqlite3.ErrPerm, sqlite3.ErrIoErr,
		sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol, sqlite3.ErrFormat:
		return engine.Unavailable, ""
	}
	return engine.SQL, ""
}
