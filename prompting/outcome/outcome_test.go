package outcome

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3"
)

// harbour has one table of ships.
func harbour(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "harbour.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("CREATE TABLE ship (id INTEGER PRIMARY KEY, name TEXT, flag BLOB);" +
		"INSERT INTO ship VALUES (1, 'Ann\n| Marie', x'00ff'), (2, NULL, NULL)")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestText(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	path := harbour(t)
	check := func(query, want string) {
		t.Helper()
		o, err := Run(t.Context(), box, sqlite.DB(path), query)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, o.Text()); diff != "" {
			t.Errorf("%s:\n%s", query, diff)
		}
	}
	numbers := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25) "
	check("SELECT * FROM ship", "id | name | flag\n1 | Ann | Marie | (blob of 2 bytes)\n2 | NULL | NULL\n(2 rows)")
	check("SELECT count(*) AS n FROM ship", "n\n2\n(1 row)")
	check("SELECT name FROM ship WHERE id = 9", "name\n(no rows)")
	check("SELECT nam FROM ship", "error: no such column: nam")
	check("", "error: no statement")
	check("DELETE FROM ship", "error: DELETE ship is not allowed")
	check(numbers+"SELECT i FROM n", "i\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n(the first 10 of 25 rows)")
	check("SELECT replace(hex(zeroblob(100)), '0', 'é') AS x", "x\n"+strings.Repeat("é", 60)+"...\n(1 row)")
	wide, err := Run(t.Context(), box, sqlite.DB(path), numbers+"SELECT 'a'"+strings.Repeat(", hex(zeroblob(40))", 300)+" FROM n")
	if text := wide.Text(); err != nil || len(text) > MaxText+40 || !strings.HasSuffix(text, "of 25 rows)") {
		t.Errorf("%d bytes, %v: %s", len(text), err, text)
	}
	if text := (Outcome{}).Text(); text != "not run" {
		t.Errorf("got %q", text)
	}
}

func TestRun(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	path := harbour(t)
	check := func(path, query string, ok, empty, unknown bool) {
		t.Helper()
		o, err := Run(t.Context(), box, sqlite.DB(path), query)
		if err != nil || o.OK() != ok || o.Empty() != empty || o.Unknown() != unknown {
			t.Errorf("%s: %+v, %v", query, o, err)
		}
	}
	check(path, "SELECT 1", true, false, false)
	check(path, "SELECT 1 WHERE 0", true, true, false)
	check(path, "SELEC 1", false, false, false)
	check("", "SELECT 1", false, false, true)
	check(path+".none", "SELECT 1", false, false, true)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range []string{path, ""} {
		if _, err := Run(gone, box, sqlite.DB(p), "SELECT 1"); err != context.Canceled {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func TestFlat(t *testing.T) {
	check := func(query, want string) {
		t.Helper()
		if got := Flat(query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	check("SELECT  a,\n b -- all\nFROM t ;;\n", "SELECT a, b FROM t")
	check("SELECT 'a  b\n' /* c */", "SELECT 'a  b\n'")
	check("SELECT a--b", "SELECT a")
	check(" SELECT 'open\n ", "SELECT 'open")
	check("select count( * )from t", "select count( * )from t")
	check("SELECT 1; SELECT 2;", "SELECT 1; SELECT 2")
	check("", "")
	check(" \x00 x", "\x00 x")
}

func TestHash(t *testing.T) {
	if h := Hash(); len(h) != 64 {
		t.Errorf("got %q", h)
	}
}

func FuzzFlat(f *testing.F) {
	f.Add("SELECT  a -- x\nFROM t;")
	f.Add("SELECT 'a\x00")
	f.Fuzz(func(t *testing.T, query string) {
		flat := Flat(query)
		if Flat(flat) != flat {
			t.Errorf("%q becomes %q, then %q", query, flat, Flat(flat))
		}
		if len(flat) > len(query)+strings.Count(query, "-") || utf8.ValidString(query) && !utf8.ValidString(flat) {
			t.Errorf("%q becomes %q", query, flat)
		}
	})
}
