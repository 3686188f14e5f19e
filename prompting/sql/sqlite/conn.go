package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"

	"github.com/mattn/go-sqlite3"
)

// heapLimit is the most memory in bytes that SQLite may allocate in this process, for all connections together. The first
// connection sets PRAGMA hard_heap_limit to it, and SQLite never lets a process raise that limit again.
const heapLimit = 512 << 20

var heap struct {
	once sync.Once
	err  error
}

// Codes of SQLite's authorizer that the driver does not name.
const (
	opRecursive = 33 // SQLITE_RECURSIVE: a recursive common table expression
	allow, deny = 0, 1
)

// refused names the codes of forbidden actions for messages; see https://www.sqlite.org/c3ref/c_alter_table.html.
var refused = map[int]string{
	sqlite3.SQLITE_INSERT: "INSERT", sqlite3.SQLITE_DELETE: "DELETE", sqlite3.SQLITE_UPDATE: "UPDATE",
	sqlite3.SQLITE_ATTACH: "ATTACH", sqlite3.SQLITE_DETACH: "DETACH", sqlite3.SQLITE_PRAGMA: "PRAGMA",
	sqlite3.SQLITE_TRANSACTION: "a transaction", sqlite3.SQLITE_SAVEPOINT: "SAVEPOINT",
	sqlite3.SQLITE_ALTER_TABLE: "ALTER TABLE", sqlite3.SQLITE_REINDEX: "REINDEX", sqlite3.SQLITE_ANALYZE: "ANALYZE",
	sqlite3.SQLITE_FUNCTION: "the function",
}

// unsafeFunctions access files or load code. Not every build of SQLite has them.
var unsafeFunctions = map[string]bool{
	"load_extension": true, "fts3_tokenizer": true, "readfile": true, "writefile": true, "edit": true,
}

// conn is one connection, used by one goroutine at a time.
type conn struct {
	*sqlite3.SQLiteConn
	limits engine.Limits
	denied string                     // the first action that the authorizer refused in the present statement
	seen   map[schema.ColumnName]bool // the columns that the present statement reads; nil unless Reads wants them
	// describing permits the pragmas of the program's own statement about tables and indexes: see Explain.
	describing bool
}

// Open implements engine.Engine. immutable=1 avoids all locks and creates no file next to the database. It would also
// ignore a write-ahead log or a rollback journal, so a file that has one is opened in plain read-only mode. _mutex=no is
// safe because only one goroutine uses a connection at a time.
func (Engine) Open(_ context.Context, path string, l engine.Limits) (engine.Conn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	now, err := Engine{}.Stamp(abs)
	if err != nil {
		return nil, err
	}
	c := &conn{limits: l}
	d := sqlite3.SQLiteDriver{ConnectHook: func(sc *sqlite3.SQLiteConn) error {
		heap.once.Do(func() { heap.err = limitHeap(sc) })
		if heap.err != nil {
			return heap.err
		}
		c.limit(sc)
		return nil
	}}
	dsn := "file:" + (&url.URL{Path: abs}).EscapedPath() + "?mode=ro&_query_only=1&_mutex=no"
	if !now.Pending {
		dsn += "&immutable=1"
	}
	dc, err := d.Open(dsn)
	if err != nil {
		return nil, err
	}
	c.SQLiteConn = dc.(*sqlite3.SQLiteConn)
	return c, nil
}

// Stamp implements engine.Engine. Pending means that a write-ahead log or a rollback journal next to the file has content.
func (Engine) Stamp(path string) (engine.Stamp, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return engine.Stamp{}, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return engine.Stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return engine.Stamp{}, fmt.Errorf("%s is not a regular file", abs)
	}
	s := engine.Stamp{Size: info.Size(), Changed: info.ModTime()}
	for _, suffix := range []string{"-wal", "-journal"} {
		if side, err := os.Stat(abs + suffix); err == nil && side.Size() > 0 {
			s.Pending = true
		}
	}
	return s, nil
}

// limitHeap sets the limit on SQLite's memory for this process.
func limitHeap(sc *sqlite3.SQLiteConn) error {
	rows, err := sc.QueryContext(context.Background(), fmt.Sprintf("PRAGMA hard_heap_limit=%d", heapLimit), nil)
	if err != nil {
		return err
	}
	err = rows.Next(make([]driver.Value, 1))
	return errors.Join(err, rows.Close())
}

