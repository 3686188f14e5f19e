package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

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

// The first wait is told of, the others are not.
func TestProgressTellsOfTheFirstWait(t *testing.T) {
	check := func(quiet bool, want string) {
		t.Helper()
		var out bytes.Buffer
		p := newProgress(&out, quiet)
		p.again("transport: connection refused", 1234*time.Millisecond)
		p.again("http 503", 2*time.Second)
		if out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
	check(false, "a call failed and is tried again in 1.2 s: transport: connection refused\n")
	check(true, "")
}

// A run fails where nothing was answered, and names the first failure.
func TestARunWithoutAnAnswerFails(t *testing.T) {
	check := func(answers, failed int, want string) {
		t.Helper()
		err := unanswered(runner.Result{Answers: answers, Failed: failed, Failure: "http 500: overloaded"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d of %d failed: %v, want %q", failed, answers, err, want)
		}
	}
	check(5, 0, "")
	check(5, 4, "")
	check(0, 0, "")
	check(5, 5, `all 5 answers are model-errors, the first with "http 500: overloaded"`)
}
