package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/wire"

	"github.com/google/go-cmp/cmp"
)

const plantedKey = "planted-key-7f3a"

// serve answers every call with one status and body, and keeps what was asked.
func serve(t *testing.T, status int, answer string) (*Client, *http.Request, *map[string]any) {
	t.Helper()
	asked, body := new(http.Request), new(map[string]any)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // the list of models, which this server has not
			http.NotFound(w, r)
			return
		}
		raw, _ := io.ReadAll(r.Body)
		*asked = *r
		*body = nil
		if err := json.Unmarshal(raw, body); err != nil {
			t.Errorf("request body: %v", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	c, err := New(Options{Key: plantedKey, BaseURL: s.URL + "/api/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	return c, asked, body
}

// say returns an answer of one choice with this content (JSON) and finish reason.
func say(content, finish string) string {
	return fmt.Sprintf(`{"model":"m-001","choices":[{"index":0,"finish_reason":%q,"message":{"role":"assistant","content":%s}}],
		"usage":{"prompt_tokens":11,"completion_tokens":7,"completion_tokens_details":{"reasoning_tokens":4}}}`, finish, content)
}

func TestRequestOnTheWire(t *testing.T) {
	c, asked, body := serve(t, 200, say(`"SELECT 1"`, "stop"))
	r := llmtest.Ask("one")
	r.Messages = append([]llm.Message{{Role: llm.System, Text: "be brief"}}, r.Messages...)
	topP, topK, seed := 0.5, 7, int64(42)
	r.Params = llm.Params{TopP: &topP, TopK: &topK, MaxTokens: 99, Stop: []string{"\n\n"}, Seed: &seed,
		Extra: map[string]any{"min_p": 0.1, "response_format": map[string]any{"type": "json_object"}}}
	resp, err := c.Generate(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{Text: "SELECT 1", Finish: "stop", Model: "m-001", Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 7, ReasoningTokens: 4}}
	if d := cmp.Diff(want, resp); d != "" {
		t.Error(d)
	}
	if asked.URL.String() != "/api/v1/chat/completions" || asked.Header.Get("Authorization") != "Bearer "+plantedKey {
		t.Errorf("asked %s with %q", asked.URL, asked.Header.Get("Authorization"))
	}
	wantBody := map[string]any{"model": "m-1", "temperature": 0.0, "top_p": 0.5, "top_k": 7.0, "max_tokens": 99.0,
		"stop": []any{"\n\n"}, "seed": float64(*r.SentSeed()), "min_p": 0.1, "response_format": map[string]any{"type": "json_object"},
		"messages": []any{map[string]any{"role": "system", "content": "be brief"}, map[string]any{"role": "user", "content": "one"}}}
	if d := cmp.Diff(wantBody, *body); d != "" {
		t.Error(d)
	}
}

func TestTheEnvironmentIsNotRead(t *testing.T) {
	for name, v := range map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_API_KEY": "from-env-1", "OPENAI_ADMIN_KEY": "from-env-2",
		"OPENAI_ORG_ID": "from-env-3", "OPENAI_PROJECT_ID": "from-env-4", "OPENAI_CUSTOM_HEADERS": "X-Custom: from-env-5"} {
		t.Setenv(name, v)
	}
	check := func(key, want string) {
		t.Helper()
		s := llmtest.Start(t, llmtest.OpenAI)
		c, err := New(Options{Key: key, BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Generate(context.Background(), llmtest.Ask("x")); err != nil {
			t.Fatal(err)
		}
		h := s.Last().Header
		if got := h.Get("Authorization"); got != want || strings.Contains(fmt.Sprint(h), "from-env") {
			t.Errorf("with key %q: headers %v", key, h)
		}
	}
	check(plantedKey, "Bearer "+plantedKey)
	check("", "") // a local server
}

func TestAnswers(t *testing.T) {
	check := func(answer, wantText, wantFinish string) {
		t.Helper()
		c, _, _ := serve(t, 200, answer)
		resp, err := c.Generate(context.Background(), llmtest.Ask("x"))
		if err != nil || resp.Text != wantText || resp.Finish != wantFinish {
			t.Errorf("%s: %+v, %v", answer, resp, err)
		}
	}
	check(say(`"a"`, "stop"), "a", "stop")
	check(say(`"a"`, "length"), "a", "length")
	check(say(`"a"`, ""), "a", "stop")
	check(say(`" a\n"`, "stop"), " a\n", "stop")
	check(say(`[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},{"type":"text","text":"b"}]`, "stop"), "ab", "stop")
	check(`{"choices":[{"finish_reason":"stop","message":{"content":"a","reasoning_content":"hm"}}]}`, "a", "stop")
	check(`{"choices":[{"finish_reason":"stop","message":{"content":"a","reasoning":"hm"}}]}`, "a", "stop")
	check(say(`"<think>SELECT 0</think>\n\nSELECT 1"`, "stop"), "SELECT 1", "stop")
	check(say(`"no <think>x</think>"`, "stop"), "no <think>x</think>", "stop")
}

// TestEmptyAnswers: whatever arrived is an answer, even if it is empty, and says what its tokens were used for.
func TestEmptyAnswers(t *testing.T) {
	check := func(answer string, want llm.Response) {
		t.Helper()
		c, _, _ := serve(t, 200, answer)
		got, err := c.Generate(context.Background(), llmtest.Ask("x"))
		want.Model, want.Usage = got.Model, got.Usage
		if d := cmp.Diff(want, got); d != "" || err != nil || got.Usage.CompletionTokens == 0 && got.Usage.PromptTokens == 0 {
			t.Errorf("%s: %v %s", answer, err, d)
		}
	}
	check(say(`""`, "stop"), llm.Response{Finish: "stop"})
	check(say(`null`, "length"), llm.Response{Finish: "length"}) // the bound went into reasoning
	check(say(`"<think>hm"`, "length"), llm.Response{Finish: "length", Reasoning: "<think>hm"})
	check(say(`"<think>hm</think>"`, "stop"), llm.Response{Finish: "stop", Reasoning: "<think>hm</think>"})
	check(`{"choices":[{"finish_reason":"length","message":{"content":null,"reasoning_content":"hm"}}]}`, llm.Response{Finish: "length", Reasoning: "hm"})
	check(`{"choices":[{"finish_reason":"stop","message":{"content":"SELECT 1","reasoning":"hm"}}]}`, llm.Response{Text: "SELECT 1", Finish: "stop", Reasoning: "hm"})
	check(say(`null`, "tool_calls"), llm.Response{Finish: "tool_calls"}) // of tools that were not offered
	check(`{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I will not"}}]}`, llm.Response{Text: "I will not", Finish: "stop"})
}

// TestFieldsNextToAnAnswer: whatever form a server gives to the fields next to an answer's text, the answer arrived and
// is kept; tokens that are not counted in a known form are estimated, with a warning.
func TestFieldsNextToAnAnswer(t *testing.T) {
	check := func(more, finish string, usage llm.Usage) {
		t.Helper()
		c, _, _ := serve(t, 200, `{"choices":[{"message":{"content":"12345678"`+more+`}`)
		got, err := c.Generate(context.Background(), llmtest.Ask("1234"))
		if err != nil || got.Text != "12345678" || got.Finish != finish || got.Usage != usage || strings.Contains(fmt.Sprint(got, c.Warnings()), plantedKey) {
			t.Errorf("%s: %+v, %v", more, got, err)
		}
		if told := len(c.Warnings()) > 0; told != usage.Estimated {
			t.Errorf("%s: warnings %q", more, c.Warnings())
		}
	}
	guess := llm.Usage{PromptTokens: 1, CompletionTokens: 2, Estimated: true}
	check(`},"finish_reason":"end_turn"}]`, "stop", guess)
	check(`},"finish_reason":"STOP"}]`, "stop", guess)
	check(`},"finish_reason":"MAX_TOKENS"}]`, "length", guess)
	check(`},"finish_reason":"abort"}]`, "abort", guess)
	check(`},"finish_reason":"x`+plantedKey+`"}]`, "x[key]", guess)
	check(`},"finish_reason":7}]`, "stop", guess)
	check(`,"reasoning_content":42,"refusal":[],"tool_calls":"x"},"logprobs":7}],"model":5,"system_fingerprint":{},"timings":[]`, "stop", guess)
	for _, usage := range []string{`null`, `[]`, `"x"`, `{"prompt_tokens":-5,"completion_tokens":-1}`, `{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}`,
		`{"prompt_tokens":1e300,"completion_tokens":"many"}`} {
		check(`}}],"usage":`+usage, "stop", guess)
	}
	check(`}}],"usage":{"prompt_tokens":"7","completion_tokens":5.0}`, "stop", llm.Usage{PromptTokens: 7, CompletionTokens: 5})
	check(`}}],"usage":{"prompt_tokens":7}`, "stop", llm.Usage{PromptTokens: 7, CompletionTokens: 2, Estimated: true})
	check(`}}],"usage":{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":3,"cache_write_tokens":9}}`, "stop",
		llm.Usage{PromptTokens: 7, CompletionTokens: 5, CachedTokens: 3, CacheWriteTokens: 4})
	check(`}}],"usage":{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":"x","completion_tokens_details":{"reasoning_tokens":99}}`, "stop",
		llm.Usage{PromptTokens: 7, CompletionTokens: 5, ReasoningTokens: 5})
}

// TestBlockedAnswersAreCounted: what the server counted of choices that it held back was spent.
func TestBlockedAnswersAreCounted(t *testing.T) {
	c, _, _ := serve(t, 200, `{"choices":[{"finish_reason":"content_filter","message":{"content":""}}],"usage":{"prompt_tokens":11,"completion_tokens":2000}}`)
	_, err := c.Generate(context.Background(), llmtest.Ask("x"))
	var f *llm.Failure
	if !errors.As(err, &f) || f.Usage != (llm.Usage{PromptTokens: 11, CompletionTokens: 2000}) {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestNoAnswerIsAFailure(t *testing.T) {
	check := func(status int, answer, want string) {
		t.Helper()
		c, _, _ := serve(t, status, answer)
		_, err := c.Generate(context.Background(), llmtest.Ask("x"))
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != want {
			t.Errorf("%d %s: %v, want failure %q", status, answer, err, want)
		}
	}
	check(200, `{}`, "no choices")
	check(200, `{"choices":[]}`, "no choices")
	check(200, say(`""`, "content_filter"), "blocked: content_filter")
	check(200, say(`"half of it"`, "content_filter"), "blocked: content_filter")
	check(200, say(`""`, "abort"), "finish: abort")
	check(200, say(`""`, plantedKey), "finish: [key]")
	check(200, say(`7`, "stop"), "malformed answer")
	check(200, `null`, "no choices")
	check(200, `{"error":{"message":"upstream","code":502}}`, "http 502")
	check(200, `{"error":"no"}`, "error in the answer")
	check(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "http 429")
	check(500, `oops`, "http 500")
	check(400, `{"error":{"message":"x","code":"context_length_exceeded"}}`, "prompt too long")
	check(400, `{"message":"x","type":"bad"}`, "http 400")
}

func TestWhatEndsARun(t *testing.T) {
	check := func(status int, answer, part string) {
		t.Helper()
		c, _, _ := serve(t, status, answer)
		_, err := c.Generate(context.Background(), llmtest.Ask("x"))
		var f *llm.Failure
		if err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), plantedKey) {
			t.Errorf("%d %s: %v, want an error with %q", status, answer, err, part)
		}
	}
	check(401, `{"error":{"message":"Incorrect API key provided: `+plantedKey+`","code":"invalid_api_key"}}`, "[key]")
	check(429, `{"error":{"message":"no credit","code":"insufficient_quota"}}`, "billing")
	check(400, `{"error":{"message":"only 1","code":"unsupported_value","param":"temperature"}}`, "model.temperature")
	check(400, `{"error":{"message":"no","code":"unsupported_parameter","param":"reasoning_effort"}}`, "leave model.reasoning out")
	check(400, `{"error":{"message":"no","code":"unknown_parameter","param":"min_p"}}`, "leave it out")
	check(400, `{"error":{"message":"Unrecognized request argument supplied: min_p","type":"invalid_request_error"}}`, "remove it from model.extra")
	check(400, `{"error":{"message":"[{'msg': 'Extra inputs are not permitted'}]","type":"BadRequestError","code":400}}`, "remove it from model.extra")
	check(400, `{"error":{"message":"\"m\" does not support thinking","type":"invalid_request_error"}}`, "leave model.reasoning out")
	check(400, `{"error":{"message":"m does not support tools"}}`, "without tools")
	check(400, `{"error":{"message":"a/b is not a valid model ID","code":400}}`, "check model.name")
	check(404, `{"error":{"message":"No endpoints found that can handle the requested parameters","code":404}}`, "model.extra")
	check(200, `{"error":{"message":"who","code":401}}`, "check the key")
}

func TestReasoningModelsNameTheBoundDifferently(t *testing.T) {
	var bodies []map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		var b map[string]any
		json.NewDecoder(r.Body).Decode(&b)
		bodies = append(bodies, b)
		if _, old := b["max_tokens"]; old {
			w.WriteHeader(400)
			io.WriteString(w, `{"error":{"message":"use the other","code":"unsupported_parameter","param":"max_tokens"}}`)
			return
		}
		io.WriteString(w, say(`"a"`, "stop"))
	}))
	defer s.Close()
	c, err := New(Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	r := llmtest.Ask("x")
	r.Params.MaxTokens = 50
	for range 2 {
		if _, err := c.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if len(bodies) != 3 || bodies[2]["max_completion_tokens"] != 50.0 || len(c.Warnings()) != 1 {
		t.Errorf("%d calls, the last %v, warnings %q", len(bodies), bodies[len(bodies)-1], c.Warnings())
	}
}

func TestWarnings(t *testing.T) {
	seed := int64(1)
	check := func(what string, set func(*llmtest.Server), r llm.Request, want ...string) {
		t.Helper()
		s := llmtest.Start(t, llmtest.OpenAI)
		set(s)
		c, err := New(Options{BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := c.GenerateN(context.Background(), r, []int{0, 1}); err != nil {
				t.Fatal(err)
			}
		}
		got := c.Warnings()
		if len(got) != len(want) || !slices.IsSorted(got) {
			t.Errorf("%s: warnings %q", what, got)
			return
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%s: %q lacks %q", what, got[i], want[i])
			}
		}
	}
	seeded := llmtest.Ask("x")
	seeded.Params.Seed = &seed
	check("a good server", func(*llmtest.Server) {}, seeded)
	check("no seed asked for", func(s *llmtest.Server) { s.IgnoreSeed = true }, llmtest.Ask("x"))
	check("seed ignored", func(s *llmtest.Server) { s.IgnoreSeed = true }, seeded, "the seed may be ignored")
	check("n ignored", func(s *llmtest.Server) { s.IgnoreN = true }, seeded, "ignores n")
	check("n refused", func(s *llmtest.Server) { s.RefuseN = true }, seeded, "refuses n")
	check("both", func(s *llmtest.Server) { s.IgnoreN, s.IgnoreSeed = true, true }, seeded, "ignores n", "the seed may be ignored")
}

func TestSomeChoicesBlocked(t *testing.T) {
	c, _, _ := serve(t, 200, `{"choices":[{"finish_reason":"stop","message":{"content":"a"}},{"finish_reason":"content_filter","message":{"content":""}},
		{"finish_reason":"stop","message":{"content":"b"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)
	got, err := c.GenerateN(context.Background(), llmtest.Ask("x"), []int{0, 1, 2})
	if err != nil || len(got) != 2 || got[0].Text != "a" || got[1].Text != "b" {
		t.Fatalf("%+v, %v", got, err)
	}
	if sum := got[0].Usage.Add(got[1].Usage); sum.PromptTokens != 10 || sum.CompletionTokens != 5 {
		t.Errorf("usage %+v", sum)
	}
}

func TestUsageIsEstimatedWhereTheServerCountsNothing(t *testing.T) {
	c, _, _ := serve(t, 200, `{"choices":[{"message":{"content":"12345678"}}]}`)
	resp, err := c.Generate(context.Background(), llmtest.Ask("1234"))
	if want := (llm.Usage{PromptTokens: 1, CompletionTokens: 2, Estimated: true}); err != nil || resp.Usage != want {
		t.Errorf("%+v, %v", resp.Usage, err)
	}
}

func TestExtraParametersDoNotOverride(t *testing.T) {
	for _, name := range []string{"temperature", "n", "stream", "messages", "prompt", "echo", ""} {
		r := llmtest.Ask("x")
		r.Params.Extra = map[string]any{name: 1}
		c, asked, _ := serve(t, 200, say(`"a"`, "stop"))
		if _, err := c.Generate(context.Background(), r); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) || asked.URL != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestExtraParametersAreSentAsTheyAre: a name is a name, whatever it looks like.
func TestExtraParametersAreSentAsTheyAre(t *testing.T) {
	r := llmtest.Ask("x")
	r.Params.Extra = map[string]any{"a.b": 1.0, "x:y": []any{"z"}, "<é>": nil}
	c, _, body := serve(t, 200, say(`"a"`, "stop"))
	if _, err := c.Generate(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	for name, want := range r.Params.Extra {
		if got, ok := (*body)[name]; !ok || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestNewNeedsAKeyOrAServer(t *testing.T) {
	if _, err := New(Options{}); err == nil || !strings.Contains(err.Error(), DefaultKeyEnv) {
		t.Errorf("err = %v", err)
	}
	if _, err := New(Options{Key: "secret\nkey"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("err = %v", err)
	}
	if _, err := New(Options{BaseURL: "http://u:secret@h"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("err = %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(say(`"a"`, "stop")), 2)
	f.Add([]byte(`{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"logprobs":{"content":[{"logprob":-1}]}}]}`), 1)
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text"}]}}],"error":{"code":502}}`), 1)
	f.Add([]byte(`{"choices":[{"text":" a","finish_reason":"length","logprobs":{"token_logprobs":[null,-1]}}]}`), 1)
	c, err := New(Options{Key: plantedKey})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte, n int) {
		chat, plain := llmtest.Ask("x"), plainly("x")
		chat.Tools, chat.Params.Logprobs, plain.Params.Logprobs = []llm.Tool{{Name: "f"}}, true, true
		for _, r := range []llm.Request{chat, plain} {
			got, err := c.read(&wire.Call{Status: 200, Body: raw}, r, max(n, 1))
			if (err == nil) == (len(got) == 0) {
				t.Errorf("%q: %d responses, %v", r.Params.API, len(got), err)
			}
		}
		if err := c.outcome(context.Background(), &wire.Call{Status: 400, Body: raw}, nil); err == nil {
			t.Error("a 400 is no error")
		}
	})
}
