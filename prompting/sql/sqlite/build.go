package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// Version is the version of the SQLite in this binary, such as "3.53.4". Results depend on it: sums and
// averages of reals differ in their last digits between versions.
func Version() string {
	v, _, _ := sqlite3.Version()
	return v
}

// buildInfo says which optional parts of SQLite this binary has.
type buildInfo struct {
	MathFunctions bool // sqrt, pow, ln and the like: build tag sqlite_math_functions
	FTS5          bool // build tag sqlite_fts5
}

// Build reads buildInfo from SQLite itself.
var Build = sync.OnceValues(readBuild)

func readBuild() (info buildInfo, err error) {
	err = inMemory(func(row []engine.Value) error {
		info = buildInfo{MathFunctions: row[0] == engine.OfInt(1), FTS5: row[1] == engine.OfInt(1)}
		return nil
	}, "SELECT sqlite_compileoption_used('ENABLE_MATH_FUNCTIONS'), sqlite_compileoption_used('ENABLE_FTS5')")
	if err != nil {
		return info, fmt.Errorf("sandbox: read build: %w", err)
	}
	return info, nil
}

// functions asks SQLite for its functions.
func functions() (names []string, err error) {
	err = inMemory(func(row []engine.Value) error {
		names = append(names, row[0].Bytes())
		return nil
	}, "SELECT DISTINCT name FROM pragma_function_list ORDER BY name")
	return names, err
}

// inMemory hands over the rows of a query that needs no database.
func inMemory(f func(row []engine.Value) error, query string) error {
	m, err := NewMaker()
	if err != nil {
		return err
	}
	defer m.Close()
	return each(context.Background(), m.conn, query, f)
}

// Check is an error where the binary lacks a part of SQLite that queries of the known data sets use: to score
// with it would count right answers as wrong.
func Check() error {
	info, err := Build()
	if err != nil {
		return err
	}
	var missing []string
	if !info.MathFunctions {
		missing = append(missing, "sqlite_math_functions")
	}
	if !info.FTS5 {
		missing = append(missing, "sqlite_fts5")
	}
	if len(missing) > 0 {
		return fmt.Errorf("sandbox: check build %q: built without the tags %s", "SQLite "+Version(), strings.Join(missing, ", "))
	}
	return nil
}
