package retry

import (
	"errors"
	"slices"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"

	"github.com/google/go-cmp/cmp"
)

func dial(text string) error {
	return &llm.Failure{Reason: wire.Lost, Err: errors.New(text), Retryable: true}
}

// The first request that reaches nobody, where nobody ever was reached, ends the run, soon. A server that was met once is
// given as long as its silence may be.
func TestAServerThatWasNeverReached(t *testing.T) {
	refused := dial("dial 127.0.0.1:1: connect: connection refused")
	check := func(what string, most, calls int, longest time.Duration, errs ...error) {
		t.Helper()
		c := newClock()
		inner, n := fails(append(errs, slices.Repeat([]error{refused}, 100)...)...)
		m := Wrap(inner, Options{Clock: c, Attempts: most, Silence: 24 * time.Hour})
		err := ask(m)
		if err == nil { // the server answered, and is gone for the next request
			err = ask(m)
		}
		var open *openError
		if ended := errors.As(err, &open); ended != (calls < 8 || most > 0) || int(n.Load()) != calls || c.total() > longest {
			t.Errorf("%s: %v after %d calls and %v, want %d calls within %v", what, err, n.Load(), c.total(), calls, longest)
		}
	}
	check("nobody listens", 0, 3, 5*time.Second)
	check("fewer calls are allowed", 2, 2, 2*time.Second)
	check("no such host", 0, 3, 5*time.Second, dial("dial: lookup x: no such host"), dial("dial: lookup x: no such host"))
	check("behind a proxy", 0, 3, 5*time.Second, slices.Repeat([]error{dial("proxyconnect: dial 127.0.0.1:1: connect: connection refused")}, 3)...)
	check("a timeout says nothing", 0, 3, 5*time.Second, &llm.Failure{Reason: wire.Timeout, Retryable: true})
	check("no word of TLS", 0, 1, 0, &llm.Failure{Reason: wire.Silent, Retryable: true})
	check("answered before", 0, 9, 4*time.Minute, nil)
	check("overloaded before", 0, 8, 4*time.Minute, status(503))
	check("a connection that broke", 0, 8, 4*time.Minute, lost)
	check("a transport error of an open connection", 0, 8, 4*time.Minute, dial("http2: GOAWAY"))
}

// Each wait is reported before it begins, and nothing else is.
func TestWaitsAreReported(t *testing.T) {
	check := func(what string, want []string, errs ...error) {
		t.Helper()
		c := newClock()
		var told []string
		var waits []time.Duration
		inner, _ := fails(errs...)
		ask(Wrap(inner, Options{Clock: c, Attempts: 3, Again: func(f *llm.Failure, wait time.Duration) {
			if len(c.slept) != len(waits) {
				t.Errorf("%s: told after the wait", what)
			}
			told, waits = append(told, f.Reason), append(waits, wait)
		}}))
		if d := cmp.Diff(want, told); d != "" {
			t.Errorf("%s: (-want +told):\n%s", what, d)
		}
		if d := cmp.Diff(c.slept, waits); d != "" {
			t.Errorf("%s: (-slept +told):\n%s", what, d)
		}
	}
	check("an answer", nil)
	check("two failures, then an answer", []string{"http 503", "connection reset"}, status(503), lost)
	check("the last failure is not waited after", []string{"http 500", "http 500"}, status(500), status(500), status(500))
	check("what is not asked again", nil, status(400))
}
