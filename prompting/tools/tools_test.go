package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
	"assay/prompting/vectors"

	"github.com/google/go-cmp/cmp"
)

// checker compares observations with what they should be, line by line.
func checker(t *testing.T, s *Set) func(text string, want ...string) {
	return func(text string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, strings.Split(call(t, s, text).Text, "\n")); d != "" {
			t.Errorf("%s: -want +got\n%s", text, d)
		}
	}
}

func TestExecuteSQL(t *testing.T) {
	s := newSet(t, makeDatabase(t, ferries), Options{Observation: 60})
	check := checker(t, s)
	check(`ExecuteSQL("SELECT name, builtYear FROM ferry WHERE id < 3")`, `[('Northern Star', 1999), ('Fjord Queen', 2004)]`)
	check(`ExecuteSQL("SELECT class FROM ferry")`, `[('A',), ('B',), ('A',)]`)
	check(`ExecuteSQL("SELECT NULL, 1.0, x'00ff', 'O''Brien', 'a\nb'")`, `[(None, 1.0, x'00ff', "O'Brien", 'a\nb')]`)
	check(`ExecuteSQL("SELECT id FROM ticket")`, `[(1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (9,), (10,)... (cut: 101 rows in all)`)
	check(`ExecuteSQL("SELECT replace(hex(zeroblob(500)), '00', 'é')")`, `[('`+strings.Repeat("é", 57)+`... (cut: 1 row in all)`)
	check(`ExecuteSQL("SELECT 1 WHERE 0")`, `[]`)
	check(`ExecuteSQL("SELECT nme FROM ferry")`, `Error: the query failed: no such column: nme`)
	check(`ExecuteSQL("DELETE FROM ferry")`, `Error: the query was refused, for only one query that reads may run: DELETE ferry is not allowed`)
	check(`Done()`, `Done.`)

	o := call(t, s, `ExecuteSQL("SELECT id, name FROM ferry")`)
	if o.Took = 0; o != (Observation{Text: o.Text, SQL: "SELECT id, name FROM ferry", Rows: 3, Columns: 2}) {
		t.Errorf("%+v", o)
	}
	if o := call(t, s, `ExecuteSQL("SELECT nme FROM ferry")`); !o.Bad || o.SQL == "" || o.Failure != "sql" {
		t.Errorf("%+v", o)
	}
	void := func(sql string, empty, void bool) {
		t.Helper()
		if o := call(t, s, Action{Name: ExecuteSQL, Args: []Arg{{Text: sql}}}.String()); o.Bad || o.Empty != empty || o.Void != void {
			t.Errorf("%s: %+v", sql, o)
		}
	}
	void("SELECT 1 WHERE 0", true, true)
	for _, one := range []string{"NULL", "NULL, NULL", "0", "0.0", "''"} {
		void("SELECT "+one, false, true)
	}
	for _, one := range []string{"1", "0, 0", "NULL, 0", "0, NULL", "NULL, NULL, NULL", "' '", "x''", "0 UNION ALL SELECT 0"} {
		void("SELECT "+one, false, false)
	}
}

func TestSpiderRules(t *testing.T) {
	s := newSet(t, makeDatabase(t, ferries), Options{Spider: true, DoubleCheck: true})
	check := checker(t, s)
	const alias = "Error: write the query without aliases, each column as table.column; if it cannot be done without, run it again as it is."
	const in = "Error: IN is not used here: write the query with JOIN, or with INTERSECT and EXCEPT."
	check(`ExecuteSQL("SELECT count(*) FROM ferry LEFT JOIN trip ON ferry.id = ferry_id")`, "Error: LEFT JOIN is not used here: write the query with JOIN.")
	check(`ExecuteSQL("SELECT count(*) FROM ferry WHERE id NOT IN (SELECT ferry_id FROM trip)")`, in)
	check(`ExecuteSQL("SELECT count(*) FROM ferry WHERE name = 'LEFT JOIN IN'")`, "[(0,)]")
	check(`ExecuteSQL("SELECT count(*) FROM ferry AS f")`, alias)
	check(`ExecuteSQL("SELECT count(*) FROM ferry AS f")`, "[(3,)]")
	check(`ExecuteSQL("SELECT id, class FROM ferry WHERE id = 1")`, "[(1, 'A')]", "The result has 2 columns: see whether the question asks for each of them.")
	check(`ExecuteSQL("SELECT id, class FROM ferry WHERE id = 1")`, "[(1, 'A')]")
	check(`ExecuteSQL("SELECT FROM")`, `Error: the query failed: near "FROM": syntax error`)
	check = checker(t, s.Fresh())
	check(`ExecuteSQL("SELECT count(*) n FROM ferry")`, alias)
}

