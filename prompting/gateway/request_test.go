package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"assay/prompting/gateway"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// asked returns the one request that a body leads to, and the warnings.
func asked(t *testing.T, x gateway.Session, path, body string, h ...string) (llm.Request, []string) {
	t.Helper()
	m := &llm.Scripted{}
	x.Model = m
	e := begin(t, x)
	if got, answer := post(t, e, path, body, h...); got != 200 {
		t.Fatalf("%s: %d %s", body, got, answer)
	}
	rec, err := e.End()
	if err != nil || len(m.Asked()) != 1 {
		t.Fatalf("%s: %d requests, %v", body, len(m.Asked()), err)
	}
	return m.Asked()[0], rec.Warnings
}

// pointer returns a pointer to v.
func pointer[T any](v T) *T { return &v }

// TestParametersOfChats: a request's own values win over the arm's, and what it leaves out is the arm's.
func TestParametersOfChats(t *testing.T) {
	arm := llm.Params{MaxTokens: 300, Stop: []string{";"}, Extra: map[string]any{"min_p": 0.1}, API: llm.Completions}
	check := func(what, fields string, want func(p *llm.Params), warned ...string) {
		t.Helper()
		x := session(nil)
		x.Params = arm
		got, warnings := asked(t, x, "/chat/completions", strings.Replace(hello, "}]}", "}]"+fields+"}", 1))
		p := llm.Params{MaxTokens: 300, Stop: []string{";"}, Extra: map[string]any{"min_p": 0.1}}
		want(&p)
		if diff := cmp.Diff(p, got.Params); diff != "" {
			t.Errorf("%s: (-want +got) %s", what, diff)
		}
		for _, part := range warned {
			if !strings.Contains(strings.Join(warnings, "\n"), part) {
				t.Errorf("%s: no warning of %q in %q", what, part, warnings)
			}
		}
		if len(warnings) != len(warned) {
			t.Errorf("%s: %q", what, warnings)
		}
	}
	same := func(*llm.Params) {}
	check("nothing", ``, same)
	check("null is nothing", `,"temperature":null,"seed":null,"n":null,"stop":null,"tools":null,"x":null`, same)
	check("temperature 0", `,"temperature":0`, same)
	check("a bound", `,"max_tokens":7`, func(p *llm.Params) { p.MaxTokens = 7 })
	check("a bound by its newer name", `,"max_completion_tokens":8.0`, func(p *llm.Params) { p.MaxTokens = 8 })
	check("one stop", `,"stop":"END"`, func(p *llm.Params) { p.Stop = []string{"END"} })
	check("stops", `,"stop":["a","b"]`, func(p *llm.Params) { p.Stop = []string{"a", "b"} })
	check("no stop", `,"stop":[]`, func(p *llm.Params) { p.Stop = nil })
	check("top_p and top_k", `,"top_p":0.9,"top_k":40`, func(p *llm.Params) { p.TopP, p.TopK = pointer(0.9), pointer(40) })
	check("a seed", `,"seed":3`, func(p *llm.Params) { p.FixedSeed = pointer(int64(3)) })
	check("a temperature", `,"temperature":0.5`, func(p *llm.Params) {
		p.Temperature, p.Seed = 0.5, pointer(llm.DrawSeed(7, "d/s/1", "mine", "generate"))
	})
	check("a temperature and a seed", `,"temperature":0.5,"seed":-1`, func(p *llm.Params) { p.Temperature, p.FixedSeed = 0.5, pointer(int64(-1)) })
	check("an effort", `,"reasoning_effort":"low"`, func(p *llm.Params) { p.Reasoning = "low" })
	check("sums of log-probabilities", `,"logprobs":true`, func(p *llm.Params) { p.Logprobs = true })
	check("unknown fields", `,"min_p":0.20,"response_format":{"type":"json_object"},"big":9007199254740993`, func(p *llm.Params) {
		p.Extra = map[string]any{"min_p": 0.2, "response_format": map[string]any{"type": "json_object"}, "big": int64(9007199254740993)}
	})
	check("names count as they are written", `,"Temperature":1`, func(p *llm.Params) { p.Extra = map[string]any{"min_p": 0.1, "Temperature": int64(1)} })
	check("what decides nothing", `,"user":"u-1","metadata":{"a":"b"},"store":true`, same, "metadata", "store", "user")
	check("another model", `,"model":"gpt-4o"`, same, `the model "gpt-4o" was asked for, and openai/m answered`)
	check("a choice of tools", `,"tool_choice":"required"`, func(p *llm.Params) { p.Extra = map[string]any{"min_p": 0.1, "tool_choice": "required"} })
	if arm.Extra["tool_choice"] != nil || len(arm.Extra) != 1 {
		t.Errorf("the arm's own were changed: %v", arm.Extra)
	}
}

