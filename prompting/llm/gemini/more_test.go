package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/wire"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, baseURL string) *Client {
	t.Helper()
	c, err := New(context.Background(), Options{Key: plantedKey, BaseURL: baseURL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestExtraParametersAreWhereTheAPIExpectsThem(t *testing.T) {
	c, _, body, _ := serve(t, 200, good)
	r := question
	safety := []any{map[string]any{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}}
	r.Params.Extra = map[string]any{"safetySettings": safety, "responseMimeType": "application/json",
		"responseSchema": map[string]any{"type": "STRING"}}
	if _, err := c.Generate(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(any(safety), (*body)["safetySettings"]); d != "" {
		t.Error(d)
	}
	want := map[string]any{"temperature": 0.0, "responseMimeType": "application/json", "responseSchema": map[string]any{"type": "STRING"}}
	if d := cmp.Diff(any(want), (*body)["generationConfig"]); d != "" {
		t.Error(d)
	}
	r.Params.Extra = map[string]any{"temperature": 1}
	if _, err := c.Generate(context.Background(), r); err == nil || !strings.Contains(err.Error(), "temperature") {
		t.Errorf("an extra parameter overrode its field: %v", err)
	}
}

func TestTunedModels(t *testing.T) {
	for name, want := range map[string]string{
		"gemini-x":            "/v1beta/models/gemini-x:generateContent",
		"models/gemini-x":     "/v1beta/models/gemini-x:generateContent",
		"tunedModels/my-tune": "/v1beta/tunedModels/my-tune:generateContent",
	} {
		c, asked, _, _ := serve(t, 200, good)
		r := question
		r.Model = name
		if _, err := c.Generate(context.Background(), r); err != nil || asked.URL.Path != want {
			t.Errorf("%s: %s, %v", name, asked.URL.Path, err)
		}
	}
}

func TestSomeCandidatesBlocked(t *testing.T) {
	c, _, body, _ := serve(t, 200, `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"},{"finishReason":"SAFETY"},
		{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":4,"thoughtsTokenCount":1}}`)
	got, err := c.GenerateN(context.Background(), question, []int{0, 1, 2})
	if err != nil || len(got) != 2 || got[0].Text != "a" || got[1].Text != "b" {
		t.Fatalf("%+v, %v", got, err)
	}
	if sum := got[0].Usage.Add(got[1].Usage); sum.PromptTokens != 10 || sum.CompletionTokens != 5 {
		t.Errorf("usage %+v", sum)
	}
	if n := (*body)["generationConfig"].(map[string]any)["candidateCount"]; n != 3.0 {
		t.Errorf("candidateCount %v", n)
	}
}

func TestWhatTheServerSaysOfWaiting(t *testing.T) {
	const info = `{"error":{"code":%d,"message":"m","status":"S","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":%q}]}}`
	check := func(status int, delay, header string, want time.Duration, retryable bool) {
		t.Helper()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(status)
			fmt.Fprintf(w, info, status, delay)
		}))
		defer s.Close()
		_, err := open(t, s.URL).Generate(context.Background(), question)
		var f *llm.Failure
		if !errors.As(err, &f) || f.RetryAfter != want || f.Retryable != retryable || f.Status != status {
			t.Errorf("%d, delay %q, header %q: %+v, %v", status, delay, header, f, err)
		}
	}
	check(429, "22s", "", 22*time.Second, true)
	check(429, "8.941621227s", "", 8941621227*time.Nanosecond, true)
	check(429, "", "5", 5*time.Second, true)
	check(503, "1s", "5", 5*time.Second, true)
	check(503, "", "", 0, true)
	check(429, "a while", "", 0, true)
	check(429, "99999h", "", 24*time.Hour, true)
	check(400, "22s", "", 0, false)
}

func TestADaysQuotaEndsTheRun(t *testing.T) {
	c, _, _, _ := serve(t, 429, `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[
		{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"250"}]},
		{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"22s"}]}}`)
	_, err := c.Generate(context.Background(), question)
	var f *llm.Failure
	if err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), "PerDay") {
		t.Errorf("err = %v", err)
	}
}

