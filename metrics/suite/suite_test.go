package suite

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"

	"github.com/google/go-cmp/cmp"
)

const zoo = `
CREATE TABLE keeper (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, weight REAL, keeper_id INTEGER REFERENCES keeper(id));
INSERT INTO keeper VALUES (1,'Ann',30), (2,'Bob',41), (3,'Cid',52), (4,'Dee',23);
INSERT INTO animal VALUES (1,'Rex','Lion',190.5,1), (2,'Zoe','Zebra',300,2), (3,'Kim','Lion',150,1), (4,'Ada','Bear',410,3);`

// hostile has what makes a schema hard to fill: composite and self references, cycles, generated columns, checks,
// views, triggers, indexes on expressions, tables without rowid, and names that need quotes.
const hostile = `
CREATE TABLE "order" ("the id" INTEGER PRIMARY KEY, "select" TEXT COLLATE NOCASE UNIQUE, [from] INT CHECK ([from] > 0),
  twice INT GENERATED ALWAYS AS ([from] * 2) STORED, thrice INT AS ([from] * 3));
CREATE TABLE "it's" (a TEXT, b INT, "x""y" BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE "line item" (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INT NOT NULL, oid INT REFERENCES "order",
  FOREIGN KEY (a, b) REFERENCES "it's" (a, b));
CREATE TABLE person (id INTEGER PRIMARY KEY, boss INT NOT NULL REFERENCES person(id), home INT REFERENCES house(id));
CREATE TABLE house (id INTEGER PRIMARY KEY, owner INT NOT NULL REFERENCES person(id), at DATE, done BOOLEAN);
CREATE TABLE strictly (id INT PRIMARY KEY, n INTEGER NOT NULL, t ANY) STRICT;
CREATE TABLE one_to_one (person_id INTEGER PRIMARY KEY REFERENCES person(id) ON DELETE CASCADE, note TEXT DEFAULT "none");
CREATE TABLE dangling (id INTEGER PRIMARY KEY, x REFERENCES nowhere(id), y REFERENCES strictly(t));
CREATE TABLE hollow (id INTEGER PRIMARY KEY, v TEXT);
CREATE TABLE log (what TEXT);
CREATE VIRTUAL TABLE words USING fts5(w);
INSERT INTO "order" ("the id", "select", [from]) VALUES (1,'a',1), (2,'b',2), (3,NULL,3);
INSERT INTO "it's" VALUES ('p',1,x'00ff'), ('p',2,NULL), ('q',1,x'');
INSERT INTO person VALUES (1,1,NULL), (2,1,1), (3,2,1);
INSERT INTO house VALUES (1,2,'2024-01-01',1), (2,3,'2024-02-30',0);
INSERT INTO "line item" VALUES (1,'p',1,1), (2,'p',2,NULL), (3,'q',1,3), (4,'q',1,3);
INSERT INTO strictly VALUES (1,10,'x'), (2,20,2.5), (3,30,NULL);
INSERT INTO one_to_one VALUES (1,'boss'), (3,'other');
INSERT INTO dangling VALUES (1,5,6);
INSERT INTO words VALUES ('quick fox');
CREATE UNIQUE INDEX half ON strictly (n / 5);
CREATE INDEX part ON house (at) WHERE done;
CREATE VIEW "all of it" AS SELECT * FROM "line item" JOIN "it's" USING (a, b);
CREATE TRIGGER t AFTER INSERT ON person BEGIN INSERT INTO log VALUES ('person'); END;`

