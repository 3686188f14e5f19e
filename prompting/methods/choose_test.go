package methods_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// harbour is a question about a database file of ferries, and a sandbox to run candidates in.
type harbour struct {
	testing.TB
	q   prompting.Question
	box *sandbox.Box
}

func newHarbour(t testing.TB) harbour {
	t.Helper()
	q, box := ferriesOf(t, `
		CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, "Home Port" TEXT, Length REAL);
		INSERT INTO Route VALUES (1, 'Sund', 4.5), (2, 'Nordby', 9), (3, 'Sund', 2);
		CREATE TABLE Trip (Route INT REFERENCES Route(RouteID), Guests INT, Day TEXT);
		INSERT INTO Trip VALUES (1, 90, 'mon'), (2, 140, 'mon'), (2, 90, 'tue'), (3, 120, 'wed');
		CREATE TABLE Captain (Name TEXT, Route INT);`)
	return harbour{t, q, box}
}

// ruleArm selects by a rule, both directions, the first of a tie.
func ruleArm(rule string) configs.Arm {
	a := methodtest.Arm("standard", "bird", 0)
	a.Selection = configs.Selection{Rule: rule, Directions: 2, Tie: "first"}
	return a
}

// choose picks among these queries; an empty one is a candidate without SQL.
func (w harbour) choose(a configs.Arm, seed int64, reply func(llm.Request) (string, error), queries ...string) (script.Choice, []llm.Request) {
	w.Helper()
	model := &llm.Scripted{Reply: reply}
	c, err := part(script.Choose, a.Selection.Rule, prompting.Deps{Model: model, Author: scripted, Box: w.box}, a, seed)
	if err != nil {
		w.Fatal(err)
	}
	choice, err := c.Choose(w.Context(), w.q, candidates(queries...))
	if err != nil {
		w.Fatal(err)
	}
	return choice, ordered(w, model.Asked(), choice.Calls)
}

func candidates(queries ...string) (cs []prompting.Candidate) {
	for i, q := range queries {
		cs = append(cs, prompting.Candidate{Sample: i, Generator: "standard", SQL: q, Rule: "statement"})
	}
	return cs
}

const (
	ports     = `SELECT "Home Port" FROM Route`                                                 // Sund, Nordby, Sund
	portSet   = `SELECT DISTINCT "Home Port" FROM Route`                                        // Sund, Nordby
	busy      = `SELECT "Home Port" FROM Route JOIN Trip ON Route = RouteID WHERE Guests > 100` // Nordby, Sund
	busyLate  = `SELECT "Home Port" FROM Route WHERE RouteID IN (SELECT Route FROM Trip WHERE Guests > 100)`
	tripCount = "SELECT count(*) FROM Trip"
	noTrip    = "SELECT Day FROM Trip WHERE Guests > 1000"
	noPort    = "SELECT Port FROM Route"
	noHarbour = "SELECT Harbour FROM Route"
)

func nobody(llm.Request) (string, error) { return "", errors.New("nobody was to be asked") }

// rules lists the rules of selection.
func rules() []string { return methods.Rules().IDs() }

func TestConsistency(t *testing.T) {
	w := newHarbour(t)
	check := func(rule string, index int, why string, queries ...string) {
		t.Helper()
		c, _ := w.choose(ruleArm("consistency-"+rule), 1, nobody, queries...)
		if c.Index != index || c.Why != "consistency-"+rule+": "+why || len(c.Calls)+len(c.Votes) > 0 {
			t.Errorf("got %+v", c)
		}
	}
	check("first", 1, "its first of 2 that agree, of 3 votes in 2 groups", tripCount, busyLate, busy)
	check("dail", 1, "its first of 2 that agree, of 3 votes in 2 groups", tripCount, busyLate, busy)
	check("chess", 2, "its shortest of 2 that agree, of 3 votes in 2 groups", tripCount, busyLate, busy)
	// Rows as they come: Sund, Nordby, Sund is not Sund, Nordby. Without DISTINCT the first two are one query.
	check("first", 1, "its first of 2 that agree, of 3 votes in 2 groups", ports, portSet, busy)
	check("dail", 0, "its first of 2 that agree, of 3 votes in 2 groups", ports, portSet, busy)
	check("chess", 0, "its shortest of 3 that agree, of 3 votes in 1 group", ports, portSet, busy)
	// Errors never vote, however many there are.
	check("first", 2, "its first of 1 that agree, of 1 vote in 1 group; 3 did not run", noPort, noPort, tripCount, noPort)
	check("first", 0, "no candidate ran: the first with SQL", noPort, noPort)
	check("first", 0, "no candidate has SQL: the first", "", "")
	check("chess", 1, "the only candidate with SQL", "", tripCount, "")
	check("first", 0, "its first of 1 that agree, of 2 votes in 2 groups; 2 groups are as large, and the first counts; 1 did not run", tripCount, busy, noPort)
	check("chess", 0, "its shortest of 1 that agree, of 2 votes in 2 groups; 2 groups are as large, and the first counts", busy, tripCount)
	check("dail", 1, "its first of 2 that agree, of 3 votes in 2 groups", tripCount, noTrip, "SELECT Day FROM Trip WHERE 0")
	// Columns in any order, and no rows whatever the columns, are one result to the vote of C3 and DAIL-SQL alone.
	const left, right = `SELECT Route, Guests FROM Trip`, `SELECT Guests, Route FROM Trip`
	check("dail", 1, "its first of 2 that agree, of 3 votes in 2 groups", tripCount, left, right)
	check("first", 0, "its first of 1 that agree, of 3 votes in 3 groups; 3 groups are as large, and the first counts", tripCount, left, right)
	check("dail", 1, "its first of 2 that agree, of 3 votes in 2 groups", tripCount, noTrip, "SELECT Route, Day FROM Trip WHERE 0")
	w.q.Database = engine.DB{}
	check("first", 0, "no candidate ran: the first with SQL", tripCount, busy, busy)
}

