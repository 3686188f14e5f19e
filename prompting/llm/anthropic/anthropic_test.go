package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/wire"

	"github.com/google/go-cmp/cmp"
)

const plantedKey = "planted+key/7qzx=&x"

// serve returns a client of a server that gives one answer, and the request it received last.
func serve(t *testing.T, status int, answer string) (c *Client, body *map[string]any, header *http.Header) {
	t.Helper()
	body, header = new(map[string]any), new(http.Header)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if !strings.HasPrefix(r.URL.Path, "/v1/messages") {
			t.Errorf("asked %s", r.URL.Path)
		}
		*body, *header = nil, r.Header
		_ = json.Unmarshal(raw, body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return open(t, s.URL), body, header
}

func open(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Options{Key: plantedKey, BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const good = `{"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}`

func TestNew(t *testing.T) {
	check := func(o Options, part string) {
		t.Helper()
		_, err := New(o)
		if (err == nil) != (part == "") || err != nil && (!strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%v, want %q", err, part)
		}
	}
	check(Options{}, "set ANTHROPIC_API_KEY")
	check(Options{Key: "sk-ant-secret"}, "")
	check(Options{BaseURL: "http://localhost:1"}, "")
	check(Options{Key: "secret key"}, "space")
	check(Options{Key: "k", BaseURL: "localhost"}, "base URL")
	check(Options{Key: "k", BaseURL: "http://localhost:1/v1/"}, "")
	check(Options{Key: "k", BaseURL: "http://localhost:1/anthropic"}, "")
}

// Neither the environment nor a file of the user's decides who is asked, and with which key.
func TestNothingIsTakenFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"} {
		t.Setenv(name, "X-Env: from-the-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	c, _, header := serve(t, 200, good)
	if _, err := c.Generate(context.Background(), llmtest.Ask("x")); err != nil {
		t.Fatal(err)
	}
	for name, values := range *header {
		if strings.Contains(strings.Join(values, " "), "from-the-environment") {
			t.Errorf("%s: %q", name, values)
		}
	}
	if header.Get("X-Api-Key") != plantedKey || header.Get("Anthropic-Version") != "2023-06-01" || header.Get("Authorization") != "" {
		t.Errorf("header %v", *header)
	}
	c = open(t, c.base+"/v1/")
	if _, err := c.Generate(context.Background(), llmtest.Ask("x")); err != nil {
		t.Errorf("a base URL with the version: %v", err)
	}
	if _, err := New(Options{}); err == nil {
		t.Error("the key of the environment is taken")
	}
}

func TestWhatIsSent(t *testing.T) {
	check := func(what string, change func(*llm.Request), want map[string]any) {
		t.Helper()
		c, body, _ := serve(t, 200, good)
		r := llmtest.Ask("x")
		r.Params = llm.Params{MaxTokens: 100, Temperature: 1}
		change(&r)
		if _, err := c.Generate(context.Background(), r); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for name, v := range map[string]any{"model": "m-1", "max_tokens": 100.0, "messages": []any{said1("user", "x")}} {
			if _, own := want[name]; !own {
				want[name] = v
			}
		}
		if d := cmp.Diff(want, *body); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	check("the API's own temperature", func(r *llm.Request) {}, map[string]any{})
	check("a temperature left to the API", func(r *llm.Request) { r.Params.Temperature, r.Params.DefaultTemperature = 0, true }, map[string]any{})
	check("temperature 0", func(r *llm.Request) { r.Params.Temperature = 0 }, map[string]any{"temperature": 0.0})
	check("no bound", func(r *llm.Request) { r.Params.MaxTokens = 0 }, map[string]any{"max_tokens": float64(DefaultMaxTokens)})
	check("a budget without a bound", func(r *llm.Request) { r.Params.MaxTokens, r.Params.Reasoning = 0, "30000" },
		map[string]any{"max_tokens": float64(DefaultMaxTokens + 30000), "thinking": map[string]any{"type": "enabled", "budget_tokens": 30000.0, "display": "summarized"}})
	check("the most effort", func(r *llm.Request) { r.Params.Reasoning = "max" },
		map[string]any{"thinking": map[string]any{"type": "adaptive", "display": "summarized"}, "output_config": map[string]any{"effort": "max"}})
	check("extra parameters", func(r *llm.Request) {
		r.Params.Extra = map[string]any{"cache_control": map[string]any{"type": "ephemeral", "ttl": "1h"}, "output_config": map[string]any{"effort": "low"}, "service_tier": "standard_only"}
	}, map[string]any{"cache_control": map[string]any{"type": "ephemeral", "ttl": "1h"}, "output_config": map[string]any{"effort": "low"}, "service_tier": "standard_only"})
	check("an effort and a form of the output", func(r *llm.Request) {
		r.Params.Reasoning, r.Params.Extra = "low", map[string]any{"output_config": map[string]any{"format": map[string]any{"type": "json_schema"}}}
	}, map[string]any{"thinking": map[string]any{"type": "adaptive", "display": "summarized"}, "output_config": map[string]any{"effort": "low", "format": map[string]any{"type": "json_schema"}}})
	check("stops of white space", func(r *llm.Request) { r.Params.Stop = []string{"\n\n", " "} }, map[string]any{})
	check("texts of white space, and turns of one role", func(r *llm.Request) {
		r.Messages = []llm.Message{{Role: llm.System, Text: " \n"}, {Role: llm.System, Text: "be brief"}, {Role: llm.User, Text: "a"}, {Role: llm.Assistant, Text: "\n"}, {Role: llm.User, Text: "b"}, {Role: llm.User, Text: " "}}
	}, map[string]any{"system": []any{map[string]any{"type": "text", "text": "be brief"}}, "messages": []any{said1("user", "a", "b")}})
	check("a call of another provider's", func(r *llm.Request) {
		r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "#1", Name: "f", Arguments: "{", Signature: "c2lnbmVk0"}}}, llm.Message{Role: llm.ToolResult, CallID: "#1", Text: " "})
	}, map[string]any{"messages": []any{said1("user", "x"), map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "_231", "name": "f", "input": map[string]any{}}}},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "_231"}}}}})
}

