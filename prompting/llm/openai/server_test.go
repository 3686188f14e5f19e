package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
)

// fake is a server of one kind: it gives its answers in order, the last one again, and keeps what was asked.
type fake struct {
	*Client
	asked  []map[string]any
	header http.Header
	url    string
}

func fakeOf(t *testing.T, id, query string, status int, answers ...string) *fake {
	t.Helper()
	f := &fake{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		body := map[string]any{}
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			t.Error("the request is no JSON")
		}
		f.asked, f.header, f.url = append(f.asked, body), r.Header, r.URL.String()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, answers[min(len(f.asked), len(answers))-1])
	}))
	t.Cleanup(s.Close)
	c, err := New(Options{Server: id, Key: plantedKey, BaseURL: s.URL + "/v1" + query})
	if err != nil {
		t.Fatal(err)
	}
	f.Client = c
	return f
}

// fields returns the last request without what every one has.
func (f *fake) fields() string {
	rest := maps.Clone(f.asked[len(f.asked)-1])
	for _, name := range []string{"model", "messages", "temperature"} {
		delete(rest, name)
	}
	b, _ := json.Marshal(rest)
	return string(b)
}

func TestReasoningOnTheWire(t *testing.T) {
	check := func(id, reasoning string, extra map[string]any, want string) {
		t.Helper()
		f := fakeOf(t, id, "", 200, say(`"a"`, "stop"))
		r := llmtest.Ask("x")
		r.Params = llm.Params{Reasoning: reasoning, Extra: extra}
		key := r.Key()
		defer func() {
			if r.Key() != key {
				t.Errorf("%s, %s: sending changed the request", id, reasoning)
			}
		}()
		if _, err := f.Generate(t.Context(), r); err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %s", id, reasoning, err, want)
			}
			return
		}
		if got := f.fields(); got != want {
			t.Errorf("%s, %s: %s, want %s", id, reasoning, got, want)
		}
	}
	check("openai", "", nil, `{}`)
	check("openai", "high", nil, `{"reasoning_effort":"high"}`)
	check("openai", "99", nil, `reasoning "99" cannot be sent to a server of the kind openai`)
	check("azure", "low", nil, `{"reasoning_effort":"low"}`)
	check("ollama", "none", nil, `{"reasoning_effort":"none"}`)
	check("ollama", "0", nil, `cannot be sent`)
	check("llamacpp", "low", map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": true}},
		`{"chat_template_kwargs":{"enable_thinking":true},"reasoning_effort":"low"}`)
	check("llamacpp", "0", nil, `{"reasoning_budget_tokens":0}`)
	check("vllm", "4096", nil, `{"thinking_token_budget":4096}`)
	check("openrouter", "high", nil, `{"reasoning":{"effort":"high"}}`)
	check("openrouter", "4096", map[string]any{"reasoning": map[string]any{"exclude": true}}, `{"reasoning":{"exclude":true,"max_tokens":4096}}`)
	check("openrouter", "4096", map[string]any{"reasoning": map[string]any{"max_tokens": 1}}, `the extra parameter "reasoning" is sent as the reasoning says`)
	check("openrouter", "4096", map[string]any{"reasoning": "x"}, `the extra parameter "reasoning"`)
	check("openai", "low", map[string]any{"reasoning_effort": "high"}, `the extra parameter "reasoning_effort"`)
}

func TestKindsOfServers(t *testing.T) {
	check := func(id, query, wantHeader, wantURL string) {
		t.Helper()
		f := fakeOf(t, id, query, 200, say(`"a"`, "stop"))
		if _, err := f.Generate(t.Context(), llmtest.Ask("x")); err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(wantHeader, ": ")
		if f.header.Get(name) != value || f.url != wantURL || id == "azure" && f.header.Get("Authorization") != "" {
			t.Errorf("%s: %s, %v", id, f.url, f.header)
		}
	}
	check("openrouter", "", "Authorization: Bearer "+plantedKey, "/v1/chat/completions")
	check("azure", "", "api-key: "+plantedKey, "/v1/chat/completions")
	check("azure", "?api-version=2024-10-21", "api-key: "+plantedKey, "/v1/chat/completions?api-version=2024-10-21")
	if _, err := New(Options{Server: "azure", Key: plantedKey}); err == nil {
		t.Error("azure has no address of its own")
	}
	if _, err := New(Options{Server: "openrouter"}); err == nil || !strings.Contains(err.Error(), "OPENROUTER_API_KEY") {
		t.Errorf("a missing key: %v", err)
	}
	if _, err := New(Options{Server: "ollama"}); err != nil {
		t.Errorf("a server of this machine needs no key: %v", err)
	}
	if _, err := New(Options{Server: "elsewhere", Key: plantedKey}); err == nil {
		t.Error("a kind that there is not")
	}
}

