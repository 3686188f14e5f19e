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

// Create runs an SQL script on a new database file in one transaction. If the file exists, the script changes it. The
// journal and the syncing are off: a file that is not complete is of no use to anybody.
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

// Maker fills a database in memory and returns its bytes as a database file. The same statements and rows always give the
// same bytes. Only one goroutine may use it at a time.
type Maker struct{ conn *sqlite3.SQLiteConn }

// NewMaker returns a Maker with an empty database.
func NewMaker() (*Maker, error) {
	c, err := (&sqlite3.SQLiteDriver{}).Open(":memory:")
	if err != nil {
		return nil, err
	}
	return &Maker{c.(*sqlite3.SQLiteConn)}, nil
}

// Close releases the memory.
func (m *Maker) Close() error { return m.conn.Close() }

// Exec runs statements that return no rows. Its error begins with their text.
func (m *Maker) Exec(ctx context.Context, sql string) error {
	if _, err := m.conn.ExecContext(ctx, sql, nil); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// Insert inserts rows into columns of a table. It skips a row that SQLite refuses for its content, such as one that fails
// a CHECK; with lenient, it skips a row whatever the error.
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

// refusal reports whether SQLite refused a row for its content.
func refusal(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch)
}

// Dangling returns the row id of each row of a table that violates a foreign key, or NULL in place of each where the table
// has no row ids. It fails where SQLite cannot check a key, because the referenced columns are missing or not unique.
func (m *Maker) Dangling(ctx context.Context, table string) (out []engine.Value, err error) {
	err = each(ctx, m.conn, "PRAGMA foreign_key_check("+Quote(table)+")", func(row []engine.Value) error {
		out = append(out, row[1])
		return nil
	})
	return out, err
}

// Image returns the database as the bytes of a file.
func (m *Maker) Image() ([]byte, error) { return m.conn.Serialize("main") }
