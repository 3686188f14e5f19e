package methods_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// told is a dialogue with a model that says the texts in turn, the last again and again.
func (w *stock) told(t *testing.T, a configs.Arm, texts ...string) (prompting.Answer, []llm.Request) {
	t.Helper()
	model := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		n := (len(r.Messages) - 2) / 2
		text := texts[min(n, len(texts)-1)]
		if strings.HasPrefix(text, "FAIL ") {
			return "", &llm.Failure{Reason: text[5:]}
		}
		return text, nil
	}}
	m, err := generator(w.deps(model), a, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Answer(context.Background(), w.question(t, "bakery_orders", "How many bakers are there?"))
	if err != nil {
		t.Fatal(err)
	}
	return got, ordered(t, model.Asked(), got.Trace)
}

func say(action string) string { return "Thought: so.\nAction: " + action }

// TestInteractiveEndings: every way in which a dialogue ends, what is said of it, and what its answer is.
func TestInteractiveEndings(t *testing.T) {
	w := newStock(t)
	check := func(what string, change func(*configs.Agent), texts []string, turns int, note, observation, sql, rule string) {
		t.Helper()
		a, asked := w.told(t, agentArm(change), texts...)
		last, c := a.Trace[len(a.Trace)-1], a.Candidates[0]
		if len(asked) != turns || last.Note != note || !strings.Contains(last.Observation, observation) || c.SQL != sql || c.Rule != rule {
			t.Errorf("%s: %d turns, note %q, observation %q, %q by %q", what, len(asked), last.Note, last.Observation, c.SQL, c.Rule)
		}
	}
	count := say(`ExecuteSQL("SELECT count(*) FROM bakers")`)
	sql := "SELECT count(*) FROM bakers"
	check("done", nil, []string{count, say("Done()")}, 2, "Done() (end: done)", "Done", sql, "last-sql")
	check("done too soon, then a query", nil, []string{say("Done()"), count, say("Done()")}, 3, "Done() (end: done)", "Done", sql, "last-sql")
	check("done too soon, twice", nil, []string{say("Done()")}, 2, "Done() (end: repeated)", "word for word", "", "none")
	check("the same query twice", nil, []string{count}, 2, "ExecuteSQL('SELECT count(*) FROM bakers') (end: repeated)", "word for word", sql, "last-sql, repeated")
	check("no turns left", func(a *configs.Agent) { a.Turns = 2 }, []string{say(`FindShortestPath("bakers", "products")`), count}, 2,
		"ExecuteSQL('SELECT count(*) FROM bakers') (end: turns)", "No turn is left", sql, "last-sql, turns")
	check("no actions", nil, []string{"I", "do", "not", "know"}, 3, "no action (end: bad)", "3 turns in a row", "", "none")
	check("bad actions", func(a *configs.Agent) { a.Bad = 2 }, []string{say("Nothing(1)"), say("ExecuteSQL(")}, 2, "no action (end: bad)", "2 turns in a row", "", "none")
	check("SQL without an action", nil, []string{"Use this:\n```sql\nSELECT 7\n```", "SELECT 8"}, 3, "no action (end: repeated)", "word for word", "SELECT 8", "statement")
	check("an error, then put right", nil, []string{say(`ExecuteSQL("SELECT count(*) FROM baker")`), count, say("Done()")}, 3, "Done() (end: done)", "", sql, "last-sql")
	check("an error alone", nil, []string{say(`ExecuteSQL("SELECT x FROM bakers")`), say("Done()")}, 2, "Done() (end: done)", "", "SELECT x FROM bakers", "last-sql")
	check("the failure of the second turn", nil, []string{count, "FAIL blocked"}, 2, "(end: failure)", "", "", "")
	check("what it makes up is cut off", nil, []string{count + "\nObservation: [(99,)]\nThought: done.\nAction: Done()", say("Done()")}, 2, "Done() (end: done)", "Done", sql, "last-sql")
}

// TestInteractiveAnswers: which query is the answer.
func TestInteractiveAnswers(t *testing.T) {
	w := newStock(t)
	texts := []string{say(`ExecuteSQL("SELECT 1")`), say(`ExecuteSQL("select  * from bakers")`), say(`ExecuteSQL("SELECT x")`), say("Done()")}
	check := func(rule, want string, texts ...string) {
		t.Helper()
		a, _ := w.told(t, agentArm(func(a *configs.Agent) { a.Answer = rule }), texts...)
		if c := a.Candidates[0]; c.SQL != want || c.Rule != rule {
			t.Errorf("%s: %q by %q", rule, c.SQL, c.Rule)
		}
	}
	check("last-sql", "SELECT x", texts...)
	check("last-valid", "select  * from bakers", texts...)
	check("last-non-star", "SELECT x", texts...)
	check("last-non-star", "SELECT 1", append(texts[:2:2], say("Done()"))...)
	check("last-non-star", "select  * from bakers", texts[1], say("Done()"))
	check("last-valid", "SELECT x", texts[2], say("Done()"))
}

