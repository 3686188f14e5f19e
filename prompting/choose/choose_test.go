package choose

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	_ "github.com/mattn/go-sqlite3"
)

// world is a question about a database file of ferries, and a sandbox to run candidates in.
type world struct {
	testing.TB
	q   prompting.Question
	box *sandbox.Box
}

func newWorld(t testing.TB) world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ferry.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`
		CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, "Home Port" TEXT, Length REAL);
		INSERT INTO Route VALUES (1, 'Sund', 4.5), (2, 'Nordby', 9), (3, 'Sund', 2);
		CREATE TABLE Trip (Route INT REFERENCES Route(RouteID), Guests INT, Day TEXT);
		INSERT INTO Trip VALUES (1, 90, 'mon'), (2, 140, 'mon'), (2, 90, 'tue'), (3, 120, 'wed');
		CREATE TABLE Captain (Name TEXT, Route INT);`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	q := methodtest.Question()
	q.Database = sqlite.DB(path)
	if q.Schema, err = (sqlite.Engine{}).Describe(t.Context(), path, engine.Detail{}); err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	t.Cleanup(func() { box.Close() })
	return world{t, q, box}
}

// arm selects by a rule, both directions, the first of a tie.
func arm(rule string) configs.Arm {
	a := methodtest.Arm("standard", "bird", 0)
	a.Selection = configs.Selection{Rule: rule, Directions: 2, Tie: "first"}
	return a
}

// choose picks among these queries; an empty one is a candidate without SQL.
func (w world) choose(a configs.Arm, seed int64, reply func(llm.Request) (string, error), queries ...string) (Choice, []llm.Request) {
	w.Helper()
	model := &llm.Scripted{Reply: reply}
	c, err := New(a.Selection.Rule, prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Box: w.box}, a, seed)
	if err != nil {
		w.Fatal(err)
	}
	choice, err := c.Choose(w.Context(), w.q, candidates(queries...))
	if err != nil {
		w.Fatal(err)
	}
	return choice, model.Asked()
}

func candidates(queries ...string) (cs []prompting.Candidate) {
	for i, q := range queries {
		cs = append(cs, prompting.Candidate{Sample: i, Generator: "standard", SQL: q, Rule: "statement"})
	}
	return cs
}

const (
	ports    = `SELECT "Home Port" FROM Route`                                                 // Sund, Nordby, Sund
	portSet  = `SELECT DISTINCT "Home Port" FROM Route`                                        // Sund, Nordby
	busy     = `SELECT "Home Port" FROM Route JOIN Trip ON Route = RouteID WHERE Guests > 100` // Nordby, Sund
	busyLate = `SELECT "Home Port" FROM Route WHERE RouteID IN (SELECT Route FROM Trip WHERE Guests > 100)`
	count    = "SELECT count(*) FROM Trip"
	nothing  = "SELECT Day FROM Trip WHERE Guests > 1000"
	broken   = "SELECT Port FROM Route"
	broken2  = "SELECT Harbour FROM Route"
)

func silent(llm.Request) (string, error) { return "", errors.New("nobody was to be asked") }

