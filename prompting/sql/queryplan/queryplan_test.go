package queryplan

import (
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// build makes a database of an SQL script.
func build(t testing.TB, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(script)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func sampleScript(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../../experiments/dataset/sample/databases/" + name + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestGolden holds the steps of the queries in each file of testdata, which is named after its sample database. A file
// alternates between a line "> SQL" and the plan of it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d golden files: %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		path := build(t, sampleScript(t, strings.TrimSuffix(filepath.Base(f), ".golden")))
		got := explainAll(t, path, string(b))
		if *update {
			if err := os.WriteFile(f, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(string(b), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
	}
}

func explainAll(t *testing.T, path, golden string) string {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	var out strings.Builder
	for line := range strings.Lines(golden) {
		query, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		p, err := Steps(t.Context(), box, sqlite.DB(path), query)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(line + p.Text() + "\n")
	}
	return out.String()
}

var insertion = regexp.MustCompile(`(?is)INSERT INTO.*?\);\s*\n`)

// TestSampleGolds explains every gold of the sample on the filled databases and on empty ones: without ANALYZE's
// statistics a plan does not depend on rows.
func TestSampleGolds(t *testing.T) {
	files, err := filepath.Glob("../../../experiments/dataset/sample/questions/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no questions: %v", err)
	}
	box := sandbox.New(sandbox.Options{})
	m := measure{t: t, box: box}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var rows []struct{ Query string }
		if err := json.Unmarshal(b, &rows); err != nil {
			t.Fatal(err)
		}
		script := sampleScript(t, strings.TrimSuffix(filepath.Base(f), ".json"))
		full, empty := build(t, script), build(t, insertion.ReplaceAllString(script, ""))
		for _, row := range rows {
			m.add(gold{full, row.Query})
			a, _ := Steps(t.Context(), box, sqlite.DB(full), row.Query)
			b, err := Steps(t.Context(), box, sqlite.DB(empty), row.Query)
			if diff := cmp.Diff(a, b); diff != "" || err != nil {
				t.Errorf("%s: %v\n%s", row.Query, err, diff)
			}
		}
	}
	m.report("sample")
}

func TestSays(t *testing.T) {
	path := build(t, `CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, n INT, m REAL);
		CREATE TABLE b (a_id INT REFERENCES a(id), "odd name" TEXT, k INT);
		CREATE INDEX b_k ON b(k);
		CREATE TABLE c (t TEXT, p INT, q INT); CREATE INDEX c_p ON c(p); CREATE INDEX c_q ON c(q);
		CREATE TABLE w (x TEXT, y INT, z TEXT, PRIMARY KEY (y, x)) WITHOUT ROWID;
		CREATE VIEW v AS SELECT name FROM a WHERE n > 7;`)
	box := sandbox.New(sandbox.Options{})
	check := func(query string, want ...string) {
		t.Helper()
		p, err := Steps(t.Context(), box, sqlite.DB(path), query)
		if err != nil {
			t.Error(err)
			return
		}
		for _, w := range want {
			if !strings.Contains(p.Text(), w) {
				t.Errorf("%s\nsays nothing of %q:\n%s", query, w, p.Text())
			}
		}
		if strings.Contains(p.Text(), unknown) {
			t.Errorf("%s\nhas an unknown value:\n%s", query, p.Text())
		}
	}
	check("SELECT name FROM a", "1. Open the table a, to read name.", "For each row that is left, return a.name.")
	check("SELECT name FROM a WHERE n = 1 AND m < 2", "Check that a.n = 1;", "Check that a.m < 2;")
	check("SELECT name FROM a WHERE n = 1 OR m < 2", "Check that a.n = 1 OR a.m < 2;")
	check("SELECT name FROM a WHERE (n = 1 AND m < 2) OR name IS NULL", "(a.n = 1 AND a.m < 2) OR a.name is NULL;")
	check("SELECT name FROM a WHERE NOT (n = 1 OR m < 2)", "Check that a.n <> 1;", "Check that a.m >= 2;")
	check("SELECT name FROM a WHERE (n=1 OR n=2) AND (m=3 OR m=4)", "a.n = 1 OR a.n = 2", "a.m = 3 OR a.m = 4")
	check("SELECT name FROM a WHERE n BETWEEN 1 AND 5", "a.n >= 1", "a.n <= 5")
	check("SELECT name FROM a WHERE name LIKE '%x%'", "a.name LIKE '%x%'")
	check("SELECT name FROM a WHERE name NOT LIKE 'it''s'", "a.name NOT LIKE 'it''s'")
	check("SELECT name FROM a WHERE name IN ('p', 'q', 'r')", "a.name is in ('p', 'q', 'r')")
	check("SELECT name FROM a WHERE id NOT IN (SELECT a_id FROM b)", "a.id is not in sub-query 1", "its rows are (b.a_id)")
	check("SELECT name FROM a WHERE id = 4", "Find the row of a with a.id = 4")
	check("SELECT name FROM a WHERE id > 4 AND id <= 9", "a.id > 4", "a.id <= 9")
	check("SELECT a_id FROM b WHERE k = 3", "Find the rows of b with b.k = 3")
	check("SELECT a_id FROM b WHERE k >= 3 AND k < 8", "b.k >= 3 and b.k < 8")
	check("SELECT x, z FROM w WHERE y = 2", "w.y = 2", "return w.x, w.z.")
	check(`SELECT "odd name" FROM b`, `return b."odd name".`)
	check("SELECT * FROM v", "Check that a.n > 7", "return a.name.")
	check("SELECT T.name FROM a AS T", "Open the table a (T), to read name.")
	check("SELECT name FROM a ORDER BY n DESC LIMIT 3", "from highest to lowest", "Return only the first 3 rows.")
	check("SELECT name FROM a LIMIT 1", "Return only the first row.")
	check("SELECT name FROM a LIMIT 5 OFFSET 2", "Return only the first 5 rows after leaving out 2.")
	check("SELECT DISTINCT name FROM a", "was met before")
	check("SELECT count(*) FROM a", "Open the table a;", "Count all rows of a at once.", "Return one row: count(*).")
	check("SELECT count(DISTINCT n) FROM a", "Return one row: count(DISTINCT a.n).")
	check("SELECT name, avg(m) FROM a GROUP BY name HAVING count(*) > 2", "Rows with the same a.name make one group.", "count(*) > 2; otherwise leave this group out", "For each group that is left, return a.name, avg(a.m).")
	check("SELECT max(n), min(m) FROM a", "Return one row: max(a.n), min(a.m).")
	check("SELECT name FROM a WHERE n > (SELECT avg(n) FROM a)", "its result is avg(a.n)", "a.n > the result of sub-query 1")
	check("SELECT name FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a_id = a.id AND k + 0 > 2)", "b.a_id = a.id", "One that fits is enough.")
	check("SELECT name FROM a LEFT JOIN b ON b.a_id = a.id", "Left join")
	check("SELECT name FROM a UNION SELECT z FROM w", "the rows of both, each once")
	check("SELECT name FROM a UNION ALL SELECT z FROM w", "First part:", "whose rows are added to those before")
	check("SELECT name FROM a INTERSECT SELECT z FROM w", "the rows that are in both")
	check("SELECT name FROM a EXCEPT SELECT z FROM w", "that are not in the second")
	check("SELECT CASE WHEN n > 1 THEN 'big' WHEN n = 1 THEN 'one' ELSE name END FROM a", "CASE WHEN a.n > 1 THEN 'big' WHEN a.n = 1 THEN 'one' ELSE a.name END")
	check("SELECT coalesce(name, 'none') FROM a", "the first not NULL of a.name, 'none'")
	check("SELECT n * 2 + m, upper(name) || '!' FROM a", "(a.n * 2) + a.m, upper(a.name) || '!'")
	check("SELECT n > 3 FROM a", "return a.n > 3.")
	check("SELECT c FROM (SELECT name, count(*) AS c FROM a GROUP BY name) AS s WHERE c > 1", "count(*) > 1", "return count(*).")
	check("SELECT t FROM c WHERE p = 1 OR q = 2", "with c.p = 1;", "Alternative 2:", "with c.q = 2;", "For each row that is left, return c.t.")
	check("SELECT t FROM c WHERE p IN (3, 5, 9)", "Take the values of (3, 5, 9) one by one.", "with c.p = that value")
	check("SELECT min(p) FROM c", "in the order of its index by p", "Return one row: min(c.p).")
	check("SELECT strftime('%Y', name, 'utc'), max(n, m, id), date('now') FROM a", "return strftime('%Y', a.name, 'utc'), max(a.n, a.m, a.id), date('now').")
	check("SELECT CAST(sum(n) AS REAL) / count(*) FROM a", "CAST(sum(a.n) AS REAL) / count(*)")
	check("SELECT count(*) FROM (SELECT name FROM a INTERSECT SELECT t FROM c)", "This ends sub-query 1")
	check("SELECT 1", "No table is needed.", "Return one row: 1.")
}

func TestStepsErrors(t *testing.T) {
	path := build(t, "CREATE TABLE a (x)")
	box := sandbox.New(sandbox.Options{})
	check := func(query, want string) {
		t.Helper()
		if _, err := Steps(t.Context(), box, sqlite.DB(path), query); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
	check("DELETE FROM a", `queryplan: explain "DELETE FROM a": sandbox: query`)
	check("SELECT y FROM a", `queryplan: explain "SELECT y FROM a": `)
	check("SELECT 1; SELECT 2", `queryplan: explain "SELECT 1; SELECT 2": `)
	check("", `queryplan: explain "": `)
}

// TestReadSurvives holds that a listing of another shape gives fewer words, and no panic.
func TestReadSurvives(t *testing.T) {
	if got := Read(&engine.Explanation{Plan: &engine.Result{}, Program: &engine.Result{}, Stored: &engine.Result{}}).Len(); got == 0 {
		t.Error("no steps")
	}
}

func FuzzSteps(f *testing.F) {
	path := build(f, `CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, n INT); CREATE TABLE b (a_id INT, k INT); CREATE INDEX i ON b(k);
		CREATE VIRTUAL TABLE ft USING fts5(body);`)
	for _, s := range []string{
		"SELECT name FROM a JOIN b ON a.id = b.a_id WHERE k IN (1, 2, 3) OR n IS NULL",
		"WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 9) SELECT x FROM r",
		"SELECT name, row_number() OVER (PARTITION BY n ORDER BY id) FROM a",
		"SELECT * FROM a WHERE (id, n) IN (SELECT a_id, k FROM b) GROUP BY n HAVING max(id) > 3",
		"SELECT body FROM ft WHERE ft MATCH 'x' ORDER BY rank LIMIT 2",
		"VALUES (1, 2), (3, 4)",
		"SELECT CASE n WHEN 1 THEN CASE WHEN id THEN 2 END ELSE iif(n > 2, 3, 4) END FROM a ORDER BY 1",
		"SELECT (SELECT count(*) FROM b WHERE b.k = a.n) FROM a FULL JOIN b ON k = n WHERE k = 1 OR a_id = 2",
		"SELECT value FROM json_each('[1,2]') UNION SELECT n FROM a EXCEPT SELECT k FROM b",
	} {
		f.Add(s)
	}
	box := sandbox.New(sandbox.Options{})
	f.Fuzz(func(t *testing.T, query string) {
		p, err := Steps(t.Context(), box, sqlite.DB(path), query)
		if err != nil {
			return
		}
		if len(p.Preparation) == 0 || len(p.Matching) == 0 || len(p.Delivering) == 0 {
			t.Errorf("%q: an empty part", query)
		}
		if again, _ := Steps(t.Context(), box, sqlite.DB(path), query); again.Text() != p.Text() {
			t.Errorf("%q: two plans", query)
		}
	})
}

func BenchmarkSteps(b *testing.B) {
	path := build(b, sampleScript(b, "online_shop"))
	box := sandbox.New(sandbox.Options{})
	for b.Loop() {
		if _, err := Steps(b.Context(), box, sqlite.DB(path), "SELECT T1.city, count(*) FROM customers AS T1 JOIN orders AS T2 ON T1.customer_id = T2.customer_id WHERE T2.status = 'delivered' GROUP BY T1.city ORDER BY count(*) DESC LIMIT 3"); err != nil {
			b.Fatal(err)
		}
	}
}
