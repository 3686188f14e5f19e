package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/runner"
	"assay/experiments/store"
)

// sharing makes a plan of arms under a heading that all of them have, with databases built once.
func sharing(t *testing.T, cache, arms string) *plan.Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.toml")
	head := "name = \"x\"\nseeds = [0, 1]\ndataset = {kind = \"sample\", limit = 4}\nexemplars.k = 2\n"
	if err := os.WriteFile(file, []byte(head+arms), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := configs.Load(file, catalog.Known, configs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// forecastTotal is the forecast's total over a store; no completion of the baseline is longer than it assumes.
func forecastTotal(t *testing.T, p *plan.Plan, st store.Store) cost.Line {
	t.Helper()
	l, err := st.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := p.Forecast(context.Background(), plan.ForecastOptions{Held: l.Get, Output: 4096})
	if err != nil {
		t.Fatal(err)
	}
	return f.Total
}

// asked is how many completions a run asks for that are not held, and their prompts' tokens; they are held then.
func asked(t *testing.T, p *plan.Plan, st store.Store, held map[string]bool) (calls, prompt int64) {
	t.Helper()
	res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range read(t, res).Calls {
		if !held[c.Key] {
			calls, prompt = calls+1, prompt+int64(c.PromptTokens.N)
		}
		held[c.Key] = true
	}
	return calls, prompt
}

// Arms that share calls take, together and of the baseline, what was forecast: on an empty ledger, and on one that has the
// calls of the first arm.
func TestAForecastHoldsWhereArmsShareCalls(t *testing.T) {
	cache := t.TempDir()
	check := func(what, common, first, second string) {
		t.Helper()
		arm := func(name, settings string) string { return "[[arm]]\nname = \"" + name + "\"\n" + common + settings }
		both := sharing(t, cache, arm("a", first)+arm("b", second))
		within := func(of string, st store.Store, held map[string]bool) {
			t.Helper()
			f := forecastTotal(t, both, st)
			calls, prompt := asked(t, both, st, held)
			if f.Likely.Ask != calls || f.Likely.Prompt != prompt || calls < f.Certain.Ask || prompt < f.Certain.Prompt {
				t.Errorf("%s, %s: took %d calls of %d tokens, planned %+v", what, of, calls, prompt, f)
			}
			if left := forecastTotal(t, both, st).Likely; left != (cost.Bill{}) {
				t.Errorf("%s, %s: %+v left after the run", what, of, left)
			}
		}
		within("empty ledger", store.Open(t.TempDir()), map[string]bool{})
		st, held := store.Open(t.TempDir()), map[string]bool{}
		asked(t, sharing(t, cache, arm("a", first)), st, held)
		within("first arm held", st, held)
	}
	const (
		standard  = "method = \"standard\"\nmodel = {samples = 3, temperature = 0.8}\n"
		steps     = "method = \"least-to-most\"\n"
		pool      = "method = \"pool\"\nmodel = {samples = 2, temperature = 0.8}\n"
		three     = "generators = [\"os\", \"dc-cot\", \"qp-cot\"]\n"
		pairwise  = "selection.rule = \"pairwise\"\n"
		ranker    = "selection.rule = \"ranker\"\n"
		fixer     = "fixer.tries = 2\n"
		oneColumn = "columns.use = \"one-call\"\n"
	)
	check("plain and pairwise", standard, "", pairwise)
	check("pairwise and plain", standard, pairwise, "")
	check("plain and fixer", standard, "", fixer)
	check("fixer and fixer", standard, fixer, fixer)
	check("fixers of another number of tries", standard, fixer, "fixer.tries = 1\n")
	check("fixers of another temperature", standard, fixer, fixer+"stages.fix.temperature = 0.3\n")
	check("pairwise and ranker", standard, pairwise, ranker)
	check("pairwise in one direction", standard, pairwise, pairwise+"selection.directions = 1\n")
	check("another number of samples", "method = \"standard\"\n"+pairwise, "model = {samples = 2, temperature = 0.8}\n", "model = {samples = 3, temperature = 0.8}\n")
	check("pool and pool without its last", pool+fixer+pairwise, three, "generators = [\"os\", \"dc-cot\"]\n")
	check("pool and pool without its first", pool+fixer+pairwise, three, "generators = [\"dc-cot\", \"qp-cot\"]\n")
	check("pools with another second", pool+fixer+pairwise, "generators = [\"dc-cot\", \"os\"]\n", "generators = [\"dc-cot\", \"qp-cot\"]\n")
	check("pool and pool without its fixer", pool+three+pairwise, fixer, "")
	check("a generator in a pool and alone", "model = {samples = 2, temperature = 0.8}\n", "method = \"pool\"\n"+three, "method = \"os\"\n")
	check("the same arm twice", pool+three+fixer+pairwise, "", "")
	check("sub-questions twice", steps, "", "")
	check("sub-questions with and without a fixer", steps, "", fixer)
	check("sub-questions, and more of them", steps, "", "model = {samples = 3, temperature = 0.8}\n")
	check("sub-questions with samples", steps, "model = {samples = 2, temperature = 0.8}\n", "model = {samples = 3, temperature = 0.8}\n")
	check("sub-questions with and without columns chosen", steps, "", oneColumn)
	check("columns chosen and all columns", "method = \"standard\"\n", oneColumn, "")
	check("columns chosen in two ways", "method = \"standard\"\n", oneColumn, "columns.use = \"each\"\n")
	check("dialogues of another length", "method = \"interactive\"\n", "", "agent.turns = 3\n")
	check("dialogues and a fixer", "method = \"interactive\"\n", "", fixer)
}
