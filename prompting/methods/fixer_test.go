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
	"assay/prompting/methodtest"
	"assay/prompting/script"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// mending is a question about a database file, and a sandbox to run candidates in.
type mending struct {
	*testing.T
	q   prompting.Question
	box *sandbox.Box
}

func newMending(t *testing.T) mending {
	t.Helper()
	q, box := ferries(t)
	return mending{t, q, box}
}

// fixArm mends up to three times, both triggers, and drops what still fails: the paper's settings.
func fixArm() configs.Arm {
	a := methodtest.Arm("standard", "createtable", 0)
	a.Fixer = configs.Fixer{Tries: 3, OnUnfixed: "drop", Triggers: []string{"error", "empty"}}
	return a
}

// inTurn replies in turn; the last stands for those after it.
func inTurn(texts ...string) func(llm.Request) (string, error) {
	n := 0
	return func(llm.Request) (string, error) {
		n++
		return texts[min(n, len(texts))-1], nil
	}
}

func (w mending) fix(a configs.Arm, reply func(llm.Request) (string, error), c prompting.Candidate) (prompting.Candidate, []prompting.Call, bool, []llm.Request) {
	w.Helper()
	model := &llm.Scripted{Reply: reply}
	f, err := part(script.Fix, "fixer", prompting.Deps{Model: model, Author: scripted, Box: w.box}, a, 5)
	if err != nil {
		w.Fatal(err)
	}
	fixed, calls, ok, err := f.Fix(w.Context(), w.q, c)
	if err != nil {
		w.Fatal(err)
	}
	return fixed, calls, ok, model.Asked()
}

const (
	good   = `SELECT "Home Port" FROM Route JOIN Trip ON Route = RouteID WHERE Guests > 100`
	empty  = `SELECT "Home Port" FROM Route WHERE RouteID > 9`
	empty2 = `SELECT "Home Port" FROM Route WHERE RouteID > 8`
	broken = "SELECT Port FROM Route"
	wrong  = "SELECT Port FROM Routes"
	worse  = "SELECT Harbour FROM Route"
)

func of(query string) prompting.Candidate {
	return prompting.Candidate{Sample: 4, Generator: "standard", SQL: query, Rule: "fence"}
}

// TestFix lists what becomes of a query that fails, by what the model says.
func TestFix(t *testing.T) {
	w := newMending(t)
	check := func(query string, keep bool, reply []string, want prompting.Candidate, ok bool, notes ...string) {
		t.Helper()
		a := fixArm()
		if keep {
			a.Fixer.OnUnfixed = "keep"
		}
		got, calls, kept, _ := w.fix(a, inTurn(append(reply, "unasked")...), of(query))
		want.Sample, want.Generator = 4, "standard"
		if want.Rule == "" {
			want.Rule = "statement"
		}
		if diff := cmp.Diff(want, got); diff != "" || kept != ok {
			t.Errorf("%s, then %q: kept is %v (-want +got):\n%s", query, reply, kept, diff)
		}
		var said []string
		for i, c := range calls {
			said = append(said, c.Note)
			if c.Stage != fmt.Sprint("fix ", i+1) || c.Sample != 4 || c.Usage.PromptTokens == 0 {
				t.Errorf("call %d: %+v", i, c)
			}
		}
		if diff := cmp.Diff(notes, said); diff != "" {
			t.Errorf("%s, then %q (-want +got):\n%s", query, reply, diff)
		}
	}
	type cand = prompting.Candidate
	check(good, false, nil, cand{SQL: good, Rule: "fence"}, true)
	check(broken, false, []string{good}, cand{SQL: good, Trigger: "error", Tries: 1, Fixed: true, Original: broken}, true, "mends: error")
	check(empty, false, []string{good}, cand{SQL: good, Trigger: "empty", Tries: 1, Fixed: true, Original: empty}, true, "mends: empty")
	check("", false, []string{good}, cand{SQL: good, Trigger: "error", Tries: 1, Fixed: true}, true, "mends: error")
	check(broken, false, []string{wrong, empty, good}, cand{SQL: good, Trigger: "error", Tries: 3, Fixed: true, Original: broken}, true,
		"still fails: error", "still fails: empty", "mends: empty")
	// Three tries and no more; what is kept is the first query that ran, or the first.
	check(broken, false, []string{wrong, empty, worse, good}, cand{SQL: empty, Trigger: "error", Tries: 3, Original: broken}, false,
		"still fails: error", "still fails: empty", "still fails: error")
	check(broken, true, []string{wrong, empty, empty2, good}, cand{SQL: empty, Trigger: "error", Tries: 3, Original: broken}, true,
		"still fails: error", "still fails: empty", "still fails: empty")
	check(broken, true, []string{wrong, worse, wrong}, cand{SQL: broken, Rule: "fence", Trigger: "error", Tries: 3}, true,
		"still fails: error", "still fails: error", "still fails: error")
	check(empty, true, []string{broken, empty2, worse}, cand{SQL: empty, Rule: "fence", Trigger: "empty", Tries: 3}, true,
		"still fails: error", "still fails: empty", "still fails: error")
	// A model that repeats itself, or says nothing, is not asked the same again.
	check(broken, false, []string{broken + " ;"}, cand{SQL: broken, Rule: "fence", Trigger: "error", Tries: 1}, false, "repeats the query: error")
	check(broken, true, []string{"I cannot."}, cand{SQL: broken, Rule: "fence", Trigger: "error", Tries: 1}, true, "no SQL")
	check("DROP TABLE Route", false, []string{"```sql\n" + good + "\n```"}, cand{SQL: good, Rule: "fence", Trigger: "error", Tries: 1, Fixed: true, Original: "DROP TABLE Route"}, true,
		"mends: error")
	check(broken, false, []string{"Final answer: " + good + ";"}, cand{SQL: good, Rule: "marker", Trigger: "error", Tries: 1, Fixed: true, Original: broken}, true, "mends: error")
}

