package configs

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParts: the tables of a pipeline's parts are inherited, have defaults that change nothing, and are swept by path.
func TestParts(t *testing.T) {
	e := must(t, `
name = "x"
[dataset]
kind = "sample"
[model]
provider = "openai"
name = "writer"
base_url = "http://one"
temperature = 1.8
samples = 7
[fixer]
tries = 3
[selection]
rule = "pairwise"
name = "judge"
[[arm]]
name = "chase"
method = "pool"
generators = ["dc-cot", "qp-cot", "os"]
values.use = true
[[arm]]
name = "os"
method = "os"
fixer.tries = 0
[arm.selection]
provider = "gemini"
name = "other"
temperature = 0.5
[sweep]
synthetic.features = [5, 25]
`)
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	check("values of chase", e.Arms[0].Values, Values{Use: true, Columns: "content", K: 10, Keywords: "rules", Show: "first"})
	check("values of os", e.Arms[1].Values, Values{Columns: "content", K: 10, Keywords: "rules", Show: "first"})
	check("columns", e.Columns, Columns{Use: "none"})
	check("synthetic", e.Synthetic, Synthetic{Source: "os", Features: 38, Tables: 37, Columns: "one-call"})
	check("fixer of chase", e.Arms[0].Fixer, Fixer{Tries: 3, OnUnfixed: "keep", Triggers: []string{"error", "empty"}})
	check("fixer of os", e.Arms[1].Fixer.Tries, 0)
	check("swept", e.Cells()[2].Arm.Synthetic.Features, 25)
	check("what chase asks", e.Arms[0].Asks(), []string{"dc-cot", "qp-cot", "os"})
	check("what os asks", e.Arms[1].Asks(), []string{"os"})
	m, own := e.Arms[0].Selector()
	check("chase's judge", []any{m.Provider, m.Name, m.BaseURL, m.Temperature, m.Samples, own}, []any{"openai", "judge", "http://one", 0.0, 1, true})
	m, own = e.Arms[1].Selector()
	check("os's judge", []any{m.Provider, m.Name, m.BaseURL, m.Temperature, m.Samples, own}, []any{"gemini", "other", "", 0.5, 1, true})
	_, own = must(t, base).Arms[0].Selector()
	check("no judge of its own", own, false)
	check("no parts", must(t, base).Selection, Selection{Rule: "first", Directions: 2, Tie: "first"})
	roundTrip(t, e)
}

// TestStages: what a stage does not state is the arm's own, and what it states holds whatever the arm's is.
func TestStages(t *testing.T) {
	e, err := Parse("x.toml", []byte(`name = "x"
dataset.kind = "sample"
model.temperature = 0.5
model.max_tokens = 100
stages.keywords.temperature = 0.2
[[arm]]
name = "a"
method = "standard"
stages.fix.max_tokens = 0
[[arm]]
name = "b"
method = "standard"
stages.keywords.temperature = 0
selection.max_tokens = 5
[sweep]
"stages.columns.temperature" = [0, 1]
`), known)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, m Model, temperature float64, tokens int) {
		t.Helper()
		if m.Temperature != temperature || m.MaxTokens != tokens {
			t.Errorf("%s: %v, %d tokens, want %v, %d", what, m.Temperature, m.MaxTokens, temperature, tokens)
		}
	}
	cells := e.Cells()
	a, b, hot := cells[0].Arm, cells[1].Arm, cells[2].Arm
	check("a, keywords", a.Stages.Keywords.Over(a.Model), 0.2, 100)
	check("a, examples", a.Stages.Examples.Over(a.Model), 0.5, 100)
	check("a, fix", a.Stages.Fix.Over(a.Model), 0.5, 0)
	check("a, columns", a.Stages.Columns.Over(a.Model), 0, 100)
	check("a, columns at 1", hot.Stages.Columns.Over(hot.Model), 1, 100)
	check("b, keywords", b.Stages.Keywords.Over(b.Model), 0, 100)
	selector := func(x Arm) Model { m, _ := x.Selector(); return m }
	check("a, selection", selector(a), 0, 100)
	check("b, selection", selector(b), 0, 5)
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("x.toml", text, known)
	if d := cmp.Diff(e, again, besidesKnown); err != nil || d != "" {
		t.Errorf("not the same when read again: %v\n%s", err, d)
	}
}