func TestMutants(t *testing.T) {
	cat, err := readCatalog(t.Context(), database(t, "zoo", zoo))
	if err != nil {
		t.Fatal(err)
	}
	check := func(sql string, want ...string) {
		t.Helper()
		stmt, err := tree.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range mutants(stmt, cat) {
			got = append(got, strings.TrimSpace(squeeze(m.sql)))
		}
		for _, w := range want {
			if !slices.Contains(got, strings.TrimSpace(squeeze(w))) {
				t.Errorf("%s: no mutant %s, but\n%s", sql, w, strings.Join(got, "\n"))
			}
		}
		if slices.Contains(got, strings.TrimSpace(squeeze(sql))) {
			t.Errorf("%s: is its own mutant", sql)
		}
	}
	check("SELECT name FROM animal WHERE weight > 200", "SELECT name FROM animal", "SELECT name FROM animal WHERE weight >= 200",
		"SELECT name FROM animal WHERE weight < 200", "SELECT name FROM animal WHERE weight > 201",
		"SELECT kind FROM animal WHERE weight > 200", "SELECT DISTINCT name FROM animal WHERE weight > 200",
		"SELECT name FROM animal WHERE keeper_id > 200")
	check("SELECT name FROM animal WHERE (kind = 'Lion') AND (weight > 1 OR id = 2)",
		"SELECT name FROM animal WHERE (kind = 'Lion')", "SELECT name FROM animal WHERE (weight > 1 OR id = 2)",
		"SELECT name FROM animal WHERE ((kind = 'Lion') OR (weight > 1 OR id = 2))",
		"SELECT name FROM animal WHERE (kind = 'Lion') AND ((weight > 1 AND id = 2))",
		"SELECT name FROM animal WHERE (kind = 'Lion') AND ((id = 2))",
		"SELECT name FROM animal WHERE (kind = 'lion') AND (weight > 1 OR id = 2)",
		"SELECT name FROM animal WHERE (kind = 'Zebra') AND (weight > 1 OR id = 2)")
	check("SELECT T2.name FROM keeper AS T1 JOIN animal AS T2 ON T1.id = T2.keeper_id WHERE T1.name = \"Ann\"",
		"SELECT T2.name FROM keeper AS T1 JOIN animal AS T2 WHERE T1.name = \"Ann\"",
		"SELECT T2.name FROM keeper AS T1 LEFT JOIN animal AS T2 ON T1.id = T2.keeper_id WHERE T1.name = \"Ann\"",
		"SELECT T2.name FROM animal AS T2 WHERE T1.name = \"Ann\"",
		"SELECT T2.name FROM keeper AS T1 JOIN animal AS T2 ON T1.id = T2.id WHERE T1.name = \"Ann\"",
		"SELECT T2.name FROM keeper AS T1 JOIN animal AS T2 ON T1.id = T2.keeper_id WHERE T1.name = 'ann'")
	check("SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) DESC, kind LIMIT 2",
		"SELECT kind, count(*) FROM animal GROUP BY kind ORDER BY count(*) DESC, kind LIMIT 2",
		"SELECT kind, count(*) FROM animal HAVING count(*) > 1 ORDER BY count(*) DESC, kind LIMIT 2",
		"SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 LIMIT 2",
		"SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY kind LIMIT 2",
		"SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) ASC, kind LIMIT 2",
		"SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) DESC, kind DESC LIMIT 2",
		"SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) DESC, kind",
		"SELECT kind, count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) DESC, kind LIMIT 1",
		"SELECT kind FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) DESC, kind LIMIT 2",
		"SELECT count(*) FROM animal GROUP BY kind HAVING count(*) > 1 ORDER BY count(*) DESC, kind LIMIT 2")
	check("SELECT name FROM animal UNION SELECT name FROM keeper ORDER BY name", "SELECT name FROM animal INTERSECT SELECT name FROM keeper ORDER BY name",
		"SELECT name FROM animal ORDER BY name", "SELECT name FROM keeper ORDER BY name", "SELECT name FROM animal UNION ALL SELECT name FROM keeper ORDER BY name")
	check("SELECT id FROM keeper EXCEPT SELECT keeper_id FROM animal", "SELECT id FROM keeper", "SELECT keeper_id FROM animal",
		"SELECT keeper_id FROM animal EXCEPT SELECT id FROM keeper")
	check("SELECT count(DISTINCT kind), max(weight), sum(weight) FROM animal", "SELECT count(kind), max(weight), sum(weight) FROM animal",
		"SELECT count(*), max(weight), sum(weight) FROM animal", "SELECT count(DISTINCT kind), min(weight), sum(weight) FROM animal",
		"SELECT count(DISTINCT kind), max(weight), avg(weight) FROM animal")
	check("SELECT name FROM keeper WHERE id NOT IN (SELECT keeper_id FROM animal WHERE name LIKE '%e%') OR age BETWEEN 20 AND 30 OR name IS NOT NULL",
		"SELECT name FROM keeper WHERE id IN (SELECT keeper_id FROM animal WHERE name LIKE '%e%') OR age BETWEEN 20 AND 30 OR name IS NOT NULL",
		"SELECT name FROM keeper WHERE id NOT IN (SELECT keeper_id FROM animal WHERE name NOT LIKE '%e%') OR age BETWEEN 20 AND 30 OR name IS NOT NULL",
		"SELECT name FROM keeper WHERE id NOT IN (SELECT keeper_id FROM animal WHERE name LIKE 'e%') OR age BETWEEN 20 AND 30 OR name IS NOT NULL",
		"SELECT name FROM keeper WHERE id NOT IN (SELECT keeper_id FROM animal WHERE name LIKE '%e%') OR age NOT BETWEEN 20 AND 30 OR name IS NOT NULL",
		"SELECT name FROM keeper WHERE id NOT IN (SELECT keeper_id FROM animal WHERE name LIKE '%e%') OR age BETWEEN 20 AND 30 OR name IS NULL")
}

