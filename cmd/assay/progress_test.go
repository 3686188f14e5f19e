package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"assay/experiments/runner"
	"assay/plots/terminal"
)

// now is a clock that a test moves.
type now struct{ t time.Time }

func (n *now) time() time.Time { return n.t }

func (n *now) pass(d time.Duration) { n.t = n.t.Add(d) }

// The first failure is reported once with its cause, and not at all under --quiet.
func TestProgressReportsFailureOnce(t *testing.T) {
	check := func(quiet bool, want string) {
		t.Helper()
		var out bytes.Buffer
		p := newProgress(terminal.New(&out), quiet, time.Now)
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

// Each cause of a retry is reported once in a line of its own, and the status counts the retries.
func TestProgressReportsRetries(t *testing.T) {
	check := func(quiet bool, want string) {
		t.Helper()
		var out bytes.Buffer
		clock := &now{}
		p := newProgress(terminal.New(&out), quiet, clock.time)
		p.update(runner.Progress{Total: 9})
		p.retried("transport", "transport: dial 127.0.0.1:1: refused", 1234*time.Millisecond)
		p.retried("transport", "transport: dial 127.0.0.1:1: no route", 2*time.Second)
		p.retried("http 503", "http 503: overloaded", 2*time.Second)
		p.retried("transport", "transport: dial 127.0.0.1:1: refused", 4*time.Second)
		p.tick()
		clock.pass(12 * time.Second)
		p.tick()
		p.tick()
		if out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
	check(false, `a call failed and is tried again in 1.2 s: transport: dial 127.0.0.1:1: refused
a call failed and is tried again in 2.0 s: http 503: overloaded
0 of 9: 0 calls, 0 cached, 0 failed; none done for 12s; 4 tried again, the last after transport
`)
	check(true, "")
}

// The rate and the time left come from model calls alone: answers from the ledger take no time and would spoil both.
func TestPaceCountsModelCallsAlone(t *testing.T) {
	type step struct {
		after time.Duration
		s     runner.Progress
	}
	check := func(what, want string, steps ...step) {
		t.Helper()
		clock := &now{}
		p := newProgress(terminal.New(io.Discard), false, clock.time)
		for _, x := range steps {
			clock.pass(x.after)
			p.update(x.s)
		}
		if got, _, _ := strings.Cut(p.status(clock.t), ";"); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	const s, min = time.Second, time.Minute
	check("a new run", "2.0 per second, 45s left", step{5 * s, runner.Progress{Done: 10, Total: 100, Asked: 10, Left: 90}})
	check("only the ledger so far", "0 calls, 0 cached, 0 failed", step{5 * s, runner.Progress{Done: 900, Total: 1000}})
	check("after 900 from the ledger, in 50 s", "30 per minute, 3m0s left",
		step{50 * s, runner.Progress{Done: 900, Total: 1000}}, step{20 * s, runner.Progress{Done: 910, Total: 1000, Asked: 10, Left: 90}})
	check("one arm of two is in the ledger", "1.0 per second, 40s left", step{10 * s, runner.Progress{Done: 20, Total: 100, Asked: 10, Left: 40}})
	check("slow", "6.0 per minute, 15m0s left", step{100 * s, runner.Progress{Done: 10, Total: 100, Asked: 10, Left: 90}})
	check("slower", "12 per hour, 5h0m0s left", step{50 * min, runner.Progress{Done: 10, Total: 70, Asked: 10, Left: 60}})
}

func TestPace(t *testing.T) {
	check := func(perSecond float64, want string) {
		t.Helper()
		if got := pace(perSecond); got != want {
			t.Errorf("%v per second: %q, want %q", perSecond, got, want)
		}
	}
	check(250, "250 per second")
	check(1.26, "1.3 per second")
	check(0.5, "30 per minute")
	check(1.0/60, "1.0 per minute")
	check(1.0/90, "40 per hour")
	check(0.5/3600, "0.5 per hour")
}

// A run without a single answer fails, and its error has the first failure.
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
