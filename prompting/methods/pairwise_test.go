package methods_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/outcome"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
)

// cut returns what stands between two lines of a prompt.
func cut(text, from, to string) string {
	_, text, _ = strings.Cut(text, "### "+from+"\n")
	text, _, _ = strings.Cut(text, "\n### "+to)
	return text
}

// judge is a model as arbitrary as can be that is a function of the two queries, the two results and whether it has
// been reminded: about one answer in six cannot be read, and it has no respect for order or for transitivity.
func judge(salt uint64, sqlA, resultA, sqlB, resultB string, reminded bool) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %q %q %v", salt, sqlA, resultA, sqlB, resultB, reminded))
	switch n := sum[0] % 12; {
	case n < 2:
		return "Both are fine."
	case n < 7:
		return "A"
	}
	return "Answer: B"
}

// judging is judge behind the prompt.
func judging(salt uint64) func(llm.Request) (string, error) {
	return func(r llm.Request) (string, error) {
		text := r.Messages[1].Text
		return judge(salt, cut(text, "Candidate A", "Result of A"), cut(text, "Result of A", "Candidate B"),
			cut(text, "Candidate B", "Result of B"), cut(text, "Result of B", "Answer"), len(r.Messages) > 2), nil
	}
}

// algorithm3 is Algorithm 3 as the paper prints it, every pair asked: score and calls.
func algorithm3(w harbour, salt uint64, directions int, queries []string) (score []int, calls int) {
	w.Helper()
	type run struct{ same, text string }
	er := make([]run, len(queries))
	for i, q := range queries {
		o, err := outcome.Run(w.Context(), w.box, w.q.Database, q)
		if err != nil {
			w.Fatal(err)
		}
		er[i] = run{o.Text(), o.Text()}
		if o.OK() {
			var rows []string
			for _, row := range o.Result.Rows {
				rows = append(rows, fmt.Sprint(row))
			}
			slices.Sort(rows)
			er[i].same = fmt.Sprintf("%d %q", len(o.Result.Columns), rows)
		}
	}
	score = make([]int, len(queries))
	for i := range queries {
		for j := range queries {
			if i == j || directions == 1 && j < i {
				continue
			}
			if er[i].same == er[j].same {
				score[i]++
				continue
			}
			for _, reminded := range []bool{false, true} {
				calls++
				letter := judge(salt, outcome.Flat(queries[i]), er[i].text, outcome.Flat(queries[j]), er[j].text, reminded)
				if letter == "A" {
					score[i]++
					break
				}
				if letter == "Answer: B" {
					score[j]++
					break
				}
			}
		}
	}
	return score, calls
}

// shelf is what pools are drawn from: queries of equal results, of equal text, of errors alike and not.
var shelf = []string{ports, portSet, busy, busyLate, tripCount, noTrip, noPort, noHarbour, "SELECT 4", "SELECT\n  count(*)\nFROM Trip;",
	`SELECT "Home Port" FROM Route ORDER BY RouteID DESC`, "SELECT Day FROM Trip", "SELECT Day, Guests FROM Trip", "SELEC", "DELETE FROM Trip",
	"SELECT Guests FROM Trip WHERE Day = 'mon'", "SELECT Guests FROM Trip WHERE Day = 'mon' -- again", "SELECT Name FROM Captain", "SELECT max(Length) FROM Route"}

// TestMemoisingChangesNothing holds the chooser against the algorithm as printed, over random pools and models.
func TestMemoisingChangesNothing(t *testing.T) {
	w := newHarbour(t)
	r := rand.New(rand.NewPCG(3, 1))
	var plain, asked int
	for trial := range 400 {
		pool := make([]string, 2+r.IntN(12))
		few := 1 + r.IntN(len(shelf)) // pools of a few queries, over and over, are what sampling gives
		for i := range pool {
			pool[i] = shelf[(trial+r.IntN(few))%len(shelf)]
		}
		salt := r.Uint64()
		a := ruleArm("pairwise")
		a.Selection.Directions = 1 + trial%2
		c, requests := w.choose(a, 1, judging(salt), pool...)
		score, calls := algorithm3(w, salt, a.Selection.Directions, pool)
		if want := slices.Index(score, slices.Max(score)); c.Index != want {
			t.Errorf("%q: chose %d, the algorithm %d of %v", pool, c.Index, want, score)
		}
		if got := tally(c, len(pool)); !slices.Equal(got, score) {
			t.Errorf("%q: scores %v, the algorithm's %v", pool, got, score)
		}
		if len(requests) > calls || len(requests) != len(c.Calls) {
			t.Errorf("%q: asked %d times, the algorithm %d", pool, len(requests), calls)
		}
		plain, asked = plain+calls, asked+len(requests)
	}
	if asked*2 > plain {
		t.Errorf("asked %d times, the algorithm as printed %d", asked, plain)
	}
	t.Logf("asked %d times, the algorithm as printed %d", asked, plain)
}