// TestUnheeded: what a server is known or seen not to heed is told, each once.
func TestUnheeded(t *testing.T) {
	topK, long := 3, strings.Repeat("word ", 4000)
	thinks := `{"choices":[{"finish_reason":"stop","message":{"content":"a","reasoning":"hm"}}],"usage":{"prompt_tokens":4000,"completion_tokens":70,"completion_tokens_details":{"reasoning_tokens":60}}}`
	uncounted := `{"choices":[{"finish_reason":"stop","message":{"content":"a","reasoning_content":"hmmm hmmm"}}],"usage":{"prompt_tokens":4000,"completion_tokens":70}}`
	silent := `{"system_fingerprint":"fp","choices":[{"finish_reason":"stop","message":{"content":"a"}}],"usage":{"prompt_tokens":4000,"completion_tokens":7}}`
	short := `{"system_fingerprint":"fp","choices":[{"finish_reason":"stop","message":{"content":"a"}}],"usage":{"prompt_tokens":2048,"completion_tokens":7}}`
	check := func(id string, p llm.Params, text string, answers []string, want ...string) {
		t.Helper()
		f := fakeOf(t, id, "", 200, answers...)
		r := llmtest.Ask(text)
		r.Params = p
		for range max(2, len(answers)) {
			if _, err := f.Generate(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		got := f.Warnings()
		ok := len(got) == len(want)
		for i := range min(len(got), len(want)) {
			ok = ok && strings.Contains(got[i], want[i])
		}
		if !ok {
			t.Errorf("%s, %+v: %q, want %q", id, p, got, want)
		}
	}
	check("openai", llm.Params{TopK: &topK, Extra: map[string]any{"min_pp": 1}}, "x", []string{silent}) // it would refuse them
	check("ollama", llm.Params{TopK: &topK, Extra: map[string]any{"min_p": 1}}, "x", []string{silent}, `"min_p" is no field`, `"top_k" is no field`)
	check("vllm", llm.Params{TopK: &topK, Extra: map[string]any{"min_p": 1}}, "x", []string{silent})
	check("vllm", llm.Params{Extra: map[string]any{"min_pp": 1}}, "x", []string{silent}, `"min_pp" is no field of a request that vllm is known to read`)
	check("llamacpp", llm.Params{TopK: &topK, Extra: map[string]any{"min_p": 1, "best": 2}}, "x", []string{silent}, `"best" is no field`)
	check("openai", llm.Params{Reasoning: "high"}, "x", []string{silent}, `no answer of "m-1" has or counts any reasoning, though reasoning "high"`)
	check("openai", llm.Params{Reasoning: "high"}, "x", []string{silent, thinks})
	check("openai", llm.Params{Reasoning: "none"}, "x", []string{silent})
	check("openai", llm.Params{Reasoning: "none"}, "x", []string{silent, thinks}, `reasons, though reasoning "none" was asked for`)
	check("llamacpp", llm.Params{Reasoning: "0"}, "x", []string{thinks}, `reasons, though reasoning "0"`)
	check("llamacpp", llm.Params{Reasoning: "4"}, "x", []string{thinks}, `more than the 4 tokens`)
	check("llamacpp", llm.Params{Reasoning: "60"}, "x", []string{thinks})
	check("llamacpp", llm.Params{Reasoning: "60"}, "x", []string{uncounted}, `does not count it apart`)
	check("llamacpp", llm.Params{Reasoning: "20"}, "x", []string{uncounted}, `more than the 20 tokens`, `does not count it apart`)
	check("ollama", llm.Params{}, long, []string{short}, `counts far fewer tokens than its prompts have: Ollama cuts`)
	check("ollama", llm.Params{}, long, []string{silent})
	check("vllm", llm.Params{}, long, []string{short})
	seed := int64(3)
	check("vllm", llm.Params{FixedSeed: &seed}, "x", []string{say(`"a"`, "stop")}) // it reports no fingerprint, and honours a seed
	check("openai", llm.Params{FixedSeed: &seed}, "x", []string{say(`"a"`, "stop")}, "the seed may be ignored")
}

// TestSamplesOneByOne: a server that gives one completion per call is asked for one, and so is any for a stated seed.
func TestSamplesOneByOne(t *testing.T) {
	seed := int64(40)
	check := func(id string, fixed *int64, want string, warned bool) {
		t.Helper()
		f := fakeOf(t, id, "", 200, `{"system_fingerprint":"fp","choices":[{"finish_reason":"stop","message":{"content":"a"}}],"usage":{"prompt_tokens":4,"completion_tokens":7}}`)
		r := llmtest.Ask("x")
		r.Params.FixedSeed = fixed
		got, err := f.GenerateN(t.Context(), r, []int{2, 3})
		if err != nil || len(got) != 1 || f.fields() != want || (len(f.Warnings()) > 0) != warned {
			t.Errorf("%s: %d, %v, %s, want %s; %q", id, len(got), err, f.fields(), want, f.Warnings())
		}
	}
	check("ollama", nil, `{}`, true)
	check("openrouter", nil, `{}`, true)
	check("openai", &seed, `{"seed":42}`, false)
	check("vllm", &seed, `{"seed":42}`, false)
}

// TestGateways: OpenRouter's and Azure's ways to fail a request, and to say who answered.
func TestGateways(t *testing.T) {
	check := func(what, id string, status int, answer, wantReason string, wantRetry bool) {
		t.Helper()
		f := fakeOf(t, id, "", status, answer)
		resp, err := f.Generate(t.Context(), llmtest.Ask("x"))
		var bad *llm.Failure
		if !errors.As(err, &bad) || bad.Reason != wantReason || bad.Retryable != wantRetry {
			t.Errorf("%s: %+v, %v", what, resp, err)
		}
	}
	check("a prompt that Azure's filter holds back", "azure", 400,
		`{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true}}}}}`,
		"blocked: content_filter", false)
	check("an answer that it holds back", "azure", 200, `{"choices":[{"finish_reason":"content_filter","message":{"role":"assistant"}}]}`, "blocked: content_filter", false)
	check("a prompt that OpenRouter's filter holds back", "openrouter", 403,
		`{"error":{"code":403,"message":"flagged","metadata":{"reasons":["violence"],"flagged_input":"..."}}}`, "blocked: content_filter", false)
	check("an error with status 200", "openrouter", 200, `{"error":{"code":502,"message":"Provider returned error"}}`, "http 502", true)
	check("an answer that was broken off", "openrouter", 200,
		`{"choices":[{"finish_reason":"error","message":{"content":"SELECT"},"error":{"code":502,"message":"gone"}}]}`, "finish: error", true)
	check("a prompt that is too long", "openrouter", 400, `{"error":{"code":400,"message":"This endpoint's maximum context length is 8192 tokens."}}`, "prompt too long", false)
	check("one that is too long for vLLM", "vllm", 400, `{"object":"error","message":"The decoder prompt (length 9) is longer than the maximum model length of 8."}`, "prompt too long", false)

	f := fakeOf(t, "openrouter", "", 200, `{"provider":"DeepInfra","model":"meta/m","choices":[{"finish_reason":"stop","message":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":0.1}}`)
	if got, err := f.Generate(t.Context(), llmtest.Ask("x")); err != nil || got.Model != "meta/m via DeepInfra" {
		t.Errorf("who answered: %q, %v", got.Model, err)
	}
	f = fakeOf(t, "openrouter", "", 403, `{"error":{"code":403,"message":"no"}}`)
	if _, err := f.Generate(t.Context(), llmtest.Ask("x")); err == nil || errors.As(err, new(*llm.Failure)) {
		t.Errorf("a refused key: %v, want an error that ends the run", err)
	}
}

// TestDefaults: what llama.cpp uses where a request states nothing is part of the model's card; no place of a file is.
func TestDefaults(t *testing.T) {
	const list = `{"data":[{"id":"/root/models/x.gguf","aliases":["/root/models/x.gguf"],"owned_by":"%s","created":7}]}`
	check := func(what, owner string, status int, props, want string) {
		t.Helper()
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/props":
				asked++
				w.WriteHeader(status)
				io.WriteString(w, props)
			case "/v1/models":
				fmt.Fprintf(w, list, owner)
			default:
				io.WriteString(w, `{"model":"/root/models/x.gguf","choices":[{"finish_reason":"stop","message":{"content":"a"}}]}`)
			}
		}))
		t.Cleanup(s.Close)
		c, err := New(Options{BaseURL: s.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r := llmtest.Ask("x")
			r.Params.Reasoning = "high"
			got, err := c.Generate(t.Context(), r)
			if told := strings.Contains(strings.Join(c.Warnings(), " "), "reads no effort"); told != strings.Contains(want, "reasoning_effort") {
				t.Errorf("%s: told that an effort has no effect: %v", what, told)
			}
			if err != nil || got.Model != "x.gguf" {
				t.Errorf("%s: %q, %v", what, got.Model, err)
			}
			var card struct{ Defaults json.RawMessage }
			if json.Unmarshal([]byte(got.Card), &card); string(card.Defaults) != want || strings.Contains(got.Card, "/root") {
				t.Errorf("%s: %s, want %s", what, got.Card, want)
			}
		}
		if asked > 1 || owner != ownedBy && asked > 0 {
			t.Errorf("%s: asked %d times", what, asked)
		}
	}
	const whole = `{"default_generation_settings":{"params":{"seed":4294967295,"temperature":0.800000011920929,"top_k":40,"min_p":0.05000000074505806,
		"samplers":["top_k","min_p"],"reasoning_format":"none","chat_format":"x"},"n_ctx":262144},"model_path":"C:\\models\\x.gguf","media_marker":"<__media_1__>",
		"chat_template_caps":{"supports_reasoning_effort":false},"chat_template":"{{ x }}","build_info":"b1"}`
	check("all of it", ownedBy, 200, whole,
		`{"chat_template":"sha256:e52c737297f7dad6","file":"x.gguf","min_p":0.05,"n_ctx":262144,"reasoning_effort":false,"reasoning_format":"none","samplers":"top_k min_p","temperature":0.8,"top_k":40}`)
	check("another server", "vllm", 200, whole, "")
	check("no answer", ownedBy, 404, "", "")
	check("no JSON", ownedBy, 200, "<html>", "")
	check("another form", ownedBy, 200, `{"default_generation_settings":[1]}`, "")
	check("values of other types", ownedBy, 200, `{"default_generation_settings":{"params":{"temperature":{"a":1},"top_k":"40","top_p":null,"samplers":3}}}`, `{"top_k":"40"}`)
	check("a long text", ownedBy, 200, `{"default_generation_settings":{"params":{"reasoning_format":"`+strings.Repeat("x", 99)+`"}}}`, "")
	check("too long", ownedBy, 200, `{"model_path":"`+strings.Repeat("x", propsBytes)+`"}`, "")
}

