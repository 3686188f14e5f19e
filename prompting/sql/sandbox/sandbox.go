// Package sandbox runs one untrusted SQL statement on one database, within limits, and without writing.
//
// A text from a model or a dataset arrives at [Box.Run]. The engine finds its one statement; the box waits for a free
// slot, and the engine runs the statement until it ends, its deadline passes, or it exceeds a limit on rows, bytes or
// value size. The result goes to the caller.
//
// The engine enforces the limits and that a statement only reads; the box enforces how many run at once. No untrusted
// statement may reach an engine by any other way, and a box must never depend on which engine it uses.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Options bounds what a statement may use. The zero value takes the defaults.
type Options struct {
	Timeout  time.Duration // for one statement; 0 means 30 s
	MaxRows  int           // rows of a result; 0 means 200,000 (the largest gold result of the known sets has 92,450)
	MaxBytes int64         // memory of a result; 0 means 32 MiB, more than any gold query of the known sets returns
	MaxValue int           // length in bytes of the longest text, blob or row; 0 means 1,000,000
	// Truncate returns the rows read before MaxRows or MaxBytes was met, marked Truncated, instead of failing.
	Truncate bool
	// AtOnce is the number of statements that run at once; 0 means no bound. Time spent waiting does not count towards a
	// statement's Timeout, so that no statement fails because others run.
	AtOnce int
}

func (o Options) withDefaults() Options {
	orDefault(&o.Timeout, 30*time.Second)
	orDefault(&o.MaxRows, 200_000)
	orDefault(&o.MaxBytes, 32<<20)
	orDefault(&o.MaxValue, 1_000_000)
	return o
}

func orDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Box runs statements on databases. It is safe for concurrent use.
type Box struct {
	opts  Options
	turns chan struct{} // holds one element per running statement; nil means no bound
}

// New returns a Box with these bounds.
func New(opts Options) *Box {
	opts = opts.withDefaults()
	b := &Box{opts: opts}
	if opts.AtOnce > 0 {
		b.turns = make(chan struct{}, opts.AtOnce)
	}
	return b
}

// limits returns the bounds as an engine takes them.
func (b *Box) limits() engine.Limits {
	o := b.opts
	return engine.Limits{Time: o.Timeout, MaxRows: o.MaxRows, MaxBytes: o.MaxBytes, MaxValue: o.MaxValue, Truncate: o.Truncate}
}

// Options returns the bounds in force, with the defaults filled in.
func (b *Box) Options() Options { return b.opts }

// Run executes the statement sql on a database and returns all of its rows. An error is an *engine.Error, ctx.Err() once
// ctx is done, or another error where this machine is to blame.
func (b *Box) Run(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
	return ask(ctx, b, db, sql, func(engine.Statement) error { return nil }, engine.Querier.Run)
}

// Job is a statement for one database.
type Job struct {
	DB  engine.DB
	SQL string
}

// RunMany is [Box.Run] for several statements, which take one slot together: f gets what came of each, once, in any order.
// The way to a database is then paid for once, where its engine can do that.
func (b *Box) RunMany(ctx context.Context, jobs []Job, f func(i int, res *engine.Result, err error)) {
	type batch struct {
		places []int
		asked  []engine.Execution
	}
	batches := map[engine.Engine]*batch{}
	var order []engine.Engine
	for i, j := range jobs {
		s, err := statement(j.DB, j.SQL)
		if err != nil {
			f(i, nil, blame(ctx, j.DB, j.SQL, err))
			continue
		}
		own := batches[j.DB.Engine]
		if own == nil {
			own = &batch{}
			batches[j.DB.Engine], order = own, append(order, j.DB.Engine)
		}
		own.places, own.asked = append(own.places, i), append(own.asked, engine.Execution{Source: j.DB.Source, Statement: s})
	}
	if err := b.turn(ctx); err != nil {
		for _, own := range batches {
			for _, i := range own.places {
				f(i, nil, err)
			}
		}
		return
	}
	defer b.done()
	for _, e := range order {
		own := batches[e]
		e.RunMany(ctx, own.asked, b.limits(), func(k int, res *engine.Result, err error) {
			i := own.places[k]
			if err != nil {
				res, err = nil, blame(ctx, jobs[i].DB, jobs[i].SQL, err)
			}
			f(i, res, err)
		})
	}
}