func said1(role string, texts ...string) any {
	content := []any{}
	for _, t := range texts {
		content = append(content, map[string]any{"type": "text", "text": t})
	}
	return map[string]any{"role": role, "content": content}
}

func TestWhatIsRefusedBeforeACall(t *testing.T) {
	c := open(t, "http://127.0.0.1:1")
	check := func(part string, change func(*llm.Request)) {
		t.Helper()
		r := llmtest.Ask("x")
		change(&r)
		_, err := c.Generate(context.Background(), r)
		if f := (*llm.Failure)(nil); err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %q", err, part)
		}
	}
	check("below the least", func(r *llm.Request) { r.Params.Reasoning = "1023" })
	check("below the least", func(r *llm.Request) { r.Params.Reasoning = "-5" })
	check("leaves none", func(r *llm.Request) { r.Params.Reasoning, r.Params.MaxTokens = "2048", 2048 })
	check(`no effort "minimal"`, func(r *llm.Request) { r.Params.Reasoning = "minimal" })
	check("model.api", func(r *llm.Request) { r.Params.API = llm.Completions })
	check("has a field of its own", func(r *llm.Request) { r.Params.Extra = map[string]any{"temperature": 1} })
	check("has a field of its own", func(r *llm.Request) { r.Params.Extra = map[string]any{"stream": true} })
	check("has a field of its own", func(r *llm.Request) {
		r.Params.Reasoning, r.Params.Extra = "low", map[string]any{"thinking": map[string]any{"type": "disabled"}}
	})
	check("which the reasoning says", func(r *llm.Request) {
		r.Params.Reasoning, r.Params.Extra = "low", map[string]any{"output_config": map[string]any{"effort": "max"}}
	})
	check("the last message", func(r *llm.Request) { r.Messages = nil })
	check("the last message", func(r *llm.Request) { r.Messages[0].Text = " " })
	check("the last message", func(r *llm.Request) {
		r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant, Text: "y"})
	})
	check("the last message", func(r *llm.Request) { r.Messages = append(r.Messages, llm.Message{Role: llm.Assistant}) })
	check("unknown role", func(r *llm.Request) { r.Messages[0].Role = "narrator" })
	check("tool name", func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "two words"}} })
}

