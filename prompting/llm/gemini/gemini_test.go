package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

const plantedKey = "planted-key-7f3a"

// serve answers every generateContent call with one status and body and keeps what was asked.
func serve(t *testing.T, status int, answer string) (c *Client, asked *http.Request, body *map[string]any, hits *atomic.Int64) {
	t.Helper()
	asked, body, hits = new(http.Request), new(map[string]any), new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		raw, _ := io.ReadAll(r.Body)
		*asked = *r
		if err := json.Unmarshal(raw, body); err != nil {
			t.Errorf("request body: %v", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	c, err := New(context.Background(), Options{Key: plantedKey, BaseURL: s.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	return c, asked, body, hits
}

var question = llm.Request{Author: llm.Author{Provider: "gemini", Model: "gemini-x"}, Messages: []llm.Message{
	{Role: llm.System, Text: "be brief"}, {Role: llm.User, Text: "one"}, {Role: llm.Assistant, Text: "two"}, {Role: llm.User, Text: "three"}}}

const good = `{"candidates":[{"content":{"role":"model","parts":[{"text":"think","thought":true},{"text":"SELECT "},{"text":"1"}]},"finishReason":"STOP"}],
 "usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":3,"thoughtsTokenCount":4},"modelVersion":"gemini-x-001"}`

func TestRequestOnTheWire(t *testing.T) {
	c, asked, body, _ := serve(t, 200, good)
	r := question
	topP, topK, seed := 0.5, 7, int64(42)
	r.Params = llm.Params{Temperature: 0, TopP: &topP, TopK: &topK, MaxTokens: 99, Stop: []string{"\n\n"}, Seed: &seed}
	resp, err := c.Generate(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{Text: "SELECT 1", Finish: "stop", Model: "gemini-x-001", Reasoning: "think",
		Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 7, ReasoningTokens: 4}}
	if d := cmp.Diff(want, resp); d != "" {
		t.Error(d)
	}
	if got := asked.URL.Path; got != "/v1beta/models/gemini-x:generateContent" {
		t.Errorf("path %q", got)
	}
	if asked.Header.Get("x-goog-api-key") != plantedKey || strings.Contains(asked.URL.String(), plantedKey) {
		t.Errorf("the key is not in the header alone: %v", asked.URL)
	}
	cfg := (*body)["generationConfig"]
	wantCfg := map[string]any{"temperature": 0.0, "topP": 0.5, "topK": 7.0, "maxOutputTokens": 99.0,
		"stopSequences": []any{"\n\n"}, "seed": float64(*r.SentSeed())}
	if d := cmp.Diff(wantCfg, cfg); d != "" {
		t.Error(d)
	}
	if n := len((*body)["contents"].([]any)); n != 3 {
		t.Errorf("%d turns, want 3", n)
	}
	if raw, _ := json.Marshal((*body)["systemInstruction"]); !strings.Contains(string(raw), "be brief") {
		t.Errorf("system instruction %s", raw)
	}
}

func TestAnAnswerWithoutTextIsAFailure(t *testing.T) {
	check := func(status int, answer, want string) {
		t.Helper()
		c, _, _, hits := serve(t, status, answer)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, err := c.Generate(ctx, question)
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != want {
			t.Errorf("%d %s: %v, want failure %q", status, answer, err, want)
		}
		if hits.Load() != 1 {
			t.Errorf("%d: %d calls, want 1", status, hits.Load())
		}
	}
	check(200, `{"promptFeedback":{"blockReason":"SAFETY"}}`, "blocked: SAFETY")
	check(200, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, "blocked: PROHIBITED_CONTENT")
	check(200, `{}`, "no candidates")
	check(200, `{"candidates":[{"finishReason":"RECITATION"}]}`, "finish: RECITATION")
	check(200, `{"candidates":[{"finishReason":"SOMETHING_NEW","content":{"parts":[{"text":"x"}]}}]}`, "finish: SOMETHING_NEW")
	check(200, `{"candidates":[`, "malformed answer")
	check(429, `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}`, "http 429")
	check(500, `<html>oops</html>`, "http 500")
	check(503, `{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}`, "http 503")
	check(400, `{"error":{"code":400,"message":"too long","status":"INVALID_ARGUMENT"}}`, "http 400")
}

// TestEmptyAnswers: whatever arrived is an answer, even if it is empty, and says what its tokens were used for.
func TestEmptyAnswers(t *testing.T) {
	check := func(answer, finish, reasoning string, usage llm.Usage) {
		t.Helper()
		c, _, _, _ := serve(t, 200, answer)
		got, err := c.Generate(context.Background(), question)
		if d := cmp.Diff(llm.Response{Finish: finish, Reasoning: reasoning, Usage: usage}, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", answer, err, d)
		}
	}
	check(`{"candidates":[{"finishReason":"MAX_TOKENS","content":{"parts":[{"text":"hm","thought":true}]}}],"usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":50,"cachedContentTokenCount":4}}`,
		"length", "hm", llm.Usage{PromptTokens: 9, CompletionTokens: 50, ReasoningTokens: 50, CachedTokens: 4})
	check(`{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":""}]}}],"usageMetadata":{"promptTokenCount":9}}`, "stop", "", llm.Usage{PromptTokens: 9})
	check(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}],"usageMetadata":{"promptTokenCount":9}}`, "tool_calls", "", llm.Usage{PromptTokens: 9})
}

// TestBlockedAnswersAreCounted: what the server counted of what it held back was spent.
func TestBlockedAnswersAreCounted(t *testing.T) {
	const usage = `"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"thoughtsTokenCount":2}`
	for _, answer := range []string{`{"candidates":[{"finishReason":"SAFETY"}],` + usage + `}`, `{"promptFeedback":{"blockReason":"OTHER"},` + usage + `}`} {
		c, _, _, _ := serve(t, 200, answer)
		_, err := c.Generate(context.Background(), question)
		var f *llm.Failure
		if !errors.As(err, &f) || f.Usage != (llm.Usage{PromptTokens: 9, CompletionTokens: 7, ReasoningTokens: 2}) {
			t.Errorf("%s: %+v, %v", answer, f, err)
		}
	}
}

func TestATruncatedAnswerSaysSo(t *testing.T) {
	c, _, _, _ := serve(t, 200, `{"candidates":[{"finishReason":"MAX_TOKENS","content":{"parts":[{"text":"SELECT a FR"}]}}]}`)
	resp, err := c.Generate(context.Background(), question)
	if err != nil || resp.Finish != "length" || resp.Text != "SELECT a FR" {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestARefusedKeyEndsTheRunWithoutShowingIt(t *testing.T) {
	check := func(status int, answer string) {
		t.Helper()
		c, _, _, _ := serve(t, status, answer)
		_, err := c.Generate(context.Background(), question)
		var f *llm.Failure
		if err == nil || errors.As(err, &f) {
			t.Fatalf("%d: %v, want an error that ends the run", status, err)
		}
		if strings.Contains(err.Error(), plantedKey) {
			t.Errorf("the key is in %q", err)
		}
	}
	check(400, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`)
	check(403, `{"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}}`)
	check(404, `{"error":{"code":404,"message":"no such model","status":"NOT_FOUND"}}`)
}

func TestTransportErrorsDoNotShowTheKey(t *testing.T) {
	c, err := New(context.Background(), Options{Key: plantedKey, BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Generate(context.Background(), question)
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != "transport" || strings.Contains(err.Error(), plantedKey) {
		t.Errorf("err = %v", err)
	}
}

func TestACancelledContextIsNotAFailure(t *testing.T) {
	c, _, _, _ := serve(t, 200, good)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Generate(ctx, question); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestNoKey(t *testing.T) {
	if _, err := New(context.Background(), Options{}); err == nil || !strings.Contains(err.Error(), DefaultKeyEnv) {
		t.Errorf("err = %v", err)
	}
}