// Explain compiles sql, which must be one query, and returns its plan without running it. The rules and errors are those
// of [Box.Run]. A listing that meets a limit is an error even under Options.Truncate.
func (b *Box) Explain(ctx context.Context, db engine.DB, sql string) (*engine.Explanation, error) {
	return ask(ctx, b, db, sql, func(s engine.Statement) error {
		return onlyQuery(s, fmt.Errorf("only a statement that reads can be explained, not one that begins with %q", word(s.Text)))
	}, engine.Querier.Explain)
}

// Reads compiles sql, which must be one query, and returns the columns that it reads, in the form that [engine.Querier]
// documents, without running it. Its errors are those of [Box.Run], except errors that only occur during execution.
func (b *Box) Reads(ctx context.Context, db engine.DB, sql string) ([]schema.ColumnName, error) {
	return ask(ctx, b, db, sql, func(s engine.Statement) error {
		return onlyQuery(s, errors.New("only a statement that reads has columns that it reads"))
	}, engine.Querier.Reads)
}

// onlyQuery returns an error for every statement but a query.
func onlyQuery(s engine.Statement, why error) error {
	if s.Verb == engine.Query {
		return nil
	}
	return &engine.Error{Kind: engine.Rejected, Err: why}
}

// word returns the first word of a statement, cut to 20 characters.
func word(stmt string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(stmt), " ")
	if r := []rune(w); len(r) > 20 {
		w = string(r[:20]) + "..."
	}
	return w
}

// question is one of the methods of an engine that take a statement.
type question[T any] func(engine.Querier, context.Context, string, engine.Statement, engine.Limits) (T, error)

// ask puts a question about the one statement in sql, if allowed accepts it. It is a function because methods cannot have
// type parameters.
func ask[T any](ctx context.Context, b *Box, db engine.DB, sql string, allowed func(engine.Statement) error, put question[T]) (out T, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	out, err = attempt(ctx, b, db, sql, allowed, put)
	if err != nil {
		var none T
		return none, blame(ctx, db, sql, err)
	}
	return out, nil
}

// blame returns the error of a statement as callers see it.
func blame(ctx context.Context, db engine.DB, sql string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*engine.Error](err); ok {
		blamed := *e
		blamed.DB, blamed.SQL = db, sql
		return &blamed
	}
	return err
}

// statement returns the one statement in sql, as the engine of the database reads it.
func statement(db engine.DB, sql string) (engine.Statement, error) {
	if db.None() {
		return engine.Statement{}, &engine.Error{Kind: engine.Unavailable, Err: errors.New("no database")}
	}
	return db.Engine.Statement(sql)
}

// turn waits for a free slot, and no longer than ctx.
func (b *Box) turn(ctx context.Context) error {
	if b.turns == nil {
		return ctx.Err()
	}
	select {
	case b.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// done frees a slot.
func (b *Box) done() {
	if b.turns != nil {
		<-b.turns
	}
}

// attempt finds the statement in sql, waits for its turn, and asks the engine.
func attempt[T any](ctx context.Context, b *Box, db engine.DB, sql string, allowed func(engine.Statement) error, put question[T]) (none T, err error) {
	s, err := statement(db, sql)
	if err == nil {
		err = allowed(s)
	}
	if err == nil {
		err = b.turn(ctx)
	}
	if err != nil {
		return none, err
	}
	defer b.done()
	return put(db.Engine, ctx, db.Source, s, b.limits())
}