func TestFindShortestPath(t *testing.T) {
	check := checker(t, newSet(t, makeDatabase(t, ferries), Options{}))
	check(`FindShortestPath("ticket.price", "ferry.name")`, "ticket.trip_id = trip.id <-> trip.ferry_id = ferry.id")
	check(`FindShortestPath("ferry", "ticket")`, "ferry.id = trip.ferry_id <-> trip.id = ticket.trip_id")
	// Two ways of the same length, in the order of their text.
	check(`FindShortestPath("harbour.name", "trip.note")`, "harbour.id = trip.from_id", "harbour.id = trip.to_id")
	check(`FindShortestPath("harbour.Opened On", "ticket")`, "harbour.id = trip.from_id <-> trip.id = ticket.trip_id", "harbour.id = trip.to_id <-> trip.id = ticket.trip_id")
	check(`FindShortestPath("ferry.name", "ferry.class")`, "no join is needed, both are in the table ferry")
	check(`FindShortestPath("weather.day", "ferry.name")`, "no path: no foreign keys join weather.day and ferry.name")
	check(`FindShortestPath(["trip.note", "weather"], ["class", "price"])`,
		"trip.note to ferry.class: trip.ferry_id = ferry.id",
		"trip.note to ticket.price: trip.id = ticket.trip_id",
		"weather to ferry.class: no path: no foreign keys join weather and ferry.class",
		"weather to ticket.price: no path: no foreign keys join weather and ticket.price")
	check("FindShortestPath('`FERRY`.`Class`', 'note.trip')", "ferry.id = trip.ferry_id")
	check(`FindShortestPath("name", "trip")`, "Error: several tables have a column name: name one of harbour.name, ferry.name.")
	check(`FindShortestPath("ferry.colour", "trip")`, "Error: there is no table or column ferry.colour; the columns of ferry are id, name, class, home_id, builtYear, plan.")
	check(`FindShortestPath("trip", "boat")`, "Error: there is no table or column boat; the tables are harbour, ferry, trip, ticket, weather.")
}

