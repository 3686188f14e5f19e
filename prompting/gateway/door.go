package gateway

import (
	"context"
	"net/http"
	"sync"
)

// Door is an address that stays the same for the life of one process, and on which one exchange is open at a time. Outside of
// exchanges it answers what no item is needed for. It is safe for concurrent use.
type Door struct {
	server  *Server
	address *address

	mu      sync.Mutex
	open    *Exchange // nil outside of exchanges
	outside *Exchange // answers then
}

// Door returns a new address. Its requests for embeddings are answered by the offline vectors until [Door.Outside] says
// otherwise.
func (s *Server) Door() *Door {
	d := &Door{server: s}
	d.Outside(context.Background(), Session{})
	d.address = s.grant(d.serve)
	return d
}

// Outside says what requests are answered under while no exchange is open: the embeddings that a process asks for as it
// starts, and the list of models. Completions are refused then, as it is not known which item they are about.
func (d *Door) Outside(ctx context.Context, x Session) {
	x.Model = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outside = newExchange(ctx, d.server, nil, x)
}

// BaseURL returns the address that OpenAI's clients take, as in OPENAI_BASE_URL.
func (d *Door) BaseURL() string { return d.address.url() + "/v1" }

// AnthropicURL returns the address that Anthropic's clients take, as in ANTHROPIC_BASE_URL.
func (d *Door) AnthropicURL() string { return d.address.url() }

// Key returns the API key of the door.
func (d *Door) Key() string { return d.address.keys[0] }

// Close ends the door's address, and what it is answering outside of exchanges.
func (d *Door) Close() {
	d.address.revoke()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outside.cancel()
}

// Err returns what ends the run, or makes every item of the process unknown ([prompting.ErrUnknown]), of what was asked outside
// of exchanges; nil where nothing does.
func (d *Door) Err() error {
	_, err := d.before()
	return err
}

func (d *Door) serve(w http.ResponseWriter, r *http.Request, path string, body []byte) {
	d.mu.Lock()
	e := d.open
	if e == nil {
		e = d.outside
	}
	d.mu.Unlock()
	e.Serve(w, r, path, body)
}

// use makes an exchange the door's.
func (d *Door) use(e *Exchange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = e
}

// leave ends an exchange on the door, unless another has taken its place.
func (d *Door) leave(e *Exchange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == e {
		d.open = nil
	}
}

// before reports what was asked outside of exchanges, which every item of the process depends on: whether the offline vectors
// answered, and what ends the run.
func (d *Door) before() (offline bool, err error) {
	d.mu.Lock()
	e := d.outside
	d.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.offline, e.err
}
