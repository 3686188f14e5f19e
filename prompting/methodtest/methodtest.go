// Package methodtest checks that a prompting.Method keeps its contract, and provides the data that its tests need.
//
// [Conform] runs a method on a fixed question and pool against a scripted model, and checks candidates, trace and
// requests. Only tests may import the package.
package methodtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// New constructs the method under test.
type New func(prompting.Deps, configs.Arm, int64) (prompting.Method, error)

// Question returns one about a ferry, with evidence.
func Question() prompting.Question {
	route := schema.Table{
		Name: "Route", PrimaryKey: []string{"RouteID"}, Rows: 2,
		DDL: "CREATE TABLE Route (\n  RouteID INTEGER PRIMARY KEY,\n  \"Home Port\" TEXT\n)",
		Columns: []schema.Column{
			{Name: "RouteID", Type: "INTEGER", Samples: []string{"1", "2"}},
			{Name: "Home Port", Type: "TEXT", Samples: []string{"Sund", "Nordby"}, Meaning: "home port"}},
		Samples: [][]string{{"1", "Sund"}, {"2", "Nordby"}},
	}
	trip := schema.Table{
		Name: "Trip", Rows: 1, DDL: "CREATE TABLE Trip (\n  Route INT REFERENCES Route,\n  Guests INT\n)",
		Columns: []schema.Column{{Name: "Route", Type: "INT", Samples: []string{"2"}}, {Name: "Guests", Type: "INT", Samples: []string{"140"}}},
		Samples: [][]string{{"2", "140"}},
	}
	return prompting.Question{
		ID: "test/dev/ferry-1", DB: "ferry",
		Text:     "Which home ports have a trip with more than\n100 guests?",
		Evidence: "guests are counted on boarding",
		Schema: &schema.Database{Name: "ferry", Tables: []schema.Table{route, trip},
			ForeignKeys: []schema.ForeignKey{{Table: "Trip", Column: "Route", RefTable: "Route", RefColumn: "RouteID"}}},
	}
}

// Pool returns n fully annotated demonstrations over three databases, none of them the question's, with the levels of
// hardness in turn.
func Pool(n int) *exemplar.Pool {
	var demos []exemplar.Demo
	for i := range n {
		db := []string{"kiln", "orchard", "theatre"}[i%3]
		thing := []string{"pot", "tree", "play"}[i%3]
		d := exemplar.Demo{
			ID: fmt.Sprintf("%s-%02d", db, i+1), DB: db, Hardness: exemplar.Levels[i%4],
			Question: fmt.Sprintf("What is the name of the %s number %d?", thing, i+1),
			SQL:      fmt.Sprintf("SELECT name FROM %s WHERE id = %d", thing, i+1),
			CoT:      fmt.Sprintf("The query reads the %s table, and a WHERE clause keeps the row whose id is %d. It then selects the name column.", thing, i+1),
			Schema: schema.New(db, []schema.Table{{Name: thing, PrimaryKey: []string{"id"},
				Columns: []schema.Column{{Name: "id", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}}}}, nil),
		}
		d.Steps = []exemplar.Step{{Question: d.Question, Columns: thing + " (id, name)", SQL: d.SQL}}
		if i%2 == 0 {
			d.Steps = []exemplar.Step{
				{Question: fmt.Sprintf("Which %s has number %d?", thing, i+1), Columns: thing + " (id)", SQL: fmt.Sprintf("SELECT id FROM %s WHERE id = %d", thing, i+1)},
				{Question: d.Question, Columns: thing + " (name)", SQL: d.SQL}}
		}
		d.Plan = fmt.Sprintf("**Preparation**\n1. Open the table %s.\n**Matching, filtering and counting**\n1. Keep the row whose id is %d.\n**Delivering the result**\n1. Return name.\n", thing, i+1)
		d.Division = &exemplar.Division{Simplify: "The list is a condition.", Parts: []exemplar.Part{
			{Question: d.Question, Analysis: "The answer is a name.", Pseudo: "SELECT name FROM " + thing + " WHERE the number fits", SQL: "SELECT name FROM " + thing + " WHERE id IN (SELECT id FROM " + thing + fmt.Sprintf(" WHERE id = %d)", i+1)},
			{Number: "1", Question: "the number fits", Analysis: "The id tells.", Pseudo: "SELECT id FROM " + thing + " WHERE id is the number", SQL: fmt.Sprintf("SELECT id FROM %s WHERE id = %d", thing, i+1)}}}
		demos = append(demos, d)
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		panic(err) // the demonstrations above are wrong
	}
	return pool
}

