package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"assay/prompting/memory"
)

// Call carries one request: what to change in it before it is sent, and the whole raw answer afterwards. It travels in
// the context, so that it also passes through an SDK: SDKs decode only the fields they know and retry on their own. Its
// body is part of the memory that all answers share until Done.
type Call struct {
	Edit  func(body []byte) ([]byte, error) // changes the request's JSON body; nil leaves it
	Limit int64                             // on the answer, in bytes after decompression; maxAnswer if 0
	// Stream reads a good answer in place of Body, for one that is longer than memory may be. What it returns becomes Err.
	Stream func(body io.Reader) error

	Asked  string // the address, without its query
	Status int
	Header http.Header
	Body   []byte // of an answer that is an error, or an event stream, the beginning
	Err    error  // set if no answer came, or only part of it

	share memory.Share
}

// Done gives the memory of the body back. Whoever makes a Call defers it until the body is decoded.
func (c *Call) Done() {
	c.Body = nil
	c.share.Release()
}

type callKey struct{}

// With returns a context that carries the call to the Transport.
func With(ctx context.Context, c *Call) context.Context { return context.WithValue(ctx, callKey{}, c) }

// Transport sends a request once, stores the answer in the context's Call, and returns an empty object with status 200
// to the client above, so that no SDK retries, loses a reason, or decodes a large answer a second time.
type Transport struct {
	Next  http.RoundTripper   // set by Client
	Amend func(*http.Request) // adds what every request carries (the key's header); may be nil
}

const (
	// maxIdle is how many connections to one server are kept open, more than are ever in flight. The standard transport
	// keeps two and opens a new one for every further call.
	maxIdle = 256
	// maxHeader bounds an answer's header, in bytes; the standard transport takes 10 MiB.
	maxHeader = 64 << 10
	// refusalWait bounds the wait for the text of an error whose status has come.
	refusalWait = 3 * time.Second
)

// standard returns the standard transport with the limits of this package. A stream of HTTP/2 buffers as much as an
// answer may have without a share of the memory.
func standard() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxResponseHeaderBytes = 0, maxIdle, maxHeader
	t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: free}
	t.Proxy = proxied(http.ProxyFromEnvironment)
	return t
}

// proxied returns find with an error that names the variables and not their text, which may hold a password.
func proxied(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		u, err := find(r)
		if err != nil {
			return nil, errProxy
		}
		return u, nil
	}
}

// errProxy is a proxy variable that is no address: no request can be sent.
var errProxy = errors.New("the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY) is no address")

// Client returns an HTTP client with this transport around base's (base may be nil; its timeout is kept). It never sees
// a redirect and so follows none: the key would go along to another host.
func (t *Transport) Client(base *http.Client) *http.Client {
	c := http.Client{}
	if base != nil {
		c = *base
	}
	if t.Next = c.Transport; t.Next == nil {
		t.Next = standard()
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
	body, err := call.read(req.Context(), resp)
	if err != nil {
		call.share.Release()
		return nil, err
	}
	call.Status, call.Header, call.Body = resp.StatusCode, resp.Header, body
	return resp, nil
}

// read reads the answer's body: all of one that may be JSON, and the beginning of any other, which no call can use.
func (c *Call) read(ctx context.Context, resp *http.Response) ([]byte, error) {
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if resp.StatusCode/100 != 2 || stream {
		defer time.AfterFunc(refusalWait, func() { resp.Body.Close() }).Stop()
		body, _ := read(ctx, inFlight, &c.share, resp.Body, maxRefusal) // the status says enough where the text ends early
		return body, ctx.Err()
	}
	if c.Stream != nil {
		if err := c.Stream(resp.Body); err != nil {
			return nil, &halfError{err}
		}
		return nil, nil
	}
	body, err := read(ctx, inFlight, &c.share, resp.Body, cmp.Or(c.Limit, maxAnswer))
	var large *largeError
	if err != nil && !errors.As(err, &large) {
		return nil, &halfError{err}
	}
	return body, err
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
