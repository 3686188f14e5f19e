package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds an answer's body, in bytes: 256 MiB, three times the largest batch of embeddings.
const maxAnswer = 256 << 20

// Call carries one request: what to change in it before it is sent, and the whole raw answer afterwards. It travels in
// the context, so that it also passes through an SDK: SDKs decode only the fields they know and retry on their own.
type Call struct {
	Edit func(body []byte) ([]byte, error) // changes the request's JSON body; nil leaves it

	Asked  string // the address, without its query
	Status int
	Header http.Header
	Body   []byte
	Err    error // set if no answer came, or only part of it
}

type callKey struct{}

// With returns a context that carries the call to the Transport.
func With(ctx context.Context, c *Call) context.Context { return context.WithValue(ctx, callKey{}, c) }

// Transport sends a request once, stores the answer in the context's Call, and returns an empty object with status 200
// to the client above, so that no SDK retries, loses a reason, or decodes a large answer a second time.
type Transport struct {
	Next  http.RoundTripper   // set by Client
	Amend func(*http.Request) // adds what every request carries (the key's header); may be nil
	Limit int64               // on an answer, in bytes; maxAnswer if 0
}

// maxIdle is how many connections to one server are kept open, more than are ever in flight. The standard transport
// keeps two and opens a new one for every further call.
const maxIdle = 256

// Client returns an HTTP client with this transport around base's (base may be nil; its timeout is kept). It never sees
// a redirect and so follows none: the key would go along to another host.
func (t *Transport) Client(base *http.Client) *http.Client {
	c := http.Client{}
	if base != nil {
		c = *base
	}
	if t.Next = c.Transport; t.Next == nil {
		t.Next = http.DefaultTransport
		if standard, ok := t.Next.(*http.Transport); ok {
			own := standard.Clone()
			own.MaxIdleConns, own.MaxIdleConnsPerHost = 0, maxIdle
			t.Next = own
		}
	}
	c.Transport = t
	return &c
}

// Reach connects to the address base over a new connection. It returns nil if the server answers, whatever it says, and
// else k's error. A server that works on other calls may take long to answer; the context bounds the wait.
func (t *Transport) Reach(ctx context.Context, k Key, base string) error {
	next := t.Next
	if standard, ok := next.(*http.Transport); ok {
		own := standard.Clone()
		own.DisableKeepAlives = true
		next = own
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base, nil)
	if err != nil {
		return err
	}
	if t.Amend != nil {
		t.Amend(req)
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return k.Transport(err)
	}
	return resp.Body.Close()
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	call, ok := req.Context().Value(callKey{}).(*Call)
	if !ok {
		return nil, errors.New("wire: a request without its Call")
	}
	resp, err := t.send(req, call)
	if err != nil {
		call.Err = err
		return nil, err
	}
	const empty = "{}"
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: resp.Proto, ProtoMajor: resp.ProtoMajor,
		ProtoMinor: resp.ProtoMinor, Request: req, Header: http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(empty)), Body: io.NopCloser(strings.NewReader(empty))}, nil
}

// send sends a clone of the request, reads the whole answer up to the limit, and stores it in call.
func (t *Transport) send(req *http.Request, call *Call) (*http.Response, error) {
	req = req.Clone(req.Context())
	if t.Amend != nil {
		t.Amend(req)
	}
	if err := edit(req, call.Edit); err != nil {
		return nil, fmt.Errorf("wire: amend the request: %w", err)
	}
	call.Asked = (&url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}).String()
	resp, err := t.Next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	limit := t.Limit
	if limit == 0 {
		limit = maxAnswer
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, &halfError{err}
	case int64(len(body)) > limit:
		return nil, &largeError{limit}
	}
	call.Status, call.Header, call.Body = resp.StatusCode, resp.Header, body
	return resp, nil
}

// edit replaces the request's body. GetBody must match, because net/http sends it again after a lost connection.
func edit(req *http.Request, f func([]byte) ([]byte, error)) error {
	if f == nil || req.Body == nil {
		return nil
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	req.Body.Close()
	if raw, err = f(raw); err != nil {
		return err
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	req.ContentLength = int64(len(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return nil
}

// halfError is an answer whose body ended early.
type halfError struct{ err error }

func (e *halfError) Error() string { return "the answer is incomplete: " + e.err.Error() }
func (e *halfError) Unwrap() error { return e.err }

// largeError is an answer above the limit.
type largeError struct{ limit int64 }

func (e *largeError) Error() string { return fmt.Sprintf("the answer has more than %d bytes", e.limit) }
