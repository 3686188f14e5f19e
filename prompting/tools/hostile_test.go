package tools

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
	"assay/prompting/values"
)

// hostile are action texts that should do nothing but be told off: none is right, and none may panic, hang or write.
var hostile = []string{
	// No action.
	"", " ", "\n", "\x00", "\ufeff", "()", "(", ")", ")(", "...", "None", "42", "'text'", "```", "Action:", "Action: Done()", "I am done.",
	"```python\nDone()\n```", "Thought: x\nAction: Done()", "Done", "Done;", "Done().", "Done(),", "Done()()", "Done() # over", "Done(\x00)",
	"Ｄｏｎｅ()", "Dоne()", "Do\u200bne()", "\u202eDone()", "done()", "DONE()", "Done[]", "Done{}", "Done(())", "a.b()", "Done.__class__()", "9Done()",
	// Nested, unbalanced and mixed quotes.
	`ExecuteSQL("SELECT "name" FROM ferry")`, `ExecuteSQL('SELECT * FROM ferry WHERE name = 'x'')`, `ExecuteSQL("SELECT 1)`, `ExecuteSQL('SELECT 1")`,
	`ExecuteSQL("""SELECT 1"")`, `ExecuteSQL('''SELECT 1'''')`, `ExecuteSQL(SELECT 1)`, "ExecuteSQL(`SELECT 1`)", `ExecuteSQL(“SELECT 1”)`, `ExecuteSQL("SELECT 1"`,
	`ExecuteSQL(("SELECT 1"))`, `ExecuteSQL("SELECT 1"))`, `ExecuteSQL("SELECT 1\")`, `ExecuteSQL("\")`, `ExecuteSQL("""")`, `ExecuteSQL('\u12')`, `ExecuteSQL('\xZZ')`,
	`ExecuteSQL('\N{LATIN SMALL LETTER A}')`, `SearchColumn(["a", "b")`, `SearchColumn(["a" "b"`, `SearchColumn([[["a"]]])`, `SearchColumn([,])`, `SearchColumn(["a";"b"])`,
	// Python.
	`ExecuteSQL(__import__('os').system('touch /tmp/owned'))`, `__import__('os').system('id')`, `eval("1")`, `exec("import os")`, `open('/etc/passwd').read()`,
	`ExecuteSQL(open('/etc/passwd').read())`, `ExecuteSQL(f"SELECT {1+1}")`, `ExecuteSQL(f'{__import__("os")}')`, `ExecuteSQL("SELECT %s" % 1)`, `ExecuteSQL("a".join(["b"]))`,
	`SearchColumn([x for x in range(10**9)])`, `SearchColumn(*["a"])`, `SearchValue(**{"value": "x"})`, `ExecuteSQL(lambda: 1)`, `ExecuteSQL("a" + "b")`, `ExecuteSQL("a" * 10**9)`,
	`ExecuteSQL(sql:="SELECT 1")`, `ExecuteSQL(b"SELECT 1")`, `ExecuteSQL({"sql": "SELECT 1"})`, `ExecuteSQL(1 if True else 2)`, `ExecuteSQL(9**9**9)`, `lambda: Done()`, `print(Done())`,
	`Done(); __import__("os")`, `ExecuteSQL(globals())`, `ExecuteSQL((1).__class__)`, `ExecuteSQL("x"[0])`, `ExecuteSQL(not "x")`, `ExecuteSQL(sql = = "x")`,
	// SQL that does more than read, or never ends.
	`ExecuteSQL("DROP TABLE ferry")`, `ExecuteSQL("DELETE FROM ferry")`, `ExecuteSQL("INSERT INTO ferry (id) VALUES (9)")`, `ExecuteSQL("UPDATE ferry SET name = 'x'")`,
	`ExecuteSQL("SELECT 1; DROP TABLE ferry")`, `ExecuteSQL("CREATE TABLE x (y)")`, `ExecuteSQL("CREATE TEMP TABLE x (y)")`, `ExecuteSQL("ATTACH 'other.sqlite' AS o")`,
	`ExecuteSQL("ATTACH ':memory:' AS o")`, `ExecuteSQL("VACUUM INTO 'copy.sqlite'")`, `ExecuteSQL("VACUUM")`, `ExecuteSQL("PRAGMA query_only = 0")`, `ExecuteSQL("PRAGMA journal_mode = WAL")`,
	`ExecuteSQL("PRAGMA table_info(ferry)")`, `ExecuteSQL("SELECT * FROM pragma_database_list")`, `ExecuteSQL("BEGIN IMMEDIATE")`, `ExecuteSQL("REINDEX")`, `ExecuteSQL("ANALYZE")`,
	`ExecuteSQL("ALTER TABLE ferry RENAME TO x")`, `ExecuteSQL("SELECT load_extension('x')")`, `ExecuteSQL("SELECT writefile('x', 'y')")`, `ExecuteSQL("SELECT readfile('/etc/passwd')")`,
	`ExecuteSQL("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")`,
	`ExecuteSQL("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n")`, `ExecuteSQL("SELECT zeroblob(2000000000)")`,
	`ExecuteSQL("SELECT printf('%2000000000d', 1)")`, `ExecuteSQL("SELECT count(*) FROM ticket a, ticket b, ticket c, ticket d, ticket e, ticket f, ticket g")`,
	"ExecuteSQL(\"SELECT 1 \x00 DROP\")", `ExecuteSQL("SELECT \0 1")`, `ExecuteSQL("SELECT ?")`, `ExecuteSQL("SELECT :x")`, `ExecuteSQL("-- nothing")`, `ExecuteSQL(";;;")`, `ExecuteSQL("SELEKT 1")`,
	`ExecuteSQL("SELECT nothing FROM nowhere")`, `ExecuteSQL("SELECT ` + strings.Repeat("(", 2000) + `1")`, `ExecuteSQL("SELECT 1` + strings.Repeat(" UNION ALL SELECT 1", 2000) + ` FROM")`,
	`ExecuteSQL("EXPLAIN DELETE FROM ferry")`, `ExecuteSQL("WITH x AS (SELECT 1) DELETE FROM ferry")`, `ExecuteSQL("REPLACE INTO ferry (id) VALUES (1)")`, `ExecuteSQL("DELETE FROM ferry RETURNING *")`,
	// Wrong arguments.
	`ExecuteSQL()`, `ExecuteSQL("")`, `ExecuteSQL("  ")`, `ExecuteSQL(None)`, `ExecuteSQL(1)`, `ExecuteSQL(True)`, `ExecuteSQL(["SELECT 1"])`, `ExecuteSQL("SELECT 1", "SELECT 2")`, `ExecuteSQL(query="SELECT 1")`,
	`ExecuteSQL(sql="SELECT 1", sql="SELECT 2")`, `ExecuteSQL(sql="SELECT 1", "SELECT 2")`, `ExecuteSQL("SELECT 1", sql="SELECT 2")`, `Done("finished")`, `Done(None)`, `SearchColumn()`, `SearchColumn("")`,
	`SearchColumn([])`, `SearchColumn([""])`, `SearchColumn(None)`, `SearchColumn("a", "b")`, `SearchColumn([None])`, `SearchValue()`, `SearchValue(None)`, `SearchValue("")`, `SearchValue(["a", "b"])`, `SearchValue("a", "b", "c", "d")`,
	`SearchValue("a", ["ferry"])`, `SearchValue("a", table="")`, `SearchValue(value="a", value="b")`, `FindShortestPath()`, `FindShortestPath("ferry")`, `FindShortestPath("ferry", None)`, `FindShortestPath([], [])`,
	`FindShortestPath("", "")`, `FindShortestPath("ferry", "trip", "ticket")`, `FindShortestPath({"ferry"}, "trip")`,
	// Names that are none.
	`Guess()`, `Guess("x")`, `ExecuteSql("SELECT 1")`, `executesql("SELECT 1")`, `SearchValue("a", "nowhere")`, `SearchValue("a", "ferry", "nowhere")`, `SearchValue("a", column="nowhere")`, `SearchValue("a", "ferry.name", "name")`,
	`SearchValue("a", "'; DROP TABLE ferry; --")`, `SearchValue("a", "ferry\x00")`, `SearchValue("a", "name")`, `FindShortestPath("nowhere", "ferry")`, `FindShortestPath("ferry", "ferry.nothing")`, `FindShortestPath("name", "trip")`,
	`FindShortestPath(".", "..")`, `FindShortestPath("ferry.", ".trip")`, `FindShortestPath("ferry" "trip", "x")`, `FindShortestPath("\"ferry", "a.b.c.d")`, `FindShortestPath(["ferry", "nowhere"], "trip")`, `FindShortestPath(1, 2)`,
	// Huge.
	`ExecuteSQL("` + strings.Repeat("x", 90_000) + `")`, strings.Repeat("(", 90_000), "ExecuteSQL" + strings.Repeat("(", 90_000), strings.Repeat("A", 90_000) + "()", strings.Repeat("A", 90_000) + `("x")`,
	`SearchColumn([` + strings.Repeat(`"a",`, 20_000) + `])`, `SearchColumn(` + strings.Repeat("[", 90_000), `ExecuteSQL(` + strings.Repeat(`"a" `, 20_000), strings.Repeat("Done() ", 10_000), `ExecuteSQL("` + strings.Repeat(`\`, 90_001) + `")`,
	strings.Repeat(" ", 200_000), `ExecuteSQL("` + strings.Repeat("x", 200_000) + `")`, `FindShortestPath("` + strings.Repeat("ferry.", 15_000) + `", "trip")`, `SearchValue("a", "` + strings.Repeat("é", 40_000) + `")`,
	// Bytes that are no UTF-8, and marks that turn or hide text.
	"\xff\xfe", "ExecuteSQL(\"\xff\xfe\")", "ExecuteSQL('\ud7ff\xed\xa0\x80')", "ExecuteSQL(\"\u202eTCELES\")", "ExecuteSQL\u00a0(\u201cSELECT 1\u201d)", "ExecuteSQL(\"SELECT\u20281\")", "ExecuteSQL(\"\x1b[2J\")", "\x1b]0;x\x07",
}

// awkward are right but odd: the answer may be anything that is clear, and nothing may break.
var awkward = []string{
	`SearchColumn("` + strings.Repeat("deep water ", 5000) + `")`, `SearchColumn("\x00\x01")`, "SearchColumn('\u202e\u200b')", `SearchColumn("'; DROP TABLE ferry; --")`, `SearchColumn("!!!")`, `SearchColumn(7)`, `SearchColumn("😀")`,
	`SearchValue("` + strings.Repeat("star ", 10000) + `")`, `SearchValue("\x00")`, `SearchValue("\" OR 1=1 --")`, `SearchValue("* OR NEAR(a b, 9) NOT ^c {d} : e +")`, `SearchValue("😀")`, `SearchValue("́")`, `SearchValue(True)`, `SearchValue(-1e308)`,
	`SearchValue("'", "ferry", "name")`, `SearchValue("star", 'FERRY', "NAME")`, "SearchValue('\xff')", `SearchValue("AND OR NOT")`, `SearchValue("%")`, `FindShortestPath("[ferry].[name]", "` + "`trip`" + `")`, `FindShortestPath("name.ferry", "trip.id")`,
	`ExecuteSQL("SELECT char(0, 27, 8238)")`, `ExecuteSQL("SELECT x'fffe', cast(x'fffe' AS TEXT)")`, `ExecuteSQL("SELECT 1e999, -1e999, NULL, ''")`, `ExecuteSQL("SELECT group_concat(a.id) FROM ticket a, ticket b")`, `ExecuteSQL("SELECT 1 -- x\n;  ")`,
	`ExecuteSQL("SELECT ` + strings.Repeat("(", 2000) + `1` + strings.Repeat(")", 2000) + `")`, `ExecuteSQL("EXPLAIN SELECT 1")`, `ExecuteSQL("VALUES (1)")`, `ExecuteSQL("SELECT note FROM trip")`,
}

// TestHostile tries every hostile text against a database, whose bytes and folder must stay as they are.
func TestHostile(t *testing.T) {
	file := makeDatabase(t, ferries)
	db, err := sqlite.Engine{}.Describe(context.Background(), file, engine.Detail{})
	if err != nil {
		t.Fatal(err)
	}
	before, folder := fileHash(t, file), entries(t, filepath.Dir(file))
	box := sandbox.New(sandbox.Options{Timeout: 200 * time.Millisecond})
	s, err := New(db, sqlite.DB(file), box, Options{Index: values.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	goroutines := runtime.NumGoroutine()
	check := func(text string, refused bool) {
		t.Helper()
		shown := clip(text, 60)
		var o Observation
		a, err := Parse(text)
		if err != nil {
			o = Misread(err)
		} else if o, err = s.Call(context.Background(), a); err != nil {
			t.Errorf("%q: ends the run: %v", shown, err)
			return
		}
		if refused && (!o.Bad || !strings.HasPrefix(o.Text, "Error: ")) || !refused && o.Text == "" {
			t.Errorf("%q: observed %+v", shown, o)
		}
		if !utf8.ValidString(o.Text) || utf8.RuneCountInString(o.Text) > 2500 || strings.ContainsAny(o.Text, "\x00\x1b\u202e") {
			t.Errorf("%q: no observation to show: %d bytes, %q", shown, len(o.Text), clip(o.Text, 200))
		}
	}
	if len(hostile) < 100 {
		t.Errorf("only %d hostile texts", len(hostile))
	}
	for _, h := range hostile {
		check(h, true)
	}
	for _, h := range awkward {
		check(h, false)
	}
	if fileHash(t, file) != before {
		t.Error("the database has changed")
	}
	if now := entries(t, filepath.Dir(file)); now != folder {
		t.Errorf("the database's folder has %s, before %s", now, folder)
	}
	if n := runtime.NumGoroutine(); n > goroutines+20 {
		t.Errorf("%d goroutines, before %d", n, goroutines)
	}
	t.Logf("%d hostile and %d awkward texts", len(hostile), len(awkward))
}

func fileHash(t *testing.T, file string) [sha256.Size]byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

func entries(t *testing.T, dir string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// FuzzCall: whatever is parsed, and whatever the arguments of each tool are, a call ends with a text to show.
func FuzzCall(f *testing.F) {
	file := makeDatabase(f, ferries)
	db, err := sqlite.Engine{}.Describe(context.Background(), file, engine.Detail{})
	if err != nil {
		f.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{Timeout: 100 * time.Millisecond, MaxValue: 10_000})
	s, err := New(db, sqlite.DB(file), box, Options{Index: values.Options{Dir: f.TempDir()}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	for _, text := range append(append([]string{}, hostile...), awkward...) {
		if a, err := Parse(text); err == nil && len(a.Args) > 0 {
			f.Add(a.Name, a.Args[0].Text, "ferry", false)
			f.Add(SearchValue, "star", a.Args[0].Text, true)
		}
	}
	f.Fuzz(func(t *testing.T, name, first, second string, spider bool) {
		for _, a := range []Action{
			{Name: name, Args: []Arg{{Text: first}, {Text: second}}},
			{Name: SearchColumn, Args: []Arg{{List: []string{first, second}, IsList: true}}},
			{Name: SearchValue, Args: []Arg{{Text: first}, {Name: "table", Text: second}}},
			{Name: SearchValue, Args: []Arg{{Text: second}}},
			{Name: FindShortestPath, Args: []Arg{{Text: first}, {Text: second}}},
			{Name: ExecuteSQL, Args: []Arg{{Text: first}}},
		} {
			one := s.Fresh()
			one.o.Spider = spider
			o, err := one.Call(context.Background(), a)
			if err != nil || o.Text == "" || !utf8.ValidString(o.Text) || strings.Contains(o.Text, "\x00") {
				t.Errorf("%s: %+v, %v", a, o, err)
			}
		}
	})
}
