package sqlite

import (
	"context"
	"fmt"
	"strings"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// Version returns the version of the SQLite library in this binary, such as "3.53.4". Results depend on it: sums and
// averages of reals differ in their last digits between versions.
func Version() string {
	v, _, _ := sqlite3.Version()
	return v
}

// functions returns the names of all functions that SQLite knows, sorted, each once.
func functions() (names []string, err error) {
	err = inMemory(func(row []engine.Value) error {
		names = append(names, row[0].Bytes())
		return nil
	}, "SELECT DISTINCT name FROM pragma_function_list ORDER BY name")
	return names, err
}

// inMemory calls f for each row of a query that needs no database.
func inMemory(f func(row []engine.Value) error, query string) error {
	m, err := NewMaker()
	if err != nil {
		return err
	}
	defer m.Close()
	return each(context.Background(), m.conn, query, f)
}

// Check returns an error where the binary lacks a part of SQLite that queries of the known datasets use. Scoring with such
// a binary would count right answers as wrong.
func Check() error {
	var missing []string
	err := inMemory(func(row []engine.Value) error {
		for i, tag := range []string{"sqlite_math_functions", "sqlite_fts5"} {
			if row[i] != engine.OfInt(1) {
				missing = append(missing, tag)
			}
		}
		return nil
	}, "SELECT sqlite_compileoption_used('ENABLE_MATH_FUNCTIONS'), sqlite_compileoption_used('ENABLE_FTS5')")
	if err != nil {
		return fmt.Errorf("sqlite: read build: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("sqlite: check build %q: built without the tags %s", "SQLite "+Version(), strings.Join(missing, ", "))
	}
	return nil
}
