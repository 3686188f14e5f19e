package execution

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
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
	return metrics.Case{Item: "orchard", DB: "orchard", Database: sqlite.DB(path), Suite: []engine.DB{sqlite.DB(near), sqlite.DB(path)}}
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
	box, short := sandbox.New(sandbox.Options{}), sandbox.New(sandbox.Options{Timeout: 100 * time.Millisecond})
	base := orchard(t)
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"
	check := func(id string, want metrics.Status, gold, pred string) {
		t.Helper()
		c := base
		c.Gold, c.Predicted = gold, pred
		b, cache := box, NewCache(0)
		if gold == endless || pred == endless {
			b = short
			if gold != endless { // it is not the gold that a busy machine may be late with
				if _, err := cache.Run(t.Context(), box, c.Database, gold); err != nil {
					t.Fatal(err)
				}
			}
		}
		m, err := New(id, Options{Cache: cache}, b)
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.Score(t.Context(), c)
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
	check("ex", metrics.SQLTimeout, count, endless)
	check("ex", metrics.GoldError, "SELECT nothing FROM tree", count)
	check("ex", metrics.GoldError, "SELECT nothing FROM tree", "") // whatever the prediction
	check("ex", metrics.GoldError, endless, count)
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

	check("ex-keep-distinct", metrics.Wrong, "SELECT DISTINCT kind FROM tree", "SELECT kind FROM tree")
	check("ex-keep-distinct", metrics.Rejected, count, "SELECT count(*) FROM tree; SELECT 1")
	check("ts-keep-distinct", metrics.Correct, "SELECT DISTINCT kind FROM tree", "SELECT kind FROM tree GROUP BY kind")

	apples := "SELECT id FROM tree WHERE kind = 'apple' AND height < 3"
	check("ex", metrics.Wrong, apples, "SELECT id FROM tree WHERE kind = 'apples' AND height < 9.9")
	check("ex-plug-value", metrics.Correct, apples, "SELECT id FROM tree WHERE kind = 'apples' AND height < 9.9")
	check("ex-plug-value", metrics.Correct, apples, apples)
	check("ex-plug-value", metrics.Wrong, apples, "SELECT id FROM tree WHERE kind = 'apple'")
	check("ex-plug-value", metrics.Wrong, count, "SELECT 3 + 1") // the gold has no values to plug in
	check("ex-plug-value", metrics.SQLError, apples, "SELECT id FROM tree WHERE sort = 'apple'")
	check("ex-plug-value", metrics.Correct, "SELECT 2", "SELECT 3")
	check("ts-plug-value", metrics.Wrong, "SELECT max(height) FROM tree WHERE height < 99", "SELECT 4")
	check("ts-plug-value", metrics.Correct, "SELECT id FROM tree WHERE height > 4 AND id > 0", "SELECT id FROM tree WHERE height > 7")

	tall := "SELECT DISTINCT kind FROM tree WHERE height > 0"
	check("ex-plug-value", metrics.Correct, tall, "SELECT kind FROM tree WHERE height > 99")
	check("ex-keep-distinct-plug-value", metrics.Wrong, tall, "SELECT kind FROM tree WHERE height > 99")
	check("ex-keep-distinct-plug-value", metrics.Correct, tall, "SELECT DISTINCT kind FROM tree WHERE height > 99")
	check("ts-keep-distinct-plug-value", metrics.Correct, tall, "SELECT DISTINCT kind FROM tree WHERE height > 99")

	check("ex-strict", metrics.Correct, "SELECT value, id FROM tree", "SELECT value, id FROM tree ORDER BY id DESC")
	check("ex-strict", metrics.Correct, "SELECT value, id FROM tree", "SELECT id, value FROM tree")
	check("ex-strict", metrics.Correct, "SELECT id, kind FROM tree ORDER BY kind", "SELECT id, kind FROM tree ORDER BY kind, id DESC")
	check("ex-strict", metrics.Correct, "SELECT id FROM tree ORDER BY kind", "SELECT id FROM tree ORDER BY kind, id DESC")
	check("ex-strict", metrics.Wrong, "SELECT id FROM tree ORDER BY kind", "SELECT id FROM tree ORDER BY kind DESC")
	check("ex-strict", metrics.Wrong, "SELECT DISTINCT id FROM tree ORDER BY kind", "SELECT DISTINCT id FROM tree ORDER BY kind DESC")
	check("ex-strict", metrics.Correct, "SELECT avg(height) FROM tree", "SELECT avg(height) + 1e-13 FROM tree")
	check("ex-strict", metrics.Rejected, count, count+"; SELECT 1")
	check("ex-strict", metrics.Wrong, "SELECT id FROM tree ORDER  BY id", "SELECT id FROM tree ORDER BY id DESC")
	check("ex-strict", metrics.Correct, "SELECT id FROM (SELECT id FROM tree ORDER BY id)", "SELECT id FROM tree ORDER BY id DESC")
	check("ex-strict", metrics.Wrong, "SELECT count(DISTINCT kind) FROM tree", "SELECT count(kind) FROM tree")
	check("ex-strict", metrics.Wrong, "SELECT id FROM tree WHERE 0", "SELECT id, kind FROM tree WHERE 0")
	check("ts-strict", metrics.Wrong, count, "SELECT 3")
	check("ts-strict", metrics.Correct, count, "SELECT count(id) FROM tree")

	check("ex-bird", metrics.Correct, "SELECT DISTINCT kind FROM tree", "SELECT kind FROM tree")
	check("ex-bird", metrics.Wrong, "SELECT id, kind FROM tree", "SELECT kind, id FROM tree")
	check("soft-f1", metrics.Correct, "SELECT id, kind FROM tree", "SELECT kind, id FROM tree")
	check("soft-f1", metrics.Wrong, "SELECT id, kind FROM tree", "SELECT id FROM tree")
	check("soft-f1", metrics.GoldError, "SELECT nothing", count)
}

