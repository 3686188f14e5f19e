package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"assay/prompting/llm"
)

// callKey is the context key of a callState.
type callKey struct{}

// callState carries what the SDK cannot: earlier turns and a seed on the way out (its one-shot call takes a single
// turn, and its chat streams, which loses the usage), the raw answer on the way back.
type callState struct {
	history []llm.Message
	seed    *int64
	status  int
	raw     []byte
}

// unavailableError is a 503. It is no *googleapi.Error, because the SDK retries those until the deadline.
type unavailableError struct{ body string }

func (e *unavailableError) Error() string { return "http 503: " + e.body }

// transport adds the key and the seed to a request, keeps the raw answer, and stops the SDK's own retries.
type transport struct {
	key  string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	call := stateOf(req.Context())
	req = req.Clone(req.Context())
	q := req.URL.Query()
	q.Del("key")
	req.URL.RawQuery = q.Encode()
	req.Header.Set("x-goog-api-key", t.key)
	if err := call.amend(req); err != nil {
		return nil, fmt.Errorf("gemini: amend the request: %w", err)
	}
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("gemini: read the answer: %w", err)
	}
	if resp.StatusCode == http.StatusServiceUnavailable { // the SDK would retry this until the deadline
		return nil, &unavailableError{body: string(raw)}
	}
	call.status, call.raw = resp.StatusCode, raw
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

func stateOf(ctx context.Context) *callState {
	if c, ok := ctx.Value(callKey{}).(*callState); ok {
		return c
	}
	return &callState{}
}

// amend puts the earlier turns before the last one, and the seed into generationConfig.
func (c *callState) amend(req *http.Request) error {
	if req.Body == nil || c.seed == nil && len(c.history) == 0 {
		return nil
	}
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return err
	}
	if c.seed != nil {
		cfg, ok := doc["generationConfig"].(map[string]any)
		if !ok {
			cfg = map[string]any{}
			doc["generationConfig"] = cfg
		}
		cfg["seed"] = *c.seed
	}
	var contents []any
	for _, m := range c.history {
		role := "user"
		if m.Role == llm.Assistant {
			role = "model"
		}
		contents = append(contents, map[string]any{"role": role, "parts": []any{map[string]any{"text": m.Text}}})
	}
	last, _ := doc["contents"].([]any)
	doc["contents"] = append(contents, last...)
	if raw, err = json.Marshal(doc); err != nil {
		return err
	}
	req.Body = io.NopCloser(bytes.NewReader(raw))
	req.ContentLength = int64(len(raw))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return nil
}
