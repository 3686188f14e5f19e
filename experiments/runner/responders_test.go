package runner_test

import (
	"context"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// TestWhoAnsweredIsKept: a run says who gave its completions, by the server's own words, whether calls were made or the
// ledger answered; it doubts completions of one author that two gave, and a start whose server is no longer the ledger's.
func TestWhoAnsweredIsKept(t *testing.T) {
	cache, st := t.TempDir(), store.Open(t.TempDir())
	const address = "http://127.0.0.1:1/v1"
	start := func(print, card string, offline bool, set ...string) (*record.Run, []string) {
		t.Helper()
		m := &counting{inner: &llm.Scripted{Respond: func(r llm.Request) (llm.Response, error) {
			return llm.Response{Text: "SELECT 1", Finish: "stop", Model: "weights", Print: print, Card: card, Usage: llm.Usage{PromptTokens: 3}}, nil
		}}}
		p := makePlan(t, cache, append([]string{"model.provider=openai", "model.name=m", "model.base_url=" + address}, set...)...)
		res, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: m.open, Offline: offline})
		if err != nil {
			t.Fatal(err)
		}
		return read(t, res), res.Warnings
	}
	answered := func(print, card string) record.Answered {
		return record.Answered{Author: "openai/m at " + address, Model: "m", By: "weights", Print: print, Card: card}
	}
	check := func(what string, r *record.Run, warnings []string, doubt, change string, want ...record.Answered) {
		t.Helper()
		if d := cmp.Diff(want, r.Manifest.Answered); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		for _, w := range [][]string{warnings, r.Manifest.Warnings} {
			if got := strings.Join(w, "\n"); strings.Contains(got, "not all given by the same: "+doubt) != (doubt != "") {
				t.Errorf("%s: warnings %q, want doubt %q", what, w, doubt)
			}
		}
		if got := strings.Join(warnings, "\n"); strings.Contains(got, change) != true || strings.Contains(got, "the ledger holds") != (change != "") {
			t.Errorf("%s: warnings %q, want change %q", what, got, change)
		}
	}
	const small, large = `{"id":"m","size":7}`, `{"id":"m","size":8}`
	r, w := start("b1", small, false)
	check("the first", r, w, "", "", answered("b1", small))
	first := r
	r, w = start("b2", large, true)
	check("from the ledger", r, w, "", "", answered("b1", small))
	if first.Manifest.ID != r.Manifest.ID {
		t.Error("who answers changes the run's id")
	}
	r, w = start("b1", large, false, "dataset.limit=6")
	check("another answers for what is new", r, w, "size: 7 and 8", "", answered("b1", small), answered("b1", large))
	r, w = start("b1", `{"id":"m","size":9}`, false, "model.max_tokens=9")
	check("another answers for all", r, w, "", "openai/m at "+address+", which another gave (size: 7 and 9)", answered("b1", `{"id":"m","size":9}`))
	r, w = start("b1", small, false, "model.as=mine")
	want := answered("b1", small)
	want.Author, want.Model = "openai/mine", ""
	check("under a name", r, w, "", "", want)
	r, w = start("b1", large, true, "model.as=mine", "model.base_url=http://10.0.0.1/v1", "model.name=other")
	check("under that name at another address", r, w, "", "", want)
}