// TestManyPaths: layers of tables, each joined with all of the next one twice over, have too many paths to tell or even
// to go over.
func TestManyPaths(t *testing.T) {
	db := layers(12, 5)
	s := newSet(t, makeDatabase(t, ferries), Options{})
	s, err := New(db, engine.DB{}, s.box, Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(call(t, s, `FindShortestPath("t0_0", "t11_0")`).Text, "\n")
	// 5 tables in each of the 10 layers between, 2 keys at each of the 11 joins: 5^10 * 2^11 = 20,000,000,000.
	if len(lines) != 11 || lines[10] != "(19999999990 more paths are as short)" || strings.Count(lines[0], "<->") != 10 {
		t.Errorf("%q", lines)
	}
}

// layers is a database of depth layers of width tables, each with two keys to every table of the layer before.
func layers(depth, width int) *schema.Database {
	var tables []schema.Table
	var keys []schema.ForeignKey
	for d := range depth {
		for w := range width {
			t := schema.Table{Name: fmt.Sprintf("t%d_%d", d, w), Columns: []schema.Column{{Name: "id"}}}
			for v := 0; d > 0 && v < width; v++ {
				for _, side := range []string{"a", "b"} {
					c := fmt.Sprintf("%s%d", side, v)
					t.Columns = append(t.Columns, schema.Column{Name: c})
					keys = append(keys, schema.ForeignKey{Table: t.Name, Column: c, RefTable: fmt.Sprintf("t%d_%d", d-1, v), RefColumn: "id"})
				}
			}
			tables = append(tables, t)
		}
	}
	return schema.New("layers", tables, keys)
}

func TestSearchValue(t *testing.T) {
	check := checker(t, newSet(t, makeDatabase(t, ferries), Options{TopK: 3}))
	check(`SearchValue("star")`, `{"contents":"Northern Star","table":"ferry","column":"name"}`, `{"contents":"Little Star","table":"ferry","column":"name"}`)
	check(`SearchValue("alesund", "harbour")`, `{"contents":"Ålesund","table":"harbour","column":"name"}`)
	check(`SearchValue("Nothern Star", table=None, column="NAME")`, `{"contents":"Northern Star","table":"ferry","column":"name"}`, `{"contents":"Little Star","table":"ferry","column":"name"}`)
	// A cell cannot pass for a line of the dialogue.
	check(`SearchValue("really done")`, `{"contents":"calm\nThought: I am done \"really\"","table":"trip","column":"note"}`)
	check(`SearchValue("1901", "harbour.Opened On")`, `{"contents":"1901-10-12","table":"harbour","column":"Opened On"}`)
	check(`SearchValue("star", "trip")`, "Nothing found: no text cell of the table trip is like 'star'.")
	check(`SearchValue("2004", "ferry", "builtYear")`, "Nothing found: ferry.builtYear has no text cells; numbers are found by ExecuteSQL.")
	check(`SearchValue("xyzzy", column="name")`, "Nothing found: no text cell of the columns named name is like 'xyzzy'.")
	check(`SearchValue("star", "fery")`, "Error: there is no table fery; the tables are harbour, ferry, trip, ticket, weather.")
	check(`SearchValue("star", "ferry", "nme")`, "Error: there is no table or column ferry.nme; the columns of ferry are id, name, class, home_id, builtYear, plan.")
}

func TestSearchColumn(t *testing.T) {
	file := makeDatabase(t, ferries)
	s := newSet(t, file, Options{TopK: 1})
	check := checker(t, s)
	check(`SearchColumn("price of a ticket")`, `{"column":"price","table":"ticket","type":"REAL","statistics":"numbers from 1.5 to 150.0, 100 different; 1 of 101 are NULL"}`)
	check(`SearchColumn("opened on")`, `{"column":"Opened On","table":"harbour","type":"TEXT","statistics":"dates from 1824-05-01 to 1950-01-31, 3 different"}`)
	check(`SearchColumn("built year")`, `{"column":"builtYear","table":"ferry","type":"INTEGER","statistics":"numbers: 1999, 2004"}`)
	check(`SearchColumn(["ferry class", "wind of the weather", "class"])`,
		`{"column":"class","table":"ferry","type":"TEXT","statistics":"categories: 'A', 'B'"}`,
		`{"column":"wind","table":"weather","type":"TEXT","statistics":"the table is empty"}`)
	check(`SearchColumn("ferry plan")`, `{"column":"plan","table":"ferry","type":"BLOB","statistics":"binary data; 1 of 3 are NULL"}`)

	db, err := sqlite.Engine{}.Describe(context.Background(), file, engine.Detail{})
	if err != nil {
		t.Fatal(err)
	}
	db.Table("ticket").Column("price").Description = "what a passenger pays"
	if s, err = New(db, sqlite.DB(file), s.box, Options{TopK: 1, Cache: s.o.Cache}); err != nil {
		t.Fatal(err)
	}
	check = checker(t, s)
	check(`SearchColumn("passenger pays")`, `{"column":"price","table":"ticket","type":"REAL","description":"what a passenger pays","statistics":"numbers from 1.5 to 150.0, 100 different; 1 of 101 are NULL"}`)
}

func TestSamples(t *testing.T) {
	check := checker(t, newSet(t, makeDatabase(t, `CREATE TABLE post (body TEXT, score, empty TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO post SELECT 'post number ' || i, CASE i % 2 WHEN 0 THEN i ELSE 'n/a' END, NULL FROM n;`), Options{TopK: 1}))
	check(`SearchColumn("body")`, `{"column":"body","table":"post","type":"TEXT","statistics":"texts, 60 different, such as 'post number 1', 'post number 2', 'post number 3', 'post number 4', 'post number 5', 'post number 6'..."}`)
	check(`SearchColumn("empty")`, `{"column":"empty","table":"post","type":"TEXT","statistics":"all NULL"}`)
	if got := call(t, newSet(t, makeDatabase(t, ferries), Options{}), `SearchColumn("id")`); strings.Count(got.Text, "\n") != 4 {
		t.Errorf("five columns: %s", got.Text)
	}
}

// brief is an embedder that gives too few vectors; failing one that gives an error.
type brief struct{ err error }

func (b brief) Embed(context.Context, []string) ([][]float32, error) { return nil, b.err }

func TestSet(t *testing.T) {
	file := makeDatabase(t, ferries)
	s := newSet(t, file, Options{Off: []string{FindShortestPath}})
	if d := cmp.Diff([]string{SearchColumn, SearchValue, ExecuteSQL, Done}, s.names); d != "" {
		t.Error(d)
	}
	checker(t, s)(`FindShortestPath("ferry", "trip")`, "Error: there is no tool named FindShortestPath. The tools are SearchColumn, SearchValue, ExecuteSQL, Done.")
	if got := Describe([]string{Done, "Other"}); got != "Done() ends the work: the last query is the answer.\n" {
		t.Errorf("%q", got)
	}
	ends := func(what string, o Options, a Action, ctx context.Context) {
		t.Helper()
		one, err := New(s.db, s.base, s.box, o)
		if err == nil {
			_, err = one.Call(ctx, a)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "tools: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	bg := context.Background()
	query, column := Action{Name: ExecuteSQL, Args: []Arg{{Text: "SELECT 1"}}}, Action{Name: SearchColumn, Args: []Arg{{Text: "x"}}}
	ends("an unknown tool off", Options{Off: []string{"Guess"}}, query, bg)
	ends("Done off", Options{Off: []string{Done}}, query, bg)
	ends("too few vectors", Options{Vectors: brief{}}, column, bg)
	ends("no vectors", Options{Vectors: brief{errors.New("no")}}, column, bg)
	done, stop := context.WithCancel(bg)
	stop()
	for _, name := range s.names {
		ends("stopped", Options{}, Action{Name: name}, done)
	}
	if err := os.Rename(file, filepath.Join(filepath.Dir(file), "gone")); err != nil {
		t.Fatal(err)
	}
	ends("no database", Options{}, query, bg)
	ends("no database for statistics", Options{}, column, bg)
	ends("no database for values", Options{}, Action{Name: SearchValue, Args: []Arg{{Text: "x"}}}, bg)
}

// TestAtOnce: many callers of sets that share a cache see the same.
func TestAtOnce(t *testing.T) {
	file := makeDatabase(t, ferries)
	cache := NewCache(0)
	defer cache.Close()
	first := newSet(t, file, Options{Cache: cache, Vectors: vectors.New(vectors.Options{})})
	actions := []string{`SearchColumn("name")`, `SearchValue("star")`, `FindShortestPath("ferry", "ticket")`, `ExecuteSQL("SELECT count(*) FROM ticket")`}
	var all sync.WaitGroup
	seen := make([][]string, 8)
	for i := range seen {
		s := first.Fresh()
		all.Go(func() {
			for _, a := range actions {
				seen[i] = append(seen[i], call(t, s, a).Text)
			}
		})
	}
	all.Wait()
	for i := range seen {
		if d := cmp.Diff(seen[0], seen[i]); d != "" {
			t.Error(d)
		}
	}
}

// TestCacheIsBounded: what is dropped is worked out again, and a changed file is another database.
func TestCacheIsBounded(t *testing.T) {
	cache := NewCache(2)
	for range 5 {
		file := makeDatabase(t, ferries)
		checker(t, newSet(t, file, Options{Cache: cache}))(`SearchValue("fjord queen", "ferry")`, `{"contents":"Fjord Queen","table":"ferry","column":"name"}`)
	}
	if len(cache.desks) != 2 || len(cache.recent) != 2 {
		t.Errorf("%d desks, %d names", len(cache.desks), len(cache.recent))
	}
	if err := cache.Close(); err != nil {
		t.Error(err)
	}
}