func TestFirstAndRandom(t *testing.T) {
	w := newHarbour(t)
	for _, queries := range [][]string{{tripCount, busy}, {"", busy}, {noPort}} {
		if c, _ := w.choose(ruleArm("first"), 1, nobody, queries...); c.Index != 0 || c.Why != "first" {
			t.Errorf("got %+v", c)
		}
	}
	drawn := map[int]int{}
	for seed := range int64(300) {
		c, _ := w.choose(ruleArm("random"), seed, nobody, tripCount, "", busy, noPort)
		again, _ := w.choose(ruleArm("random"), seed, nobody, tripCount, "", busy, noPort)
		if c.Index != again.Index || c.Why != "random: one of 3" {
			t.Errorf("seed %d: %+v, then %+v", seed, c, again)
		}
		drawn[c.Index]++
	}
	for _, i := range []int{0, 2, 3} {
		if n := drawn[i]; n < 70 || n > 130 {
			t.Errorf("candidate %d was drawn %d times of 300", i, n)
		}
	}
}

// TestFewCandidates: no rule asks or runs anything where there is nothing to choose.
func TestFewCandidates(t *testing.T) {
	w := newHarbour(t)
	w.q.Database.Source += ".none"
	for _, rule := range rules() {
		if c, _ := w.choose(ruleArm(rule), 1, nobody); c.Index != -1 || c.Why != rule+": no candidates" {
			t.Errorf("%s of nothing: %+v", rule, c)
		}
		if c, _ := w.choose(ruleArm(rule), 1, nobody, "", tripCount); rule != "first" && c.Index != 1 {
			t.Errorf("%s of one: %+v", rule, c)
		}
	}
}

