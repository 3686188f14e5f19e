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

	"github.com/google/go-cmp/cmp"
)

// parts is an experiment whose arms ask in all the ways there are: once, by sub-questions, with candidates that are repaired
// and compared, in a dialogue.
const parts = `name = "parts"
seeds = [0, 1]
dataset = {kind = "sample", limit = 6}
exemplars.k = 2
[[arm]]
name = "plain"
method = "standard"
[[arm]]
name = "steps"
method = "least-to-most"
[[arm]]
name = "pool"
method = "pool"
generators = ["dc-cot", "qp-cot"]
model = {samples = 3, temperature = 0.8}
fixer.tries = 2
selection.rule = "pairwise"
[[arm]]
name = "agent"
method = "interactive"
`

// What is likely of the baseline is what it then takes, call by call and token by token, where every question is
// simulated; after the run nothing is left.
func TestWhatIsLikelyIsWhatARunOfTheBaselineTakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parts.toml")
	if err := os.WriteFile(file, []byte(parts), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := configs.Load(file, catalog.Known, configs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	type taken struct{ Calls, Prompt, Output int64 }
	st := store.Open(t.TempDir())
	forecast := func(o plan.ForecastOptions) map[string]taken {
		f, err := p.Forecast(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]taken{}
		for _, l := range append(f.Lines, f.Total) {
			out[l.Arm+" "+l.Stage] = taken{l.Likely.Ask, l.Likely.Prompt, l.Likely.Output}
		}
		return out
	}
	want := forecast(plan.ForecastOptions{})
	res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	got, seen := map[string]taken{}, map[string]bool{}
	for _, c := range read(t, res).Calls {
		if seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		for _, line := range []string{c.Arm + " " + cost.StageOf(c.Stage), " "} {
			x := got[line]
			got[line] = taken{x.Calls + 1, x.Prompt + int64(c.PromptTokens.N), x.Output + int64(c.CompletionTokens.N)}
		}
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-taken +likely):\n%s", d)
	}
	l, err := st.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if left := forecast(plan.ForecastOptions{Held: l.Get})[" "]; left != (taken{}) {
		t.Errorf("after the run: %+v", left)
	}
}
