package methods_test

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/script"
)

// TestForeignCandidates: what a part would give away or lose in silence is an error.
func TestForeignCandidates(t *testing.T) {
	cs := []prompting.Candidate{{SQL: "SELECT 1", Generator: "a"}, {SQL: "SELECT 2", Generator: "a", Sample: 1}}
	check := func(kind, body, want string) {
		t.Helper()
		dir := t.TempDir()
		write(t, filepath.Join(dir, "method.star"), map[string]string{script.Choose: "def choose(q, cs):\n    ", script.Fix: "def fix(q, c):\n    "}[kind]+body+"\n")
		p, err := part(kind, dir, prompting.Deps{Model: &llm.Scripted{}}, methodtest.Arm("standard", "bird", 0), 1)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if kind == script.Choose {
			var c script.Choice
			if c, err = p.Choose(t.Context(), methodtest.Question(), cs); err == nil {
				got = cs[c.Index].SQL
			}
		} else {
			var c prompting.Candidate
			if c, _, _, err = p.Fix(t.Context(), methodtest.Question(), cs[1]); err == nil {
				got = c.SQL + " of " + c.Original
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
	check(script.Choose, `return choice(cs[1], "")`, "SELECT 2")
	check(script.Choose, `return part("first").choose(q, cs[1:])`, "SELECT 2")
	check(script.Choose, `return choice(candidate("SELECT 3"), "")`, "none of cs")
	check(script.Choose, `return choice(replace(cs[0], sql = "SELECT 3"), "")`, "none of cs")
	check(script.Choose, `return choice(None, "")`, "a choice of None among 2 candidates")
	check(script.Choose, `vote(cs[0], candidate("SELECT 3"), None, by = "model")`, "a and b must be two of the candidates")
	check(script.Choose, `vote(cs[0], cs[1], "A", by = "model")`, `winner = "A": want a, b or None`)
	check(script.Fix, `return replace(c, sql = "SELECT 3")`, "SELECT 3 of SELECT 2")
	check(script.Fix, `return candidate("SELECT 3")`, "that is not c")
}

// TestOwnDatabase: pool() leaves out demonstrations of the question's own database, one of which may be its gold query.
func TestOwnDatabase(t *testing.T) {
	demos := methodtest.Pool(3).Demos()
	demos[1].DB = strings.ToUpper(methodtest.Question().DB)
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "method.star"), "def answer(q):\n    return \",\".join([d.id for d in pool()])\n")
	a, _ := ask(t, prompting.Deps{Pool: pool}, methodtest.Arm(dir, "bird", 0), 1, methodtest.Question(), always(""))
	if got, want := a.Candidates[0].SQL, demos[0].ID+","+demos[2].ID; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPreparedCandidate: a candidate that prepare() made is every sample's, each with its own number.
func TestPreparedCandidate(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "method.star"), "def prepare(q):\n    return candidate(\"SELECT 1\")\n\ndef answer(q, c):\n    return c\n")
	arm := methodtest.Arm(dir, "bird", 0)
	arm.Model.Samples = 4
	a, _ := ask(t, prompting.Deps{}, arm, 1, methodtest.Question(), always(""))
	for i, c := range a.Candidates {
		if c.Sample != i || c.SQL != "SELECT 1" {
			t.Errorf("candidate %d: %+v", i, c)
		}
	}
}

// TestRefusedText: SQL that is missing because no call got a completion is the model's failure.
func TestRefusedText(t *testing.T) {
	check := func(body, failure, rule string) {
		t.Helper()
		dir := t.TempDir()
		write(t, filepath.Join(dir, "method.star"), "def answer(q):\n    a = ask([user(\"a\")], may_fail = True)\n    "+body+"\n")
		refuse := func(r llm.Request) (string, error) {
			if r.Messages[0].Text == "a" {
				return "", &llm.Failure{Reason: "blocked"}
			}
			return "no", nil
		}
		a, _ := ask(t, prompting.Deps{}, methodtest.Arm(dir, "bird", 0), 1, methodtest.Question(), refuse)
		if c := a.Candidates[0]; c.Failure != failure || c.Rule != rule {
			t.Errorf("%s: %+v", body, c)
		}
	}
	check("return a.sql", "blocked", "")
	check("return a", "blocked", "")
	check("ask([user(\"b\")])\n    return a.sql", "", "none")
	check("return \"SELECT 1\"", "", "method")
}
