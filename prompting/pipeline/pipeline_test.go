package pipeline

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	"assay/prompting/sql/sqlite"
	"assay/prompting/values"

	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3"
)

// plain makes a method without any part around it.
func plain(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	p, err := Part(script.Answer, arm.Method, script.Setup{Deps: d, Arm: arm, Seed: seed})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// ordered returns requests in the order of a trace: those made at once arrive in any.
func ordered(asked []llm.Request, trace []prompting.Call) []llm.Request {
	at := map[string]int{}
	for i, c := range trace {
		at[c.Key] = i
	}
	slices.SortStableFunc(asked, func(a, b llm.Request) int { return at[a.Key()] - at[b.Key()] })
	return asked
}

// world is a ferry line with a database file.
type world struct {
	*testing.T
	q   prompting.Question
	box *sandbox.Box
	dir string
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{T: t, dir: t.TempDir(), box: sandbox.New(sandbox.Options{})}
	path := filepath.Join(w.dir, "ferry.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, "Home Port" TEXT);
CREATE TABLE Trip (Route INT REFERENCES Route, Guests INT);
INSERT INTO Route VALUES (1, 'Sund'), (2, 'Nordby'), (3, 'Vesterhavn');
INSERT INTO Trip VALUES (2, 140), (3, 20)`); err != nil {
		t.Fatal(err)
	}
	w.q = methodtest.Question()
	w.q.Database, w.q.Text = sqlite.DB(path), "Which trips from Vesterhaven have more than 100 guests?"
	if w.q.Schema, err = (sqlite.Engine{}).Describe(t.Context(), path, engine.Detail{Name: "ferry"}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w world) deps(m llm.Model) prompting.Deps {
	return prompting.Deps{Model: m, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: methodtest.Pool(12), Box: w.box,
		Values: func(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error) {
			o.Dir = w.dir
			x, err := values.Open(ctx, db, o)
			if err == nil {
				w.Cleanup(func() { x.Close() })
			}
			return x, err
		}}
}

// reply plays a model for all parts. The candidates of dc-cot fail, and are mended at the second try.
func reply(r llm.Request) (string, error) {
	system, user := r.Messages[0].Text, r.Messages[1].Text
	answer := func(sql string) (string, error) { return "<FINAL_ANSWER>" + sql + "</FINAL_ANSWER>", nil }
	switch {
	case strings.Contains(system, "list the words"):
		return `["Vesterhavn", "guests"]`, nil
	case strings.HasPrefix(system, "You choose which columns"):
		return `{"Trip": ["Guests"]}`, nil
	case strings.Contains(system, "You write examples"):
		return `{"input": "How many?", "output": "SELECT count(*) FROM Trip"}`, nil
	case strings.Contains(system, "dividing them"):
		return answer("SELECT Guest FROM Trip")
	case strings.Contains(user, "SELECT Guest FROM Trip") && strings.Contains(user, "no such column"):
		return answer("SELECT Guests FROM Trip WHERE Guests > 1000")
	case strings.Contains(user, "Guests > 1000"):
		return answer("SELECT Guests FROM Trip WHERE Guests > 100")
	case strings.Contains(user, "Candidate A"):
		return "B", nil
	case strings.Contains(system, "how the database would execute"):
		return answer(fmt.Sprintf("SELECT Guests FROM Trip LIMIT %d", r.Sample+1))
	}
	return answer("SELECT Route FROM Trip")
}

func full() configs.Arm {
	arm := methodtest.Arm(Pool.ID, "bird", 2)
	arm.Row, arm.Generators = Pool, []string{"dc-cot", "qp-cot", "os"}
	arm.Model.Samples, arm.Model.Temperature, arm.Schema.Shuffle = 2, 0.8, true
	arm.Values.Use, arm.Values.Keywords = true, "model"
	arm.Columns.Use, arm.Fixer.Tries, arm.Selection.Rule = "one-call", 3, "pairwise"
	return arm
}

// TestFull takes a question through all parts, and pins every prompt on the way.
func TestFull(t *testing.T) {
	w := newWorld(t)
	model := &llm.Scripted{Reply: reply}
	m, err := New(w.deps(model), full(), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(t.Context(), w.q)
	if err != nil {
		t.Fatal(err)
	}
	var pool, stages []string
	for _, c := range a.Candidates {
		pool = append(pool, fmt.Sprintf("%s %d %s", c.Generator, c.Sample, c.SQL))
	}
	var all strings.Builder
	for i, r := range ordered(model.Asked(), a.Trace) {
		c := a.Trace[i]
		if c.Key != r.Key() {
			t.Errorf("call %d is not in the trace's order", i)
		}
		stages = append(stages, fmt.Sprintf("%s %d", c.Stage, c.Sample))
		fmt.Fprintf(&all, "======== %s, sample %d, %s\n%s", c.Stage, c.Sample, c.Note, methodtest.Text(r.Messages))
	}
	wanted := []string{"dc-cot 0 SELECT Guests FROM Trip WHERE Guests > 100", "dc-cot 1 SELECT Guests FROM Trip WHERE Guests > 100",
		"qp-cot 0 SELECT Guests FROM Trip LIMIT 1", "qp-cot 1 SELECT Guests FROM Trip LIMIT 2", "os 0 SELECT Route FROM Trip", "os 1 SELECT Route FROM Trip"}
	if diff := cmp.Diff(wanted, pool); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	head := []string{"keywords 0", "columns 0", "dc-cot: generate 0", "dc-cot: generate 1", "qp-cot: generate 0", "qp-cot: generate 1",
		"os: features 0", "os: tables 0", "os: generate 0", "os: generate 1", "fix 1 0", "fix 2 0", "fix 1 1", "fix 2 1"}
	if diff := cmp.Diff(head, stages[:min(len(head), len(stages))]); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	for _, s := range stages[len(head):] {
		if s != "choose 0" {
			t.Errorf("stage %q after the fixer", s)
		}
	}
	var linked []string
	for _, l := range a.Linked {
		linked = append(linked, fmt.Sprintf("%s: %d values, %d of %d columns", l.Stage, len(l.Values), len(l.Chosen), len(l.Shown)))
	}
	if diff := cmp.Diff([]string{"values: 1 values, 0 of 0 columns", "columns: 0 values, 1 of 1 columns"}, linked); diff != "" {
		t.Errorf("linked (-want +got):\n%s", diff)
	}
	if len(a.Votes) != 30 || a.Why == "" || len(a.Dropped) != 0 {
		t.Errorf("%d votes, why %q, %d dropped", len(a.Votes), a.Why, len(a.Dropped))
	}
	goldentest.Compare(t, "full.golden", all.String())
}

// TestValues: what is found stands in the generators' prompts, by rules without a call.
func TestValues(t *testing.T) {
	w := newWorld(t)
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		for _, by := range []string{"rules", "model"} {
			arm := methodtest.Arm("dc-cot", format, 0)
			arm.Values.Use, arm.Values.Keywords = true, by
			model := &llm.Scripted{Reply: reply}
			m, err := New(w.deps(model), arm, 1)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Answer(t.Context(), w.q)
			if err != nil {
				t.Fatal(err)
			}
			asked := model.Asked()
			if n := map[string]int{"rules": 1, "model": 2}[by]; len(asked) != n || len(a.Trace) != n {
				t.Errorf("%s: %d calls", by, len(asked))
			}
			if text := asked[len(asked)-1].Messages[1].Text; strings.Count(text, "`Vesterhavn`") != 1 {
				t.Errorf("%s, %s: the value is not in\n%s", format, by, text)
			}
			if len(a.Linked) != 1 || a.Linked[0].Stage != "values" || len(a.Linked[0].Values) != 1 || a.Linked[0].Values[0].Value != "Vesterhavn" {
				t.Errorf("%s: linked %+v", by, a.Linked)
			}
			if by == "model" && a.Trace[0].Note != "Vesterhavn | guests (1 values)" {
				t.Errorf("note %q", a.Trace[0].Note)
			}
		}
	}
	if w.q.Schema.Tables[0].Columns[1].Found != nil {
		t.Error("the shared description changed")
	}
}

// TestNoKeywords: where the model gives no keywords, the rules find them.
func TestNoKeywords(t *testing.T) {
	w := newWorld(t)
	arm := methodtest.Arm("dc-cot", "bird", 0)
	arm.Values.Use, arm.Values.Keywords = true, "model"
	model := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if strings.Contains(r.Messages[0].Text, "list the words") {
			return "", &llm.Failure{Reason: "empty"}
		}
		return reply(r)
	}}
	m, err := New(w.deps(model), arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(t.Context(), w.q)
	if err != nil || a.Trace[0].Note != "no keywords: by rules (1 values)" || a.Trace[0].Failure != "empty" || a.Candidates[0].SQL == "" {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestDropped: candidates that stay broken leave the pool where the arm says so, and stand in the answer apart.
func TestDropped(t *testing.T) {
	w := newWorld(t)
	broken := func(r llm.Request) (string, error) {
		if strings.Contains(r.Messages[0].Text, "how the database would execute") {
			return "SELECT Guests FROM Trip", nil
		}
		return "SELECT Guest FROM Trip", nil
	}
	check := func(unfixed string, generators []string, pool ...string) {
		t.Helper()
		arm := full()
		arm.Generators, arm.Model.Samples, arm.Fixer.OnUnfixed, arm.Selection.Rule = generators, 1, unfixed, "first"
		m, err := New(w.deps(&llm.Scripted{Reply: broken}), arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(t.Context(), w.q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range a.Candidates {
			got = append(got, c.Generator+" "+c.SQL+" "+c.Rule)
		}
		if diff := cmp.Diff(pool, got); diff != "" || len(a.Candidates)+len(a.Dropped) < len(generators) {
			t.Errorf("%s (-want +got):\n%s", unfixed, diff)
		}
	}
	check("keep", []string{"dc-cot", "qp-cot"}, "dc-cot SELECT Guest FROM Trip statement", "qp-cot SELECT Guests FROM Trip statement")
	check("drop", []string{"dc-cot", "qp-cot"}, "qp-cot SELECT Guests FROM Trip statement")
	check("drop", []string{"dc-cot"}, "dc-cot  dropped")
}

// TestPlain: with all parts off the method is the plain one, and with parts on its own requests stay what they were.
func TestPlain(t *testing.T) {
	w := newWorld(t)
	for _, name := range configs.ChoicesOf(methods.Methods()).IDs() {
		arm := methodtest.Arm(name, "createtable", 2)
		arm.Model.Samples, arm.Model.Temperature, arm.Schema.Shuffle = 2, 0.5, true
		requests := func(arm configs.Arm, plainly bool) []llm.Request {
			model := &llm.Scripted{Reply: reply}
			m, err := New(w.deps(model), arm, 1)
			if plainly {
				m, err = plain(w.deps(model), arm, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := m.(*pipeline); ok != (arm.Fixer.Tries > 0) {
				t.Errorf("%s: a pipeline: %v", name, ok)
			}
			a, err := m.Answer(t.Context(), w.q)
			if err != nil {
				t.Fatal(err)
			}
			return ordered(model.Asked(), a.Trace)
		}
		want := requests(arm, true)
		if diff := cmp.Diff(want, requests(arm, false)); diff != "" {
			t.Errorf("%s: a pipeline of one method asks otherwise:\n%s", name, diff)
		}
		arm.Fixer.Tries = 3
		if diff := cmp.Diff(want, requests(arm, false)[:len(want)]); diff != "" {
			t.Errorf("%s: with a fixer it generates otherwise:\n%s", name, diff)
		}
	}
}

// TestPoolSharesRequests: a generator asks the same in a pool as alone, so that the ledger answers one from the other.
func TestPoolSharesRequests(t *testing.T) {
	w := newWorld(t)
	asked := map[string]bool{}
	for _, generators := range [][]string{{"dc-cot", "qp-cot", "os"}, {"dc-cot"}, {"qp-cot"}, {"os"}} {
		arm := methodtest.Arm(generators[0], "bird", 2)
		arm.Model.Samples, arm.Schema.Shuffle = 3, true
		if len(generators) > 1 {
			arm.Method, arm.Row, arm.Generators = Pool.ID, Pool, generators
		}
		model := &llm.Scripted{Reply: reply}
		m, err := New(w.deps(model), arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Answer(t.Context(), w.q); err != nil {
			t.Fatal(err)
		}
		for _, r := range model.Asked() {
			if len(generators) > 1 {
				asked[r.Key()] = true
			} else if !asked[r.Key()] {
				t.Errorf("%v alone asks what it did not in the pool", generators)
			}
		}
	}
}

// TestConform: a plain method keeps its contract when parts are around it.
func TestConform(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"bird-cot", "dc-cot", "least-to-most"} {
		t.Run(name, func(t *testing.T) {
			methodtest.Conform(t, name, func(d prompting.Deps, a configs.Arm, seed int64) (prompting.Method, error) {
				a.Columns.Use, a.Fixer.Tries, a.Values.Use = "one-call", 2, true
				d.Box = w.box
				return New(d, a, seed)
			})
		})
	}
}

func TestTroubles(t *testing.T) {
	w := newWorld(t)
	end := errors.New("no such recording")
	m, err := New(w.deps(&llm.Scripted{Reply: func(llm.Request) (string, error) { return "", end }}), full(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Answer(t.Context(), w.q); !errors.Is(err, end) || !strings.HasPrefix(err.Error(), `pipeline: answer "test/dev/ferry-1": `) {
		t.Errorf("got %v", err)
	}
	if _, err := m.Answer(t.Context(), prompting.Question{ID: "bare"}); err == nil || !strings.Contains(err.Error(), "no schema") {
		t.Errorf("got %v", err)
	}
	bare := w.deps(&llm.Scripted{Reply: reply})
	bare.Box = nil
	if m, err = New(bare, full(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Answer(t.Context(), w.q); err == nil || !strings.Contains(err.Error(), "there is no sandbox to run SQL in") {
		t.Errorf("without a sandbox: %v", err)
	}
	check := func(want string, change func(*configs.Arm, *prompting.Deps)) {
		t.Helper()
		arm, d := full(), w.deps(&llm.Scripted{})
		change(&arm, &d)
		if _, err := New(d, arm, 1); err == nil || !strings.HasPrefix(err.Error(), `pipeline: arm "pool": `) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("no generators", func(a *configs.Arm, _ *prompting.Deps) { a.Generators = nil })
	check(`methods: open "magic": no method or part has this name`, func(a *configs.Arm, _ *prompting.Deps) { a.Generators = []string{"magic"} })
	check(`methods: open "best": no method or part has this name`, func(a *configs.Arm, _ *prompting.Deps) { a.Selection.Rule = "best" })
	check(`columns.use = "some" is unknown`, func(a *configs.Arm, _ *prompting.Deps) { a.Columns.Use = "some" })
	check("no model", func(_ *configs.Arm, d *prompting.Deps) { d.Model = nil })
}

// TestOwnIndexes: without Deps.Values a pipeline opens and closes indexes itself.
func TestOwnIndexes(t *testing.T) {
	w := newWorld(t)
	t.Setenv("XDG_CACHE_HOME", w.dir)
	arm := methodtest.Arm("bird-cot", "bird", 0)
	arm.Values.Use = true
	d := w.deps(&llm.Scripted{Reply: reply})
	d.Values = nil
	m, err := New(d, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Answer(t.Context(), w.q); err != nil {
		t.Error(err)
	}
}

// TestStages: each kind of call has its own parameters where the arm states them, and the arm's where not.
func TestStages(t *testing.T) {
	w := newWorld(t)
	ask := func(arm configs.Arm) map[string]llm.Params {
		model := &llm.Scripted{Reply: reply}
		m, err := New(w.deps(model), arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(t.Context(), w.q)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]llm.Params{}
		for i, r := range ordered(model.Asked(), a.Trace) {
			out[strings.TrimRight(a.Trace[i].Stage, " 0123456789")] = r.Params
		}
		return out
	}
	arm := full()
	arm.Model.Temperature, arm.Model.MaxTokens = 0.7, 100
	warm := func(t float64, n int) configs.Stage { return configs.Stage{Temperature: &t, MaxTokens: &n} }
	before := ask(arm)
	arm.Stages = configs.Stages{Keywords: warm(0.2, 20), Columns: warm(0, 30), Examples: warm(1, 40), Fix: warm(0.1, 0)}
	arm.Selection.MaxTokens = 3
	after := ask(arm)
	check := func(stage string, temperature float64, tokens int) {
		t.Helper()
		if p := after[stage]; p.Temperature != temperature || p.MaxTokens != tokens {
			t.Errorf("%s: %+v", stage, p)
		}
		if p := before[stage]; p.Temperature != map[bool]float64{true: arm.Selection.Temperature, false: 0.7}[stage == "choose"] || p.MaxTokens != 100 {
			t.Errorf("%s, not stated: %+v", stage, p)
		}
	}
	check("keywords", 0.2, 20)
	check("columns", 0, 30)
	check("os: tables", 1, 40)
	check("os: generate", 0.7, 100)
	check("dc-cot: generate", 0.7, 100)
	check("fix", 0.1, 0)
	check("choose", arm.Selection.Temperature, 3)
}

// TestDescribed: only the columns nearest to the question keep what is said of them, and the shared schema keeps all.
func TestDescribed(t *testing.T) {
	w := newWorld(t)
	w.q.Text = "Which harbour has the longest crossing?"
	db := *w.q.Schema
	db.Tables = slices.Clone(db.Tables)
	db.Tables[0].Columns = slices.Clone(db.Tables[0].Columns)
	said := []string{"the harbour where a crossing begins", "colour of the funnel", "number of life jackets"}
	for i := range db.Tables[0].Columns {
		db.Tables[0].Columns[i].Description = said[i%len(said)]
	}
	w.q.Schema = &db
	check := func(k int, want ...string) {
		t.Helper()
		arm := methodtest.Arm("bird-cot", "bird", 0)
		arm.Schema.Descriptions = k
		model := &llm.Scripted{Reply: reply}
		m, err := New(w.deps(model), arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Answer(t.Context(), w.q); err != nil {
			t.Fatal(err)
		}
		text := methodtest.Text(model.Asked()[0].Messages)
		var shown []string
		for _, s := range said {
			if strings.Contains(text, s) {
				shown = append(shown, s)
			}
		}
		if d := cmp.Diff(want, shown); d != "" {
			t.Errorf("%d: %s", k, d)
		}
	}
	n := len(db.Tables[0].Columns)
	check(0, said[:min(n, 3)]...)
	check(1, said[0])
	check(50, said[:min(n, 3)]...)
}