// tally counts the wins of votes.
func tally(c script.Choice, n int) []int {
	score := make([]int, n)
	for _, v := range c.Votes {
		if v.Winner >= 0 {
			score[v.Winner]++
		}
	}
	return score
}

func TestVotes(t *testing.T) {
	w := newHarbour(t)
	prefer := func(r llm.Request) (string, error) { // the query that counts
		if strings.Contains(cut(r.Messages[1].Text, "Candidate A", "Result of A"), "count(*)") {
			return "A", nil
		}
		return "B", nil
	}
	c, asked := w.choose(ruleArm("pairwise"), 1, prefer, busy, tripCount, "", busyLate, tripCount+";")
	if c.Index != 1 || len(asked) != 4 || c.Why != "pairwise: 5 of 12 comparisons won; 4 by execution, 4 asked, 4 remembered; tie of 2: first" {
		t.Errorf("%d of %d calls: %s", c.Index, len(asked), c.Why)
	}
	var got []string
	for _, v := range c.Votes {
		got = append(got, fmt.Sprintf("%d-%d %s %d %s", v.A, v.B, v.Order, v.Winner, v.DecidedBy))
	}
	want := []string{"0-1 forward 1 model", "0-3 forward 0 execution", "0-4 forward 4 reused", "1-0 reverse 1 model", "1-3 forward 1 model",
		"1-4 forward 1 execution", "3-0 reverse 3 execution", "3-1 reverse 1 model", "3-4 forward 4 reused", "4-0 reverse 4 reused",
		"4-1 reverse 4 execution", "4-3 reverse 4 reused"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for i, call := range c.Calls {
		if call.Key != asked[i].Key() || call.Stage != "choose" || call.Sample != 0 || call.Usage.PromptTokens == 0 {
			t.Errorf("call %d: %+v", i, call)
		}
	}
	if c.Calls[0].Note != "A is 0, B is 1: B" || c.Votes[0].Key != c.Calls[0].Key || c.Votes[2].Key != c.Calls[0].Key || c.Votes[1].Key != "" {
		t.Errorf("notes and keys: %+v %+v", c.Calls[0], c.Votes)
	}
	// One direction: each pair once, the earlier first.
	a := ruleArm("pairwise")
	a.Selection.Directions = 1
	c, asked = w.choose(a, 1, prefer, busy, tripCount, busyLate)
	if c.Index != 1 || len(asked) != 2 || len(c.Votes) != 3 || c.Votes[0].Order != "forward" {
		t.Errorf("one direction: %+v", c)
	}
}

func TestUnreadable(t *testing.T) {
	w := newHarbour(t)
	check := func(index int, calls int, note string, reply func(llm.Request) (string, error)) {
		t.Helper()
		c, _ := w.choose(ruleArm("pairwise"), 1, reply, tripCount, busy)
		if c.Index != index || len(c.Calls) != calls || c.Why != "pairwise: "+note {
			t.Errorf("got %+v", c)
		}
	}
	never := "0 of 2 comparisons won; 0 by execution, 2 asked, 0 remembered; 2 without a winner; tie of 2: first"
	check(0, 4, never, always("It depends."))
	check(0, 4, never, always(""))
	check(0, 4, never, always(strings.Repeat("\xff", 9000)))
	check(1, 4, "2 of 2 comparisons won; 0 by execution, 2 asked, 0 remembered", func(r llm.Request) (string, error) {
		if len(r.Messages) == 2 {
			return "The one with the join.", nil
		}
		if strings.Contains(cut(r.Messages[1].Text, "Candidate A", "Result of A"), "JOIN") {
			return "A", nil
		}
		return "B", nil
	})
	check(0, 2, never, func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "blocked: SAFETY"} })
	c, _ := w.choose(ruleArm("pairwise"), 1, func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "blocked: SAFETY"} }, tripCount, busy)
	if c.Calls[0].Failure != "blocked: SAFETY" || c.Votes[0].Winner != -1 {
		t.Errorf("got %+v", c)
	}
}