func TestCountTokens(t *testing.T) {
	s := llmtest.Start(t, llmtest.Gemini)
	c := open(t, s.URL)
	n, err := c.CountTokens(context.Background(), question) // "be brief", "one", "two", "three" at four bytes per token
	if err != nil || n != 2+1+1+2 {
		t.Errorf("%d tokens, %v", n, err)
	}
	if a := s.Last().Asked; a.System != "be brief" || len(a.Turns) != 3 {
		t.Errorf("asked %+v", a)
	}
	s.Always(llmtest.Fault{Body: `{}`})
	if _, err := c.CountTokens(context.Background(), question); err == nil {
		t.Error("an answer without a number is taken")
	}
	s.Always(llmtest.Refused(401))
	if _, err := c.CountTokens(context.Background(), question); err == nil || !strings.Contains(err.Error(), "count tokens") {
		t.Errorf("err = %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(good), 2)
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":[1]}}}]},"logprobsResult":{"chosenCandidates":[{"logProbability":-1}]}}]}`), 1)
	f.Add([]byte(`{"error":{"details":[{"retryDelay":"1s","violations":[{"quotaId":"PerDay"}]}]}}`), 1)
	key, err := wire.NewKey(plantedKey)
	if err != nil {
		f.Fatal(err)
	}
	c := &Client{key: key}
	asked := llm.Request{Tools: []llm.Tool{{Name: "f"}}, Params: llm.Params{Logprobs: true}}
	f.Fuzz(func(t *testing.T, raw []byte, n int) {
		got, err := c.read(&wire.Call{Status: 200, Body: raw}, asked, max(n, 1))
		if (err == nil) == (len(got) == 0) {
			t.Errorf("%d responses, %v", len(got), err)
		}
		if err := c.refused(&wire.Call{Status: 429, Body: raw}); err == nil {
			t.Error("a 429 is no error")
		}
	})
}

// TestReasoningOnTheWire: an effort is a level, a budget or none is a budget, and the rest of thinkingConfig is the
// experiment's.
func TestReasoningOnTheWire(t *testing.T) {
	check := func(reasoning string, extra map[string]any, want string) {
		t.Helper()
		c, _, body, _ := serve(t, 200, good)
		r := question
		r.Params = llm.Params{Reasoning: reasoning, Extra: extra, DefaultTemperature: true}
		key := r.Key()
		_, err := c.Generate(context.Background(), r)
		if r.Key() != key {
			t.Errorf("%s: sending changed the request", reasoning)
		}
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", reasoning, err)
			}
			return
		}
		cfg, _ := (*body)["generationConfig"].(map[string]any)
		if _, sent := cfg["temperature"]; sent {
			t.Errorf("a temperature is sent: %v", cfg)
		}
		if got, _ := json.Marshal(cfg["thinkingConfig"]); string(got) != want {
			t.Errorf("%s: %s, want %s", reasoning, got, want)
		}
	}
	check("", nil, "null")
	check("low", nil, `{"thinkingLevel":"low"}`)
	check("none", nil, `{"thinkingBudget":0}`)
	check("1024", nil, `{"thinkingBudget":1024}`)
	check("", map[string]any{"thinkingConfig": map[string]any{"includeThoughts": true, "thinkingBudget": 9}}, `{"includeThoughts":true,"thinkingBudget":9}`)
	check("1024", map[string]any{"thinkingConfig": map[string]any{"includeThoughts": true}}, `{"includeThoughts":true,"thinkingBudget":1024}`)
	check("low", map[string]any{"thinkingConfig": map[string]any{"thinkingBudget": 9}}, `the extra parameter "thinkingConfig" is sent as the reasoning says`)
	check("low", map[string]any{"thinkingConfig": 9}, `the extra parameter "thinkingConfig"`)
}

// TestAStatedSeedIsOneSamples: each sample has a seed, and a call, of its own.
func TestAStatedSeedIsOneSamples(t *testing.T) {
	c, _, body, hits := serve(t, 200, good)
	r, seed := question, int64(40)
	r.Params = llm.Params{FixedSeed: &seed, Reasoning: "none"}
	got, err := c.GenerateN(context.Background(), r, []int{3, 4})
	cfg, _ := (*body)["generationConfig"].(map[string]any)
	if err != nil || len(got) != 1 || hits.Load() != 1 || cfg["seed"] != 43.0 {
		t.Errorf("%d, %v, %d calls, %v", len(got), err, hits.Load(), cfg)
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0], `"gemini-x" reasons, though reasoning "none"`) {
		t.Errorf("warnings %q", w)
	}
}
