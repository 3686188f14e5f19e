// Package sandbox runs one untrusted SQL statement on one read-only SQLite file.
//
// A statement is first read for where it ends: more than one is refused. SQLite then compiles it under an
// authorizer that lets it select, read columns, call functions and recurse, and nothing else, on a connection
// that is itself read-only. It runs until it is done, or its deadline, or a cap on rows, bytes, the size of one
// value, or SQLite's memory.
//
// Large sorts spill to temporary files of the process, up to about 70 MB a second until the deadline: where that
// matters, the process sets SQLITE_TMPDIR to a bounded place before its first query.
package sandbox

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
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
	MaxFiles int // database files kept open; 0 means 64
	MaxIdle  int // idle connections kept for a file; 0 means 8
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

// Box keeps read-only connections to database files and runs statements on them. It is safe for concurrent use.
type Box struct {
	opts  Options
	pool  pool
	turns chan struct{} // one for each statement that runs; nil: no bound
}

// New is a Box with these bounds; it opens nothing yet.
func New(opts Options) *Box {
	opts = opts.withDefaults()
	b := &Box{opts: opts, pool: pool{opts: opts, files: map[string]*file{}}}
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

// alone is held for reading by every statement, and for writing by one that met the memory limit and is tried
// again: the limit is the whole process's, so only a statement that runs alone can be blamed for meeting it.
var alone sync.RWMutex

// Run executes the statement sql on the SQLite file at path and returns all of its rows. An error is an *Error,
// or ctx.Err() once ctx is done.
func (b *Box) Run(ctx context.Context, path, sql string) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res, err := b.run(ctx, path, sql)
	if err == nil {
		return res, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Path, e.SQL = path, sql
	}
	return nil, err
}

func (b *Box) run(ctx context.Context, path, sql string) (*Result, error) {
	stmt, first, err := single(sql)
	if err != nil {
		return nil, err
	}
	var res *Result
	err = blamed(func() error {
		res, err = b.attempt(ctx, path, stmt, reads[first])
		return err
	})
	return res, err
}

// blamed does what a statement needs, and again alone where it met the memory limit.
func blamed(do func() error) error {
	alone.RLock()
	err := do()
	alone.RUnlock()
	if limitOf(err) == MemoryCap {
		alone.Lock()
		defer alone.Unlock()
		return do()
	}
	return err
}

func limitOf(err error) Limit {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Limit
	}
	return ""
}

// reads has the keywords a statement that only reads begins with.
var reads = map[token.Kind]bool{token.SELECT: true, token.WITH: true, token.VALUES: true, token.EXPLAIN: true}

// single is the one statement in sql, without its semicolon and whatever blank or comment follows: the driver would
// go on to that, and return its empty result. first is the kind of its first token.
func single(sql string) (stmt string, first token.Kind, err error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return "", 0, &Error{Kind: SQL, Err: errors.New("the statement has a NUL byte")}
	}
	start, end := -1, len(sql)
	for _, t := range lexer.Lex(sql) {
		switch {
		case t.Kind == token.EOF:
		case t.Kind == token.SEMI:
			if start >= 0 && end == len(sql) {
				end = t.Pos
			}
		case end < len(sql):
			return "", 0, &Error{Kind: Rejected, Err: errors.New("more than one statement")}
		case start < 0:
			start, first = t.Pos, t.Kind
		}
	}
	if start < 0 {
		return "", 0, &Error{Kind: SQL, Err: errors.New("no statement")}
	}
	return sql[start:end], first, nil
}

// attempt runs stmt once on a connection of its own. A statement that does not begin like one that reads is only
// compiled, to tell a wrong word from a refused one.
func (b *Box) attempt(ctx context.Context, path, stmt string, reads bool) (res *Result, err error) {
	err = b.borrow(ctx, path, func(ctx context.Context, c *conn) error {
		res, err = b.query(ctx, c, stmt, reads)
		return err
	})
	return res, err
}

// borrow calls do with a connection and the deadline of one statement. Its error is an *Error.
func (b *Box) borrow(ctx context.Context, path string, do func(context.Context, *conn) error) error {
	if b.turns != nil {
		select {
		case b.turns <- struct{}{}:
			defer func() { <-b.turns }()
		case <-ctx.Done():
			return &Error{Kind: Unavailable, Err: ctx.Err()}
		}
	}
	c, err := b.pool.take(path)
	if err != nil {
		return &Error{Kind: Unavailable, Err: err}
	}
	limited, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	if err = do(limited, c); err == nil {
		b.pool.put(c)
		return nil
	}
	kind := b.explain(limited, c, err)
	if kind.Kind == Unavailable || kind.Limit == MemoryCap || kind.Limit == DiskCap {
		c.close() // it may hold a damaged or swollen cache
	} else {
		b.pool.put(c)
	}
	return kind
}

// explain makes an Error of whatever ended a query.
func (b *Box) explain(ctx context.Context, c *conn, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return &Error{Kind: Timeout, Limit: Deadline, Err: fmt.Errorf("stopped after %s", b.opts.Timeout)}
	}
	if c.denied != "" {
		return &Error{Kind: Rejected, Err: fmt.Errorf("%s is not allowed", c.denied)}
	}
	kind, limit := classify(err)
	return &Error{Kind: kind, Limit: limit, Err: err}
}

// query compiles and steps stmt. Errors are SQLite's, the context's, or an *Error.
func (b *Box) query(ctx context.Context, c *conn, stmt string, reads bool) (res *Result, err error) {
	begin := time.Now()
	rows, err := c.query(ctx, stmt, reads)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := rows.close(); e != nil && err == nil {
			res, err = nil, e
		}
	}()
	res = &Result{Columns: rows.columns()}
	for size := int64(0); ; {
		row, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		size += rowBytes(row)
		if over := b.over(len(res.Rows)+1, size); over != nil {
			if !b.opts.Truncate {
				return nil, over
			}
			res.Truncated = true
			break
		}
		res.Rows = append(res.Rows, row)
	}
	res.Duration = time.Since(begin)
	return res, nil
}

// over is the Error of a result that grew past a cap, or nil.
func (b *Box) over(rows int, bytes int64) error {
	switch {
	case rows > b.opts.MaxRows:
		return &Error{Kind: Timeout, Limit: RowCap, Err: fmt.Errorf("more than %d rows", b.opts.MaxRows)}
	case bytes > b.opts.MaxBytes:
		return &Error{Kind: Timeout, Limit: ByteCap, Err: fmt.Errorf("more than %d bytes of rows", b.opts.MaxBytes)}
	}
	return nil
}

// fromDriver is the Value of what the driver returns for a column without a declared type.
func fromDriver(v driver.Value) (Value, error) {
	switch v := v.(type) {
	case nil:
		return Value{}, nil
	case int64:
		return OfInt(v), nil
	case float64:
		return OfReal(v), nil
	case string:
		return OfText(v), nil
	case []byte:
		return OfBlob(v), nil
	}
	return Value{}, fmt.Errorf("unexpected %T from the driver", v)
}