// TestOwned: no field that assay sends by itself may be stated beside it.
func TestOwned(t *testing.T) {
	for _, s := range Servers {
		topP, topK, seed := 0.5, 7, int64(42)
		r := llmtest.Ask("x")
		r.Tools = []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}}
		r.Params = llm.Params{Temperature: 1, TopP: &topP, TopK: &topK, MaxTokens: 9, Stop: []string{"x"}, Seed: &seed, Logprobs: true, Reasoning: "low"}
		body, err := build(s, r, 3, false)
		if err != nil {
			t.Fatal(err)
		}
		for field := range body {
			if _, own := s.Owned()[field]; !own && !slices.Contains([]string{s.Effort}, field+".effort") {
				t.Errorf("%s: %s may be stated in model.extra", s.ID, field)
			}
		}
	}
}

// TestEveryKindEmbeds: each kind of server is asked for vectors at its address with its key, and they are put in order.
func TestEveryKindEmbeds(t *testing.T) {
	for _, s := range Servers {
		f := fakeOf(t, s.ID, "", 200, `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}],"model":"v","usage":{"prompt_tokens":4,"total_tokens":4}}`)
		got, err := f.Vectors(t.Context(), llm.EmbeddingRequest{Author: llm.Author{Provider: s.ID, Model: "v"}, Texts: []string{"a", "b"}, Dimensions: 2})
		if err != nil || len(got.Vectors) != 2 || f.url != "/v1/embeddings" {
			t.Fatalf("%s: %+v, %v, at %s", s.ID, got, err, f.url)
		}
		if sent := f.header.Get("Authorization") + f.header.Get(s.Header); !strings.HasSuffix(sent, plantedKey) {
			t.Errorf("%s: the key is not sent", s.ID)
		}
		if want := `{"dimensions":2,"encoding_format":"float","input":["a","b"]}`; f.fields() != want {
			t.Errorf("%s: %s, want %s", s.ID, f.fields(), want)
		}
		if first := fmt.Sprintf("%+v", got.Vectors[0]); !strings.Contains(first, "[1 0]") {
			t.Errorf("%s: the first vector is %s", s.ID, first)
		}
	}
}
