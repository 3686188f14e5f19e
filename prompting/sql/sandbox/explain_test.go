package sandbox

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	box := New(Options{})
	path := library(t)
	x, err := box.Explain(t.Context(), sqlite.DB(path), "SELECT title, count(*) FROM book WHERE id = 2; -- done")
	if err != nil {
		t.Fatal(err)
	}
	if got := show(x.Plan); !strings.HasSuffix(got, "text:SEARCH book USING INTEGER PRIMARY KEY (rowid=?)") {
		t.Errorf("plan: %s", got)
	}
	if diff := cmp.Diff([]string{"title", "count(*)"}, x.Columns); diff != "" {
		t.Error(diff)
	}
	if got := x.Program.Rows[0][1].String(); got != "Init" {
		t.Errorf("the program begins with %s", got)
	}
	want := []string{"book id 1 0", "book title 0 1", "book price 0 2", "loan book_id 0 0", "loan due 0 1", "loan at 0 2", "loan back 0 3"}
	if diff := cmp.Diff(want, storedIn(x)); diff != "" {
		t.Error(diff)
	}
}

// storedIn prints table, column, whether it is the row id, and position.
func storedIn(x *engine.Explanation) (out []string) {
	for _, r := range x.Stored.Rows {
		out = append(out, r[3].String()+" "+r[4].String()+" "+r[5].String()+" "+r[6].String())
	}
	return out
}

func TestExplainStoredOrder(t *testing.T) {
	check := func(ddl string, want ...string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "x.sqlite")
		db, err := sql.Open("sqlite3", path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Exec(ddl)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		box := New(Options{})
		x, err := box.Explain(t.Context(), sqlite.DB(path), "SELECT 1")
		if err != nil {
			t.Fatal(err)
		}
		if got := storedIn(x); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", ddl, got, want)
		}
	}
	check("CREATE TABLE t (a, b PRIMARY KEY) WITHOUT ROWID", "t b 0 0", "t a 0 1")
	check("CREATE TABLE t (a, v AS (a + 1), s AS (a + 2) STORED, b)", "t a 0 0", "t s 0 1", "t b 0 2")
	check("CREATE TABLE t (a INTEGER, b, PRIMARY KEY (a))", "t a 1 0", "t b 0 1")
	check("CREATE TABLE t (a INT PRIMARY KEY)", "t a 0 0", "t a 0 0", "t NULL 0 1")
	check(`CREATE TABLE t (a); CREATE TABLE pragma_table_xinfo (x)`)
}

func TestExplainRefuses(t *testing.T) {
	box := New(Options{})
	path := library(t)
	check := func(query string, kind engine.ErrorKind) {
		t.Helper()
		_, err := box.Explain(t.Context(), sqlite.DB(path), query)
		if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != kind || e.SQL != query {
			t.Errorf("%s: %v", query, err)
		}
	}
	check("DELETE FROM book", engine.Rejected)
	check("WITH x AS (SELECT 1) DELETE FROM book", engine.Rejected)
	check("EXPLAIN SELECT 1", engine.Rejected)
	check("QUERY PLAN SELECT 1", engine.Rejected)
	check("PRAGMA table_xinfo(book)", engine.Rejected)
	check("SELECT 1; SELECT 2", engine.Rejected)
	check("SELECT nothing FROM book", engine.SQL)
	check("SELECT ?", engine.SQL)
	check("", engine.SQL)
	box.Explain(t.Context(), sqlite.DB(path), "SELECT 1")
	if _, err := box.Run(t.Context(), sqlite.DB(path), "SELECT * FROM pragma_table_xinfo('book')"); err == nil {
		t.Error("a pragma passed after an explanation")
	}
	small := New(Options{MaxRows: 3, Truncate: true})
	_, err := small.Explain(t.Context(), sqlite.DB(path), "SELECT * FROM book")
	if e, ok := errors.AsType[*engine.Error](err); !ok || e.Limit != engine.RowCap {
		t.Errorf("a listing over the cap: %v", err)
	}
}