// Arm returns an arm of the method with k demonstrations in a format, and the defaults of an experiment file in its
// parts.
func Arm(method, format string, k int) configs.Arm {
	return configs.Arm{
		Name: method, Method: method,
		Model:     configs.Model{Samples: 1},
		Schema:    configs.Schema{Format: format, Rows: 2},
		Exemplars: configs.Exemplars{Strategy: "random", K: k, Separator: "\n"},
		Values:    configs.Values{Columns: "content", K: 10, Keywords: "rules"},
		Columns:   configs.Columns{Use: "none"},
		Synthetic: configs.Synthetic{Source: "os", Features: 4, Tables: 3, Columns: "one-call"},
		Fixer:     configs.Fixer{OnUnfixed: "keep", Triggers: []string{"error", "empty"}},
		Selection: configs.Selection{Rule: "first", Directions: 2, Tie: "first"},
	}
}

// Text prints messages as golden files hold them.
func Text(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, m.Text)
	}
	return b.String()
}

// Trait says in what a method differs from most.
type Trait int

// FixedDemos is a method that shows demonstrations of its own, the same ones whatever the seed.
const FixedDemos Trait = 1

// Conform checks what every Method promises: counts and order of candidates and trace, failures apart from errors,
// requests that depend on settings, seed, item and sample alone, and conversations that begin with the instruction and
// the question, after which model and user take turns.
func Conform(t *testing.T, method string, make New, traits ...Trait) {
	s := suite{t, method, make, slices.Contains(traits, FixedDemos)}
	for _, c := range []struct {
		name string
		run  func(suite)
	}{
		{"candidates and trace", suite.counts}, {"failure", suite.failure}, {"error", suite.failing}, {"seed", suite.seed},
		{"prompts", suite.prompts}, {"concurrent", suite.concurrent}, {"shuffle", suite.shuffle}, {"settings", suite.settings},
		{"hostile", suite.hostile},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(suite{t, s.method, s.make, s.fixed}) })
	}
}

// suite is the state of one check.
type suite struct {
	*testing.T
	method string
	make   New
	fixed  bool // demonstrations do not depend on the seed
}

// run answers the question and returns what the model was asked.
func (s suite) run(arm configs.Arm, seed int64, reply func(llm.Request) (string, error)) (prompting.Answer, []llm.Request, error) {
	s.Helper()
	model := &llm.Scripted{Reply: reply}
	m, err := s.make(prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}, Pool: Pool(12)}, arm, seed)
	if err != nil {
		s.Fatal(err)
	}
	a, err := m.Answer(context.Background(), Question())
	return a, model.Asked(), err
}

func sql(llm.Request) (string, error) { return "SELECT 1", nil }

func (s suite) counts() {
	arm := Arm(s.method, "apidocs", 2)
	arm.Model.Samples = 3
	a, asked, err := s.run(arm, 1, sql)
	if err != nil || len(a.Candidates) != 3 || a.Chosen != 0 || len(a.Trace) != len(asked) {
		s.Fatalf("got %+v, %v after %d calls", a, err, len(asked))
	}
	for i, c := range a.Candidates {
		if c.Sample != i || c.SQL != "SELECT 1" || c.Rule == "" || c.Generator != s.method || c.Failure != "" {
			s.Errorf("candidate %d: %+v", i, c)
		}
	}
	for i, c := range a.Trace {
		if c.Key != asked[i].Key() || c.Sample != asked[i].Sample || c.Stage == "" || c.Usage.PromptTokens == 0 {
			s.Errorf("call %d: %+v", i, c)
		}
		if r := asked[i]; r.Provider != "scripted" || r.Model != "one" || !turns(r.Messages) {
			s.Errorf("request %d: %+v", i, r)
		}
	}
}

