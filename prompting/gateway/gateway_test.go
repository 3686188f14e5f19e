package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"assay/prompting/gateway"
	"assay/prompting/llm"
)

// open returns a server that the test closes.
func open(t testing.TB, o gateway.Options) *gateway.Server {
	t.Helper()
	s, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// session asks a model as an arm at temperature 0 would.
func session(m llm.Model) gateway.Session {
	return gateway.Session{Model: m, Author: llm.Author{Provider: "openai", Model: "m"}, About: "d/s/1", Name: "mine", Seed: 7}
}

// begin opens an exchange that the test ends.
func begin(t testing.TB, x gateway.Session) *gateway.Exchange {
	t.Helper()
	e := open(t, gateway.Options{}).Begin(context.Background(), nil, x)
	t.Cleanup(func() { _, _ = e.End() })
	return e
}

// header is a request's header as pairs of name and value.
type header []string

// do makes a request with a key.
func do(t testing.TB, method, url, key, body string, h header) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(h); i += 2 {
		req.Header.Set(h[i], h[i+1])
		if h[i] == "Host" {
			req.Host = h[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

// post asks an exchange.
func post(t testing.TB, e *gateway.Exchange, path, body string, h ...string) (int, string) {
	t.Helper()
	status, _, answer := do(t, http.MethodPost, e.BaseURL()+path, e.Key(), body, h)
	return status, answer
}

// pretty indents JSON.
func pretty(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return b.String()
}
