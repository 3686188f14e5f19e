package baseline_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/columns"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/methodtest"
	"assay/prompting/pipeline"
	"assay/prompting/render"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
	"assay/prompting/values"

	_ "github.com/mattn/go-sqlite3"
)

// harbour is a small database, a sandbox to run queries in, and what was asked and answered.
type harbour struct {
	*testing.T
	q      prompting.Question
	box    *sandbox.Box
	model  *heard
	format string
}

// heard is the parser; it remembers its last answers.
type heard struct {
	*baseline.Model
	mu    sync.Mutex // requests that do not depend on each other come at once
	texts []string
}

func (h *heard) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	a, err := h.Model.Generate(ctx, r)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = append(h.texts, a.Text)
	return a, err
}

func newHarbour(t *testing.T, format, question string) *harbour {
	t.Helper()
	path := filepath.Join(t.TempDir(), "harbour.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`
		CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, name TEXT, flag TEXT, length REAL);
		INSERT INTO boat VALUES (1, 'Nora', 'Norway', 12.5), (2, 'Lark', 'Iceland', 30), (3, 'Tern', 'Norway', 9);
		CREATE TABLE pier (pier_id INTEGER PRIMARY KEY, "pier name" TEXT, depth REAL);
		INSERT INTO pier VALUES (1, 'East', 4), (2, 'West', 6);
		CREATE TABLE stay (boat_id INTEGER REFERENCES boat(boat_id), pier_id INTEGER REFERENCES pier(pier_id), nights INTEGER);
		INSERT INTO stay VALUES (1, 1, 3), (2, 2, 5), (1, 2, 1);`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Engine{}.Describe(t.Context(), path, engine.Detail{})
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	return &harbour{t, prompting.Question{ID: "t/dev/1", DB: "harbour", Text: question, Schema: s, Database: sqlite.DB(path)}, box, &heard{Model: baseline.New()}, format}
}

func (h *harbour) deps() prompting.Deps {
	return prompting.Deps{Model: h.model, Author: llm.Author{Provider: "baseline", Model: "rules"}, Pool: methodtest.Pool(6), Box: h.box}
}

func (h *harbour) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// runs holds that a query runs on the database.
func (h *harbour) runs(what, query string) {
	h.Helper()
	if _, err := h.box.Run(h.Context(), h.q.Database, query); err != nil {
		h.Errorf("%s, %s: %q: %v", h.format, what, query, err)
	}
}

// part makes a part around the generators.
func (h *harbour) part(kind, id string, arm configs.Arm) *script.Part {
	h.Helper()
	p, err := pipeline.Part(kind, id, script.Setup{Deps: h.deps(), Arm: arm, Seed: 1})
	h.must(err)
	return p
}

// answered returns the SQL of a method's answer.
func (h *harbour) answered(method string, arm configs.Arm) prompting.Candidate {
	h.Helper()
	m, err := pipeline.New(h.deps(), arm, 1)
	h.must(err)
	a, err := m.Answer(h.Context(), h.q)
	h.must(err)
	return a.Candidates[a.Chosen]
}

// TestReasoning holds that the methods with steps get their steps, and that their SQL is found and runs.
func TestReasoning(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for _, k := range []int{0, 3} {
			h := newHarbour(t, format, "What are the names of boats whose length is more than 10?")
			check := func(method string, marks ...string) {
				t.Helper()
				c := h.answered(method, methodtest.Arm(method, format, k))
				if want := "SELECT name FROM boat WHERE length > 10"; c.SQL != want || c.Rule != "tag" {
					t.Errorf("%s, %s, k=%d: %q by rule %q, want %q", method, format, k, c.SQL, c.Rule, want)
				}
				text := h.model.texts[len(h.model.texts)-1]
				for _, m := range marks {
					if !strings.Contains(text, m) {
						t.Errorf("%s, %s, k=%d: no %q in\n%s", method, format, k, m, text)
					}
				}
			}
			check("bird-cot", "This query reads the boat table", "<FINAL_ANSWER>")
			check("dc-cot", "**1. Divide and Conquer:**\n* **Main Question:** "+h.q.Text, "WHERE length is more than 10", "* **Sub-question 1:** What are the names of boats?",
				"**2. Assembling SQL:**\n* **Sub-question 1 (What are the names of boats?):** SELECT name FROM boat\n* **Main Question:** SELECT", "**3. Simplification and Optimization:**", "<FINAL_ANSWER>")
			check("qp-cot", "**Query Plan:**\n**Preparation**\n1. Open boat (", "2. Look for the value 10.\n**Matching, filtering and counting**\n1. Read the rows of boat.\n2. Let a row pass where length is more than 10.\n",
				"**Delivering the result**\n1. Return name.\n**Final Optimized SQL Query:**\n<FINAL_ANSWER>")
		}
	}
}

// TestExamples holds that as many examples as asked for can be read, that all run, and that the query after them is found.
func TestExamples(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for source, most := range map[string]int{"os": 38 + 37, "codes": 38} {
			for _, temperature := range []float64{0, 0.7} {
				h := newHarbour(t, format, "What are the names of boats whose length is more than 10?")
				arm := methodtest.Arm("os", format, 3)
				arm.Model.Temperature = temperature
				arm.Synthetic = configs.Synthetic{Source: source, Features: 38, Tables: 37, Columns: "one-call"}
				c := h.answered("os", arm)
				h.runs("os", c.SQL)
				if temperature == 0 && c.SQL != "SELECT name FROM boat WHERE length > 10" {
					t.Errorf("%s, %s: %q", format, source, c.SQL)
				}
				total := 0
				for _, text := range h.model.texts {
					found := extract.Examples(text)
					if !strings.HasPrefix(text, `{"input"`) {
						continue
					}
					if lines := strings.Count(text, "\n") + 1; len(found) != lines {
						t.Errorf("%s: %d examples read of %d", format, len(found), lines)
					}
					for _, e := range found {
						h.runs(e.Question, e.SQL)
					}
					total += len(found)
				}
				if total < most-5 || total > most { // few columns give few examples
					t.Errorf("%s, %s: %d examples, want about %d", format, source, total, most)
				}
			}
		}
	}
}

// TestColumns holds that the columns of the query are among those chosen, either way, and not all are.
func TestColumns(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for _, use := range []string{"one-call", "each"} {
			h := newHarbour(t, format, "What are the names of boats that are longer than 10?")
			arm := methodtest.Arm("standard", format, 0)
			arm.Columns.Use = use
			_, _, links, err := h.part(script.Link, "columns", arm).Link(t.Context(), h.q)
			h.must(err)
			text := strings.ToLower(columns.Format(links[0].Chosen))
			if !strings.Contains(text, `"name"`) || !strings.Contains(text, `"length"`) || strings.Contains(text, `"depth"`) || strings.Contains(text, `"nights"`) {
				t.Errorf("%s, %s: %s", format, use, text)
			}
		}
	}
}

// TestKeywords pins the keywords of a few questions.
func TestKeywords(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		r, err := baseline.New().Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "Reply with a list of texts in JSON, and with nothing else."}, {Role: llm.User, Text: text}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(values.ParseKeywords(r.Text), "|"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	check("Question: How many boats from New Haven stayed at 'East' in 2014?", "boats|New Haven|New|Haven|stayed|East|2014")
	check("Evidence: a long stay is of kind L\nQuestion: Which boats are on a long stay?", "boats|long stay|long|stay|kind|L")
	check("Question: How many are there?", "")
}

// TestMend lists failures and what becomes of them.
func TestMend(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		h := newHarbour(t, format, "What are the names of boats whose flag is 'Norway'?")
		arm := methodtest.Arm("standard", format, 0)
		arm.Fixer = configs.Fixer{Tries: 3, OnUnfixed: "drop", Triggers: []string{"error", "empty"}}
		f := h.part(script.Fix, "fixer", arm)
		check := func(failed, want string) {
			t.Helper()
			c, calls, ok, err := f.Fix(t.Context(), h.q, prompting.Candidate{SQL: failed})
			h.must(err)
			if !ok || len(calls) == 0 || want != "" && !strings.EqualFold(c.SQL, want) {
				t.Errorf("%s: %q became %q (%v, %d calls), want %q", format, failed, c.SQL, ok, len(calls), want)
			}
			h.runs(failed, c.SQL)
		}
		check("SELECT nam FROM boat WHERE flag = 'Norway'", "SELECT name FROM boat WHERE flag = 'Norway'")
		check("SELECT name FROM boats WHERE flag = 'Norway'", "SELECT name FROM boat WHERE flag = 'Norway'")
		check("SELECT boat_id FROM boat JOIN stay ON boat.boat_id = stay.boat_id", "SELECT boat.boat_id FROM boat JOIN stay ON boat.boat_id = stay.boat_id")
		check("SELECT name FROM boat WHERE flag = 'norway'", "")
		check("SELEC name", "")
	}
}

// TestJudge holds that errors and empty results lose, and that the query like the question wins.
func TestJudge(t *testing.T) {
	const good, other = "SELECT name FROM boat WHERE flag = 'Norway'", "SELECT avg(length) FROM boat"
	for _, format := range render.Formats().IDs() {
		for _, rule := range []string{"pairwise", "ranker"} {
			h := newHarbour(t, format, "What are the names of boats whose flag is 'Norway'?")
			arm := methodtest.Arm("standard", format, 0)
			arm.Selection = configs.Selection{Rule: rule, Directions: 2, Tie: "first"}
			c := h.part(script.Choose, rule, arm)
			check := func(want int, queries ...string) {
				t.Helper()
				var cs []prompting.Candidate
				for i, q := range queries {
					cs = append(cs, prompting.Candidate{Sample: i, SQL: q, Rule: "statement"})
				}
				got, err := c.Choose(t.Context(), h.q, cs)
				h.must(err)
				if got.Index != want {
					t.Errorf("%s, %s: %d of %q, want %d (%s)", format, rule, got.Index, queries, want, got.Why)
				}
				for _, call := range got.Calls {
					if strings.Contains(call.Note, "cannot be read") {
						t.Errorf("%s, %s: %s: %q", format, rule, call.Note, h.model.texts)
					}
				}
				h.model.texts = nil
			}
			check(1, other, good)
			check(0, good, other, "SELECT nam FROM boat")
			check(1, "SELECT nam FROM boat WHERE flag = 'Norway'", other)
			check(1, "SELECT name FROM boat WHERE flag = 'norway'", good)
		}
	}
}

// TestPipeline holds that every part of an arm gets an answer that it can read, with sampling, and that a query comes out.
func TestPipeline(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for _, rule := range []string{"pairwise", "ranker"} {
			h := newHarbour(t, format, "What are the names of boats whose flag is 'norway'?")
			arm := methodtest.Arm("pool", format, 2)
			arm.Row, arm.Generators = pipeline.Pool, []string{"dc-cot", "qp-cot", "os", "bird-cot"}
			arm.Model.Temperature, arm.Model.Samples = 1, 3
			arm.Values = configs.Values{Use: true, Columns: "content", K: 5, Keywords: "model", Show: "first"}
			arm.Columns.Use = "one-call"
			arm.Synthetic = configs.Synthetic{Source: "os", Features: 6, Tables: 6, Columns: "none", Runnable: true}
			arm.Fixer = configs.Fixer{Tries: 3, OnUnfixed: "keep", Triggers: []string{"error", "empty"}}
			arm.Selection = configs.Selection{Rule: rule, Directions: 2, Tie: "consistency"}
			m, err := pipeline.New(h.deps(), arm, 1)
			h.must(err)
			a, err := m.Answer(t.Context(), h.q)
			h.must(err)
			if len(a.Candidates) != 12 {
				t.Errorf("%s: %d candidates, want 12", format, len(a.Candidates))
			}
			for _, c := range a.Candidates {
				h.runs(c.Generator, c.SQL)
			}
			for _, c := range a.Trace {
				if strings.Contains(c.Note, "cannot be read") || strings.Contains(c.Note, "no keywords") {
					t.Errorf("%s, %s: %s: %s", format, rule, c.Stage, c.Note)
				}
			}
		}
	}
}
