package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// Create runs an SQL script on a new database file, all of it in one transaction. A file that is there already is
// written to.
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

// Maker fills a database in memory, whose image is then a file: the same statements and rows give the same bytes. It is
// for one goroutine at a time.
type Maker struct{ conn *sqlite3.SQLiteConn }

// NewMaker is an empty database.
func NewMaker() (*Maker, error) {
	c, err := (&sqlite3.SQLiteDriver{}).Open(":memory:")
	if err != nil {
		return nil, err
	}
	return &Maker{c.(*sqlite3.SQLiteConn)}, nil
}

// Close gives the memory back.
func (m *Maker) Close() error { return m.conn.Close() }

// Exec runs statements.
func (m *Maker) Exec(ctx context.Context, sql string) error {
	if _, err := m.conn.ExecContext(ctx, sql, nil); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// Insert puts rows into columns of a table. A row that SQLite refuses for what is in it, by a CHECK say, is left out;
// with lenient, so is whatever else does not go in.
func (m *Maker) Insert(ctx context.Context, table string, columns []string, lenient bool, rows [][]engine.Value) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = Quote(c)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	s, err := m.conn.Prepare(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", Quote(table), strings.Join(names, ", "), marks))
	if err != nil {
		if lenient {
			return nil
		}
		return err
	}
	defer s.Close()
	args := make([]driver.NamedValue, len(names))
	for _, r := range rows {
		for i, v := range r {
			args[i] = driver.NamedValue{Ordinal: i + 1, Value: toDriver(v)}
		}
		if _, err := s.(driver.StmtExecContext).ExecContext(ctx, args); err != nil && !refusal(err) && !lenient {
			return err
		}
	}
	return nil
}

// refusal tells whether SQLite refused a row for what is in it.
func refusal(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch)
}

// Dangling lists the row id of each row of a table whose references do not hold; NULL where the table has none. The
// error is for a table that SQLite cannot check, because what it refers to is not unique or not there.
func (m *Maker) Dangling(ctx context.Context, table string) (out []engine.Value, err error) {
	err = each(ctx, m.conn, "PRAGMA foreign_key_check("+Quote(table)+")", func(row []engine.Value) error {
		out = append(out, row[1])
		return nil
	})
	return out, err
}

// Image is the bytes of the database's file.
func (m *Maker) Image() ([]byte, error) { return m.conn.Serialize("main") }