func TestConsistency(t *testing.T) {
	w := newWorld(t)
	check := func(rule string, index int, note string, queries ...string) {
		t.Helper()
		c, _ := w.choose(arm("consistency-"+rule), 1, silent, queries...)
		if c.Index != index || c.Note != "consistency-"+rule+": "+note || len(c.Calls)+len(c.Votes) > 0 {
			t.Errorf("got %+v", c)
		}
	}
	check("first", 1, "its first of 2 that agree, of 3 votes in 2 groups", count, busyLate, busy)
	check("dail", 1, "its first of 2 that agree, of 3 votes in 2 groups", count, busyLate, busy)
	check("chess", 2, "its shortest of 2 that agree, of 3 votes in 2 groups", count, busyLate, busy)
	// Rows as they come: Sund, Nordby, Sund is not Sund, Nordby. Without DISTINCT the first two are one query.
	check("first", 1, "its first of 2 that agree, of 3 votes in 2 groups", ports, portSet, busy)
	check("dail", 0, "its first of 2 that agree, of 3 votes in 2 groups", ports, portSet, busy)
	check("chess", 0, "its shortest of 3 that agree, of 3 votes in 1 group", ports, portSet, busy)
	// Errors never vote, however many there are.
	check("first", 2, "its first of 1 that agree, of 1 vote in 1 group; 3 did not run", broken, broken, count, broken)
	check("first", 0, "no candidate ran: the first with SQL", broken, broken)
	check("first", 0, "no candidate has SQL: the first", "", "")
	check("chess", 1, "the only candidate with SQL", "", count, "")
	check("first", 0, "its first of 1 that agree, of 2 votes in 2 groups; 2 groups are as large, and the first counts; 1 did not run", count, busy, broken)
	check("chess", 0, "its shortest of 1 that agree, of 2 votes in 2 groups; 2 groups are as large, and the first counts", busy, count)
	check("dail", 1, "its first of 2 that agree, of 3 votes in 2 groups", count, nothing, "SELECT Day FROM Trip WHERE 0")
	w.q.Database = engine.DB{}
	check("first", 0, "no candidate ran: the first with SQL", count, busy, busy)
}

