package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/metrics"
	"assay/metrics/process"
	"assay/prompting/llm"
)

// solver answers every call with the same text.
type solver string

func (s solver) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Text: string(s), Finish: "stop"}, nil
}

func (s solver) open(context.Context, configs.Model, configs.Limits) (llm.Model, error) {
	return s, nil
}

// stepsOf runs two questions with a model that always answers the same, and returns the steps of the arm.
func stepsOf(t *testing.T, model solver, arm string) (out []record.Step) {
	t.Helper()
	p := makePlan(t, t.TempDir(), "dataset.limit=2", `timeout="300ms"`)
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: model.open})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range read(t, res).Steps {
		if s.Arm == arm {
			out = append(out, s)
		}
	}
	return out
}

// TestStepsAreRun: the SQL of steps runs in the sandbox, where it can neither write nor go on for ever.
func TestStepsAreRun(t *testing.T) {
	loop := "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x"
	check := func(model, arm string, want ...metrics.Status) {
		t.Helper()
		all := stepsOf(t, solver(model), arm)
		if len(all) != 2*len(want) {
			t.Fatalf("%d steps, want %d: %+v", len(all), 2*len(want), all)
		}
		for i, w := range want {
			if s := all[i]; s.Status != w || s.Step != i+1 {
				t.Errorf("step %d: %s %q, want %s: %+v", i+1, s.Status, s.Why, w, s)
			}
		}
	}
	// An answer is the same for "reduce": its numbered list has the sub-questions.
	list := "1. First?\n2. Second?\n\n"
	check(list+"```sql\nDROP TABLE titles\n```", "least-to-most", metrics.Rejected, metrics.Rejected, metrics.Rejected)
	check(list+"```sql\n"+loop+"\n```", "least-to-most", metrics.SQLTimeout, metrics.SQLTimeout, metrics.SQLTimeout)
	check(list+"no query", "least-to-most", metrics.NoSQL, metrics.NoSQL, metrics.NoSQL)
	var many strings.Builder
	for range 5 {
		many.WriteString("* **Sub-question 1:** " + loop + "\n")
	}
	// After three that met the deadline no other is run.
	check("2. Assembling SQL:\n"+many.String()+"* **Main Question:** SELECT 1\n", "qdecomp",
		metrics.SQLTimeout, metrics.SQLTimeout, metrics.SQLTimeout, process.NotRun, process.NotRun, process.NotRun)
	check("SELECT 1", "standard")
}

// TestStepsAgainstRules: a step that returns what a step of the rule-made decomposition does is told so; the answer is not compared.
func TestStepsAgainstRules(t *testing.T) {
	check := func(item, sql, want string) {
		t.Helper()
		model := solver("1. First?\n\n```sql\n" + sql + "\n```")
		p := makePlan(t, t.TempDir(), `dataset.filter.ids=["`+item+`"]`)
		res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: model.open})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range read(t, res).Steps {
			if s.Arm == "least-to-most" {
				got = append(got, fmt.Sprintf("%s %d of %d", s.RuleMade, s.RuleStep.N, s.RuleSteps.N))
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s: %q, want %q", item, sql, s, want)
		}
	}
	check("film_festival-007", "SELECT avg(budget_musd) FROM films", "yes 1 of 2,  0 of 2")
	check("film_festival-007", "SELECT max(budget_musd) FROM films", "no 0 of 2,  0 of 2")
	check("film_festival-007", "DROP TABLE films", " 0 of 2,  0 of 2")
	check("city_library-001", "SELECT 1", " 0 of 0,  0 of 0") // a query of one step
}

// TestStepsAreMarked: a step has the columns that it lists, and what they are against the gold query.
func TestStepsAreMarked(t *testing.T) {
	all := stepsOf(t, "1. Which?\nSQL table (column): titles (title, pages), boats (id)\n2. What?\n# Thus, the answer:\nSELECT title FROM titles", "intercol")
	if len(all) != 4 {
		t.Fatalf("%+v", all)
	}
	s := all[0]
	if s.Listed != 1 || s.Error != process.Unknown || s.Unknown != `[["boats"]]` || s.Named.N != 2 || !s.Gold.OK || s.Status != process.Unasked || s.Generator != "qdecomp-intercol" {
		t.Errorf("%+v", s)
	}
	if s := all[1]; s.Question != "What?" || s.Listed != 0 || s.Error != "" {
		t.Errorf("%+v", s)
	}
}
