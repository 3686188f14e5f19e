package sqlite

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// build makes a database file from a script.
func build(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	return path
}

const script = `
CREATE TABLE "Team" (id INTEGER PRIMARY KEY, name TEXT, "home city" VARCHAR(20));
CREATE TABLE squad (
  team INT REFERENCES team, player INT, since DATE, fit BOOLEAN, pay REAL, photo BLOB,
  PRIMARY KEY (player, team));
CREATE TABLE loan (a INT, b INT, FOREIGN KEY (a, b) REFERENCES Squad, FOREIGN KEY (a) REFERENCES Team(ID), FOREIGN KEY (b) REFERENCES nowhere);
CREATE TABLE pair (x INT, y INT, PRIMARY KEY (x, y));
CREATE INDEX squad_pay ON squad (pay);
CREATE VIEW rich AS SELECT * FROM squad WHERE pay > 10;
CREATE VIRTUAL TABLE notes USING fts5(body);
INSERT INTO Team VALUES (1, 'Gulls', 'Port O''Mere'), (2, 'Otters', NULL);
INSERT INTO squad VALUES (1, 9, 'not a date', 5, 12.5, x'00ff'), (1, 7, '2020-01-02', 0, 2.0, NULL), (2, 7, 1577923200, NULL, 1e20, NULL);
INSERT INTO pair VALUES (3, 1), (1, 2), (2, 0);
`

