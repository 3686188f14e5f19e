package suite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-sqlite3"

	"assay/prompting/sql/sandbox"
)

// image is the bytes of a database with the schema of the catalog and these rows; the same rows give the same bytes.
// A row that SQLite refuses, by a CHECK say, is left out, and with it what refers to it.
func (c *catalog) image(ctx context.Context, rows content) ([]byte, error) {
	dc, err := (&sqlite3.SQLiteDriver{}).Open(":memory:")
	if err != nil {
		return nil, err
	}
	defer dc.Close()
	w := &writer{ctx: ctx, conn: dc.(*sqlite3.SQLiteConn)}
	w.exec(fmt.Sprintf("PRAGMA encoding = '%s'", c.encoding))
	w.exec("BEGIN")
	for _, t := range c.tables {
		w.exec(t.sql)
	}
	for _, sql := range c.indexes {
		w.exec(sql)
	}
	for _, t := range c.tables {
		w.fill(t, rows[t.at])
	}
	w.exec("COMMIT")
	w.clean(c)
	for _, sql := range c.later { // after the rows, so that triggers do not fire
		w.exec(sql)
	}
	if w.err != nil {
		return nil, w.err
	}
	return w.conn.Serialize("main")
}

// writer fills one database; the first error stops it.
type writer struct {
	ctx  context.Context
	conn *sqlite3.SQLiteConn
	err  error
}

func (w *writer) exec(sql string) {
	if w.err != nil {
		return
	}
	if _, err := w.conn.ExecContext(w.ctx, sql, nil); err != nil {
		w.err = fmt.Errorf("%s: %w", sql, err)
	}
}

func (w *writer) fill(t *table, rows []row) {
	if w.err != nil || len(rows) == 0 || len(t.columns) == 0 {
		return
	}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = quoted(c.name)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	s, err := w.conn.Prepare(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", quoted(t.name), strings.Join(names, ", "), marks))
	if err != nil {
		if !t.opaque {
			w.err = err
		}
		return
	}
	defer s.Close()
	args := make([]driver.NamedValue, len(names))
	for _, r := range rows {
		for i, v := range r {
			args[i] = driver.NamedValue{Ordinal: i + 1, Value: bindable(v)}
		}
		if _, err := s.(driver.StmtExecContext).ExecContext(w.ctx, args); err != nil && !refusal(err) && !t.opaque {
			w.err = err
			return
		}
	}
}

// refusal tells whether SQLite refused a row for what is in it.
func refusal(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch)
}

func bindable(v sandbox.Value) driver.Value {
	switch v.Kind() {
	case sandbox.Int:
		return v.Int64()
	case sandbox.Real:
		return v.Float64()
	case sandbox.Text:
		return v.Bytes()
	case sandbox.Blob:
		return []byte(v.Bytes())
	}
	return nil
}

// errDangling says that a reference could not be made to hold.
var errDangling = errors.New("a reference cannot be made to hold")

// clean deletes rows whose references do not hold, until all do. A table that SQLite cannot check, because what it
// refers to is not unique or not there, is left to what purge did.
func (w *writer) clean(c *catalog) {
	for range 50 {
		found := false
		for _, t := range c.tables {
			bad, err := w.dangling(t)
			if err != nil {
				continue
			}
			for _, rowid := range bad {
				found = true
				if rowid == nil {
					w.err = errDangling
					return
				}
				w.exec(fmt.Sprintf("DELETE FROM %s WHERE rowid = %d", quoted(t.name), rowid))
			}
		}
		if !found || w.err != nil {
			return
		}
	}
	w.err = errDangling
}

// dangling lists the rowid of each row of a table whose references do not hold; nil where the table has none.
func (w *writer) dangling(t *table) ([]driver.Value, error) {
	if len(t.foreign) == 0 || t.opaque {
		return nil, nil
	}
	rows, err := w.conn.QueryContext(w.ctx, "PRAGMA foreign_key_check("+quoted(t.name)+")", nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	dest := make([]driver.Value, 4)
	var out []driver.Value
	for {
		if err := rows.Next(dest); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, dest[1])
	}
}
