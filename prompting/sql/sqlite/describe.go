// Package sqlite describes SQLite databases: what an engine says of its tables, columns and keys.
package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// Bounds that [Load] keeps where Options does not say otherwise.
const (
	DefaultRows   = 100   // first rows kept a table: as many as an experiment may put in a prompt
	DefaultValues = 100   // distinct values kept a column
	DefaultScan   = 10000 // rows read a table in search of distinct values
	DefaultCut    = 256   // characters kept of one value
)

// Options bounds what Load reads. The zero value takes the defaults.
type Options struct {
	Name   string // the database's name; empty: the file's name without its extension
	Rows   int    // first rows kept a table; 0 means DefaultRows, negative none
	Values int    // distinct values kept a column; 0 means DefaultValues, negative none
	Scan   int    // rows read a table in search of distinct values; 0 means DefaultScan
	Cut    int    // characters kept of a value, the rest being replaced by "..."; 0 means DefaultCut
}

// filled returns the options with defaults in place.
func (o Options) filled(path string) Options {
	if o.Name == "" {
		base := filepath.Base(path)
		o.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	for _, f := range []struct {
		v   *int
		def int
	}{{&o.Rows, DefaultRows}, {&o.Values, DefaultValues}, {&o.Scan, DefaultScan}, {&o.Cut, DefaultCut}} {
		if *f.v == 0 {
			*f.v = f.def
		}
		*f.v = max(*f.v, 0)
	}
	o.Scan = max(o.Scan, o.Rows)
	return o
}

// Load reads the description of the SQLite file at path, through a read-only connection of its own.
//
// Tables come in the order they were made. Views, SQLite's own tables and the shadow tables of virtual ones are left
// out: a prompt describes what is stored. Rows and values are read in storage order from at most Options.Scan rows, so
// that a large table costs no more than counting it. Values are printed as SQLite prints them, whatever type a column
// declares; bytes that are not UTF-8 become U+FFFD, a blob is written x'..'. A foreign key that names no column means
// the other table's primary key; one that then has none is left out. Errors name the file; a file without tables is one.
func Load(ctx context.Context, path string, o Options) (*schema.Database, error) {
	d, err := load(ctx, path, o.filled(path))
	if err != nil {
		return nil, fmt.Errorf("schema: load %q: %w", path, err)
	}
	return d, nil
}

// load is Load without the wrapping of errors.
func load(ctx context.Context, path string, o Options) (*schema.Database, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if info.IsDir() {
		return nil, errors.New("is a folder, not a database file")
	}
	r, err := sandbox.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := &conn{r}
	d := &schema.Database{Name: o.Name}
	if err := c.tables(ctx, d); err != nil {
		return nil, err
	}
	if len(d.Tables) == 0 {
		return nil, errors.New("the database has no tables")
	}
	for i := range d.Tables {
		t := &d.Tables[i]
		if err := c.describe(ctx, t, o); err != nil {
			return nil, fmt.Errorf("table %q: %w", t.Name, err)
		}
	}
	for _, t := range d.Tables {
		if err := c.foreignKeys(ctx, d, t.Name); err != nil {
			return nil, fmt.Errorf("table %q: %w", t.Name, err)
		}
	}
	return d, nil
}

// tables lists the stored tables with their DDL.
func (c *conn) tables(ctx context.Context, d *schema.Database) error {
	const q = `SELECT m.name, m.sql FROM sqlite_master AS m
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
AND m.name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY m.rowid`
	return c.each(ctx, q, nil, func(row []driver.Value) bool {
		d.Tables = append(d.Tables, schema.Table{Name: text(row[0]), DDL: strings.TrimSpace(text(row[1]))})
		return true
	})
}

// describe fills a table's columns, primary key, row count and samples.
func (c *conn) describe(ctx context.Context, t *schema.Table, o Options) error {
	if err := c.columns(ctx, t); err != nil {
		return err
	}
	count := "SELECT count(*) FROM " + sandbox.Quoted(t.Name)
	if err := c.each(ctx, count, nil, func(row []driver.Value) bool { n, _ := row[0].(int64); t.Rows = int(n); return true }); err != nil {
		return err
	}
	return c.samples(ctx, t, o)
}

// columns fills a table's columns and primary key. Generated columns are columns; a virtual table's hidden ones are not.
func (c *conn) columns(ctx context.Context, t *schema.Table) error {
	const q = "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid"
	key := map[int64]string{}
	err := c.each(ctx, q, []any{t.Name}, func(row []driver.Value) bool {
		t.Columns = append(t.Columns, schema.Column{Name: text(row[0]), Type: text(row[1])})
		if pk, _ := row[2].(int64); pk > 0 {
			key[pk] = text(row[0])
		}
		return true
	})
	for i := int64(1); err == nil && key[i] != ""; i++ {
		t.PrimaryKey = append(t.PrimaryKey, key[i])
	}
	return err
}

// samples reads the first rows of a table and its columns' first distinct values in one bounded scan. NOT INDEXED keeps
// SQLite from reading a covering index instead of the table, in the index's order.
func (c *conn) samples(ctx context.Context, t *schema.Table, o Options) error {
	names := make([]string, len(t.Columns))
	seen := make([]map[string]bool, len(t.Columns))
	for i, col := range t.Columns {
		names[i], seen[i] = sandbox.Quoted(col.Name), map[string]bool{}
	}
	q := fmt.Sprintf("SELECT %s FROM %s NOT INDEXED LIMIT %d", strings.Join(names, ", "), sandbox.Quoted(t.Name), o.Scan)
	return c.each(ctx, q, nil, func(row []driver.Value) bool {
		more := len(t.Samples) < o.Rows
		printed := make([]string, len(row))
		for i, v := range row {
			if !more && len(t.Columns[i].Samples) >= o.Values {
				continue
			}
			printed[i] = cut(text(v), o.Cut)
			if v != nil && len(t.Columns[i].Samples) < o.Values && !seen[i][printed[i]] {
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

// wants says whether any column has fewer than n values.
func wants(columns []schema.Column, n int) bool {
	for _, c := range columns {
		if len(c.Samples) < n {
			return true
		}
	}
	return false
}

// foreignKeys appends the keys that leave one table, in the order declared, with names spelt as the tables spell them.
func (c *conn) foreignKeys(ctx context.Context, d *schema.Database, table string) error {
	const q = `SELECT "table", "from", "to", seq FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`
	return c.each(ctx, q, []any{table}, func(row []driver.Value) bool {
		k := schema.ForeignKey{Table: table, Column: text(row[1]), RefTable: text(row[0])}
		if row[2] != nil {
			k.RefColumn = text(row[2])
		}
		if own := d.Table(table).Column(k.Column); own != nil {
			k.Column = own.Name
		}
		if ref := d.Table(k.RefTable); ref != nil {
			k.RefTable = ref.Name
			if seq, _ := row[3].(int64); k.RefColumn == "" && int(seq) < len(ref.PrimaryKey) {
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