// TestInteractiveWall: no turn begins after the question's time.
func TestInteractiveWall(t *testing.T) {
	w := newStock(t)
	d := w.deps(&llm.Scripted{Reply: func(r llm.Request) (string, error) {
		return say(fmt.Sprintf(`ExecuteSQL("SELECT %d")`, len(r.Messages))), nil
	}})
	clock := time.Unix(0, 0)
	d.Now = func() time.Time { clock = clock.Add(4 * time.Minute); return clock }
	m, err := generator(d, agentArm(func(a *configs.Agent) { a.Wall = configs.Duration(time.Hour); a.Redo = 3 }), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(context.Background(), w.question(t, "bakery_orders", "?"))
	if err != nil || len(a.Trace) < 3 || len(a.Trace) > 11 || !strings.HasSuffix(a.Trace[len(a.Trace)-1].Note, "(end: wall)") || a.Candidates[0].Rule != "last-sql, wall" {
		t.Errorf("got %d turns, %+v, %v", len(a.Trace), a.Candidates, err)
	}
}

// TestInteractiveRedo: a dialogue whose answer returns nothing is begun again, with completions of its own.
func TestInteractiveRedo(t *testing.T) {
	w := newStock(t)
	check := func(sql string, redo, dialogues int) {
		t.Helper()
		a, asked := w.told(t, agentArm(func(a *configs.Agent) { a.Redo = redo }), say("ExecuteSQL("+fmt.Sprintf("%q", sql)+")"), say("Done()"))
		samples := map[int]bool{}
		for _, r := range asked {
			samples[r.Sample] = true
		}
		if len(asked) != 2*dialogues || len(samples) != dialogues || len(a.Candidates) != 1 {
			t.Errorf("%s: %d calls of %d samples, %+v", sql, len(asked), len(samples), a.Candidates)
		}
		if dialogues > 1 && a.Trace[2].Stage != "redo 1: turn 1" {
			t.Errorf("%s: stage %q", sql, a.Trace[2].Stage)
		}
	}
	check("SELECT 1", 3, 1)
	check("SELECT 0", 3, 4)
	check("SELECT NULL, NULL", 2, 3)
	check("SELECT x", 1, 2)
	check("SELECT 0", 0, 1)
	check("SELECT 0, 0", 3, 1)
}

// TestInteractiveVotes: equal actions count together; the commonest that does not complain is taken.
func TestInteractiveVotes(t *testing.T) {
	w := newStock(t)
	check := func(what string, notes []string, completions ...string) {
		t.Helper()
		model := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
			if len(r.Messages) > 2 {
				return say("Done()"), nil
			}
			if text := completions[r.Sample]; text != "FAIL" {
				return text, nil
			}
			return "", &llm.Failure{Reason: "empty"}
		}}
		m, err := generator(w.deps(model), agentArm(func(a *configs.Agent) { a.Votes = len(completions) }), 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(context.Background(), w.question(t, "bakery_orders", "?"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range a.Trace[:len(completions)] {
			got = append(got, c.Note)
		}
		if d := cmp.Diff(notes, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	a, b, wrong := say(`ExecuteSQL("SELECT 1")`), say(`ExecuteSQL("SELECT 2")`), say(`ExecuteSQL("SELECT x")`)
	one, two, x := "ExecuteSQL('SELECT 1')", "ExecuteSQL('SELECT 2')", "ExecuteSQL('SELECT x')"
	check("two of three, written in two ways", []string{"not taken: " + one, two, "not taken: " + two}, a, b, "Thought: other.\nAction: ExecuteSQL(sql='SELECT 2')")
	check("the first of equal counts", []string{one, "not taken: " + two, "not taken: " + x}, a, b, wrong)
	check("two that fail, one that does not", []string{"not taken: " + x, "not taken: " + x, one}, wrong, wrong, a)
	check("all fail: the first", []string{"no action", "not taken: " + x, "not taken: " + x}, "hm", wrong, wrong)
	check("a failure among them", []string{"", two, "not taken: " + two}, "FAIL", b, b)
}

// TestSamples: each sample is a dialogue, and more samples leave those before as they are.
func TestInteractiveSamples(t *testing.T) {
	w := newStock(t)
	keys := func(n int) (out []string) {
		a := agentArm(func(a *configs.Agent) { a.Votes = 2 })
		a.Model.Samples = n
		got, asked := w.told(t, a, say(`ExecuteSQL("SELECT 1")`), say("Done()"))
		if len(got.Candidates) != n || len(asked) != 4*n {
			t.Errorf("%d samples: %d candidates of %d calls", n, len(got.Candidates), len(asked))
		}
		for _, r := range asked {
			out = append(out, r.Key())
		}
		return out
	}
	if few, many := keys(1), keys(3); cmp.Diff(few, many[:len(few)]) != "" {
		t.Error("three samples ask otherwise for the first")
	}
}