// TestModels: a request may name the session's models; another's name is not that which the experiment gives its own.
func TestModels(t *testing.T) {
	check := func(name, want, as string) {
		t.Helper()
		x := session(nil)
		x.Author.As, x.Names = "mine-q4", []string{"cheap"}
		got, _ := asked(t, x, "/chat/completions", strings.Replace(hello, "{", `{"model":"`+name+`",`, 1))
		if got.Model != want || got.As != as {
			t.Errorf("%q: %+v", name, got.Author)
		}
	}
	check("cheap", "cheap", "")
	check("m", "m", "mine-q4")
	check("mine-q4", "m", "mine-q4")
	check("other", "m", "mine-q4")
	check("", "m", "mine-q4")
}

const tools = `,"tools":[{"type":"function","function":{"name":"run","description":"d","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}}]`

// TestConversations: turns of OpenAI's API become those of a model.
func TestConversations(t *testing.T) {
	check := func(what, messages string, want ...llm.Message) {
		t.Helper()
		got, _ := asked(t, session(nil), "/chat/completions", `{"messages":[`+messages+`]`+tools+`}`)
		if diff := cmp.Diff(want, got.Messages); diff != "" {
			t.Errorf("%s: (-want +got) %s", what, diff)
		}
		if len(got.Tools) != 1 || got.Tools[0].Name != "run" || !strings.HasPrefix(string(got.Tools[0].Parameters), `{"type":"object"`) {
			t.Errorf("%s: %+v", what, got.Tools)
		}
	}
	user := llm.Message{Role: llm.User, Text: "q"}
	call := llm.ToolCall{ID: "c1", Name: "run", Arguments: `{"q": "SELECT 1"}`}
	check("one", `{"role":"user","content":"q"}`, user)
	check("system", `{"role":"system","content":"s"},{"role":"user","content":"q"}`, llm.Message{Role: llm.System, Text: "s"}, user)
	check("developer", `{"role":"developer","content":"s"},{"role":"user","content":"q"}`, llm.Message{Role: llm.System, Text: "s"}, user)
	check("parts", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, llm.Message{Role: llm.User, Text: "a\nb"})
	check("an empty text", `{"role":"user","content":""}`, llm.Message{Role: llm.User})
	check("a tool", `{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":"{\"q\": \"SELECT 1\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"}`,
		user, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{call}}, call.Answered("1"))
}

