package execution

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Cache stores the results of statements, so that a gold query runs once for all predictions and arms, and predictions
// that differ only in blanks run once. It is safe for concurrent use: simultaneous callers of one statement share one
// run. Metrics may share a Cache where they share a Box. The databases must not change during its lifetime.
type Cache struct {
	most   int64
	mu     sync.Mutex
	size   int64
	recent list.List // of *entry, last used in front; only finished ones
	byKey  map[key]*entry
}

type key struct {
	db  engine.DB
	sql string
}

type entry struct {
	key  key
	sql  string        // as it ran: the engine names columns after it, blanks and all
	done chan struct{} // closed when res, err and size are set
	res  *engine.Result
	err  error
	size int64
	at   *list.Element // nil until finished
}

// NewCache keeps results up to about this many bytes, those last used longest ago being dropped first; 0 means
// 48 MiB.
func NewCache(bytes int64) *Cache {
	if bytes <= 0 {
		bytes = 48 << 20
	}
	return &Cache{most: bytes, byKey: map[key]*entry{}}
}

// Run is box.Run through the cache. Columns have the names that this spelling of the statement gives them, whichever
// ran first.
func (c *Cache) Run(ctx context.Context, box *sandbox.Box, db engine.DB, sql string) (*engine.Result, error) {
	e, err := c.entry(ctx, box, db, sql)
	if err != nil {
		return nil, err
	}
	if e.sql == sql || !slices.ContainsFunc(e.res.Columns, spelled) {
		return e.res, nil
	}
	x, err := box.Explain(ctx, db, sql)
	if err != nil { // EXPLAIN cannot be explained, and a listing may meet a cap
		return box.Run(ctx, db, sql)
	}
	own := *e.res
	own.Columns = x.Columns
	return &own, nil
}

// spelled says whether a column may be named after the text of an expression, which blanks are part of: a name that is an
// identifier is a column's or an alias, and the same in every spelling.
func spelled(name string) bool { return !schema.Plain(name) }

// rows is Run for callers that ignore column names: these may be those of another spelling.
func (c *Cache) rows(ctx context.Context, box *sandbox.Box, db engine.DB, sql string) (*engine.Result, error) {
	e, err := c.entry(ctx, box, db, sql)
	if err != nil {
		return nil, err
	}
	return e.res, nil
}

// entry is what sql, or another spelling of it, returned. The error is the statement's, or that of a try that would not
// last.
func (c *Cache) entry(ctx context.Context, box *sandbox.Box, db engine.DB, sql string) (*entry, error) {
	k := key{db, plain(sql)}
	for {
		e, mine := c.claim(k, sql)
		if mine {
			e.res, e.err = box.Run(ctx, db, sql)
			c.finish(e)
			return e, e.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-e.done:
		}
		if lasting(e.err) {
			return e, respelled(e.err, sql)
		}
	}
}

// fetch runs those of the statements that nobody has run yet, all in one go. What went wrong is told to whoever asks for
// one of them.
func (c *Cache) fetch(ctx context.Context, box *sandbox.Box, jobs []sandbox.Job) {
	var mine []*entry
	var rest []sandbox.Job
	for _, j := range jobs {
		if e, first := c.claim(key{j.DB, plain(j.SQL)}, j.SQL); first {
			mine, rest = append(mine, e), append(rest, j)
		}
	}
	box.RunMany(ctx, rest, func(i int, res *engine.Result, err error) {
		mine[i].res, mine[i].err = res, err
		c.finish(mine[i])
	})
}

// respelled is a statement's error as it would be had it run as it is written in sql: its text quotes that.
func respelled(err error, sql string) error {
	e, ok := errors.AsType[*engine.Error](err)
	if !ok || e.SQL == sql {
		return err
	}
	own := *e
	own.SQL = sql
	return &own
}

// plain is sql as it is known to the cache: without blanks that separate no two tokens, and without a semicolon at
// its end. Quoted text is left as it is, and so is SQL with comments, with parameters, which may have parentheses of
// their own, or with a quote that does not end; also what is too long to run.
func plain(sql string) string {
	if len(sql) > tree.MaxBytes {
		return sql
	}
	if strings.Contains(sql, "--") || strings.Contains(sql, "/*") || strings.ContainsAny(sql, "#$@:?\v\x00") { // \v: a blank behind a blank; \x00: an end
		return sql
	}
	out := make([]byte, 0, len(sql))
	for i := 0; i < len(sql); {
		c := sql[i]
		end := i + 1
		switch {
		case strings.IndexByte(blanks, c) >= 0:
			for end < len(sql) && strings.IndexByte(blanks, sql[end]) >= 0 {
				end++
			}
			if len(out) > 0 && !alone(out[len(out)-1]) && end < len(sql) && !alone(sql[end]) {
				out = append(out, ' ')
			}
			i = end
			continue
		case c == '\'' || c == '"' || c == '`' || c == '[':
			if end = quoteEnd(sql, i); end < 0 {
				return sql
			}
		}
		out = append(out, sql[i:end]...)
		i = end
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(out), ";"), " ")
}

// blanks are those of SQLite.
const blanks = " \t\n\f\r"

// alone reports whether a byte is a token by itself anywhere outside of quotes.
func alone(c byte) bool { return c == ',' || c == '(' || c == ')' }

// quoteEnd returns the end of the quoted text that begins at i, or -1. A doubled quote ends one and begins another.
func quoteEnd(sql string, i int) int {
	end := sql[i]
	if end == '[' {
		end = ']'
	}
	if n := strings.IndexByte(sql[i+1:], end); n >= 0 {
		return i + 1 + n + 1
	}
	return -1
}

// claim returns the entry for k; mine says that the caller is to run sql for it.
func (c *Cache) claim(k key, sql string) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[k]; ok {
		if e.at != nil {
			c.recent.MoveToFront(e.at)
		}
		return e, false
	}
	e = &entry{key: k, sql: sql, done: make(chan struct{})}
	c.byKey[k] = e
	return e, true
}

// finish publishes e, and keeps it unless its error is one that another try may not meet.
func (c *Cache) finish(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(e.done)
	e.size = int64(200 + len(e.key.db.Source) + len(e.key.sql) + len(e.sql))
	if e.res != nil {
		e.size += e.res.Bytes()
	}
	if !lasting(e.err) {
		delete(c.byKey, e.key)
		return
	}
	e.at = c.recent.PushFront(e)
	c.size += e.size
	for c.size > c.most {
		old := c.recent.Remove(c.recent.Back()).(*entry)
		delete(c.byKey, old.key)
		c.size -= old.size
	}
}

// lasting reports whether err, or its absence, is the statement's own.
func lasting(err error) bool {
	e, judged := failed(err)
	return err == nil || judged && e.Kind != engine.Unavailable
}
