// Package sandbox runs one untrusted SQL statement on one database that it only reads.
//
// The engine reads a text for its one statement, a connection to the database is taken from the pool or opened, and the
// statement runs on it until it is done, or its deadline, or a cap on rows, bytes or the size of one value, which the
// engine keeps. The connection goes back where nothing is wrong with it. A Box knows no engine: how a statement is kept
// from doing more than read is the engine's, and no statement reaches one but through a Box.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Options bounds what a statement may use. The zero value is ready.
type Options struct {
	Timeout  time.Duration // for one statement; 0 means 30 s
	MaxRows  int           // rows of a result; 0 means 200,000 (the largest gold result of the known sets has 92,450)
	MaxBytes int64         // memory of a result; 0 means 128 MiB
	// MaxValue is the length in bytes of the longest text, blob or row; 0 means 1,000,000. One call of a function
	// cannot be interrupted, and some take time that grows with the square of this, so it also bounds how far
	// past its deadline a statement can run: instr or replace, made to be slow, take about ten seconds at 1,000,000
	// and a tenth of one at 100,000.
	MaxValue int
	// Truncate returns the rows so far, marked Truncated, at MaxRows or MaxBytes, instead of a Timeout.
	Truncate bool
	MaxFiles int // databases kept open; 0 means 64
	MaxIdle  int // idle connections kept for a database; 0 means 8
	// AtOnce is how many statements run at once: the others wait, which is no part of their Timeout. 0 means no bound.
	AtOnce int
}

func (o Options) withDefaults() Options {
	orDefault(&o.Timeout, 30*time.Second)
	orDefault(&o.MaxRows, 200_000)
	orDefault(&o.MaxBytes, 128<<20)
	orDefault(&o.MaxValue, 1_000_000)
	orDefault(&o.MaxFiles, 64)
	orDefault(&o.MaxIdle, 8)
	return o
}

func orDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Box keeps read-only connections to databases and runs statements on them. It is safe for concurrent use.
type Box struct {
	opts  Options
	pool  pool
	turns chan struct{} // one for each statement that runs; nil: no bound
}

// New is a Box with these bounds; it opens nothing yet.
func New(opts Options) *Box {
	opts = opts.withDefaults()
	b := &Box{opts: opts, pool: pool{opts: opts, open: map[engine.DB]*database{}}}
	if opts.AtOnce > 0 {
		b.turns = make(chan struct{}, opts.AtOnce)
	}
	return b
}

// Options is the bounds in force, defaults filled in.
func (b *Box) Options() Options { return b.opts }

// Close closes the idle connections; those in use close when their statement ends. The Box can still be used,
// but keeps nothing open.
func (b *Box) Close() error { return b.pool.close() }

// Run executes the statement sql on a database and returns all of its rows. An error is an *engine.Error, or ctx.Err()
// once ctx is done.
func (b *Box) Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
	return ask(ctx, b, db, sql, func(engine.Statement) error { return nil }, engine.Conn.Run)
}

// Explain compiles sql, which must be one statement that reads, and returns what the engine would do; it does not run it.
// The rules and errors are those of [Box.Run]; a listing that meets a cap is an error whatever Options.Truncate.
func (b *Box) Explain(ctx context.Context, db engine.DB, sql string) (*engine.Explanation, error) {
	return ask(ctx, b, db, sql, func(s engine.Statement) error {
		return onlyQuery(s, fmt.Errorf("only a statement that reads can be explained, not one that begins with %q", word(s.Text)))
	}, engine.Conn.Explain)
}

// Reads compiles sql, which must be one statement that reads, and returns what it reads, as [engine.Conn] has it, without
// running it. Errors are those of [Box.Run], but for what an engine finds only as a statement runs.
func (b *Box) Reads(ctx context.Context, db engine.DB, sql string) ([]schema.ColumnName, error) {
	return ask(ctx, b, db, sql, func(s engine.Statement) error {
		return onlyQuery(s, errors.New("only a statement that reads has columns that it reads"))
	}, engine.Conn.Reads)
}

// onlyQuery refuses every statement but a query.
func onlyQuery(s engine.Statement, why error) error {
	if s.Verb == engine.Query {
		return nil
	}
	return &engine.Error{Kind: engine.Rejected, Err: why}
}

// ask does one thing with the one statement in sql, where that is allowed.
func ask[T any](ctx context.Context, b *Box, db engine.DB, sql string, allowed func(engine.Statement) error, do func(engine.Conn, context.Context, engine.Statement) (T, error)) (out T, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	err = b.attempt(ctx, db, sql, allowed, func(ctx context.Context, c engine.Conn, s engine.Statement) (err error) {
		out, err = do(c, ctx, s)
		return err
	})
	if err == nil {
		return out, nil
	}
	var none T
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	if e, ok := errors.AsType[*engine.Error](err); ok {
		e.DB, e.SQL = db, sql
	}
	return none, err
}

// action is what is done with a statement on a connection.
type action = func(context.Context, engine.Conn, engine.Statement) error

// alone is held for reading by every statement, and for writing by one that met the memory limit and is tried
// again: the limit is the whole process's, so only a statement that runs alone can be blamed for meeting it.
var alone sync.RWMutex

// attempt reads sql for its statement and does the action, again alone where it met the memory limit.
func (b *Box) attempt(ctx context.Context, db engine.DB, sql string, allowed func(engine.Statement) error, do action) error {
	if db.None() {
		return &engine.Error{Kind: engine.Unavailable, Err: errors.New("no database")}
	}
	s, err := db.Engine.Statement(sql)
	if err == nil {
		err = allowed(s)
	}
	if err != nil {
		return err
	}
	alone.RLock()
	err = b.borrow(ctx, db, s, do)
	alone.RUnlock()
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Limit == engine.MemoryCap {
		alone.Lock()
		defer alone.Unlock()
		return b.borrow(ctx, db, s, do)
	}
	return err
}

// word is what a statement begins with.
func word(stmt string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(stmt), " ")
	if r := []rune(w); len(r) > 20 {
		w = string(r[:20]) + "..."
	}
	return w
}

// borrow does the action with a connection and the deadline of one statement. Its error is an *engine.Error.
func (b *Box) borrow(ctx context.Context, db engine.DB, s engine.Statement, do action) error {
	if b.turns != nil {
		select {
		case b.turns <- struct{}{}:
			defer func() { <-b.turns }()
		case <-ctx.Done():
			return &engine.Error{Kind: engine.Unavailable, Err: ctx.Err()}
		}
	}
	limited, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	c, err := b.pool.take(limited, db)
	if err != nil {
		return &engine.Error{Kind: engine.Unavailable, Err: err}
	}
	if err = do(limited, c.Conn, s); err == nil {
		b.pool.put(c)
		return nil
	}
	e, ok := errors.AsType[*engine.Error](err)
	if !ok {
		e = &engine.Error{Kind: engine.Timeout, Limit: engine.Deadline, Err: fmt.Errorf("stopped after %s", b.opts.Timeout)}
	}
	if e.Kind == engine.Unavailable || e.Limit == engine.MemoryCap || e.Limit == engine.DiskCap {
		c.Close() // it may hold a damaged or swollen cache
	} else {
		b.pool.put(c)
	}
	return e
}
