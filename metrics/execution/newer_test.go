package execution

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"assay/metrics"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

// oneTable is a database with a table t of a column a.
func oneTable(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNewerIsAWarning: what counts here and not in the reference has a warning, and no other.
func TestNewerIsAWarning(t *testing.T) {
	box, path := sandbox.New(sandbox.Options{}), oneTable(t)
	check := func(id, pred, want string) {
		t.Helper()
		m := newMetric(t, id, box)
		s, err := m.Score(context.Background(), metrics.Case{Item: "x", Database: sqlite.DB(path), Gold: "SELECT 'a' || a FROM t", Predicted: pred})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Warnings, "; "); got != want {
			t.Errorf("%s of %s: %v %q, want %q", id, pred, s.Status, got, want)
		}
	}
	const said = "concat() is newer than SQLite 3.40.1: an evaluator on that refuses the query"
	for _, id := range []string{"ex", "ex-bird", "soft-f1"} {
		check(id, "SELECT concat('a', a) FROM t", said)
		check(id, "SELECT concat('b', a) FROM t", "")
		check(id, "SELECT 'a' || a FROM t", "")
	}
	check("ex-strict", "SELECT concat('a', a) FROM t", "")
}
