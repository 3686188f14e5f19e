package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
	"testing"

	"assay/configs/input"
)

// interaction is one request and its answer, as a provider's public documentation shows them.
type interaction struct {
	About   string            `json:"about"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`    // without host and query
	Request json.RawMessage   `json:"request"` // the expected body; missing: any
	Status  int               `json:"status"`
	Header  map[string]string `json:"header"`
	Body    json.RawMessage   `json:"body"` // a JSON string is sent as its text, any other value as JSON
}

// Cassette is an HTTP transport that answers with recorded interactions, in order. A request other than the expected
// one fails the test. Request headers are not recorded, so that no key can be.
type Cassette struct {
	t    testing.TB
	path string
	mu   sync.Mutex
	rest []interaction
}

// LoadCassette reads a file of interactions. The test fails if any is left when it ends.
func LoadCassette(t testing.TB, path string) *Cassette {
	t.Helper()
	text, err := input.Read(path, input.Recording)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cassette{t: t, path: path}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.rest); err != nil || len(c.rest) == 0 {
		t.Fatalf("cassette %s: %d interactions, %v", path, len(c.rest), err)
	}
	t.Cleanup(func() {
		if len(c.rest) > 0 {
			t.Errorf("cassette %s: %d interactions were not played", path, len(c.rest))
		}
	})
	return c
}

// Client returns an HTTP client that the cassette answers.
func (c *Cassette) Client() *http.Client { return &http.Client{Transport: c} }

// RoundTrip implements http.RoundTripper.
func (c *Cassette) RoundTrip(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.Method == http.MethodGet { // the list of models, which no cassette has
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Header: http.Header{}, Request: req}, nil
	}
	if len(c.rest) == 0 {
		return nil, fmt.Errorf("llmtest: cassette %s: a request after its end", c.path)
	}
	i := c.rest[0]
	c.rest = c.rest[1:]
	if req.Method != i.Method || req.URL.Path != i.Path {
		c.t.Errorf("cassette %s: asked %s %s, expected %s %s", c.path, req.Method, req.URL.Path, i.Method, i.Path)
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if i.Request != nil && !sameJSON(raw, i.Request) {
		c.t.Errorf("cassette %s: asked %s, expected %s", c.path, raw, i.Request)
	}
	body := []byte(i.Body)
	var text string
	if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	h := http.Header{}
	for name, v := range i.Header {
		h.Set(name, v)
	}
	return &http.Response{StatusCode: i.Status, Status: http.StatusText(i.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req}, nil
}

// sameJSON compares values, because white space and the order of names differ between builds of an SDK.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
