package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"assay/configs/input"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// describing is how long the description of one database may take.
const describing = 5 * time.Minute

// Describe implements engine.Describer.
//
// Tables come in creation order. Views, SQLite's own tables and the shadow tables of virtual tables are left out, since a
// prompt describes stored data. Rows and values come in storage order from at most Detail.Scan rows, so that a large table
// costs no more than counting its rows. Values are printed as SQLite prints them, whatever type the column declares:
// invalid UTF-8 becomes U+FFFD, a blob becomes x'..'. A foreign key without columns refers to the other table's primary
// key; if that table has none, the key is left out. Errors name the file; a file without tables is an error.
func (Engine) Describe(ctx context.Context, path string, o engine.Detail) (*schema.Database, error) {
	base := filepath.Base(path)
	limited, cancel := context.WithTimeout(ctx, describing)
	defer cancel()
	d, err := load(limited, path, o.Filled(strings.TrimSuffix(base, filepath.Ext(base))))
	switch e, judged := errors.AsType[*engine.Error](err); {
	case err == nil:
		return d, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case judged:
		return nil, bad(path, err, e.Err)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, bad(path, err, fmt.Errorf("not read within %s", describing))
	}
	return nil, fmt.Errorf("sqlite: describe %q: %w", path, err)
}

// bad returns the error of a database that is itself to blame; err says in which table.
func bad(path string, err, cause error) error {
	if t, ok := errors.AsType[*tableError](err); ok {
		cause = &tableError{t.name, cause}
	}
	return &engine.Error{Kind: engine.Unavailable, DB: DB(path), Err: cause}
}

// tableError is an error that concerns one table.
type tableError struct {
	name string
	err  error
}

func (e *tableError) Error() string { return fmt.Sprintf("table %q: %v", e.name, e.err) }
func (e *tableError) Unwrap() error { return e.err }

// Counting a table's rows computes nothing of the file's own, but may read all of it. Reading its first rows computes its
// generated columns, which a file may have made to take long: sampling is for all tables together.
const (
	counting = 2 * time.Minute
	sampling = 15 * time.Second
)

// mostDescribed bounds the texts of a description in bytes. Those of the known datasets' databases have less than a tenth.
const mostDescribed = 64 << 20

// bytesOf returns about what a table's description takes of memory.
func bytesOf(t *schema.Table) int {
	n := len(t.Name) + len(t.DDL)
	for _, c := range t.Columns {
		n += 100 + len(c.Name) + len(c.Type)
		for _, s := range c.Samples {
			n += 16 + len(s)
		}
	}
	for _, row := range t.Samples {
		for _, s := range row {
			n += 16 + len(s)
		}
	}
	return n
}

// load is Describe with errors that do not name the file yet.
func load(ctx context.Context, path string, o engine.Detail) (*schema.Database, error) {
	if err := input.Regular(path); err != nil {
		return nil, &engine.Error{Kind: engine.Unavailable, Err: input.Cause(err)}
	}
	c := &describer{path: path}
	d := &schema.Database{Name: o.Name}
	if err := c.tables(ctx, d); err != nil {
		return nil, err
	}
	if len(d.Tables) == 0 {
		return nil, engine.ErrNoTables
	}
	left := mostDescribed
	for i := range d.Tables {
		t := &d.Tables[i]
		if err := c.describe(ctx, t, o); err != nil {
			return nil, &tableError{t.Name, err}
		}
		if left -= bytesOf(t); left < 0 {
			return nil, &engine.Error{Kind: engine.Unavailable, Err: fmt.Errorf("its description is longer than %d bytes", mostDescribed)}
		}
	}
	for _, t := range d.Tables {
		if err := c.foreignKeys(ctx, d, t.Name); err != nil {
			return nil, &tableError{t.Name, err}
		}
	}
	return d, nil
}

// stored is a condition of sqlite_master AS m: a table that is neither SQLite's own nor the shadow of a virtual table. It
// asks SQLite about shadows only where there are virtual tables: for that SQLite compiles every view, which a file may have
// made to take long.
const stored = `m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND NOT (
  EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%')
  AND EXISTS (SELECT 1 FROM pragma_table_list(m.name) WHERE type = 'shadow'))`

// tables appends the stored tables with their DDL. Rows of sqlite_master are in creation order by rowid.
func (c *describer) tables(ctx context.Context, d *schema.Database) error {
	const q = "SELECT m.name, m.sql FROM sqlite_master AS m WHERE " + stored + " ORDER BY m.rowid"
	return c.each(ctx, q, func(row []engine.Value) bool {
		d.Tables = append(d.Tables, schema.Table{Name: text(row[0]), DDL: strings.TrimSpace(text(row[1]))})
		return true
	})
}

// describe fills a table's columns, primary key, row count and samples.
func (c *describer) describe(ctx context.Context, t *schema.Table, o engine.Detail) error {
	if err := c.columns(ctx, t); err != nil {
		return err
	}
	count := "SELECT count(*) FROM " + Quote(t.Name)
	if err := scan(ctx, c.path, count, counting, func(row []engine.Value) error { t.Rows = int(row[0].Int64()); return nil }); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, sampling-c.sampled)
	defer cancel()
	begun := time.Now()
	err := c.samples(limited, t, o)
	c.sampled += time.Since(begun)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &engine.Error{Kind: engine.Timeout, Limit: engine.Deadline, Err: fmt.Errorf("its first rows are not read within %s", sampling)}
	}
	return err
}

