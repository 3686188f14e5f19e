package suite

import (
	"context"
	"errors"
	"fmt"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
)

// image returns the bytes of a database with the schema of the catalog and these rows; the same rows give the same
// bytes. A row that SQLite refuses, by a CHECK say, is left out, and with it what refers to it.
func (c *catalog) image(ctx context.Context, rows content) (image []byte, err error) {
	err = sqlite.Make(ctx, func(m *sqlite.Maker) error {
		w := &writer{made: m}
		if w.write(c, rows); w.err == nil {
			image, w.err = m.Image()
		}
		return w.err
	})
	return image, err
}

// write makes the schema of the catalog and fills it.
func (w *writer) write(c *catalog, rows content) {
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
}

// writer fills one database; the first error stops it.
type writer struct {
	made *sqlite.Maker
	err  error
}

func (w *writer) exec(sql string) {
	if w.err == nil {
		w.err = w.made.Exec(sql)
	}
}

func (w *writer) fill(t *table, rows []row) {
	if w.err != nil || len(rows) == 0 || len(t.columns) == 0 {
		return
	}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	values := make([][]engine.Value, len(rows))
	for i, r := range rows {
		values[i] = r
	}
	w.err = w.made.Insert(t.name, names, t.opaque, values)
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
				if rowid.Kind() == engine.Null {
					w.err = errDangling
					return
				}
				w.exec(fmt.Sprintf("DELETE FROM %s WHERE rowid = %s", sqlite.Quote(t.name), rowid))
			}
		}
		if !found || w.err != nil {
			return
		}
	}
	w.err = errDangling
}

// dangling lists the rowid of each row of a table whose references do not hold; NULL where the table has none.
func (w *writer) dangling(t *table) ([]engine.Value, error) {
	if len(t.foreign) == 0 || t.opaque {
		return nil, nil
	}
	return w.made.Dangling(t.name)
}