func TestFixTriggers(t *testing.T) {
	w := newMending(t)
	check := func(triggers []string, query string, asked bool) {
		t.Helper()
		a := fixArm()
		a.Fixer.Triggers = triggers
		c, calls, ok, _ := w.fix(a, inTurn(good), of(query))
		if (len(calls) > 0) != asked || !ok || c.Fixed != asked || !asked && c != of(query) {
			t.Errorf("%v, %s: %+v after %d calls", triggers, query, c, len(calls))
		}
	}
	check([]string{"error"}, broken, true)
	check([]string{"error"}, "", true)
	check([]string{"error"}, empty, false)
	check([]string{"empty"}, broken, false)
	check([]string{"empty"}, empty, true)
	// An empty result mends an error where only errors count.
	a := fixArm()
	a.Fixer.Triggers = []string{"error"}
	if c, _, ok, _ := w.fix(a, inTurn(empty), of(broken)); !ok || !c.Fixed || c.SQL != empty {
		t.Errorf("got %+v", c)
	}
}

// TestFixUntouched: what is not the query's fault is left alone, and never dropped.
func TestFixUntouched(t *testing.T) {
	w := newMending(t)
	check := func(path string, c prompting.Candidate) {
		t.Helper()
		w.q.Database = sqlite.DB(path)
		if got, calls, ok, _ := w.fix(fixArm(), inTurn(good), c); got != c || len(calls) > 0 || !ok {
			t.Errorf("got %+v, %v", got, ok)
		}
	}
	failed := of("")
	failed.Failure = "blocked: SAFETY"
	path := w.q.Database.Source
	check(path, failed)
	check(path+".none", of(broken))
	check("", of(broken))
}

// TestFixSamples: tries are requests of their own also where the prompts are equal, which a model that samples is worth.
func TestFixSamples(t *testing.T) {
	w := newMending(t)
	a := fixArm()
	a.Model.Temperature = 0.5
	_, calls, ok, asked := w.fix(a, inTurn(broken), of(broken))
	if ok || len(asked) != 3 {
		t.Fatalf("%d calls", len(asked))
	}
	keys := map[string]bool{}
	for i, r := range asked {
		keys[r.Key()] = true
		if want := llm.DrawSeed(5, w.q.ID, "fix", fmt.Sprint("fix ", i+1)); r.Sample != 4 || *r.Params.Seed != want || calls[i].Key != r.Key() || calls[i].Sample != 4 {
			t.Errorf("request %+v, call %+v", r, calls[i])
		}
	}
	if len(keys) != 3 {
		t.Error("two tries are one request")
	}
}

