// Package sandbox runs one untrusted SQL statement on one database, within limits, and without writing.
//
// A text from a model or a dataset arrives at [Box.Run]. The engine finds its one statement; the box waits for a free
// slot, takes a connection from its pool or opens one, and runs the statement until it ends, its deadline passes, or it
// exceeds a limit on rows, bytes or value size. The result goes to the caller, and the connection back to the pool
// unless the error suggests that it is damaged.
//
// The engine enforces that a statement only reads and counts rows and bytes; the box enforces the deadline and the
// concurrency. No untrusted statement may reach an engine by any other way, and a box must never depend on which engine
// it uses.
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

// Options bounds what a statement may use. The zero value takes the defaults.
type Options struct {
	Timeout  time.Duration // for one statement; 0 means 30 s
	MaxRows  int           // rows of a result; 0 means 200,000 (the largest gold result of the known sets has 92,450)
	MaxBytes int64         // memory of a result; 0 means 128 MiB
	// MaxValue is the length in bytes of the longest text, blob or row; 0 means 1,000,000. It also bounds how far past its
	// deadline a statement can run: SQLite cannot interrupt a single function call, and the time of some functions grows
	// with the square of the length. The slowest known arguments of instr and replace take about 10 s at 1,000,000 bytes
	// and 0.1 s at 100,000.
	MaxValue int
	// Truncate returns the rows read before MaxRows or MaxBytes was met, marked Truncated, instead of failing.
	Truncate bool
	MaxFiles int // databases kept open; 0 means 64
	MaxIdle  int // idle connections kept per database; 0 means 8
	// AtOnce is the number of statements that run at once; 0 means no bound. Time spent waiting does not count towards a
	// statement's Timeout, so that no statement fails because others run.
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
	turns chan struct{} // holds one element per running statement; nil means no bound
}

// New returns a Box with these bounds. It opens no connection yet.
func New(opts Options) *Box {
	opts = opts.withDefaults()
	b := &Box{opts: opts, pool: pool{opts: opts, open: map[engine.DB]*database{}}}
	if opts.AtOnce > 0 {
		b.turns = make(chan struct{}, opts.AtOnce)
	}
	return b
}

// Options returns the bounds in force, with the defaults filled in.
func (b *Box) Options() Options { return b.opts }

// Close closes the idle connections; those in use close when their statement ends. The Box remains usable, but keeps no
// connection open any more.
func (b *Box) Close() error { return b.pool.close() }

// Run executes the statement sql on a database and returns all of its rows. An error is an *engine.Error, or ctx.Err()
// once ctx is done.
func (b *Box) Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
	return ask(ctx, b, db, sql, func(engine.Statement) error { return nil }, engine.Conn.Run)
}

// Explain compiles sql, which must be one query, and returns its plan without running it. The rules and errors are those
// of [Box.Run]. A listing that meets a limit is an error even under Options.Truncate.
func (b *Box) Explain(ctx context.Context, db engine.DB, sql string) (*engine.Explanation, error) {
	return ask(ctx, b, db, sql, func(s engine.Statement) error {
		return onlyQuery(s, fmt.Errorf("only a statement that reads can be explained, not one that begins with %q", word(s.Text)))
	}, engine.Conn.Explain)
}

// Reads compiles sql, which must be one query, and returns the columns that it reads, in the form that [engine.Conn]
// documents, without running it. Its errors are those of [Box.Run], except errors that only occur during execution.
func (b *Box) Reads(ctx context.Context, db engine.DB, sql string) ([]schema.ColumnName, error) {
	return ask(ctx, b, db, sql, func(s engine.Statement) error {
		return onlyQuery(s, errors.New("only a statement that reads has columns that it reads"))
	}, engine.Conn.Reads)
}

// onlyQuery returns an error for every statement but a query.
func onlyQuery(s engine.Statement, why error) error {
	if s.Verb == engine.Query {
		return nil
	}
	return &engine.Error{Kind: engine.Rejected, Err: why}
}

// ask performs one method of a connection with the one statement in sql, if allowed accepts it. It is a function because
// methods cannot have type parameters.
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

// attempt finds the statement in sql and performs the action. The limit on SQLite's memory holds for the whole process,
// so a statement that met it may have failed because of others: it runs a second time, with no other statement running.
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

// word returns the first word of a statement, cut to 20 characters.
func word(stmt string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(stmt), " ")
	if r := []rune(w); len(r) > 20 {
		w = string(r[:20]) + "..."
	}
	return w
}

// borrow performs the action with a connection of the pool, under the deadline of one statement. It waits for a turn
// before the deadline starts. Its error is an *engine.Error.
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
		c.Close() // its cache may be damaged, or hold too much memory
	} else {
		b.pool.put(c)
	}
	return e
}