// columns fills in a table's columns and primary key, with generated columns and without the hidden columns of a virtual
// table. pk numbers the columns of the key from 1.
func (c *describer) columns(ctx context.Context, t *schema.Table) error {
	q := "SELECT name, type, pk FROM pragma_table_xinfo(" + literal(t.Name) + ") WHERE hidden <> 1 ORDER BY cid"
	key := map[int64]string{}
	err := c.each(ctx, q, func(row []engine.Value) bool {
		t.Columns = append(t.Columns, schema.Column{Name: text(row[0]), Type: text(row[1])})
		if pk := row[2].Int64(); pk > 0 {
			key[pk] = text(row[0])
		}
		return true
	})
	for i := int64(1); err == nil && key[i] != ""; i++ {
		t.PrimaryKey = append(t.PrimaryKey, key[i])
	}
	return err
}

// samples reads the first rows of a table and the first distinct values of its columns in one bounded scan. Without NOT
// INDEXED, SQLite might read a covering index instead of the table, and return rows in the order of the index.
func (c *describer) samples(ctx context.Context, t *schema.Table, o engine.Detail) error {
	names := make([]string, len(t.Columns))
	seen := make([]map[string]bool, len(t.Columns))
	for i, col := range t.Columns {
		names[i], seen[i] = Quote(col.Name), map[string]bool{}
	}
	q := fmt.Sprintf("SELECT %s FROM %s NOT INDEXED LIMIT %d", strings.Join(names, ", "), Quote(t.Name), o.Scan)
	return c.each(ctx, q, func(row []engine.Value) bool {
		more := len(t.Samples) < o.Rows
		printed := make([]string, len(row))
		for i, v := range row {
			if !more && len(t.Columns[i].Samples) >= o.Values {
				continue
			}
			printed[i] = cut(text(v), o.Cut)
			if v.Kind() != engine.Null && len(t.Columns[i].Samples) < o.Values && !seen[i][printed[i]] {
				seen[i][printed[i]] = true
				t.Columns[i].Samples = append(t.Columns[i].Samples, printed[i])
			}
		}
		if more {
			t.Samples = append(t.Samples, printed)
		}
		return len(t.Samples) < o.Rows || wants(t.Columns, o.Values)
	})
}

// wants reports whether any column has fewer than n values yet.
func wants(columns []schema.Column, n int) bool {
	for _, c := range columns {
		if len(c.Samples) < n {
			return true
		}
	}
	return false
}

// foreignKeys appends the foreign keys of one table in declared order. It spells names as their tables do, because
// SQLite accepts other letter case in REFERENCES. SQLite lists keys from the last declared, hence ORDER BY id DESC.
func (c *describer) foreignKeys(ctx context.Context, d *schema.Database, table string) error {
	q := `SELECT "table", "from", "to", seq FROM pragma_foreign_key_list(` + literal(table) + `) ORDER BY id DESC, seq`
	return c.each(ctx, q, func(row []engine.Value) bool {
		k := schema.ForeignKey{Table: table, Column: text(row[1]), RefTable: text(row[0])}
		if row[2].Kind() != engine.Null {
			k.RefColumn = text(row[2])
		}
		if own := d.Table(table).Column(k.Column); own != nil {
			k.Column = own.Name
		}
		if ref := d.Table(k.RefTable); ref != nil {
			k.RefTable = ref.Name
			if seq := row[3].Int64(); k.RefColumn == "" && int(seq) < len(ref.PrimaryKey) {
				k.RefColumn = ref.PrimaryKey[seq]
			}
			if col := ref.Column(k.RefColumn); col != nil {
				k.RefColumn = col.Name
			}
		}
		if k.RefColumn != "" {
			d.ForeignKeys = append(d.ForeignKeys, k)
		}
		return true
	})
}

// Outline implements engine.Describer. A view that SQLite cannot compile, such as one of a table that is gone, is left out.
func (Engine) Outline(ctx context.Context, path string) (*schema.Database, error) {
	d := &schema.Database{}
	err := outline(ctx, path, d, "")
	if !ofSQL(err) {
		return d, err
	}
	var views []string
	err = Each(ctx, path, "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY rowid", func(row []engine.Value) error {
		views = append(views, row[0].Bytes())
		return nil
	})
	if err != nil {
		return nil, err
	}
	d = &schema.Database{}
	if err := outline(ctx, path, d, " AND m.type = 'table'"); err != nil {
		return nil, err
	}
	for _, v := range views {
		if err := outline(ctx, path, d, " AND m.type = 'view' AND m.name = "+literal(v)); err != nil && !ofSQL(err) {
			return nil, err
		}
	}
	return d, nil
}

// ofSQL reports whether an error is SQLite's about a statement, as that of a view that cannot be compiled.
func ofSQL(err error) bool {
	e, ok := errors.AsType[*engine.Error](err)
	return ok && e.Kind == engine.SQL
}

// outline appends the tables and views that a condition leaves, with their columns.
func outline(ctx context.Context, path string, d *schema.Database, condition string) error {
	return Each(ctx, path, "SELECT m.name, c.name, c.type FROM sqlite_master AS m JOIN pragma_table_xinfo(m.name) AS c"+
		" WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden <> 1"+condition+
		" ORDER BY m.rowid, c.cid", func(row []engine.Value) error {
		name := row[0].Bytes()
		if n := len(d.Tables); n == 0 || d.Tables[n-1].Name != name {
			d.Tables = append(d.Tables, schema.Table{Name: name, Rows: -1})
		}
		t := &d.Tables[len(d.Tables)-1]
		t.Columns = append(t.Columns, schema.Column{Name: row[1].Bytes(), Type: row[2].Bytes()})
		return nil
	})
}