// TestSelector: the model that selects is asked under its own name and with the settings of selection.
func TestSelector(t *testing.T) {
	w := newHarbour(t)
	a := ruleArm("pairwise")
	a.Model.Temperature, a.Model.Stop, a.Model.MaxTokens = 1.8, []string{";"}, 50
	a.Selection.Name, a.Selection.Temperature = "judge", 0.25
	a.Exemplars = configs.Exemplars{Strategy: "random", K: 5} // the generators', not selection's
	own, other := &llm.Scripted{}, &llm.Scripted{Reply: always("A")}
	d := prompting.Deps{Model: own, Author: scripted, Box: w.box,
		Selector: prompting.Selector{Model: other, Author: llm.Author{Provider: "elsewhere", Model: "judge"}}}
	c, err := part(script.Choose, "pairwise", d, a, 7)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Choose(t.Context(), w.q, candidates(tripCount, busy)); err != nil {
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
	w := newHarbour(t)
	end := errors.New("no such recording")
	for _, rule := range rules() {
		model := &llm.Scripted{Reply: func(llm.Request) (string, error) { return "", end }}
		c, err := part(script.Choose, rule, prompting.Deps{Model: model, Box: w.box}, ruleArm(rule), 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Choose(t.Context(), w.q, candidates(tripCount, busy))
		if asks := rule == "pairwise" || rule == "ranker" || rule == "unit-tests"; asks != (err != nil) || asks && (!errors.Is(err, end) || !strings.Contains(err.Error(), w.q.ID)) {
			t.Errorf("%s: %v", rule, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Choose(gone, w.q, candidates(tripCount, busy)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", rule, err)
		}
	}
}

// TestChoosePrompts pins what is sent, in every format: the union of what the queries use, and no more.
func TestChoosePrompts(t *testing.T) {
	w := newHarbour(t)
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		for _, rule := range []string{"pairwise", "ranker"} {
			a, pool := ruleArm(rule), []string{busy, noPort, tripCount}
			if a.Schema.Format = format; rule == "pairwise" {
				a.Selection.Directions, pool = 1, pool[:2] // one comparison, since several are asked at once
			}
			replies := 0
			_, asked := w.choose(a, 1, func(llm.Request) (string, error) { replies++; return fmt.Sprintf("Well, %d", replies), nil }, pool...)
			goldentest.Compare(t, rule+"-"+format+".golden", methodtest.Text(asked[0].Messages)+"======== reminded\n"+methodtest.Text(asked[1].Messages))
		}
	}
}

// TestLetter: what pairwise reads of a completion, through a comparison of two.
func TestLetter(t *testing.T) {
	w := newHarbour(t)
	a := ruleArm("pairwise")
	a.Selection.Directions = 1
	check := func(want int, completions ...string) {
		t.Helper()
		for _, text := range completions {
			if c, _ := w.choose(a, 1, always(text), tripCount, busy); c.Votes[0].Winner != want {
				t.Errorf("%q: got %d, want %d", text, c.Votes[0].Winner, want)
			}
		}
	}
	check(0, "A", "a", " A\n", "A.", "**A**", `"A"`, "“A”", "(A)", "[A]", "`A`", "```\nA\n```", "Answer: A", "**Answer:** A",
		"The correct answer is A.", "Candidate A", "The answer is: \"A\"", "<think>B is no good. B?</think>\n\nA", "Final answer: A", "answer A")
	check(1, "B", "b", "B!", "Answer: **B**", "The better query is B", "choice: b")
	check(-1, "", "C", "AB", "A B", "A or B", "A, because B joins the wrong table", "Candidate A is right", "Neither", "A\nB", "not A",
		"The query", "answer", "answers A", "1", "<think>A", "À", "A=B", "Both A and B", "\x00A", "\xff", "A\n\nThe first query counts.")
}

// TestRanking: what the ranker reads of a completion about n candidates; -1: no ranking.
func TestRanking(t *testing.T) {
	w := newHarbour(t)
	check := func(n int, completion, want string) {
		t.Helper()
		var queries []string
		for i := range n {
			queries = append(queries, fmt.Sprintf("SELECT %d", i))
		}
		c, _ := w.choose(ruleArm("ranker"), 1, always(completion), queries...)
		got := c.Calls[0].Note[strings.LastIndex(c.Calls[0].Note, ": ")+2:]
		if got != want {
			t.Errorf("%q of %d: got %q, want %q", completion, n, got, want)
		}
	}
	none := "an answer that cannot be read"
	check(3, "2, 1, 3", "2, 1, 3")
	check(3, "2,1,3\n", "2, 1, 3")
	check(3, "[3 > 1 > 2]", "3, 1, 2")
	check(3, "Ranking: 3; 2; 1.", "3, 2, 1")
	check(3, "3\n1\n2", "3, 1, 2")
	check(3, "**2**", "2")
	check(12, "The best candidate is 12", "12")
	check(3, "<think>1, 2, 3</think>3, 1", "3, 1")
	for _, c := range []string{"4, 1, 2", "0, 1", "1, 1, 2", "-1", "+1", "1.5", "", "Candidate 2 is best, then 1", "2, 1 and 3", "99999999999999999999", "A"} {
		check(3, c, none)
	}
}

// FuzzRead: whatever the model answers, there is a choice, and no error.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"A", "**Answer:** B.", "<think>A</think>b", "A or B", "\xff", "2, 1, 3", "Ranking: 3 > 1", "<think>1</think>\xff"} {
		f.Add(s)
	}
	w := newHarbour(f)
	f.Fuzz(func(t *testing.T, s string) {
		w := harbour{t, w.q, w.box}
		for _, rule := range []string{"pairwise", "ranker"} {
			c, asked := w.choose(ruleArm(rule), 1, always(s), tripCount, busy)
			if c.Index < 0 || c.Index > 1 || len(asked) > 4 {
				t.Errorf("%s of %q: %+v", rule, s, c)
			}
		}
	})
}