// TestTies: four candidates that lose noTrip to one another, and how each rule parts them.
func TestTies(t *testing.T) {
	w := newHarbour(t)
	second := func(llm.Request) (string, error) { return "B", nil } // order bias alone: every pair ends one to one
	check := func(tie string, index int, queries ...string) {
		t.Helper()
		a := ruleArm("pairwise")
		a.Selection.Tie = tie
		if c, _ := w.choose(a, 1, second, queries...); c.Index != index || !strings.HasSuffix(c.Why, ": "+tie) {
			t.Errorf("%s: %+v", tie, c)
		}
	}
	check("first", 0, noPort, tripCount, busy, busyLate)
	check("consistency", 2, noPort, tripCount, busy, busyLate)
	check("consistency", 0, busy, tripCount)
	check("consistency", 2, noPort, noPort, tripCount) // errors share noTrip
}

// TestWithoutDatabase: what was not run is told apart by its text alone.
func TestWithoutDatabase(t *testing.T) {
	w := newHarbour(t)
	w.q.Database = engine.DB{}
	c, asked := w.choose(ruleArm("pairwise"), 1, func(llm.Request) (string, error) { return "B", nil }, tripCount, tripCount+" ;", busy)
	if c.Index != 0 || len(asked) != 2 || cut(asked[0].Messages[1].Text, "Result of A", "Candidate B") != "not run" {
		t.Errorf("%d calls, %+v", len(asked), c)
	}
	if text := asked[0].Messages[1].Text; strings.Contains(text, "Captain") || !strings.Contains(text, "Guests") || strings.Contains(text, "Length") {
		t.Errorf("the schema is not what the queries name:\n%s", text)
	}
}

func TestRanker(t *testing.T) {
	w := newHarbour(t)
	check := func(index, calls int, note string, reply string, queries ...string) {
		t.Helper()
		c, _ := w.choose(ruleArm("ranker"), 1, func(llm.Request) (string, error) { return reply, nil }, queries...)
		if c.Index != index || len(c.Calls) != calls || c.Why != "ranker: "+note {
			t.Errorf("got %+v", c)
		}
	}
	check(3, 1, "the first of 2 candidates that do not read the same", "2, 1", tripCount, "", tripCount+";", busy)
	check(0, 1, "the first of 2 candidates that do not read the same", "1", tripCount, tripCount+";", busy)
	check(0, 0, "all 2 candidates read the same", "", tripCount, tripCount+" -- all")
	check(0, 2, "no ranking of 2 candidates: first", "3, 1", tripCount, busy)
	c, _ := w.choose(ruleArm("ranker"), 1, func(llm.Request) (string, error) { return "2", nil }, "", tripCount, busy)
	if c.Calls[0].Note != "1 is 1, 2 is 2: 2" {
		t.Errorf("the note is %q", c.Calls[0].Note)
	}
	a := ruleArm("ranker")
	a.Selection.Tie = "consistency"
	c, _ = w.choose(a, 1, func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "empty"} }, tripCount, busy, busyLate)
	if c.Index != 1 || c.Why != "ranker: no ranking of 3 candidates: consistency" || c.Calls[0].Failure != "empty" {
		t.Errorf("got %+v", c)
	}
}

// TestUnion pins what a comparison shows of a database.
func TestUnion(t *testing.T) {
	w := newHarbour(t)
	check := func(want string, queries ...string) {
		t.Helper()
		a := ruleArm("ranker")
		a.Schema.Format = "apidocs"
		_, asked := w.choose(a, 1, always("1"), queries...)
		text := cut(asked[0].Messages[1].Text, "Database schema", "Question")
		var got []string
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "# ") && strings.Contains(line, "(") {
				got = append(got, strings.TrimSpace(line[2:]))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %s, want %s, in\n%s", queries, s, want, text)
		}
	}
	check(`route ("home port")`, ports, portSet)
	check(`route (routeid, "home port") trip (route, guests)`, busy, ports)
	check(`trip (route)`, tripCount, "SELECT count(*), 1 FROM Trip") // no primary key: its first column
	check(`route (routeid)`, "SELECT count(*) FROM Route", "SELECT count(1) FROM Route")
	check(`route ("home port") trip (guests)`, `SELECT "Home Port" FROM Route`, "SELECT Guests FROM Trip")
	check(`route ("home port", length)`, "SELECT [Home Port], length, mast FROM route", ports) // does not compile: by its words
	check(`route (routeid, "home port", length) trip (route, guests, day) captain (name, route)`, "SELECT 1", "SELEC")
}
