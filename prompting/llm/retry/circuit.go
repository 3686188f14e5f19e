package retry

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// openError ends a run whose provider no longer answers.
type openError struct {
	Why  string       // what happened, as the beginning of a sentence: "10 requests in a row failed"
	Last *llm.Failure // the last failure
}

// Error says what happened and what to do.
func (e *openError) Error() string {
	last := e.Last.Reason
	if e.Last.Err != nil {
		last += ": " + e.Last.Err.Error()
	}
	return fmt.Sprintf("retry: %s, the last with %s: the run stops here; nothing that was answered is lost, and the same command goes on from here when the provider answers again", e.Why, last)
}

// circuit ends the run for good: after a number of requests in a row that failed, after a time in which calls failed
// and none was answered, and when no server was ever reached. It never closes again: a run that continued after a gap
// would turn the items in the gap into model errors.
type circuit struct {
	most    int           // requests in a row; never if negative
	silence time.Duration // without an answer; never if negative
	endless bool          // it never opens
	ctx     context.Context
	opened  <-chan struct{}
	cancel  context.CancelFunc

	mu    sync.Mutex
	row   int
	met   bool                // a server was reached, whatever it answered
	life  time.Time           // its last sign of life
	calls map[int64]time.Time // start of each call in flight, by request
	since time.Time           // first failure after the last sign of life; zero if none
	first int64               // the request of that failure
	more  bool                // another request failed since then too
	cause *openError
}

// newCircuit returns a closed circuit.
func newCircuit(most int, silence time.Duration, endless bool) *circuit {
	ctx, cancel := context.WithCancel(context.Background())
	return &circuit{most: most, silence: silence, endless: endless, ctx: ctx, opened: ctx.Done(), cancel: cancel, calls: map[int64]time.Time{}}
}

// began notes that a request now has a call in flight.
func (c *circuit) began(request int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[request] = now
}

// dropped notes that a call ended in a way that says nothing about the server.
func (c *circuit) dropped(request int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, request)
}

// answered notes an answer: a completion, or a failure that is due to the request itself.
func (c *circuit) answered(request int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, request)
	c.row, c.met = 0, true
	c.alive(now)
}

// alive notes a sign of life; mu is held.
func (c *circuit) alive(now time.Time) {
	c.life, c.since, c.first, c.more = now, time.Time{}, 0, false
}

// failed notes a call that failed with f, and opens the circuit if the server has been silent too long. A server that
// refuses a request, or says how long to wait, is alive.
func (c *circuit) failed(request int64, f *llm.Failure, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	begun := c.calls[request]
	delete(c.calls, request)
	c.met = c.met || f.Reason != wire.Timeout && !noConnection(f)
	// A retryable error such as 502 is not a sign of life: a proxy may answer it for a server that is gone.
	if !f.Retryable || f.Status == http.StatusTooManyRequests || f.RetryAfter > 0 {
		c.alive(now)
		return
	}
	from := now
	if f.Reason == wire.Timeout { // the silence began with the call, not with its failure
		from = later(begun, c.life)
	}
	if c.since.IsZero() || from.Before(c.since) {
		c.since = from
	}
	if c.first == 0 {
		c.first = request
	}
	c.more = c.more || c.first != request
	if silent := now.Sub(c.since); c.silence > 0 && silent >= c.silence && c.dead(f) {
		c.open(fmt.Sprintf("no answer for %v", silent.Round(time.Second)), f)
	}
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// dead reports whether the server is gone, judged by the failure that its silence ends with; false if it works long on
// one call, or fails with one request again and again. mu is held.
func (c *circuit) dead(f *llm.Failure) bool {
	if noConnection(f) {
		return true
	}
	// One request that fails again and again may be the request's fault, unless the server says that it is unavailable.
	if !c.more && f.Status != http.StatusServiceUnavailable {
		return false
	}
	// A call in flight from before the silence may still be worked on, so the server is not judged gone by errors.
	for _, begun := range c.calls {
		if f.Reason != wire.Timeout && begun.Before(c.since) {
			return false
		}
	}
	return true
}

// left returns the time until the silence is too long; 0 if no call fails, or if it is too long already.
func (c *circuit) left(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() || c.silence <= 0 {
		return 0
	}
	return max(c.silence-now.Sub(c.since), 0)
}

// spent notes a request that got no completion for a reason that other requests share. It returns the error that ends
// the run if that opens the circuit, or if the circuit is open already.
func (c *circuit) spent(f *llm.Failure) *openError {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row++
	switch {
	case noConnection(f) && !c.met:
		c.open("no server was reached: check base_url, and that the server runs", f)
	case c.most > 0 && c.row >= c.most:
		c.open(fmt.Sprintf("%d requests in a row failed", c.row), f)
	}
	return c.cause
}

// quiet returns since when the server owes an answer to calls in flight; mu is held.
func (c *circuit) quiet() time.Time {
	var oldest time.Time
	for _, begun := range c.calls {
		if oldest.IsZero() || begun.Before(oldest) {
			oldest = begun
		}
	}
	return later(oldest, c.life)
}

// calm returns how much longer a server with calls in flight may be silent; 0 if it has been silent too long.
func (c *circuit) calm(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(c.silence-now.Sub(c.quiet()), 0)
}

// gone notes that the server no longer answers while calls wait; met is the failure that showed it.
func (c *circuit) gone(met *llm.Failure, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open(fmt.Sprintf("no answer for %v", now.Sub(c.quiet()).Round(time.Second)), met)
}

// open ends the run, for the reason why, unless the circuit is endless; mu is held.
func (c *circuit) open(why string, f *llm.Failure) {
	if c.cause == nil && !c.endless {
		c.cause = &openError{why, f}
		c.cancel()
	}
}

// reached reports whether a server was ever reached, whatever it answered.
func (c *circuit) reached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.met
}

// err returns the error that ends the run, nil while it goes on.
func (c *circuit) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return nil
	}
	return c.cause
}

// noConnection reports whether f is a failure to connect (nobody listens, no such host, no route, no TLS handshake) and
// not a connection that broke. It looks at the first word that [wire.Key.Transport] writes; a proxy's own words come
// later.
func noConnection(f *llm.Failure) bool {
	return f.Reason == wire.Silent ||
		f.Reason == wire.Lost && f.Err != nil && strings.HasPrefix(strings.TrimPrefix(f.Err.Error(), "proxyconnect: "), "dial")
}