func TestWithoutDistinct(t *testing.T) {
	check := func(query, want string) {
		t.Helper()
		if got := withoutDistinct(query); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	check("SELECT DISTINCT a FROM t", "SELECT  a FROM t")
	check("select count(distinct a) from t", "select count( a) from t")
	check("SELECT a FROM t WHERE a IS NOT DISTINCT FROM b AND a IS DISTINCT FROM 1", "SELECT a FROM t WHERE a IS NOT DISTINCT FROM b AND a IS DISTINCT FROM 1")
	check(`SELECT "distinct", 'distinct' FROM t -- distinct`, `SELECT "distinct", 'distinct' FROM t -- distinct`)
	check("", "")
}

func TestFirstAndRandom(t *testing.T) {
	w := newWorld(t)
	for _, queries := range [][]string{{count, busy}, {"", busy}, {broken}} {
		if c, _ := w.choose(arm("first"), 1, silent, queries...); c.Index != 0 || c.Note != "first" {
			t.Errorf("got %+v", c)
		}
	}
	drawn := map[int]int{}
	for seed := range int64(300) {
		c, _ := w.choose(arm("random"), seed, silent, count, "", busy, broken)
		again, _ := w.choose(arm("random"), seed, silent, count, "", busy, broken)
		if c.Index != again.Index || c.Note != "random: one of 3" {
			t.Errorf("seed %d: %+v, then %+v", seed, c, again)
		}
		drawn[c.Index]++
	}
	for i, n := range map[int]int{0: drawn[0], 2: drawn[2], 3: drawn[3]} {
		if n < 70 || n > 130 {
			t.Errorf("candidate %d was drawn %d times of 300", i, n)
		}
	}
	for _, rule := range Rules().IDs() {
		if c, _ := w.choose(arm(rule), 1, silent); c.Index != -1 || c.Note != rule+": no candidates" && rule != "first" {
			t.Errorf("%s of nothing: %+v", rule, c)
		}
		w.q.Database.Source += ".none"
		if c, _ := w.choose(arm(rule), 1, silent, "", count); rule != "first" && c.Index != 1 {
			t.Errorf("%s of one: %+v", rule, c)
		}
		w.q.Database.Source = strings.TrimSuffix(w.q.Database.Source, ".none")
	}
}

func TestNew(t *testing.T) {
	check := func(rule string, change func(*prompting.Deps, *configs.Arm), want string) {
		t.Helper()
		d, a := prompting.Deps{Model: &llm.Scripted{}, Box: &sandbox.Box{}}, arm(rule)
		change(&d, &a)
		_, err := New(rule, d, a, 1)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != "choose: rule "+want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("oracle", func(*prompting.Deps, *configs.Arm) {}, `"oracle": unknown (there are first, random, consistency-dail, consistency-chess, consistency-first, pairwise, ranker)`)
	check("pairwise", func(_ *prompting.Deps, a *configs.Arm) { a.Selection.Tie = "last" }, `"pairwise": tie "last" is unknown (there are first, consistency)`)
	check("pairwise", func(d *prompting.Deps, _ *configs.Arm) { d.Model = nil }, `"pairwise": no model`)
	check("ranker", func(d *prompting.Deps, _ *configs.Arm) { d.Box = nil }, `"ranker": no sandbox to run candidates in`)
	check("ranker", func(_ *prompting.Deps, a *configs.Arm) { a.Schema.Format = "xml" }, `"ranker": render: format "xml": unknown format (there are apidocs, createtable, bird)`)
	check("consistency-dail", func(d *prompting.Deps, _ *configs.Arm) { d.Box = nil }, `"consistency-dail": no sandbox to run candidates in`)
	check("consistency-dail", func(d *prompting.Deps, _ *configs.Arm) { d.Model = nil }, "")
	check("first", func(d *prompting.Deps, a *configs.Arm) { *d, *a = prompting.Deps{}, configs.Arm{} }, "")
}

// TestSelector: the model that selects is asked under its own name and with the settings of selection.
func TestSelector(t *testing.T) {
	w := newWorld(t)
	a := arm("pairwise")
	a.Model.Temperature, a.Model.Stop, a.Model.MaxTokens = 1.8, []string{";"}, 50
	a.Selection.Name, a.Selection.Temperature = "judge", 0.25
	a.Exemplars = configs.Exemplars{Strategy: "random", K: 5} // the generators', not selection's
	own, other := &llm.Scripted{}, &llm.Scripted{Reply: func(llm.Request) (string, error) { return "A", nil }}
	d := prompting.Deps{Model: own, Author: llm.Author{Provider: "scripted", Model: "one"}, Box: w.box,
		Selector: prompting.Selector{Model: other, Author: llm.Author{Provider: "elsewhere", Model: "judge"}}}
	c, err := New("pairwise", d, a, 7)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Choose(t.Context(), w.q, candidates(count, busy)); err != nil {
		t.Fatal(err)
	}
	if len(own.Asked()) != 0 || len(other.Asked()) != 2 {
		t.Fatalf("asked %d and %d times", len(own.Asked()), len(other.Asked()))
	}
	r := other.Asked()[0]
	if p := r.Params; r.Provider != "elsewhere" || r.Model != "judge" || p.Temperature != 0.25 || p.Stop != nil || p.MaxTokens != 50 || *p.Seed != llm.DrawSeed(7, w.q.ID, "choose", "choose") {
		t.Errorf("asked %+v", r)
	}
}

func TestErrorsEndTheRun(t *testing.T) {
	w := newWorld(t)
	end := errors.New("no such recording")
	for _, rule := range Rules().IDs() {
		a := arm(rule)
		model := &llm.Scripted{Reply: func(llm.Request) (string, error) { return "", end }}
		c, err := New(rule, prompting.Deps{Model: model, Box: w.box}, a, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Choose(t.Context(), w.q, candidates(count, busy))
		if asks := rule == "pairwise" || rule == "ranker"; asks != (err != nil) || asks && (!errors.Is(err, end) || !strings.Contains(err.Error(), w.q.ID)) {
			t.Errorf("%s: %v", rule, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Choose(gone, w.q, candidates(count, busy)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", rule, err)
		}
	}
}

// TestPrompts pins what is sent, in every format: the union of what the queries use, and no more.
func TestPrompts(t *testing.T) {
	w := newWorld(t)
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		for _, rule := range []string{"pairwise", "ranker"} {
			a := arm(rule)
			a.Schema.Format = format
			replies := 0
			_, asked := w.choose(a, 1, func(llm.Request) (string, error) { replies++; return fmt.Sprintf("Well, %d", replies), nil }, busy, broken, count)
			goldentest.Compare(t, rule+"-"+format+".golden", methodtest.Text(asked[0].Messages)+"======== reminded\n"+methodtest.Text(asked[1].Messages))
		}
	}
}

func TestPromptHash(t *testing.T) {
	if h := PromptHash(); !strings.HasPrefix(h, "sha256:") || len(h) != 71 || h != PromptHash() {
		t.Errorf("got %q", h)
	}
}