// The schema of a tool keeps the order in which it is written, because models read it in it.
func TestTheOrderOfASchema(t *testing.T) {
	r := llmtest.Ask("x")
	schema := `{"type":"object","properties":{"z":{"type":"string"},"a":{"enum":["é","<b>"]}},"required":["z"],"additionalProperties":false}`
	r.Tools = []llm.Tool{{Name: "f", Parameters: json.RawMessage(schema)}, {Name: "g"}}
	raw, err := open(t, "http://127.0.0.1:1").body(r)
	if err != nil || !strings.Contains(string(raw), schema) && !strings.Contains(string(raw), strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(schema)) {
		t.Errorf("%s, %v", raw, err)
	}
	if !strings.Contains(string(raw), `"input_schema":{"type":"object"}`) {
		t.Errorf("no arguments: %s", raw)
	}
}

// A turn that was changed keeps its reasoning, in front of what it says now.
func TestALayoutOfAnotherTurn(t *testing.T) {
	think := `{"type":"thinking","thinking":"t","signature":"s"}`
	call := llm.ToolCall{ID: "a", Name: "f", Arguments: "{}", Signature: `[` + think + `,3,null]`}
	check := func(what string, m llm.Message, want ...string) {
		t.Helper()
		raw, err := json.Marshal(said(m))
		var blocks []struct{ Type string }
		if err != nil || json.Unmarshal(raw, &blocks) != nil {
			t.Fatalf("%s: %s, %v", what, raw, err)
		}
		var got []string
		for _, b := range blocks {
			got = append(got, b.Type)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	other := llm.ToolCall{ID: "b", Name: "f", Arguments: "{}"}
	check("as it came", llm.Message{Text: "one", Calls: []llm.ToolCall{call}}, "thinking", "text", "tool_use")
	check("another text", llm.Message{Text: "other", Calls: []llm.ToolCall{call}}, "thinking", "text", "tool_use")
	check("a shorter text", llm.Message{Text: "o", Calls: []llm.ToolCall{call}}, "thinking", "text", "tool_use")
	check("a call more", llm.Message{Text: "one", Calls: []llm.ToolCall{call, other}}, "thinking", "text", "tool_use", "tool_use")
	call.Signature = `[` + think + `,null,null]`
	check("a call less", llm.Message{Calls: []llm.ToolCall{call}}, "thinking", "tool_use")
	call.Signature = `[{"type":"image","source":{}},null]`
	check("a block that is none of reasoning", llm.Message{Calls: []llm.ToolCall{call}}, "tool_use")
}

func TestRenewed(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	check := func(want time.Duration, pairs ...string) {
		t.Helper()
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set("anthropic-ratelimit-"+pairs[i], pairs[i+1])
		}
		if got := renewed(h, now); got != want {
			t.Errorf("%v: %v, want %v", pairs, got, want)
		}
	}
	check(0)
	check(0, "tokens-reset", "2026-11-22T12:00:09Z", "tokens-remaining", "12")
	check(9*time.Second, "tokens-reset", "2026-11-22T12:00:09Z", "tokens-remaining", "0")
	check(40*time.Second, "tokens-reset", "2026-11-22T12:00:09Z", "tokens-remaining", "0", "output-tokens-reset", "2026-11-22T13:00:40+01:00", "output-tokens-remaining", "0")
	check(0, "tokens-reset", "2026-11-22T11:00:00Z", "tokens-remaining", "0")
	check(24*time.Hour, "tokens-reset", "9999-11-22T11:00:00Z", "tokens-remaining", "0")
	check(0, "tokens-reset", "tomorrow", "tokens-remaining", "0")
}

func TestErrorsOfABatch(t *testing.T) {
	c := open(t, "http://127.0.0.1:1")
	check := func(raw, want string, retryable bool) {
		t.Helper()
		err := c.errored(json.RawMessage(raw))
		f, failed := errors.AsType[*llm.Failure](err)
		if !strings.Contains(err.Error(), want) || retryable != (failed && f.Retryable) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	check(`{"type": "error", "error": {"type": "overloaded_error", "message": "m"}}`, "http 529", true)
	check(`{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 2 > 1"}}`, wire.TooLong, false)
	check(`{"type": "error", "error": {"type": "authentication_error", "message": "m"}}`, "check the key", false)
	check(`{"type": "error", "error": {"type": "new_error", "message": "m"}}`, "error in the answer", false)
	check(`7`, "error in the answer", false)
}

func TestExchange(t *testing.T) {
	c, body, header := serve(t, 200, `{"id": "msgbatch_1"}`)
	b, made, text := &Batches{c}, messageBatch{}, `{"requests": []}`
	if err := b.do(context.Background(), http.MethodPost, batchesPath, strings.NewReader(text), int64(len(text)), &made); err != nil || made.ID != "msgbatch_1" || (*body)["requests"] == nil {
		t.Errorf("%+v, %v, %v", made, *body, err)
	}
	if err := b.do(context.Background(), http.MethodGet, batchesPath, nil, 0, &made); err != nil || header.Get("Content-Type") != "" {
		t.Errorf("%v, %v", *header, err)
	}
	c, _, _ = serve(t, 401, `{"type": "error", "error": {"type": "authentication_error", "message": "`+plantedKey+`"}}`)
	if err := (&Batches{c}).do(context.Background(), http.MethodGet, batchesPath, nil, 0, &made); err == nil || strings.Contains(err.Error(), "7qzx") || !strings.Contains(err.Error(), "check the key") {
		t.Error(err)
	}
}

// What a batch's result holds is read as a live answer is.
func TestReadAndGenerateAgree(t *testing.T) {
	c, _, _ := serve(t, 200, good)
	r := llmtest.Ask("x")
	live, err := c.Generate(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.result(json.RawMessage(good), r)
	if d := cmp.Diff(live, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
}

// What the provider counted of an answer that cannot be used is charged.
func TestAPaidAnswerThatCannotBeRead(t *testing.T) {
	for _, content := range []string{`7`, `{"type": "text"}`, `[7]`, `null`} {
		_, err := open(t, "http://127.0.0.1:1").result(json.RawMessage(`{"content": `+content+`, "usage": {"input_tokens": 9, "output_tokens": 4}}`), llmtest.Ask("x"))
		if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Reason != wire.Malformed || f.Usage != (llm.Usage{PromptTokens: 9, CompletionTokens: 4}) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// FuzzRead: no answer stops the program, shows the key, or makes a request that cannot be sent.
func FuzzRead(f *testing.F) {
	found, err := os.ReadDir("../llmtest/testdata/cassettes/anthropic")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range found {
		raw, err := os.ReadFile("../llmtest/testdata/cassettes/anthropic/" + e.Name())
		var list []struct{ Body json.RawMessage }
		if err != nil || json.Unmarshal(raw, &list) != nil {
			f.Fatal(err)
		}
		for _, i := range list {
			f.Add([]byte(i.Body))
		}
	}
	f.Add([]byte(`{"content": "` + plantedKey + `", "usage": {"input_tokens": -1, "output_tokens": 1e300}}`))
	f.Add([]byte(`{"content": [null, 7, [], {"type": 7, "text": null}]}`))
	c, err := New(Options{Key: plantedKey, BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := llmtest.Ask("x")
		r.Tools = []llm.Tool{{Name: "f"}}
		got, err := c.result(raw, r)
		if err != nil {
			return
		}
		if u := got.Usage; u.PromptTokens < u.CachedTokens+u.CacheWriteTokens || u.CompletionTokens < u.ReasoningTokens || u.PromptTokens < 0 {
			t.Errorf("usage %+v", u)
		}
		r.Messages = append(r.Messages, got.Answered())
		for _, call := range got.ToolCalls {
			r.Messages = append(r.Messages, call.Answered("12"))
		}
		r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: "and now?"})
		body, err := c.body(r)
		if err != nil || !json.Valid(body) || strings.Contains(string(body), plantedKey) {
			t.Errorf("%s, %v", body, err)
		}
	})
}