func TestTakeApart(t *testing.T) {
	check := func(sql, words string, values ...string) {
		t.Helper()
		w, v := takeApart(sql)
		if got := strings.ReplaceAll(strings.Join(w, " "), slot, "?"); got != words || !slices.Equal(v, values) {
			t.Errorf("%s: %q %q", sql, got, v)
		}
	}
	check("SELECT Name FROM t WHERE a = 'X y' AND b>=1.5;", "select name from t where a = ? and b >= ?", "'X y'", "1.5")
	check("SELECT T1.a FROM x AS T1 LIMIT 10", "select t1 . a from x as t1 limit ?", "10")
	check(`SELECT "a" WHERE b = "a" OR b = -3`, "select ? where b = ? or b = ?", `"a"`, "-3")
	check("SELECT q1, count(*) FROM t", "select ? , count ( * ) from t", "q1") // the reference takes q1 for a number
	check("SELECT a1b, b.c2 FROM t2", "select a1b , b . ? from t2", "c2")
	check("", "")
}

// The search for values ends on a case with more ways than can be tried, and says so.
func TestPlugGivesUp(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	c := orchard(t)
	c.Gold = "SELECT id FROM tree WHERE id IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"
	c.Predicted = "SELECT id FROM tree WHERE id * 1e-1 IN (1, 2, 3, 4, 5, 6)"
	s, err := newMetric(t, "ex-plug-value", box).Score(t.Context(), c)
	if err != nil || s.Status != metrics.Wrong || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "10000 ways") {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestScoreSays(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	c := orchard(t)
	m := newMetric(t, "ts", box)
	c.Gold, c.Predicted = "SELECT id FROM tree", "SELECT 1 UNION SELECT 2 UNION SELECT 3"
	if s, _ := m.Score(t.Context(), c); s.Why != "a_neighbour.sqlite: 3 rows, the gold query has 5" {
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
	c.Database.Source += ".missing"
	s, err := m.Score(t.Context(), c)
	if err != nil || s.Status != metrics.GoldError || !strings.Contains(s.Why, "the database orchard.sqlite.missing cannot be read: no such file") {
		t.Errorf("a missing database: %+v, %v", s, err)
	}
	if _, err := New("exx", Options{}, box); err == nil || !strings.Contains(err.Error(), "ts, ex") {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := New("ex", Options{}, sandbox.New(sandbox.Options{Truncate: true})); err == nil {
		t.Error("a truncating sandbox was taken")
	}
	for _, row := range Rows() {
		id := row.ID
		if f := newMetric(t, id, box).Fingerprint(); !strings.Contains(f, id) || !strings.Contains(f, sqlite.Version()) {
			t.Errorf("%s: fingerprint %q", id, f)
		}
	}
}

// Right on every database is right on the original, also where the suite forgets it.
func TestTSImpliesEX(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	base := orchard(t)
	pairs := map[string][2]metrics.Metric{}
	for _, suffix := range []string{"", "-keep-distinct", "-plug-value", "-strict"} {
		pairs[suffix] = [2]metrics.Metric{newMetric(t, "ex"+suffix, box), newMetric(t, "ts"+suffix, box)}
	}
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
	for range 1000 {
		c := base
		c.Gold, c.Predicted = random(), random()
		if r.IntN(2) == 0 {
			c.Suite = c.Suite[:1] // without the original
		}
		for suffix, pair := range pairs {
			e, err := pair[0].Score(t.Context(), c)
			s, err2 := pair[1].Score(t.Context(), c)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if s.Value > e.Value {
				t.Errorf("%s: ts %v, ex %v:\n%s\n%s", suffix, s, e, c.Gold, c.Predicted)
			}
			if s.Value == 1 && e.Value == 1 {
				both++
			}
		}
	}
	if both < 100 {
		t.Errorf("only %d of 4000 right on both", both)
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
		whole = splitOperators.Replace(sql)
		if got, want := spiderGold(sql, false), currentYear.ReplaceAllString(dropDistinct(whole), "2020"); got != want && !strings.Contains(sql, "ſ") {
			t.Errorf("%q becomes %q, want %q", sql, got, want)
		}
	})
}

func TestPlain(t *testing.T) {
	same := func(a, b string, want bool) {
		t.Helper()
		if got := plain(a) == plain(b); got != want {
			t.Errorf("%q and %q: %v (%q, %q)", a, b, got, plain(a), plain(b))
		}
	}
	same("SELECT a ,  b FROM t", " SELECT a, b\nFROM t ; ", true)
	same("SELECT count ( * ) FROM t", "SELECT count(*)FROM t", true)
	same("SELECT 'a  b'", "SELECT 'a b'", false)
	same("SELECT 'it''s  ' , 1", "SELECT 'it''s  ',1", true)
	same("SELECT 'it''s  '", "SELECT 'it''s '", false)
	same("SELECT [a  b]", "SELECT [a b]", false)
	same("SELECT 'open  ", "SELECT 'open", false)
	same("SELECT 1 -- a\n+ 1", "SELECT 1 -- a + 1", false)
	same("SELECT a b", "SELECT ab", false)
	same("SELECT 1 < = 2", "SELECT 1 <= 2", false)
	same("SELECT a FROM t;;", "SELECT a FROM t", false)
}

// FuzzPlain holds that statements known alike are alike to SQLite's own tokens.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{"SELECT a ,  b", "SELECT 'a''b' , [c d] ; ", "a\f(\v)", "x'00' 'y'"} {
		f.Add(s)
	}
	tokens := func(sql string) (out []string) {
		for _, t := range lexer.Lex(sql) {
			if t.Kind != token.EOF {
				out = append(out, sql[t.Pos:t.End])
			}
		}
		return out
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if plain(sql) == sql {
			return
		}
		was := tokens(sql)
		if n := len(was); n > 0 && was[n-1] == ";" {
			was = was[:n-1]
		}
		if got := tokens(plain(sql)); !slices.Equal(got, was) {
			t.Errorf("%q: %q, want %q", sql, got, was)
		}
	})
}

