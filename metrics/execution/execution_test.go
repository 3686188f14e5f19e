package execution

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/metrics"
	"assay/prompting/sandbox"
)

// orchard makes a database and a neighbour in which two more trees grow, and one table less.
func orchard(t testing.TB) metrics.Case {
	t.Helper()
	dir := t.TempDir()
	create := func(name, script string) string {
		path := filepath.Join(dir, name)
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
	base := `CREATE TABLE tree (id INTEGER, kind TEXT, height REAL, value INTEGER);
		INSERT INTO tree VALUES (1, 'apple', 3.5, 10), (2, 'pear', 4, 20), (3, 'apple', 2, 30);`
	path := create("orchard.sqlite", base+"CREATE TABLE shed (id INTEGER)")
	near := create("a_neighbour.sqlite", base+"INSERT INTO tree VALUES (4, 'plum', 9, 40), (5, 'pear', 1, 50)")
	return metrics.Case{Item: "orchard", DB: "orchard", Path: path, Suite: []string{near, path}}
}

func newMetric(t testing.TB, id string, box *sandbox.Box) metrics.Metric {
	t.Helper()
	m, err := New(id, Options{}, box)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestScore(t *testing.T) {
	box := sandbox.New(sandbox.Options{Timeout: 200 * time.Millisecond})
	defer box.Close()
	base := orchard(t)
	check := func(id string, want metrics.Status, gold, pred string) {
		t.Helper()
		c := base
		c.Gold, c.Predicted = gold, pred
		s, err := newMetric(t, id, box).Score(t.Context(), c)
		if err != nil || s.Status != want || (s.Value == 1) != (want == metrics.Correct) {
			t.Errorf("%s %q: %+v, %v, want %s", id, pred, s, err, want)
		}
	}
	count := "SELECT count(*) FROM tree"
	check("ex", metrics.Correct, count, count)
	check("ex", metrics.Correct, count, "SELECT 3")
	check("ts", metrics.Wrong, count, "SELECT 3") // the neighbour has five
	check("ts", metrics.Correct, count, "SELECT count(id) FROM tree;")
	check("ex", metrics.NoSQL, count, " \n")
	check("ex", metrics.NoSQL, "SELECT * FROM tree WHERE id > 99", "")
	check("ex", metrics.SQLError, count, "SELECT count(*) FROM trees")
	check("ex", metrics.Rejected, count, "DROP TABLE tree")
	check("ex", metrics.SQLTimeout, count, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n")
	check("ex", metrics.GoldError, "SELECT nothing FROM tree", count)
	check("ex", metrics.GoldError, "SELECT nothing FROM tree", "") // whatever the prediction
	check("ex", metrics.GoldError, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n", count)
	check("ex", metrics.Correct, "SELECT count(*) FROM shed", "SELECT 0")
	check("ts", metrics.GoldError, "SELECT count(*) FROM shed", "SELECT 0") // the neighbour has no shed
	check("ex", metrics.Correct, "SELECT DISTINCT kind FROM tree", "SELECT kind FROM tree")
	check("ex", metrics.Correct, count, "SELECT count(*) FROM tree; SELECT 1")
	check("ex", metrics.SQLError, "SELECT value FROM tree", "SELECT value FROM tree ORDER BY value COLLATE value") // COLLATE 1
	check("ex", metrics.Wrong, "SELECT value FROM tree", "SELECT value FROM tree")                                 // SELECT 1
	check("ex", metrics.Correct, "SELECT id FROM tree ORDER BY height", "SELECT id FROM tree WHERE height > = 0 ORDER BY height")
	check("ex", metrics.Wrong, "SELECT id FROM tree ORDER BY height", "SELECT id FROM tree ORDER BY height DESC")
	check("ex", metrics.Correct, "SELECT id FROM tree ORDER  BY height", "SELECT id FROM tree ORDER BY height DESC")
	check("ex", metrics.Correct, "SELECT 2020", "SELECT YEAR(CURDATE())")
}

func TestScoreSays(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	c := orchard(t)
	m := newMetric(t, "ts", box)
	c.Gold, c.Predicted = "SELECT id FROM tree", "SELECT 1 UNION SELECT 2 UNION SELECT 3"
	if s, _ := m.Score(t.Context(), c); s.Why != "a_neighbour.sqlite: 3 rows, gold has 5" {
		t.Errorf("why is %q", s.Why)
	}
	c.Gold, c.Predicted = "SELECT id FROM tree WHERE id > 9", "SELECT 1, 2 WHERE 0"
	if s, _ := m.Score(t.Context(), c); s.Status != metrics.Correct || len(s.Warnings) != 1 {
		t.Errorf("both empty: %+v", s)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newMetric(t, "ts", box).Score(gone, c); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	c.Path += ".missing"
	if _, err := m.Score(t.Context(), c); err == nil {
		t.Error("a missing database was judged")
	}
	if _, err := New("exx", Options{}, box); err == nil || !strings.Contains(err.Error(), "ex, ts") {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := New("ex", Options{}, sandbox.New(sandbox.Options{Truncate: true})); err == nil {
		t.Error("a truncating sandbox was taken")
	}
	for _, id := range IDs() {
		if f := newMetric(t, id, box).Fingerprint(); !strings.Contains(f, id) || !strings.Contains(f, sandbox.Version()) {
			t.Errorf("%s: fingerprint %q", id, f)
		}
	}
}

// Right on every database is right on the original, also where the suite forgets it.
func TestTSImpliesEX(t *testing.T) {
	box := sandbox.New(sandbox.Options{Timeout: time.Second})
	defer box.Close()
	base := orchard(t)
	ex, ts := newMetric(t, "ex", box), newMetric(t, "ts", box)
	parts := []string{"SELECT ", "DISTINCT ", "kind ", "id ", "height, id ", "count(*) ", "FROM tree ", "WHERE id < 4 ", "WHERE kind = 'apple' ", "ORDER BY id ", "LIMIT 2 "}
	r := rand.New(rand.NewPCG(1, 2))
	both := 0
	random := func() string {
		sql := "SELECT " + parts[2+r.IntN(4)] + "FROM tree "
		for _, p := range parts[7:] {
			if r.IntN(3) == 0 && !(strings.HasPrefix(p, "WHERE") && strings.Contains(sql, "WHERE")) {
				sql += p
			}
		}
		return sql
	}
	for range 3000 {
		c := base
		c.Gold, c.Predicted = random(), random()
		if r.IntN(2) == 0 {
			c.Suite = c.Suite[:1] // without the original
		}
		e, err := ex.Score(t.Context(), c)
		s, err2 := ts.Score(t.Context(), c)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if s.Value > e.Value {
			t.Errorf("ts %v, ex %v:\n%s\n%s", s, e, c.Gold, c.Predicted)
		}
		if s.Value == 1 && e.Value == 1 {
			both++
		}
	}
	if both < 100 {
		t.Errorf("only %d of 3000 right on both", both)
	}
}

func TestDropDistinct(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		if got := dropDistinct(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	check("SELECT DISTINCT a FROM t", "SELECT  a FROM t")
	check("select count(distinct a) from t", "select count( a) from t")
	check("SELECT 'distinct', \"distinct\", `distinct`, [distinct]", "SELECT 'distinct', \"distinct\", `distinct`, [distinct]")
	check("SELECT distinct_a, a.distinct FROM t -- distinct", "SELECT distinct_a, a. FROM t -- distinct")
	check("SELECT /* distinct ; */ 1", "SELECT /* distinct ; */ 1")
	check("SELECT a IS DISTINCT FROM b", "SELECT a IS  FROM b")
	check("SELECT 1; SELECT 2", "SELECT 1;")
	check("SELECT (1; SELECT 2", "SELECT (1; SELECT 2")
	check("SELECT ';' FROM t; SELECT 2", "SELECT ';' FROM t;")
	check("SELECT 'it''s distinct' , DISTINCT", "SELECT 'it''s distinct' , ")
	check(`SELECT 'a\' distinct 'b'`, `SELECT 'a\' distinct 'b'`) // a backslash escapes where a quote follows
	check(`SELECT 'a\', distinct`, `SELECT 'a\', `)
	check("SELECT @distinct, :distinct, DISTINCT", "SELECT @distinct, :distinct, ")
	check("SELECT 'open distinct", "SELECT 'open ")
	check("", "")
	check("é DISTINCT ü", "é  ü")
}

func FuzzDropDistinct(f *testing.F) {
	f.Add("SELECT DISTINCT 'a\\'; \"b\" [c] `d` -- e\n/* f */ @g 1.5;")
	f.Fuzz(func(t *testing.T, sql string) {
		whole := strings.Join(firstStatement(sql), "")
		if !strings.HasPrefix(sql, whole) {
			t.Errorf("%q: tokens make %q", sql, whole)
		}
		dropDistinct(sql)
	})
}

// One statement is run once however many ask at once, and forgotten when there is no room.
func TestCache(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	path := orchard(t).Path
	cache := NewCache(2000)
	var wg sync.WaitGroup
	results := make([]*sandbox.Result, 8)
	for i := range results {
		wg.Go(func() { results[i], _ = cache.run(t.Context(), box, path, "SELECT * FROM tree") })
	}
	wg.Wait()
	for _, r := range results {
		if r == nil || r != results[0] {
			t.Error("the statement ran more than once")
		}
	}
	for i := range 100 {
		if _, err := cache.run(t.Context(), box, path, fmt.Sprint("SELECT ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if cache.size > cache.most || cache.recent.Len() != len(cache.byKey) || len(cache.byKey) == 0 {
		t.Errorf("%d bytes, %d entries, %d keys", cache.size, cache.recent.Len(), len(cache.byKey))
	}
	again, err := cache.run(t.Context(), box, path, "SELECT * FROM tree")
	if err != nil || again == results[0] {
		t.Errorf("still there after a hundred others: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "later.sqlite")
	if _, err := cache.run(t.Context(), box, missing, "SELECT * FROM tree"); err == nil {
		t.Error("a missing file was read")
	}
	if err := os.Rename(path, missing); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.run(t.Context(), box, missing, "SELECT * FROM tree"); err != nil {
		t.Errorf("an error of the file was kept: %v", err)
	}
}

func BenchmarkEX(b *testing.B) {
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	c := orchard(b)
	c.Gold = "SELECT kind, count(*) FROM tree GROUP BY kind"
	m := newMetric(b, "ex", box)
	for i := 0; b.Loop(); i++ {
		c.Predicted = fmt.Sprintf("SELECT kind, count(*) FROM tree GROUP BY kind HAVING count(*) < %d", 10+i%100000)
		if _, err := m.Score(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