func TestLoad(t *testing.T) {
	path := build(t, "a team#1%.sqlite", script)
	before, _ := os.ReadDir(filepath.Dir(path))
	d, err := Engine{}.Describe(context.Background(), path, engine.Detail{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	var names []string
	for _, table := range d.Tables {
		names = append(names, table.Name)
	}
	squad := *d.Table("SQUAD")
	check("name from the file", d.Name, "a team#1%")
	check("tables in order, no views, no shadow tables", names, []string{"Team", "squad", "loan", "pair", "notes"})
	check("row count", squad.Rows, 3)
	check("empty table", d.Table("loan").Rows, 0)
	check("composite key in key order", squad.PrimaryKey, []string{"player", "team"})
	check("a name with a space", d.Tables[0].Columns[2], schema.Column{Name: "home city", Type: "VARCHAR(20)", Samples: []string{"Port O'Mere"}})
	check("DDL as stored", d.Tables[0].DDL, `CREATE TABLE "Team" (id INTEGER PRIMARY KEY, name TEXT, "home city" VARCHAR(20))`)
	check("stored values, not what the declared type makes of them", squad.Samples, [][]string{
		{"1", "9", "not a date", "5", "12.5", "x'00ff'"},
		{"1", "7", "2020-01-02", "0", "2.0", "NULL"},
		{"2", "7", "1577923200", "NULL", "1.0e+20", "NULL"}})
	check("distinct values in order of appearance", squad.Column("Player").Samples, []string{"9", "7"})
	check("storage order although an index covers the table", d.Table("pair").Samples, [][]string{{"3", "1"}, {"1", "2"}, {"2", "0"}})
	check("foreign keys", d.ForeignKeys, []schema.ForeignKey{
		{Table: "squad", Column: "team", RefTable: "Team", RefColumn: "id"},
		{Table: "loan", Column: "a", RefTable: "squad", RefColumn: "player"}, {Table: "loan", Column: "b", RefTable: "squad", RefColumn: "team"},
		{Table: "loan", Column: "a", RefTable: "Team", RefColumn: "id"}})
	after, _ := os.ReadDir(filepath.Dir(path))
	check("nothing new beside the file", len(after), len(before))
}

func TestLoadBounds(t *testing.T) {
	path := build(t, "big.sqlite", `CREATE TABLE n (i INT, same TEXT, long TEXT);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i < 5000)
INSERT INTO n SELECT i, CASE WHEN i < 200 THEN 'a' ELSE 'b' END, 'é' || hex(zeroblob(500)) FROM c;`)
	d, err := Engine{}.Describe(context.Background(), path, engine.Detail{Name: "big", Rows: 2, Values: 3, Scan: 100, Cut: 5})
	if err != nil {
		t.Fatal(err)
	}
	n := d.Tables[0]
	check := func(what string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("all rows are counted", n.Rows, 5000)
	check("rows", n.Samples, [][]string{{"1", "a", "é0000..."}, {"2", "a", "é0000..."}})
	check("values", n.Columns[0].Samples, []string{"1", "2", "3"})
	check("a value beyond the scan is not seen", n.Columns[1].Samples, []string{"a"})
	d, err = Engine{}.Describe(context.Background(), path, engine.Detail{Rows: -1, Values: -1})
	check("none wanted", len(d.Tables[0].Samples)+len(d.Tables[0].Columns[0].Samples), 0)
	check("no error", err, nil)
}

// TestOutline reads the names of files with views that SQLite cannot compile, and of tables that modules keep.
func TestOutline(t *testing.T) {
	check := func(name, script, want string) {
		t.Helper()
		d, err := Engine{}.Outline(t.Context(), build(t, name, script))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		var got []string
		for _, x := range d.Tables {
			got = append(got, x.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
	check("whole.sqlite", "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; CREATE TABLE u (b)", "t v u")
	check("broken.sqlite", "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM gone; CREATE VIEW w AS SELECT a FROM t; CREATE VIEW x AS SELECT nofunc(1)", "t w")
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	check := func(ctx context.Context, path, want string) {
		t.Helper()
		d, err := Engine{}.Describe(ctx, path, engine.Detail{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: got %v, %v; want an error with %q", path, d, err, want)
		}
	}
	check(context.Background(), filepath.Join(dir, "gone.sqlite"), "no such file")
	check(context.Background(), dir, "is a folder")
	check(context.Background(), write("text.sqlite", strings.Repeat("no database ", 200)), "not a database")
	check(context.Background(), write("empty.sqlite", ""), "has no tables")
	check(cancelled, build(t, "fine.sqlite", script), "context canceled")
}

// TestSpider reads every database there is: none may fail, and the DDL made for a shuffled copy must run. Foreign keys
// that lead nowhere are the database's own fault, and logged.
func TestSpider(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/data/spider/database/*/*.sqlite")
	if len(files) == 0 {
		t.Skip("no Spider databases under ../shared/data")
	}
	memory, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	memory.SetMaxOpenConns(1)
	for _, f := range files {
		d, err := Engine{}.Describe(context.Background(), f, engine.Detail{})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, table := range d.Shuffled(rand.New(rand.NewPCG(1, 1))).Tables {
			if _, err := memory.Exec(table.DDL + "; DROP TABLE " + schema.Quote(table.Name)); err != nil {
				t.Errorf("%s: the DDL made for %s fails: %v\n%s", d.Name, table.Name, err, table.DDL)
			}
		}
		for _, k := range d.ForeignKeys {
			if ref := d.Table(k.RefTable); ref == nil || ref.Column(k.RefColumn) == nil {
				t.Logf("%s: %s.%s refers to %s.%s, which is not there", d.Name, k.Table, k.Column, k.RefTable, k.RefColumn)
			}
		}
	}
	t.Logf("%d databases", len(files))
}

func TestShuffled(t *testing.T) {
	d, err := Engine{}.Describe(context.Background(), build(t, "a.sqlite", script), engine.Detail{})
	if err != nil {
		t.Fatal(err)
	}
	first := d.Tables[1].Columns[0].Name
	a, b := d.Shuffled(rand.New(rand.NewPCG(1, 2))), d.Shuffled(rand.New(rand.NewPCG(1, 2)))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the same seed gave another order:\n%s", diff)
	}
	if cmp.Equal(a.Tables, d.Tables) {
		t.Error("nothing moved")
	}
	if d.Tables[1].Columns[0].Name != first || d.Tables[1].Name != "squad" {
		t.Error("the original changed")
	}
	squad := a.Table("squad")
	for i, c := range squad.Columns {
		if c.Name == "since" && squad.Samples[0][i] != "not a date" {
			t.Errorf("samples did not move with their columns: %v", squad.Samples[0])
		}
	}
	at := strings.Index(squad.DDL, squad.Columns[0].Name)
	if next := strings.Index(squad.DDL, squad.Columns[1].Name); at < 0 || next < at {
		t.Errorf("the DDL shows another order: %s", squad.DDL)
	}
}
