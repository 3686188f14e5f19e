package retry

import (
	"errors"
	"slices"
	"testing"

	"assay/prompting/llm"
)

// TestAnEndlessServerOutlivesOutages: requests fail for themselves, and one is answered as soon as the provider is there.
func TestAnEndlessServerOutlivesOutages(t *testing.T) {
	check := func(what string, outage error, calls int) {
		t.Helper()
		inner, n := fails(slices.Repeat([]error{outage}, 20*calls)...)
		m := Wrap(inner, Options{Clock: newClock(), Attempts: 2, GiveUp: 3, Endless: true})
		for range 20 {
			var f *llm.Failure
			if err := ask(m); !errors.As(err, &f) {
				t.Fatalf("%s: %v after %d calls", what, err, n.Load())
			}
		}
		if err := ask(m); err != nil {
			t.Errorf("%s: the provider is back: %v", what, err)
		}
	}
	check("overloaded", status(503), 2)
	check("never there", dial("dial 127.0.0.1:1: connect: connection refused"), 2)
}