// TestRefusedRequests: what cannot be answered as it was meant gets an error that says so.
func TestRefusedRequests(t *testing.T) {
	check := func(path, body string, status int, part string) {
		t.Helper()
		m := &llm.Scripted{}
		e := begin(t, session(m))
		got, answer := post(t, e, path, body)
		if got != status || !strings.Contains(answer, part) {
			t.Errorf("%s %s: %d %s, want %d with %q", path, body, got, answer, status, part)
		}
		if rec, err := e.End(); err != nil || len(rec.Trace) > 0 || len(m.Asked()) > 0 {
			t.Errorf("%s %s: asked %d, %+v, %v", path, body, len(m.Asked()), rec, err)
		}
	}
	chat := func(messages, part string) {
		t.Helper()
		check("/chat/completions", `{"messages":[`+messages+`]}`, 400, part)
	}
	with := func(field, part string) {
		t.Helper()
		check("/chat/completions", strings.Replace(hello, "}]}", "}],"+field+"}", 1), 400, part)
	}
	for _, body := range []string{``, `x`, `null`, `[]`, `"x"`, `{`, `{"messages":`, `{"a":1}{"b":2}`, "\xff"} {
		check("/chat/completions", body, 400, "invalid_request_error")
	}
	chat(``, "there is no message")
	chat(`{"role":"assistant","content":"SELECT"}`, "the last message is the assistant's")
	chat(`{"role":"system","content":"x"}`, "the last message is the system's")
	chat(`{"role":"wizard","content":"x"}`, "wizard")
	chat(`{"role":"user","content":7}`, "neither text nor a list")
	chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}`, "image_url")
	chat(`{"role":"user","content":[{"type":"input_audio"}]}`, "input_audio")
	chat(`{"role":"tool","tool_call_id":"c9","content":"x"}`, "c9")
	chat(`{"role":7}`, "messages cannot be read")
	chat(`7`, "messages cannot be read")
	with(`"n":0`, "n is 0")
	with(`"n":129`, "n is 129")
	with(`"n":"2"`, "no whole number")
	with(`"n":1.5`, "no whole number")
	with(`"temperature":"hot"`, "temperature cannot be read")
	with(`"temperature":1e999`, "temperature cannot be read")
	with(`"max_tokens":0`, "max_tokens is 0")
	with(`"max_tokens":-1`, "max_tokens is -1")
	with(`"max_tokens":1e30`, "no whole number")
	with(`"seed":9223372036854775808`, "no whole number")
	with(`"stop":7`, "stop")
	with(`"stream":"yes"`, "stream")
	with(`"functions":[]`, "functions")
	with(`"top_logprobs":5`, "top_logprobs")
	with(`"audio":{}`, "audio")
	with(`"tools":[{"type":"web_search"}]`, "web_search")
	with(`"tools":[{"type":"function","function":{"name":"a b"}}]`, "a b")
	with(`"tools":[{"type":"function","function":{"name":"f","parameters":[]}}]`, "not a JSON object")
	with(`"":1`, "no name")
	check("/completions", `{}`, 400, "prompt")
	check("/completions", `{"prompt":[]}`, 400, "prompt")
	check("/completions", `{"prompt":[1,2]}`, 400, "prompt")
	check("/completions", `{"prompt":"x","echo":true}`, 400, "echo")
	check("/completions", `{"prompt":"x","logprobs":5}`, 400, "logprobs")
	check("/completions", `{"prompt":["x","y"],"n":100}`, 400, "128")
	check("/embeddings", `{}`, 400, "input")
	check("/embeddings", `{"input":[]}`, 400, "input")
	check("/embeddings", `{"input":[[1,2]]}`, 400, "input")
	check("/embeddings", `{"input":"x","encoding_format":"int8"}`, 400, "base64")
	check("/embeddings", `{"input":"x","dimensions":0}`, 400, "dimensions")
	check("/embeddings", `{"input":"x","dimensions":1000000}`, 400, "dimensions")
	message := func(fields, part string) {
		t.Helper()
		check("/messages", `{"max_tokens":9,`+fields+`}`, 400, part)
	}
	message(`"messages":[]`, "there is no message")
	message(`"messages":[{"role":"assistant","content":"x"}]`, "the last message is the assistant's")
	message(`"messages":[{"role":"system","content":"x"}]`, "neither user nor assistant")
	message(`"messages":[{"role":"user","content":[{"type":"image"}]}]`, "image")
	message(`"messages":[{"role":"user"}]`, "messages[0]")
	message(`"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c9"}]}]`, "c9")
	message(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n"}]}]`, "no input")
	message(`"messages":[{"role":"user","content":"x"}],"tools":[{"type":"bash_20250124","name":"bash"}]`, "bash_20250124")
	message(`"messages":[{"role":"user","content":"x"}],"system":[{"type":"image"}]`, "system")
	message(`"messages":[{"role":"user","content":"x"}],"mcp_servers":[]`, "mcp_servers")
}

// TestErrorsHaveTheAPIsForm: Anthropic's clients read another form.
func TestErrorsHaveTheAPIsForm(t *testing.T) {
	e := begin(t, session(&llm.Scripted{}))
	check := func(path, want string, h ...string) {
		t.Helper()
		if _, got := post(t, e, path, "{}", h...); strings.TrimSpace(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
		}
	}
	check("/messages", `{"error":{"message":"messages: there is no message","type":"invalid_request_error"},"type":"error"}`)
	check("/chat/completions", `{"error":{"code":null,"message":"there is no message","param":"messages","type":"invalid_request_error"}}`)
	_, got := post(t, e, "/x", "{}", "Anthropic-Version", "2023-06-01")
	if !strings.Contains(got, `"type":"error"`) || !strings.Contains(got, "not_found_error") {
		t.Error(got)
	}
}