// limit sets the limits of one connection. LIMIT_ATTACHED 0 refuses ATTACH independently of the authorizer; the time of
// LIKE grows with the length of its pattern; worker threads would let one statement use several cores.
func (c *conn) limit(sc *sqlite3.SQLiteConn) {
	sc.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, c.limits.MaxValue)
	sc.SetLimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000)
	sc.SetLimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	sc.SetLimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000)
	sc.SetLimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
	sc.RegisterAuthorizer(c.authorize)
}

// authorize is SQLite's callback for each action of a statement that is being compiled. It permits what a query needs,
// notes the columns read where Reads wants them, and remembers the first action that it refuses for the message.
func (c *conn) authorize(op int, arg1, arg2, _ string) int {
	switch op {
	case sqlite3.SQLITE_READ:
		if c.seen != nil {
			c.seen[schema.ColumnName{Table: arg1, Column: arg2}] = true
		}
		return allow
	case sqlite3.SQLITE_SELECT, opRecursive:
		return allow
	case sqlite3.SQLITE_FUNCTION:
		if !unsafeFunctions[arg2] {
			return allow
		}
		arg1 = arg2
	}
	if c.mayDescribe(op, arg1) {
		return allow
	}
	if c.denied == "" {
		c.denied = describe(op, arg1)
	}
	return deny
}

// describe names a refused action, such as "ATTACH" or "the function readfile". Codes without a name of their own are the
// many CREATE and DROP actions.
func describe(op int, arg string) string {
	name, ok := refused[op]
	if !ok {
		name = "a change of the schema"
	}
	if arg == "" {
		return name
	}
	return name + " " + arg
}

// rows steps a statement. It takes the storage of its rows from blocks, so that a small row needs no allocation.
type rows struct {
	stmt  driver.Stmt
	rows  *sqlite3.SQLiteRows
	names []string
	dest  []driver.Value
	block []engine.Value
}

// query compiles stmt and prepares it for stepping, without executing any of it. It refuses a statement that SQLite itself
// does not call read-only, one that reads says does not only read, and one with parameters, to which nothing would be
// bound.
func (c *conn) query(ctx context.Context, stmt string, reads bool) (*rows, error) {
	c.denied = ""
	s, err := c.Prepare(stmt)
	if err != nil {
		return nil, err
	}
	ls := s.(*sqlite3.SQLiteStmt)
	if !reads || !ls.Readonly() {
		s.Close()
		return nil, &engine.Error{Kind: engine.Rejected, Err: errors.New("the statement does more than read")}
	}
	if n := ls.NumInput(); n > 0 {
		s.Close()
		return nil, &engine.Error{Kind: engine.SQL, Err: fmt.Errorf("the statement has %d unbound parameters", n)}
	}
	dr, err := ls.QueryContext(ctx, nil)
	if err != nil {
		s.Close()
		return nil, err
	}
	r := &rows{stmt: s, rows: dr.(*sqlite3.SQLiteRows)}
	asStored(r.rows)
	r.names = append([]string(nil), r.rows.Columns()...)
	r.dest = make([]driver.Value, len(r.names))
	return r, nil
}

// next returns the next row, or io.EOF after the last.
func (r *rows) next() ([]engine.Value, error) {
	if err := r.rows.Next(r.dest); err != nil {
		return nil, err
	}
	n := len(r.dest)
	if len(r.block) < n {
		r.block = make([]engine.Value, n*r.blockRows())
	}
	row := r.block[:n:n]
	r.block = r.block[n:]
	for i, v := range r.dest {
		var err error
		if row[i], err = fromDriver(v); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// blockRows returns the number of rows in the next block: one at first, because most results have a single row.
func (r *rows) blockRows() int {
	if r.block == nil {
		return 1
	}
	return 64
}

// Run implements engine.Conn.
func (c *conn) Run(ctx context.Context, s engine.Statement) (*engine.Result, error) {
	res, err := c.result(ctx, s.Text, s.Verb != engine.Other)
	return res, c.blame(ctx, err)
}

// result compiles and steps a statement. Its error is SQLite's, the context's, or an *engine.Error. A truncated result has
// no Duration, since the statement did not end.
func (c *conn) result(ctx context.Context, stmt string, reads bool) (res *engine.Result, err error) {
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
	if res, err = c.limits.Gather(rows.names, rows.next); err == nil && !res.Truncated {
		res.Duration = time.Since(begin)
	}
	return res, err
}

func (r *rows) close() error { return errors.Join(r.rows.Close(), r.stmt.Close()) }
