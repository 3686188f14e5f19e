package sqlite

// #include <stdlib.h>
// #include "worker.h"
import "C"

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

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
	err = Make(context.Background(), func(m *Maker) error {
		return m.query("SELECT DISTINCT name FROM pragma_function_list ORDER BY name", func(row []engine.Value) error {
			names = append(names, row[0].Bytes())
			return nil
		})
	})
	return names, err
}

// Check returns an error where the binary lacks a part of SQLite that queries of the known datasets use. Scoring with such
// a binary would count right answers as wrong.
func Check() error {
	var missing []string
	for _, o := range []struct{ option, tag string }{{"ENABLE_MATH_FUNCTIONS", "sqlite_math_functions"}, {"ENABLE_FTS5", "sqlite_fts5"}} {
		name := C.CString(o.option)
		if C.assay_built_with(name) == 0 {
			missing = append(missing, o.tag)
		}
		C.free(unsafe.Pointer(name))
	}
	if len(missing) > 0 {
		return fmt.Errorf("sqlite: check build %q: built without the tags %s", "SQLite "+Version(), strings.Join(missing, ", "))
	}
	return nil
}