// One statement is run once however many ask at once, and forgotten when there is no room.
func TestCache(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	db := orchard(t).Database
	cache := NewCache(2000)
	var wg sync.WaitGroup
	results := make([]*engine.Result, 8)
	for i := range results {
		wg.Go(func() { results[i], _ = cache.Run(t.Context(), box, db, "SELECT * FROM tree") })
	}
	wg.Wait()
	for _, r := range results {
		if r == nil || r != results[0] {
			t.Error("the statement ran more than once")
		}
	}
	for i := range 100 {
		if _, err := cache.Run(t.Context(), box, db, fmt.Sprint("SELECT ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if cache.size > cache.most || cache.recent.Len() != len(cache.byKey) || len(cache.byKey) == 0 {
		t.Errorf("%d bytes, %d entries, %d keys", cache.size, cache.recent.Len(), len(cache.byKey))
	}
	again, err := cache.Run(t.Context(), box, db, "SELECT * FROM tree")
	if err != nil || again == results[0] {
		t.Errorf("still there after a hundred others: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "later.sqlite")
	if _, err := cache.Run(t.Context(), box, sqlite.DB(missing), "SELECT * FROM tree"); err == nil {
		t.Error("a missing file was read")
	}
	if err := os.Rename(db.Source, missing); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Run(t.Context(), box, sqlite.DB(missing), "SELECT * FROM tree"); err != nil {
		t.Errorf("an error of the file was kept: %v", err)
	}
}

// Spellings that differ in blanks run once, and yet each has the names of columns, and the error, that it has alone.
func TestCacheSpellings(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	db := orchard(t).Database
	for _, spellings := range [][]string{
		{"SELECT count(DISTINCT kind) FROM tree", "SELECT count( DISTINCT kind ) FROM tree", "SELECT  count(DISTINCT kind)\nFROM tree;"},
		{"SELECT max(id), kind FROM tree", "SELECT max( id ) , kind FROM tree"},
		{"WITH t AS (SELECT max( id ) FROM tree) SELECT * FROM t", "WITH t AS (SELECT max(id) FROM tree) SELECT * FROM t"},
		{"EXPLAIN QUERY PLAN SELECT max(id) FROM tree", "EXPLAIN QUERY PLAN SELECT max( id ) FROM tree"},
		{"SELECT max(nothing) FROM tree", "SELECT max( nothing ) FROM tree"},
		{"DELETE FROM tree WHERE id IN (1)", "DELETE FROM tree WHERE id IN ( 1 )"},
	} {
		for first := range spellings {
			cache := NewCache(0)
			shared, _ := cache.rows(t.Context(), box, db, spellings[first])
			for _, sql := range spellings {
				want, wantErr := box.Run(t.Context(), db, sql)
				got, err := cache.Run(t.Context(), box, db, sql)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("after %q: %v, want %v", spellings[first], err, wantErr)
				}
				if err == nil && (!slices.Equal(got.Columns, want.Columns) || got.Digest() != want.Digest()) {
					t.Errorf("%q after %q: columns %q, want %q", sql, spellings[first], got.Columns, want.Columns)
				}
				if again, _ := cache.rows(t.Context(), box, db, sql); again != shared {
					t.Errorf("%q ran again after %q", sql, spellings[first])
				}
			}
		}
	}
}

func BenchmarkEX(b *testing.B) {
	box := sandbox.New(sandbox.Options{})
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

// Where ties cannot be told, another order is wrong, and a warning says that it may not be.
func TestStrictUnsure(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	base := orchard(t)
	m := newMetric(t, "ex-strict", box)
	check := func(gold, pred string, want metrics.Status, warnings int) {
		t.Helper()
		c := base
		c.Gold, c.Predicted = gold, pred
		s, err := m.Score(t.Context(), c)
		if err != nil || s.Status != want || len(s.Warnings) != warnings {
			t.Errorf("%s: %+v %v, want %s", pred, s, err, want)
		}
	}
	unsure := "SELECT DISTINCT id FROM tree ORDER BY kind"
	check(unsure, unsure, metrics.Correct, 0)
	check(unsure, unsure+" DESC", metrics.Wrong, 1)
	check(unsure, "SELECT id + 1 FROM tree", metrics.Wrong, 0)
	check("SELECT id FROM tree ORDER BY id", "SELECT id FROM tree ORDER BY id DESC", metrics.Wrong, 0)
	check("SELECT id FROM tree WHERE 0 ORDER BY id", "SELECT id FROM tree WHERE 0", metrics.Correct, 1) // an empty gold
}
