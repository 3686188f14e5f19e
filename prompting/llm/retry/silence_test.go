package retry

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// timeout is a call that ran out of time.
var timeout = &llm.Failure{Reason: wire.Timeout, Retryable: true}

// One request after another is asked, until the run ends: how long after the last answer, and by how many calls.
func TestARunEndsAfterAMinuteOfSilence(t *testing.T) {
	refused := dial("dial 127.0.0.1:1: connect: connection refused")
	check := func(what string, least, most time.Duration, takes time.Duration, o Options, failure error, say string) {
		t.Helper()
		c := newClock()
		answered := false
		o.Clock = c
		m := Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) {
			if !answered {
				answered = true
				return "ok", nil
			}
			c.Sleep(t.Context(), takes)
			return "", failure
		}}, o)
		start := c.Now()
		var open *openError
		var err error
		for range 50 {
			if err = ask(m); errors.As(err, &open) {
				break
			}
		}
		if got := c.Now().Sub(start); open == nil || got < least || got > most || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v after %v, want %q after %v to %v", what, err, got, say, least, most)
		}
	}
	check("nobody listens any more", time.Minute, time.Minute, 0, Options{}, refused, "no answer for 1m0s, the last with transport: dial")
	check("overloaded", time.Minute, time.Minute, 0, Options{}, status(503), "no answer for 1m0s")
	check("longer by the settings", 90*time.Second, 90*time.Second, 0, Options{Silence: 90 * time.Second}, refused, "no answer for 1m30s")
	check("no such bound", 5*time.Minute, time.Hour, 0, Options{Silence: -1}, refused, "10 requests in a row")
	check("one request may be at fault for a 500, two are not", 90*time.Second, 4*time.Minute, 0, Options{}, status(500), "no answer for")
	check("one completion may be endless, two are not", 15*time.Minute, 16*time.Minute, 5*time.Minute, Options{}, timeout, "no answer for 15m")
	check("a server that says when to come back", 5*time.Minute, 12*time.Hour, 0, Options{}, throttled(30*time.Second), "10 requests in a row")
	check("a server that refuses each request", 9*time.Second, 10*time.Second, time.Second, Options{}, status(400), "10 requests in a row")
	check("a web page in place of an answer", 0, 0, 0, Options{}, &llm.Failure{Reason: wire.WrongType}, "10 requests in a row")
}

// What several requests in flight say of the server, by the second.
func TestWhatIsSilence(t *testing.T) {
	start := newClock().Now()
	check := func(what string, opened bool, happens ...func(*circuit)) {
		t.Helper()
		c := newCircuit(10, time.Minute, false)
		for _, f := range happens {
			f(c)
		}
		if (c.err() != nil) != opened {
			t.Errorf("%s: %v, want opened %v", what, c.err(), opened)
		}
	}
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	asks := func(r int64, s int) func(*circuit) { return func(c *circuit) { c.began(r, at(s)) } }
	gets := func(r int64, s int) func(*circuit) { return func(c *circuit) { c.answered(r, at(s)) } }
	fails := func(r int64, s int, err error) func(*circuit) {
		return func(c *circuit) { c.failed(r, err.(*llm.Failure), at(s)) }
	}
	refused := dial("dial: refused")
	check("nothing happened", false)
	check("a slow call alone", false, asks(1, 0))
	check("a failure after a slow call", false, asks(1, 0), fails(1, 300, lost))
	check("59 seconds", false, fails(1, 0, refused), fails(1, 59, refused))
	check("60 seconds", true, fails(1, 0, refused), fails(1, 60, refused))
	check("an answer between", false, fails(1, 0, refused), gets(2, 30), fails(1, 60, refused))
	check("a 429 between", false, fails(1, 0, refused), fails(2, 30, throttled(0)), fails(1, 60, refused))
	check("a request that is refused between", false, fails(1, 0, refused), fails(2, 30, status(400)), fails(1, 60, refused))
	check("one request breaks again and again", false, fails(1, 0, lost), fails(1, 100, lost))
	check("two do", true, fails(1, 0, lost), fails(2, 100, lost))
	check("two do, while a call from before them is worked on", false, asks(3, 0), fails(1, 1, lost), fails(2, 100, lost))
	check("two do, while a later one is", true, fails(1, 1, lost), asks(3, 20), fails(2, 100, lost))
	check("one call that ran out of time", false, asks(1, 0), fails(1, 300, timeout))
	check("two that did together", true, asks(1, 0), asks(2, 0), fails(1, 300, timeout), fails(2, 300, timeout))
	check("two that did, with an answer meanwhile", false, asks(1, 0), asks(2, 0), gets(3, 280), fails(1, 300, timeout), fails(2, 300, timeout))
	check("two that did, long after an answer", true, asks(1, 0), asks(2, 0), gets(3, 100), fails(1, 300, timeout), fails(2, 300, timeout))
}

// reachable is a model with a server that can be reached: it answers a call after so many attempts to reach it, never
// if -1.
type reachable struct {
	answers int64
	meets   func() error
	met     atomic.Int64
	enough  chan struct{}
}

func (s *reachable) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	select {
	case <-s.enough:
		return llm.Response{Text: "ok"}, nil
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

func (s *reachable) Reach(context.Context) error {
	if s.met.Add(1) == s.answers {
		close(s.enough)
	}
	return s.meets()
}

// A call that nothing is heard of for long ends the run where nobody is there any more, and goes on where somebody is.
func TestACallInFlightOfAServerThatIsGone(t *testing.T) {
	check := func(what string, answers int64, meets error, say string) {
		t.Helper()
		s := &reachable{answers: answers, meets: func() error { return meets }, enough: make(chan struct{})}
		err := ask(Wrap(s, Options{Clock: newClock(), Timeout: -1}))
		var open *openError
		if errors.As(err, &open) != (say != "") || say == "" && err != nil || say != "" && !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want %q", what, err, say)
		}
	}
	check("nobody listens any more", -1, dial("dial 127.0.0.1:1: connect: connection refused"), "no answer for 1m0s, the last with transport: dial")
	check("it is there, and works", 5, nil, "")
	check("it is too busy to say so", 5, timeout, "")
	check("it breaks the connection", 5, lost, "")
}
