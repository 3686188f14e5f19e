package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// told is an outcome as a test compares it.
func told(res *engine.Result, err error) string {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return fmt.Sprintf("%s %s %s %.60s: %v", e.Kind, e.Limit, e.DB.Label(), e.SQL, e.Err)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(res.Columns, ",") + "\n" + show(res)
}

// Statements that go to a worker together end as each would alone, whichever of them stops it.
func TestRunManyIsRun(t *testing.T) {
	box := New(Options{Timeout: 500 * time.Millisecond, MaxRows: 5000, MaxBytes: 1 << 20})
	path, none := library(t), filepath.Join(t.TempDir(), "none.sqlite")
	var jobs []Job
	for _, sql := range []string{"SELECT * FROM book", "SELECT title FROM book WHERE id = 2", "SELEC", "", "SELECT 1; SELECT 2", "DELETE FROM book", "SELECT nothing",
		"SELECT * FROM book WHERE id = ?", "EXPLAIN QUERY PLAN SELECT * FROM book", "SELECT a.id FROM book a, book b, book c",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000) SELECT i FROM n", "SELECT max(id) FROM book",
		"SELECT hex(zeroblob(400000)), hex(zeroblob(400000))", hostile[0].sql, "SELECT min(id) FROM book", "SELECT count(*) FROM loan", "SELECT x'00ff'"} {
		jobs = append(jobs, Job{sqlite.DB(path), sql}, Job{sqlite.DB(none), sql})
	}
	for i := range 100 {
		jobs = append(jobs, Job{sqlite.DB(path), fmt.Sprintf("SELECT %d, '%s'", i, strings.Repeat("x", 700))})
	}
	jobs = append(jobs, Job{engine.DB{}, "SELECT 1"})
	got := make([]string, len(jobs))
	box.RunMany(t.Context(), jobs, func(i int, res *engine.Result, err error) {
		if got[i] != "" {
			t.Errorf("%.60s: told twice", jobs[i].SQL)
		}
		got[i] = told(res, err)
	})
	for i, j := range jobs {
		if diff := cmp.Diff(told(box.Run(t.Context(), j.DB, j.SQL)), got[i]); diff != "" {
			t.Errorf("%s %.60s:\n%s", j.DB.Label(), j.SQL, diff)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	n := 0
	box.RunMany(ctx, jobs, func(i int, res *engine.Result, err error) {
		if n++; !errors.Is(err, context.Canceled) {
			t.Errorf("%.60s: %v under a context that ended", jobs[i].SQL, err)
		}
	})
	if n != len(jobs) {
		t.Errorf("%d of %d told", n, len(jobs))
	}
}
