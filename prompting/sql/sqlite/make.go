package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// Create runs an SQL script of the program's own on a new database file in one transaction. If the file exists, the script
// changes it. The journal and the syncing are off: a file that is not complete is of no use to anybody.
func Create(ctx context.Context, path, script string) (err error) {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=rwc&_journal_mode=OFF&_synchronous=OFF"}
	c, err := (&sqlite3.SQLiteDriver{}).Open(u.String())
	if err != nil {
		return err
	}
	defer func() {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}()
	for _, s := range []string{"BEGIN", script, "COMMIT"} {
		if _, err := c.(driver.ExecerContext).ExecContext(ctx, s, nil); err != nil {
			return err
		}
	}
	return nil
}

// Maker fills a database in the memory of a worker and returns its bytes as a database file. The same statements and rows
// always give the same bytes. The statements may come from the schema of a user's file: they can reach no other. Only one
// goroutine may use it at a time.
type Maker struct {
	*worker
	heap int64
}

// makingTime is how long the making of one database may take.
const makingTime = 10 * time.Second

// Make calls f with a Maker of an empty database, and returns f's error, or the one that stopped the Maker: a deadline of
// ten seconds, or ctx. f must run no other statement.
func Make(ctx context.Context, f func(*Maker) error) error {
	begun := false
	return processes.do(ctx, makingTime, 0, func() bool { return !begun }, func(w *worker, heap int64) error {
		m := &Maker{w, heap}
		err := m.tell(job{op: opFresh})
		if err == nil {
			begun = true
			err = f(m)
		}
		if m.killed.Load() { // what f made of that is of no interest
			return errGone
		}
		return errors.Join(err, m.tell(job{op: opFresh})) // which frees its memory
	})
}

// tell sends a request that is answered by an ending alone.
func (m *Maker) tell(j job) error {
	return m.each(j, m.heap, func([]engine.Value) error { return nil })
}

// Exec runs statements whose rows nobody wants. Its error begins with their text.
func (m *Maker) Exec(sql string) error {
	if err := m.tell(job{op: opExec, sql: sql}); err != nil {
		return fmt.Errorf("%s: %w", sql, cause(err))
	}
	return nil
}

// cause returns what SQLite said: there is no database and no statement of a model that an *engine.Error would blame.
func cause(err error) error {
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Limit == "" {
		return e.Err
	}
	return err
}

// rowsAtOnce is how many rows one request inserts.
const rowsAtOnce = 500

// Insert inserts rows into columns of a table. It skips a row that SQLite refuses for its content, such as one that fails
// a CHECK; with lenient, it skips a row whatever the error.
func (m *Maker) Insert(table string, columns []string, lenient bool, rows [][]engine.Value) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = Quote(c)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", Quote(table), strings.Join(names, ", "), marks)
	for len(rows) > 0 {
		n := min(len(rows), rowsAtOnce)
		if err := m.tell(job{op: opInsert, flag: lenient, sql: sql, columns: len(columns), rows: rows[:n]}); err != nil {
			return cause(err)
		}
		rows = rows[n:]
	}
	return nil
}

// query calls f for each row of a query.
func (m *Maker) query(sql string, f func(row []engine.Value) error) error {
	return m.each(job{op: opQuery, sql: sql}, m.heap, f)
}

// Dangling returns the row id of each row of a table that violates a foreign key, or NULL in place of each where the table
// has no row ids. It fails where SQLite cannot check a key, because the referenced columns are missing or not unique.
func (m *Maker) Dangling(table string) (out []engine.Value, err error) {
	err = m.query("PRAGMA foreign_key_check("+Quote(table)+")", func(row []engine.Value) error {
		out = append(out, row[1])
		return nil
	})
	return out, err
}

// Image returns the database as the bytes of a file.
func (m *Maker) Image() (image []byte, err error) {
	err = m.each(job{op: opImage}, m.heap, func(row []engine.Value) error {
		image = []byte(row[0].Bytes())
		return nil
	})
	return image, cause(err)
}