// turns reports whether messages are an instruction, and then turns of user and model that end with the user's.
func turns(messages []llm.Message) bool {
	for i, m := range messages {
		if want := [...]llm.Role{llm.System, llm.User, llm.Assistant}[min(i, 2-i%2)]; m.Role != want {
			return false
		}
	}
	return len(messages) >= 2 && len(messages)%2 == 0
}

func (s suite) failure() {
	arm := Arm(s.method, "apidocs", 0)
	arm.Model.Samples = 2
	a, _, err := s.run(arm, 1, func(r llm.Request) (string, error) {
		if r.Sample == 0 {
			return "", fmt.Errorf("wrapped: %w", &llm.Failure{Reason: "blocked: SAFETY"})
		}
		return "SELECT 2", nil
	})
	if err != nil || len(a.Candidates) != 2 {
		s.Fatalf("got %+v, %v", a, err)
	}
	if c := a.Candidates[0]; c.Failure != "blocked: SAFETY" || c.SQL != "" || a.Trace[0].Failure != "blocked: SAFETY" {
		s.Errorf("the failed sample: %+v, trace %+v", c, a.Trace[0])
	}
	if c := a.Candidates[1]; c.Failure != "" || c.SQL != "SELECT 2" {
		s.Errorf("the sample after it: %+v", c)
	}
}

func (s suite) failing() {
	end := errors.New("no such recording")
	_, _, err := s.run(Arm(s.method, "apidocs", 0), 1, func(llm.Request) (string, error) { return "", end })
	if !errors.Is(err, end) || !strings.Contains(err.Error(), Question().ID) {
		s.Errorf("got %v", err)
	}
	m, err := s.make(prompting.Deps{Model: &llm.Scripted{}}, Arm(s.method, "apidocs", 0), 1)
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Answer(ctx, Question()); !errors.Is(err, context.Canceled) {
		s.Errorf("cancelled: got %v", err)
	}
}

func (s suite) seed() {
	arm := Arm(s.method, "apidocs", 3)
	_, one, _ := s.run(arm, 1, sql)
	_, again, _ := s.run(arm, 1, sql)
	_, two, _ := s.run(arm, 2, sql)
	if diff := cmp.Diff(one, again); diff != "" {
		s.Errorf("the same seed asked otherwise:\n%s", diff)
	}
	if keys(one) == keys(two) != s.fixed {
		s.Error("what another seed chooses of demonstrations")
	}
	if one[0].Params.Seed != nil {
		s.Error("a greedy request carries a seed")
	}
	arm.Model.Temperature = 0.5
	sent := func(seed int64, samples int) (out []int64) {
		arm.Model.Samples = samples
		_, warm, _ := s.run(arm, seed, sql)
		for _, r := range warm {
			if r.Params.Seed == nil || r.Params.Temperature != 0.5 {
				s.Fatalf("a sampling request: %+v", r.Params)
			}
			out = append(out, *r.SentSeed())
		}
		return out
	}
	seven, eight := sent(7, 3), sent(8, 3)
	if diff := cmp.Diff(seven, sent(7, 3)); diff != "" {
		s.Errorf("the same seed draws otherwise:\n%s", diff)
	}
	if len(sent(7, 1)) == len(seven) {
		s.Fatal("three samples ask no more than one")
	}
	for _, a := range seven {
		if slices.Contains(eight, a) {
			s.Errorf("seeds 7 and 8 have the draw %d in common: %v, %v", a, seven, eight)
		}
	}
}