// TestMessages: a request of Anthropic's API becomes that of a model.
func TestMessages(t *testing.T) {
	check := func(what, body string, provider string, want llm.Request, warned ...string) {
		t.Helper()
		x := session(nil)
		x.Author.Provider = provider
		want.Author = x.Author
		got, warnings := asked(t, x, "/messages", body)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got) %s", what, diff)
		}
		if len(warnings) != len(warned) {
			t.Errorf("%s: %q", what, warnings)
		}
	}
	user := []llm.Message{{Role: llm.User, Text: "q"}}
	const q = `"messages":[{"role":"user","content":"q"}],"max_tokens":9`
	bound := llm.Params{MaxTokens: 9}
	check("one", `{`+q+`}`, "openai", llm.Request{Params: bound, Messages: user})
	check("system and blocks", `{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`, "openai",
		llm.Request{Messages: append([]llm.Message{{Role: llm.System, Text: "s"}}, user...)}, "cache")
	p := bound
	p.Stop, p.Temperature, p.FixedSeed = []string{"END"}, 0, nil
	check("stops", `{`+q+`,"stop_sequences":["END"],"metadata":{"user_id":"u"}}`, "openai", llm.Request{Params: p, Messages: user}, "metadata")
	p = bound
	p.Reasoning = "2048"
	check("thinking", `{`+q+`,"thinking":{"type":"enabled","budget_tokens":2048}}`, "anthropic", llm.Request{Params: p, Messages: user})
	p.Reasoning = "none"
	check("no thinking", `{`+q+`,"thinking":{"type":"disabled"}}`, "anthropic", llm.Request{Params: p, Messages: user})
	p.Reasoning = "high"
	check("an effort", `{`+q+`,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}}`, "anthropic", llm.Request{Params: p, Messages: user})
	p = bound
	p.Extra = map[string]any{"tool_choice": "required"}
	check("a choice for another provider", `{`+q+`,"tool_choice":{"type":"any"}}`, "openai", llm.Request{Params: p, Messages: user})
	p.Extra = map[string]any{"tool_choice": map[string]any{"type": "any"}}
	check("a choice for its own", `{`+q+`,"tool_choice":{"type":"any"}}`, "anthropic", llm.Request{Params: p, Messages: user})
	call := llm.ToolCall{ID: "c1", Name: "run", Arguments: `{"q":"x"}`}
	check("tools", `{"tools":[{"name":"run","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"q"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"let me"},{"type":"tool_use","id":"c1","name":"run","input":{ "q": "x" }}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"1"}]},{"type":"text","text":"go on"}]}]}`, "openai",
		llm.Request{Tools: []llm.Tool{{Name: "run", Parameters: json.RawMessage(`{"type":"object"}`)}}, Messages: append(user[:1:1],
			llm.Message{Role: llm.Assistant, Text: "let me", Calls: []llm.ToolCall{call}}, call.Answered("1"), llm.Message{Role: llm.User, Text: "go on"})})
}

// TestCallsAreSentBackAsTheyCame: a client's own spelling of arguments, and what it leaves out, change nothing.
func TestCallsAreSentBackAsTheyCame(t *testing.T) {
	call := llm.ToolCall{ID: "c1", Name: "run", Arguments: `{"q": "a",  "n": 1.0}`, Signature: "sealed"}
	m := &llm.Scripted{Respond: func(llm.Request) (llm.Response, error) {
		return llm.Response{Finish: llm.FinishTools, ToolCalls: []llm.ToolCall{call}}, nil
	}}
	e := begin(t, session(m))
	post(t, e, "/chat/completions", hello)
	check := func(path, body string, want llm.ToolCall) {
		t.Helper()
		if got, answer := post(t, e, path, body); got != http.StatusOK {
			t.Fatalf("%d %s", got, answer)
		}
		all := m.Asked()
		if got := all[len(all)-1].Messages[1].Calls[0]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	check("/chat/completions", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":"{\"n\":1.0,\"q\":\"a\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"}]}`, call)
	check("/messages", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"run","input":{"q":"a","n":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"1"}]}]}`,
		call)
	check("/messages", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"run","input":{"q":"b","n":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"1"}]}]}`,
		llm.ToolCall{ID: "c1", Name: "run", Arguments: `{"q":"b","n":1}`})
}

// TestStages: a client may name what a request is for. At a temperature above 0 another stage draws other samples.
func TestStages(t *testing.T) {
	x := session(nil)
	x.Params.Temperature = 1
	got, _ := asked(t, x, "/chat/completions", hello, "X-Assay-Stage", "solve 2")
	if want := llm.DrawSeed(7, "d/s/1", "mine", "solve 2"); got.Params.Seed == nil || *got.Params.Seed != want {
		t.Errorf("%v, want %d", got.Params.Seed, want)
	}
	e := begin(t, session(&llm.Scripted{}))
	if got, answer := post(t, e, "/chat/completions", hello, "X-Assay-Stage", strings.Repeat("x", 65)); got != 400 {
		t.Errorf("a long stage: %d %s", got, answer)
	}
}
