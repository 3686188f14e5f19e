package main

import (
	"bytes"
	"testing"

	"assay/experiments/runner"
)

// A person is told once why answers fail, and not at all where only results are asked for.
func TestProgressTellsWhyAnswersFail(t *testing.T) {
	check := func(quiet bool, want string) {
		t.Helper()
		var out bytes.Buffer
		p := newProgress(&out, quiet)
		p.update(runner.Progress{Done: 1, Total: 9})
		p.update(runner.Progress{Done: 2, Total: 9, Failed: 1, Why: "transport: connection refused"})
		p.update(runner.Progress{Done: 3, Total: 9, Failed: 2, Why: "transport: no route"})
		if out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
	check(false, "warning: a call got no answer: transport: connection refused\n")
	check(true, "")
}
