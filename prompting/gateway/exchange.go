package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"assay/prompting"
	"assay/prompting/llm"
)

// mostCompletions bounds what one exchange may ask for where the session does not, so that its trace fits in memory.
const mostCompletions = 100_000

// Exchange is what is asked about one item. It is safe for concurrent use.
type Exchange struct {
	server  *Server
	door    *Door
	session Session
	outer   context.Context // of Begin
	ctx     context.Context // of the calls: it ends with the exchange
	cancel  context.CancelFunc
	address *address
	running sync.WaitGroup // calls

	mu       sync.Mutex
	over     bool
	taken    map[string][]bool // the numbers that equal requests have, by the key of the first
	waiting  int               // orders that are not answered
	threaded bool              // two waited at once
	threads  chan struct{}     // closed then
	asked    int               // completions asked for, failed ones included
	trace    []*asking
	called   map[string][]llm.ToolCall // tools that models called, by id, as they wrote them
	offline  bool
	warnings map[string]bool
	err      error // what ends the item
}

// Begin opens an address for one item, and the door's, where there is one, for the same. A door has one exchange at a time: a
// second one takes the place of the first. The context ends the exchange's calls.
func (s *Server) Begin(ctx context.Context, d *Door, x Session) *Exchange {
	e := newExchange(ctx, s, d, x)
	var keys []string
	if d != nil {
		keys = append(keys, d.Key()) // of a client that takes its key from the environment
	}
	e.address = s.grant(e.Serve, keys...)
	if d != nil {
		d.use(e)
	}
	return e
}

func newExchange(ctx context.Context, s *Server, d *Door, x Session) *Exchange {
	e := &Exchange{server: s, door: d, session: x, outer: ctx, taken: map[string][]bool{}, called: map[string][]llm.ToolCall{}, warnings: map[string]bool{}, threads: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancel(ctx)
	return e
}

// BaseURL returns the address that OpenAI's clients take.
func (e *Exchange) BaseURL() string { return e.address.url() + "/v1" }

// AnthropicURL returns the address that Anthropic's clients take.
func (e *Exchange) AnthropicURL() string { return e.address.url() }

// Key returns the API key of the address. The door's key opens it too.
func (e *Exchange) Key() string { return e.address.keys[0] }

// Serve answers a request of either API; path begins with "v1/", and body is all of the request's. An address of [Server.Mount]
// passes requests on by it.
func (e *Exchange) Serve(w http.ResponseWriter, r *http.Request, path string, body []byte) {
	to, err := routeOf(r.Method, path)
	if err != nil {
		refuse(w, formOf(r), err)
		return
	}
	c := &call{w: w, r: r, exchange: e, path: path, body: body, form: to.form}
	if c.form == nil {
		c.form = formOf(r)
	}
	if err := to.answer(c); err != nil && !errors.Is(err, errGone) {
		refuse(w, c.form, err)
	}
}

// End closes the exchange's address, ends the calls that are still being made, and returns what was asked. The error is what
// ends the run, or makes the item unknown ([prompting.ErrUnknown]): whatever the program made of it, it has no answer.
// Another End returns the same.
func (e *Exchange) End() (Record, error) {
	e.address.revoke()
	if e.door != nil {
		e.door.leave(e)
	}
	e.mu.Lock()
	e.over = true
	e.mu.Unlock()
	stopped := e.outer.Err()
	e.cancel()
	e.running.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	rec := Record{Trace: ordered(e.trace, e.threaded), Offline: e.offline}
	for _, a := range e.trace {
		if !a.done {
			e.warnings["a completion was asked for and not waited for: the answer came before it, and does not depend on it"] = true
		}
	}
	for w := range e.warnings {
		rec.Warnings = append(rec.Warnings, w)
	}
	slices.Sort(rec.Warnings)
	err := cmp.Or(stopped, e.err)
	if e.door != nil {
		offline, failed := e.door.before()
		rec.Offline, err = rec.Offline || offline, cmp.Or(err, failed)
	}
	if err != nil {
		return rec, fmt.Errorf("gateway: answer %q: %w", e.session.About, err)
	}
	return rec, nil
}

// warn notes what was asked for and not done, as a sentence without the item.
func (e *Exchange) warn(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.warnings) < mostWarnings {
		e.warnings[fmt.Sprintf(format, args...)] = true
	}
}

// mostWarnings bounds the warnings of one exchange: a program may name a new model in every request.
const mostWarnings = 50

// stop notes an error that ends the item: any but a failure, which the program may reckon with. One that is known for sure
// comes before a completion that is not known.
func (e *Exchange) stop(err error) {
	var f *llm.Failure
	var r *refusal
	if err == nil || errors.As(err, &f) || errors.As(err, &r) || e.ctx.Err() != nil && errors.Is(err, e.ctx.Err()) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil || errors.Is(e.err, prompting.ErrUnknown) && !errors.Is(err, prompting.ErrUnknown) {
		e.err = err
	}
}