func keys(asked []llm.Request) (out string) {
	for _, r := range asked {
		out += r.Key() + "\n"
	}
	return out
}

func (s suite) prompts() {
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		arm := Arm(s.method, format, 3)
		_, asked, _ := s.run(arm, 1, sql)
		m, err := s.make(prompting.Deps{Model: &llm.Scripted{}, Pool: Pool(12)}, arm, 1)
		if err != nil {
			s.Fatal(err)
		}
		got, err := m.Prompts(Question())
		if diff := cmp.Diff(asked[0].Messages, got); diff != "" || err != nil {
			s.Errorf("%s: Prompts is not what Answer sends: %v\n%s", format, err, diff)
		}
	}
}

func (s suite) concurrent() {
	model := &llm.Scripted{Reply: sql}
	m, err := s.make(prompting.Deps{Model: model, Pool: Pool(12)}, Arm(s.method, "bird", 3), 1)
	if err != nil {
		s.Fatal(err)
	}
	want, _ := m.Answer(context.Background(), Question())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := m.Answer(context.Background(), Question()); err != nil || !cmp.Equal(got, want) {
				s.Errorf("got %+v, %v", got, err)
			}
		})
	}
	group.Wait()
}

func (s suite) shuffle() {
	arm := Arm(s.method, "createtable", 2)
	arm.Schema.Shuffle, arm.Model.Samples = true, 8
	_, asked, _ := s.run(arm, 1, sql)
	_, again, _ := s.run(arm, 1, sql)
	texts := map[string]bool{}
	for _, r := range asked {
		texts[r.Messages[1].Text] = true
	}
	if len(texts) < 2 {
		s.Error("eight samples saw one order")
	}
	if !cmp.Equal(asked, again) {
		s.Error("the order is not the seed's")
	}
}

func (s suite) settings() {
	check := func(want string, change func(*configs.Arm, *prompting.Deps)) {
		s.Helper()
		arm, deps := Arm(s.method, "apidocs", 4), prompting.Deps{Model: &llm.Scripted{}, Pool: Pool(12)}
		change(&arm, &deps)
		if _, err := s.make(deps, arm, 1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), s.method) {
			s.Errorf("got %v, want an error with %q", err, want)
		}
	}
	check("k = 13 is more than the pool's 12", func(a *configs.Arm, _ *prompting.Deps) { a.Exemplars.K = 13 })
	check("k = 4 is more than the pool's 0", func(_ *configs.Arm, d *prompting.Deps) { d.Pool = nil })
	check(`strategy "best" is unknown`, func(a *configs.Arm, _ *prompting.Deps) { a.Exemplars.Strategy = "best" })
	check(`format "xml"`, func(a *configs.Arm, _ *prompting.Deps) { a.Schema.Format = "xml" })
	check("no model", func(_ *configs.Arm, d *prompting.Deps) { d.Model = nil })
}

func (s suite) hostile() {
	for _, reply := range []string{"", "```", "we need to know:", strings.Repeat("1. \"a\", ", 400), "# Thus, the answer", "\x00\xff", strings.Repeat("(", 9000)} {
		a, asked, err := s.run(Arm(s.method, "apidocs", 0), 1, func(llm.Request) (string, error) { return reply, nil })
		if err != nil || len(a.Candidates) != 1 || a.Candidates[0].SQL != "" || a.Candidates[0].Rule != "none" || len(asked) > 12 {
			s.Errorf("%.20q: %d calls, %+v, %v", reply, len(asked), a.Candidates, err)
		}
	}
	m, err := s.make(prompting.Deps{Model: &llm.Scripted{}}, Arm(s.method, "apidocs", 0), 1)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := m.Answer(context.Background(), prompting.Question{ID: "bare"}); err == nil {
		s.Error("a question without a schema was answered")
	}
}