func TestMutantsLeaveOut(t *testing.T) {
	cat, err := readCatalog(t.Context(), database(t, "zoo", zoo))
	if err != nil {
		t.Fatal(err)
	}
	check := func(sql, never string) {
		t.Helper()
		stmt, err := tree.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants(stmt, cat) {
			if strings.Contains(m.sql, never) {
				t.Errorf("%s: made %s", sql, m.sql)
			}
		}
	}
	const join = "SELECT T1.name FROM keeper AS T1 JOIN animal AS T2 ON T1.id = T2.keeper_id"
	check(join+" WHERE T2.kind = 'Lion'", "LEFT")
	check(join+" WHERE T2.weight + 1 > 3 AND T1.age > 1", "LEFT")
	check(join+" WHERE T2.kind IS NOT NULL", "LEFT")
	check(join+" LIMIT 3", "LIMIT 0")
}

// build builds a small suite of the zoo.
func build(t *testing.T, o Options, path string, out string, queries ...string) Report {
	t.Helper()
	var list []Gold
	for i, sql := range queries {
		list = append(list, Gold{Item: string(rune('a' + i)), SQL: sql})
	}
	if o.Tries == 0 {
		o.Tries = 30
	}
	r, err := Build(t.Context(), o, sqlite.DB(path), list, out)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBuildKills(t *testing.T) {
	check := func(script, gold string, killed, mutants int) {
		t.Helper()
		r := build(t, Options{Seed: 7}, database(t, "db", script), t.TempDir(), gold)
		if got := r.Totals[0]; got.Killed != killed || got.Mutants != mutants {
			t.Errorf("%s: killed %d of %d, want %d of %d: %+v", gold, got.Killed, got.Mutants, killed, mutants, r.Items[0].Rates[0].Survivors)
		}
	}
	const flat = "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1,'x'), (2,'y'), (7,'z'), (9,NULL);"
	// Of "a > 5": no condition; >=, <; 6, 4; columns b for a twice. A ">=" and a 6 need rows with 5 and 6.
	check(flat, "SELECT a FROM t WHERE a > 5", 7, 7)
	check(flat, "SELECT count(b) FROM t", 3, 3) // count(*), sum(b), count(a); count(DISTINCT b) is the same without DISTINCT
	check(flat, "SELECT a FROM t WHERE b LIKE 'x%'", 8, 8)
}

func TestBuildReport(t *testing.T) {
	out := t.TempDir()
	r := build(t, Options{}, database(t, "zoo", zoo), out, "SELECT name FROM animal WHERE weight > 200", "SELECT nowhere FROM animal",
		"SELECT name FROM animal WHERE weight > 200", "DELETE FROM animal", "SELECT name FROM animal LIMIT 1")
	check := func(i int, problem, shaky bool) {
		t.Helper()
		it := r.Items[i]
		if (it.Problem != "") != problem || (it.Shaky != "") != shaky || (len(it.Rates) == 0) != problem {
			t.Errorf("item %d: %+v", i, it)
		}
	}
	check(0, false, false)
	check(1, true, false)
	check(2, false, false)
	check(3, true, false)
	check(4, false, true)
	if len(r.Items) != 5 || r.Items[0].Item != "a" || r.Items[2].Item != "c" || !cmp.Equal(r.Items[0].Rates, r.Items[2].Rates) {
		t.Errorf("items %+v", r.Items)
	}
	var csv, text strings.Builder
	if err := r.WriteCSV(&csv); err != nil || strings.Count(csv.String(), "\n") != 1+3*2+2 {
		t.Errorf("%v\n%s", err, csv.String())
	}
	var back Report
	if err := r.WriteJSON(&text); err != nil || json.Unmarshal([]byte(text.String()), &back) != nil || !cmp.Equal(r, back) {
		t.Errorf("%v: %s", err, cmp.Diff(r, back))
	}
}

// files gives name, size and hash of everything in a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range list {
		sum, _, err := digest(t.Context(), filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = sum
	}
	return out
}

var zooGolds = []string{
	"SELECT T1.name, count(*) FROM keeper AS T1 JOIN animal AS T2 ON T1.id = T2.keeper_id GROUP BY T1.id HAVING count(*) >= 1",
	"SELECT name FROM animal WHERE kind = 'Lion' ORDER BY weight DESC LIMIT 1",
	"SELECT avg(age) FROM keeper WHERE age > (SELECT min(age) FROM keeper)",
}

