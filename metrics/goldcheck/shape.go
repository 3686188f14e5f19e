package goldcheck

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// Affinity is what SQLite would like the values of a column to be.
type Affinity string

// The affinities.
const (
	Text    Affinity = "text"
	Integer Affinity = "integer"
	Real    Affinity = "real"
	Numeric Affinity = "numeric"
	Blob    Affinity = "blob"
)

// AffinityOf is the affinity of a declared type, after https://www.sqlite.org/datatype3.html section 3.1.
func AffinityOf(declared string) Affinity {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(strings.ToUpper(declared), w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("INT"):
		return Integer
	case has("CHAR", "CLOB", "TEXT"):
		return Text
	case has("BLOB") || declared == "":
		return Blob
	case has("REAL", "FLOA", "DOUB"):
		return Real
	}
	return Numeric
}

// shape is what the lints need of a database: names, and the affinity of each column.
type shape struct {
	schema   schema.Database
	affinity map[schema.ColumnName]Affinity // spelt as in schema
	numbers  map[schema.ColumnName]bool     // whether a text column holds numbers; filled in as asked
}

// shape reads the shape of a database, once.
func (c *checker) shape(ctx context.Context, path string) (*shape, error) {
	if s := c.shapes[path]; s != nil {
		return s, nil
	}
	s, err := readShape(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read schema of %q: %w", path, err)
	}
	c.shapes[path] = s
	return s, nil
}

func readShape(ctx context.Context, path string) (*shape, error) {
	r, err := sandbox.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := &shape{affinity: map[schema.ColumnName]Affinity{}, numbers: map[schema.ColumnName]bool{}}
	return s, r.Each(ctx, "SELECT m.name, c.name, c.type FROM sqlite_master AS m JOIN pragma_table_xinfo(m.name) AS c"+
		" WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden <> 1"+
		" ORDER BY m.rowid, c.cid", func(row []driver.Value) error {
		s.add(fmt.Sprint(row[0]), fmt.Sprint(row[1]), fmt.Sprint(row[2]))
		return nil
	})
}

func (s *shape) add(table, column, declared string) {
	s.schema.Add(table, column)
	s.affinity[schema.ColumnName{Table: table, Column: column}] = AffinityOf(declared)
}
