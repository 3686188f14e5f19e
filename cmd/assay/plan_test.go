package main

import (
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/plan"
)

// TestBudgetNotes: a budget below what is certain does not suffice; one below what is likely, or the most, may not.
func TestBudgetNotes(t *testing.T) {
	total := cost.Line{Certain: cost.Bill{Prompt: 100, USD: 1}, Likely: cost.Bill{Prompt: 150, Output: 50, USD: 2}, Most: cost.Bill{Prompt: 200, Output: 200, USD: 4}}
	check := func(b configs.Budget, unknown bool, want string) {
		t.Helper()
		x := total
		x.Unknown = unknown
		if got := strings.Join(budgetNotes(b, x), "\n"); got != want {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	check(configs.Budget{}, true, "")
	check(configs.Budget{USD: 0.5}, false, "The USD budget of 0.50 does not suffice: the run will stop at it.")
	check(configs.Budget{USD: 1.5}, false, "The USD budget of 1.50 may not suffice: the run would stop at it.")
	check(configs.Budget{USD: 3}, false, "The USD budget of 3.00 may not suffice: the run would stop at it.")
	check(configs.Budget{USD: 4}, false, "The USD budget of 4.00 suffices for these calls.")
	check(configs.Budget{USD: 9}, true, "The USD budget cannot be held: a price is unknown, so that the run will not start.")
	check(configs.Budget{Tokens: 99}, false, "The token budget of 99 does not suffice: the run will stop at it.")
	check(configs.Budget{Tokens: 399}, true, "The token budget of 399 may not suffice: the run would stop at it.")
	check(configs.Budget{USD: 4, Tokens: 400}, false, "The USD budget of 4.00 suffices for these calls.\nThe token budget of 400 suffices for these calls.")
}

// TestFindStage: a stage is found by its name, without its number, and in a pool without its generator.
func TestFindStage(t *testing.T) {
	all := func(stages ...string) (out []plan.Asked) {
		for _, s := range stages {
			out = append(out, plan.Asked{Stage: s})
		}
		return out
	}
	pool := all("columns", "dc-cot: generate", "steps: solve 1", "steps: solve 2", "fix 1", "choose", "choose")
	check := func(stages []plan.Asked, name, want string) {
		t.Helper()
		got, err := findStage(stages, name)
		if err != nil {
			got.Stage = err.Error()
		}
		if got.Stage != want {
			t.Errorf("%q: %q, want %q", name, got.Stage, want)
		}
	}
	check(pool, "", "columns")
	check(pool, "generate", "dc-cot: generate")
	check(pool, "dc-cot: generate", "dc-cot: generate")
	check(pool, "solve", "steps: solve 1")
	check(pool, "solve 2", "steps: solve 2")
	check(pool, "steps: solve", "steps: solve 1")
	check(pool, "fix", "fix 1")
	check(pool, "dc-cot", `no stage "dc-cot" for this item: there are columns, dc-cot: generate, steps: solve, fix, choose`)
	check(pool, "fix 2", `no stage "fix 2" for this item: there are columns, dc-cot: generate, steps: solve, fix, choose`)
	check(nil, "", "the arm asks nothing for this item")
}