func TestBuildIsDeterministic(t *testing.T) {
	path := database(t, "zoo", zoo)
	one, two, other := t.TempDir(), t.TempDir(), t.TempDir()
	build(t, Options{Seed: 3, Workers: 1}, path, one, zooGolds...)
	build(t, Options{Seed: 3, Workers: 4}, path, two, zooGolds...)
	build(t, Options{Seed: 4}, path, other, zooGolds...)
	a, b, c := files(t, filepath.Join(one, "zoo")), files(t, filepath.Join(two, "zoo")), files(t, filepath.Join(other, "zoo"))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(a, c) {
		t.Error("another seed gives the same suite")
	}
	if len(a) < 3 || a["zoo.sqlite"] == "" || a["zoo_fuzz_01.sqlite"] == "" || a["manifest.json"] == "" {
		t.Errorf("files %v", a)
	}
}

func TestBuildResumes(t *testing.T) {
	path, out := database(t, "zoo", zoo), filepath.Join(t.TempDir(), "out[1]") // which is no pattern
	dir := filepath.Join(out, "zoo")
	tries := 0
	o := Options{Progress: func(int, int) { tries++ }}
	first := build(t, o, path, out, zooGolds...)
	check := func(what string, again bool, queries ...string) {
		t.Helper()
		tries = 0
		r := build(t, o, path, out, queries...)
		if (tries > 0) != again {
			t.Errorf("%s: %d tries", what, tries)
		}
		if !again && !cmp.Equal(first, r) {
			t.Error(cmp.Diff(first, r))
		}
	}
	check("the same", false, zooGolds...)
	if err := os.WriteFile(filepath.Join(dir, "zoo_fuzz_01.sqlite"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("a damaged file", true, zooGolds...)
	check("the same after that", false, zooGolds...)
	if err := os.Remove(filepath.Join(dir, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(dir, ".work-1")
	if err := os.Mkdir(killed, 0o755); err != nil {
		t.Fatal(err)
	}
	check("no manifest", true, zooGolds...)
	if _, err := os.Stat(killed); err == nil {
		t.Error("what a killed build left is still there")
	}
	old := filepath.Join(dir, "zoo_fuzz_99.sqlite")
	if err := os.WriteFile(old, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("other gold queries", true, zooGolds[0])
	if _, err := os.Stat(old); err == nil {
		t.Error("a neighbour of an earlier build is still there")
	}
	if list := files(t, dir); list[".work"] != "" || len(list) > 10 {
		t.Errorf("left behind: %v", list)
	}
}

func TestBuildFails(t *testing.T) {
	check := func(ctx context.Context, path string) {
		t.Helper()
		_, err := Build(ctx, Options{Tries: 3}, sqlite.DB(path), []Gold{{"a", "SELECT 1"}}, t.TempDir())
		if err == nil || !strings.HasPrefix(err.Error(), "suite: build ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	check(t.Context(), "/nowhere/x.sqlite")
	text := filepath.Join(t.TempDir(), "text.sqlite")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	check(t.Context(), text)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check(ctx, database(t, "zoo", zoo))
}

// query runs a statement of the test's own on a file, and gives the first column.
func query(t *testing.T, path, sql string) (out []string) {
	t.Helper()
	r := &reader{ctx: t.Context(), path: path}
	rows, err := r.query(sql)
	if err != nil {
		return []string{err.Error()}
	}
	for _, row := range rows {
		out = append(out, row[0].String())
	}
	return out
}

func TestHostileSchema(t *testing.T) {
	path, out := database(t, "hostile", hostile), t.TempDir()
	cat, err := readCatalog(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	full := 0
	for i := range uint64(120) {
		b := &builder{Options: Options{Seed: i}.withDefaults(), cat: cat}
		rng := newRand(9, i)
		image, err := cat.image(t.Context(), cat.neighbour(rng, b.profile(int(i), rng)))
		if err != nil {
			t.Fatal(i, err)
		}
		file := filepath.Join(out, "x.db")
		if err := os.WriteFile(file, image, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := query(t, file, "PRAGMA integrity_check"); !cmp.Equal(got, []string{"ok"}) {
			t.Error(i, got)
		}
		for _, name := range []string{"line item", "person", "house", "one_to_one", "order", "it's"} {
			if got := query(t, file, "PRAGMA foreign_key_check("+sqlite.Quote(name)+")"); len(got) > 0 {
				t.Error(i, name, got)
			}
			if got := query(t, file, "SELECT count(*) FROM "+sqlite.Quote(name)); got[0] != "0" {
				full++
			}
		}
		if got := query(t, file, "SELECT count(*) FROM log WHERE what = 'person'"); got[0] != "0" {
			t.Error("the trigger fired", got)
		}
		if got := query(t, file, "SELECT w FROM words WHERE words MATCH 'fox'"); !cmp.Equal(got, []string{"quick fox"}) {
			t.Error(got)
		}
	}
	if full < 6*60 {
		t.Errorf("%d tables with rows of %d", full, 6*120)
	}
	r := build(t, Options{}, path, out, `SELECT "select" FROM "order" WHERE [from] > 1`, "SELECT count(*) FROM `line item` WHERE a = 'p'",
		`SELECT T1.id FROM person AS T1 JOIN house AS T2 ON T1.home = T2.id WHERE T2.at > '2024-01-01'`, `SELECT "x""y" FROM "it's" WHERE b = 1`,
		`SELECT a FROM "all of it" WHERE oid = 3`)
	for _, it := range r.Items {
		if it.Problem != "" || it.Answers == 0 {
			t.Errorf("%+v", it)
		}
	}
}

func TestNeighbourTexts(t *testing.T) {
	check := func(s string, like bool, want ...string) {
		t.Helper()
		got := nearTexts(s, like)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%q: %q has no %q", s, got, w)
			}
		}
	}
	check("Lion", false, "Lion", "lion", "Lionx", "xLion", "Lio")
	check("%ab_%", true, "aba", "abax", "xaba", "ABA")
	check("2024-02-28", false, "2024-02-29", "2024-02-27")
	check("41", false, "40", "42")
	check("é", false, "É")
	check("", false, "x")
}

func TestEqualities(t *testing.T) {
	ts, keep := testSuite(), keepDistinct()
	check := func(e Equality, sql, want string, ordered bool) {
		t.Helper()
		got := e.text(sql)
		if squeeze(got) != squeeze(want) || e.Ordered(got) != ordered {
			t.Errorf("%s %s: %s, ordered %t", e.ID, sql, got, e.Ordered(got))
		}
	}
	check(ts, "SELECT DISTINCT a, count(distinct b), 'distinct' FROM t", "SELECT a, count(b), 'distinct' FROM t", false)
	check(keep, "SELECT DISTINCT a FROM t Order By a", "SELECT DISTINCT a FROM t Order By a", true)
	one := &engine.Result{Columns: []string{"a"}, Rows: [][]engine.Value{{engine.OfInt(1)}}}
	two := &engine.Result{Columns: []string{"a"}, Rows: [][]engine.Value{{engine.OfInt(2)}}}
	if !ts.Equal(one, one, false) || ts.Equal(one, two, false) {
		t.Error("results")
	}
}

func FuzzMutants(f *testing.F) {
	for _, sql := range zooGolds {
		f.Add(sql)
	}
	f.Add("WITH c(x) AS (SELECT 1) SELECT DISTINCT (x) FROM c, animal WHERE NOT EXISTS (VALUES (1)) ORDER BY (x) NULLS LAST LIMIT 2, 1")
	cat, err := readCatalog(context.Background(), database(f, "zoo", zoo))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		stmt, err := tree.Parse(sql)
		if err != nil || stmt.Query == nil {
			return
		}
		cat.hint(stmt)
		for _, m := range mutants(stmt, cat) {
			if m.sql == sql || m.rule == "" {
				t.Errorf("%q", m.sql)
			}
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	path := database(b, "zoo", zoo)
	var queries []Gold
	for _, sql := range zooGolds {
		queries = append(queries, Gold{Item: sql, SQL: sql})
	}
	for b.Loop() {
		if _, err := Build(b.Context(), Options{Tries: 20}, sqlite.DB(path), queries, b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNeighbour(b *testing.B) {
	path, _ := sampleDatabase(b, "online_shop")
	cat, err := readCatalog(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	for i := uint64(0); b.Loop(); i++ {
		rng := newRand(1, i)
		if _, err := cat.image(b.Context(), cat.neighbour(rng, newProfile(rng, 120))); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEmptyOriginal(t *testing.T) {
	r := build(t, Options{}, database(t, "void", "CREATE TABLE t (a INTEGER, b TEXT, c REAL)"), t.TempDir(), "SELECT b FROM t WHERE a > 5 AND c < 3.5")
	if got := r.Totals[0]; got.Percent() < 80 || r.Items[0].Answers == 0 {
		t.Errorf("%+v", r)
	}
}