func TestFixTroubles(t *testing.T) {
	w := newMending(t)
	c, calls, ok, _ := w.fix(fixArm(), func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "http 500"} }, of(broken))
	if ok || len(calls) != 1 || calls[0].Failure != "http 500" || c.Failure != "" || c.SQL != broken || c.Tries != 1 {
		t.Errorf("got %+v, %+v", c, calls)
	}
	end := errors.New("no such recording")
	f, err := part(script.Fix, "fixer", prompting.Deps{Model: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "", end }}, Box: w.box}, fixArm(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := f.Fix(t.Context(), w.q, of(broken)); !errors.Is(err, end) || !strings.Contains(err.Error(), w.q.ID) {
		t.Errorf("got %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := f.Fix(gone, w.q, of(broken)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	noBox, err := part(script.Fix, "fixer", prompting.Deps{Model: &llm.Scripted{}}, fixArm(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := noBox.Fix(t.Context(), w.q, of(broken)); err == nil || !strings.Contains(err.Error(), "there is no sandbox to run SQL in") {
		t.Errorf("without a sandbox: %v", err)
	}
	for _, reply := range []string{"", "```", "\x00\xff", strings.Repeat("(", 9000), "SELECT '" + strings.Repeat("x", 70000), "DROP TABLE Trip"} {
		if c, _, ok, _ := w.fix(fixArm(), inTurn(reply), of(broken)); ok || c.Fixed || c.SQL != broken {
			t.Errorf("%.20q: %+v", reply, c)
		}
	}
}

func TestFixTries(t *testing.T) {
	w := newMending(t)
	var cs []prompting.Candidate
	for _, query := range []string{good, broken, empty, worse} {
		c, _, _, _ := w.fix(fixArm(), func(r llm.Request) (string, error) {
			if strings.Contains(r.Messages[1].Text, "Harbour") {
				return wrong, nil
			}
			return good, nil
		}, of(query))
		cs = append(cs, c)
	}
	// broken: 1 try; empty: 1; worse: asked, told wrong, asked again, told good.
	triggered, fixed, tries := 0, 0, 0
	for _, c := range cs {
		if c.Trigger != "" {
			triggered++
		}
		if c.Fixed {
			fixed++
		}
		tries += c.Tries
	}
	if triggered != 3 || fixed != 3 || tries != 4 {
		t.Errorf("%d triggered, %d fixed, %d tries", triggered, fixed, tries)
	}
}

// TestFixParameters: what ends a generator's answer does not cut the fixer's, whose temperature and length are its own.
func TestFixParameters(t *testing.T) {
	w := newMending(t)
	a := fixArm()
	a.Model.Stop, a.Model.Temperature, a.Model.MaxTokens = []string{"\n\n", "Final answer:"}, 0.5, 50
	check := func(temperature float64, tokens int) {
		t.Helper()
		_, _, _, asked := w.fix(a, inTurn(good), of(broken))
		if p := asked[0].Params; p.Stop != nil || p.Temperature != temperature || p.MaxTokens != tokens {
			t.Errorf("got %+v", p)
		}
	}
	check(0.5, 50)
	zero, long := 0.0, 900
	a.Stages.Fix = configs.Stage{Temperature: &zero, MaxTokens: &long}
	check(0, 900)
	// Sampled generators, a greedy fixer: the same prompt is not asked twice.
	if _, calls, _, _ := w.fix(a, inTurn(broken), of(broken)); len(calls) != 1 {
		t.Errorf("%d calls, want 1", len(calls))
	}
}

// TestFixSettings: settings that mean nothing are refused before anything runs, whichever way an experiment states them.
func TestFixSettings(t *testing.T) {
	check := func(want string, change func(*prompting.Deps, *configs.Arm)) {
		t.Helper()
		d, a := prompting.Deps{Model: &llm.Scripted{}, Box: &sandbox.Box{}}, fixArm()
		change(&d, &a)
		_, err := part(script.Fix, "fixer", d, a, 1)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), `script: fix "fixer": `) || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("no model", func(d *prompting.Deps, _ *configs.Arm) { d.Model = nil })
	check(`fixer.on_unfixed = "hide" is unknown (there are keep, drop)`, func(_ *prompting.Deps, a *configs.Arm) { a.Fixer.OnUnfixed = "hide" })
	check(`fixer.triggers = "slow" is unknown (there are error, empty)`, func(_ *prompting.Deps, a *configs.Arm) { a.Fixer.Triggers = []string{"slow"} })
	check(`fixer.triggers = "late" is unknown (there are error, empty)`, func(_ *prompting.Deps, a *configs.Arm) {
		a.Params = map[string]any{"fix": map[string]any{"triggers": []any{"late"}}}
	})
	// The generators' demonstrations are no part of mending, so none need be there.
	check("", func(_ *prompting.Deps, a *configs.Arm) { a.Exemplars = configs.Exemplars{Strategy: "random", K: 5} })
}

// TestFixPrompts pins what the model is shown: the second try has the first one's query and what came of it.
func TestFixPrompts(t *testing.T) {
	w := newMending(t)
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		a := fixArm()
		a.Schema.Format, a.Schema.Shuffle = format, true
		_, _, _, asked := w.fix(a, inTurn("SELECT \"Home Port\"\n  FROM Route -- all\n WHERE RouteID > 9", good), of(broken))
		text := methodtest.Text(asked[0].Messages) + "======== again\n" + methodtest.Text(asked[1].Messages)
		goldentest.Compare(t, "fixer-"+format+".golden", text)
	}
}
