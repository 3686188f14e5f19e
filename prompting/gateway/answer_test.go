package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/prompting"
	"assay/prompting/gateway"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
	"assay/prompting/vectors"
)

// replies are what the models of the golden files answer.
var replies = map[string]llm.Response{
	"text": {Text: "SELECT name FROM t WHERE a < 'ä' -- a comment that is longer than one piece of a stream, ünd mörë", Finish: "stop", Model: "m-2026", Print: "fp_1",
		Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 20, CachedTokens: 64, ReasoningTokens: 5}, Reasoning: "think", Logprob: &llm.Logprob{Total: -1.5, Tokens: 20}},
	"tools": {Finish: llm.FinishTools, Usage: llm.Usage{PromptTokens: 10, CompletionTokens: 2}, ToolCalls: []llm.ToolCall{
		{ID: "c1", Name: "run", Arguments: `{"q": "SELECT 1"}`}, {ID: "c2", Name: "run", Arguments: `not json`}}},
	"cut": {Text: "SELE", Finish: "length", Usage: llm.Usage{PromptTokens: 10, CompletionTokens: 1}},
}

// TestAnswers: the forms of both APIs, whole and as streams.
func TestAnswers(t *testing.T) {
	for name, r := range replies {
		e := begin(t, session(&llm.Scripted{Respond: func(llm.Request) (llm.Response, error) { return r, nil }}))
		for _, x := range []struct{ kind, path, body string }{
			{"chat", "/chat/completions", `{"logprobs":true,` + hello[1:]}, {"completion", "/completions", `{"prompt":"SELECT","logprobs":1}`},
			{"message", "/messages", hello}} {
			got, answer := post(t, e, x.path, x.body)
			if got != 200 {
				t.Fatalf("%s %s: %d %s", name, x.kind, got, answer)
			}
			goldentest.Compare(t, x.kind+"-"+name+".json", pretty(t, answer))
			_, answer = post(t, e, x.path, strings.Replace(x.body, "{", `{"stream":true,"stream_options":{"include_usage":true},`, 1))
			if x.kind == "message" {
				_, answer = post(t, e, x.path, strings.Replace(x.body, "{", `{"stream":true,`, 1))
			}
			goldentest.Compare(t, x.kind+"-"+name+".events", answer)
		}
	}
}

// TestSeveralChoices: n choices are n samples, and one that fails takes no other with it.
func TestSeveralChoices(t *testing.T) {
	e := begin(t, session(&llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if r.Sample == 10_000 {
			return "", &llm.Failure{Reason: "blocked: X"}
		}
		return fmt.Sprint("sample ", r.Sample), nil
	}}))
	status, answer := post(t, e, "/chat/completions", strings.Replace(hello, "}]}", `}],"n":3}`, 1))
	var got struct {
		Choices []struct {
			Index   int
			Finish  string `json:"finish_reason"`
			Message struct{ Content, Refusal *string }
		}
		Usage struct {
			Completion int `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 || len(got.Choices) != 3 {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	for i, c := range got.Choices {
		if c.Index != i || (i == 1) != (c.Finish == "content_filter") || (i == 1) == (c.Message.Content != nil) || i == 2 && *c.Message.Content != "sample 20000" {
			t.Errorf("choice %d: %+v in %s", i, c, answer)
		}
	}
	rec, err := e.End()
	if err != nil || len(rec.Trace) != 3 || rec.Trace[1].Failure == "" || len(rec.Warnings) != 1 || got.Usage.Completion != 5 {
		t.Errorf("%+v, %v", rec, err)
	}
}

// TestPrompts: the plain endpoint takes several prompts, each of which has its own choices.
func TestPrompts(t *testing.T) {
	e := begin(t, session(&llm.Scripted{}))
	_, answer := post(t, e, "/completions", `{"prompt":["a","b"],"n":2}`)
	var got struct{ Choices []struct{ Text string } }
	if err := json.Unmarshal([]byte(answer), &got); err != nil || fmt.Sprint(got.Choices) != "[{a} {a} {b} {b}]" {
		t.Errorf("%s: %v", answer, err)
	}
}

// samplesOf lists the samples of a trace.
func samplesOf(trace []prompting.Call) (out []int) {
	for _, c := range trace {
		out = append(out, c.Sample)
	}
	return out
}

// TestEqualRequests are numbered in their order, from the arm's sample on; different ones are not.
func TestEqualRequests(t *testing.T) {
	x := session(&llm.Scripted{})
	x.Sample = 3
	e := begin(t, x)
	other := strings.Replace(hello, "hello", "other", 1)
	for _, body := range []string{hello, other, hello, strings.Replace(hello, "{", `{"n":2,`, 1), hello, strings.Replace(hello, "{", `{"stream":true,"user":"u","model":"gpt",`, 1), other} {
		if got, answer := post(t, e, "/chat/completions", body); got != 200 {
			t.Fatalf("%d %s", got, answer)
		}
	}
	rec, err := e.End()
	want := []int{3, 3, 10_003, 20_003, 30_003, 40_003, 50_003, 10_003}
	if err != nil || !slices.Equal(samplesOf(rec.Trace), want) {
		t.Errorf("%v, want %v; %v", samplesOf(rec.Trace), want, err)
	}
	for i, stage := range []string{"generate 1", "generate 2", "generate 3", "generate 4", "generate 4", "generate 5", "generate 6", "generate 7"} {
		if rec.Trace[i].Stage != stage {
			t.Errorf("call %d is %q, want %q", i, rec.Trace[i].Stage, stage)
		}
	}
}

// TestTheFirstIsAMethodsOwn: the first of equal requests has the key that a method's request has.
func TestTheFirstIsAMethodsOwn(t *testing.T) {
	x := session(nil)
	x.Params.Temperature, x.Sample = 0.7, 2
	got, _ := asked(t, x, "/chat/completions", hello)
	seed := llm.DrawSeed(x.Seed, x.About, x.Name, "generate")
	want := llm.Request{Author: x.Author, Params: llm.Params{Temperature: 0.7, Seed: &seed}, Messages: []llm.Message{{Role: llm.User, Text: "hello"}}, Sample: 2}
	if got.Key() != want.Key() {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRequestsAtOnce: which of equal requests comes first decides nothing.
func TestRequestsAtOnce(t *testing.T) {
	e := begin(t, session(&llm.Scripted{Reply: func(r llm.Request) (string, error) { return fmt.Sprint(r.Messages[0].Text, r.Sample), nil }}))
	var g sync.WaitGroup
	for i := range 40 {
		g.Go(func() {
			body := fmt.Sprintf(`{"messages":[{"role":"user","content":"q%d"}]}`, i%4)
			if got, answer := post(t, e, "/chat/completions", body, "X-Assay-Stage", fmt.Sprint("solve ", i)); got != 200 {
				t.Errorf("%d %s", got, answer)
			}
		})
	}
	g.Wait()
	rec, err := e.End()
	if err != nil || len(rec.Trace) != 40 {
		t.Fatalf("%d calls, %v", len(rec.Trace), err)
	}
	keys := map[string]bool{}
	for i, c := range rec.Trace {
		keys[c.Key] = true
		if c.Stage != fmt.Sprint("solve ", i) || c.Sample%10_000 != 0 || c.Sample >= 100_000 {
			t.Errorf("call %d is %+v", i, c)
		}
	}
	if len(keys) != 40 {
		t.Errorf("%d different requests", len(keys))
	}
}

// TestAFailedRequestIsRepeated under its own number: live as from the ledger, there is one call.
func TestAFailedRequestIsRepeated(t *testing.T) {
	fails := 2
	e := begin(t, session(&llm.Scripted{Reply: func(llm.Request) (string, error) {
		if fails--; fails >= 0 {
			return "", &llm.Failure{Reason: "http 503", Status: 503, Retryable: true}
		}
		return "x", nil
	}}))
	for _, want := range []int{503, 503, 200} {
		if got, answer := post(t, e, "/chat/completions", hello); got != want {
			t.Fatalf("%d %s", got, answer)
		}
	}
	rec, err := e.End()
	if err != nil || len(rec.Trace) != 1 || rec.Trace[0].Sample != 0 || rec.Trace[0].Failure != "" || rec.Trace[0].Stage != "generate 1" {
		t.Errorf("%+v, %v", rec.Trace, err)
	}
}

func TestCallsAreBounded(t *testing.T) {
	x := session(&llm.Scripted{})
	x.Calls = 3
	e := begin(t, x)
	check := func(n, want int) {
		t.Helper()
		if got, answer := post(t, e, "/chat/completions", strings.Replace(hello, "{", fmt.Sprintf(`{"n":%d,`, n), 1)); got != want {
			t.Errorf("n = %d: %d %s, want %d", n, got, answer, want)
		}
	}
	check(4, 403)
	check(2, 200)
	check(2, 403)
	check(1, 200)
	check(1, 403)
}

// embedder makes vectors of two places.
type embedder struct{}

func (embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{float32(len(t)), 0.5}
	}
	return out, nil
}

// TestEmbeddings: by the session's model, or by the offline vectors, which are named.
func TestEmbeddings(t *testing.T) {
	check := func(what string, e llm.Embedder, body string, want [][]float32, model string, offline bool) {
		t.Helper()
		x := session(&llm.Scripted{})
		x.Embed, x.EmbedName = e, "e-1"
		on := begin(t, x)
		status, answer := post(t, on, "/embeddings", body)
		var got struct {
			Model string
			Data  []struct {
				Index     int
				Embedding json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 || got.Model != model || len(got.Data) != len(want) {
			t.Fatalf("%s: %d %s %v", what, status, answer, err)
		}
		for i, d := range got.Data {
			if v := decoded(t, d.Embedding); d.Index != i || !slices.Equal(v, want[i]) {
				t.Errorf("%s: %v, want %v", what, v, want[i])
			}
		}
		if rec, err := on.End(); err != nil || rec.Offline != offline || len(rec.Trace) > 0 {
			t.Errorf("%s: %+v, %v", what, rec, err)
		}
	}
	both := [][]float32{{1, 0.5}, {2, 0.5}}
	check("a model", embedder{}, `{"input":["a","bb"],"model":"text-embedding-3-small"}`, both, "e-1", false)
	check("one text", embedder{}, `{"input":"a","encoding_format":"float"}`, both[:1], "e-1", false)
	check("base64, as OpenAI's clients ask", embedder{}, `{"input":["a","bb"],"encoding_format":"base64"}`, both, "e-1", false)
	check("its dimension", embedder{}, `{"input":["a"],"dimensions":2}`, both[:1], "e-1", false)
	check("offline", nil, `{"input":["a"]}`, [][]float32{vectors.New(vectors.Options{}).Vector("a")}, vectors.Name, true)
	check("offline in 64 places", nil, `{"input":["a"],"dimensions":64}`, [][]float32{vectors.New(vectors.Options{Dimension: 64}).Vector("a")}, vectors.Name, true)
	x := session(&llm.Scripted{})
	x.Embed = embedder{}
	if got, answer := post(t, begin(t, x), "/embeddings", `{"input":"a","dimensions":3}`); got != 400 || !strings.Contains(answer, "embeddings.dimensions") {
		t.Errorf("another dimension: %d %s", got, answer)
	}
}

// decoded reads a vector in either encoding.
func decoded(t *testing.T, raw json.RawMessage) (v []float32) {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) != nil {
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+4 <= len(b); i += 4 {
		v = append(v, math.Float32frombits(uint32(b[i])|uint32(b[i+1])<<8|uint32(b[i+2])<<16|uint32(b[i+3])<<24))
	}
	return v
}

// TestListsOfModels: both APIs list them, and a name with a slash is found.
func TestListsOfModels(t *testing.T) {
	x := session(&llm.Scripted{})
	x.Names = []string{"org/cheap"}
	e := begin(t, x)
	check := func(path, want string, h ...string) {
		t.Helper()
		if _, _, got := do(t, http.MethodGet, e.BaseURL()+path, e.Key(), "", h); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	check("/models", `"data":[{"created":0,"id":"m","object":"model","owned_by":"openai"},{"created":0,"id":"org/cheap"`)
	check("/models/org%2Fcheap", `"id":"org/cheap"`)
	check("/models/org/cheap", `"id":"org/cheap"`)
	check("/models", `"first_id":"m"`, "Anthropic-Version", "2023-06-01")
}

func TestCountTokens(t *testing.T) {
	e := begin(t, session(&llm.Scripted{}))
	if got, answer := post(t, e, "/messages/count_tokens", hello); got != 200 || !strings.Contains(answer, `{"input_tokens":2}`) {
		t.Errorf("%d %s", got, answer)
	}
	if rec, err := e.End(); err != nil || len(rec.Trace) != 0 || len(rec.Warnings) != 1 {
		t.Errorf("%+v, %v", rec, err)
	}
}

// TestReplay: what the ledger holds is answered offline, byte for byte, and the trace is the same but for where it came from.
func TestReplay(t *testing.T) {
	l, err := ledger.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := 0
	live := l.Wrap(&llm.Scripted{Respond: func(r llm.Request) (llm.Response, error) {
		n++
		out := replies["text"]
		out.Text += fmt.Sprint(" -- answer ", n)
		if len(r.Tools) > 0 {
			out = replies["tools"]
		}
		return out, nil
	}}, ledger.Options{})
	bodies := [][2]string{{"/chat/completions", hello}, {"/chat/completions", strings.Replace(hello, "{", `{"temperature":1,"n":3,`, 1)},
		{"/chat/completions", hello}, {"/messages", strings.Replace(hello, "{", `{"stream":true,`, 1)}, {"/completions", `{"prompt":"x","stream":true}`},
		{"/chat/completions", strings.Replace(hello, "}]}", "}]"+tools+"}", 1)}, {"/embeddings", `{"input":"x"}`}}
	play := func(m llm.Model) (answers []string, trace []prompting.Call) {
		e := begin(t, session(m))
		for _, b := range bodies {
			got, answer := post(t, e, b[0], b[1])
			if got != 200 {
				t.Fatalf("%v: %d %s", b, got, answer)
			}
			answers = append(answers, answer)
		}
		rec, err := e.End()
		if err != nil {
			t.Fatal(err)
		}
		return answers, rec.Trace
	}
	first, made := play(live)
	again, replayed := play(l.Wrap(nil, ledger.Options{Offline: true}))
	if !slices.Equal(first, again) {
		t.Errorf("%q\nand\n%q", first, again)
	}
	for i := range replayed {
		if !replayed[i].Cached {
			t.Errorf("call %d was not replayed", i)
		}
		replayed[i].Cached = false
	}
	if d := cmp.Diff(made, replayed); d != "" {
		t.Error(d)
	}
	e := begin(t, session(l.Wrap(nil, ledger.Options{Offline: true})))
	if got, answer := post(t, e, "/chat/completions", strings.Replace(hello, "hello", "new", 1)); got != 403 || !strings.Contains(answer, "offline") {
		t.Errorf("what the ledger lacks: %d %s", got, answer)
	}
	if _, err := e.End(); err == nil || !strings.Contains(err.Error(), "without --offline") {
		t.Error(err)
	}
}

// FuzzRequests: whatever a body is, there is an answer in the API's form, and no request without messages is asked.
func FuzzRequests(f *testing.F) {
	paths := []string{"v1/chat/completions", "v1/completions", "v1/messages", "v1/embeddings", "v1/messages/count_tokens", "v1/models/x"}
	for i := range paths {
		f.Add(i, []byte(hello))
	}
	f.Add(0, []byte(`{"messages":[{"role":"user","content":[{"type":"text","text":null}]}],"n":2,"stream":true,"tools":[{"type":"function","function":null}]}`))
	f.Add(1, []byte(`{"prompt":["a"],"stop":[null],"logprobs":0,"seed":1e3}`))
	f.Add(2, []byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","content":{}}]}],"tool_choice":{"type":7},"thinking":3,"output_config":[]}`))
	f.Add(3, []byte(`{"input":[""],"dimensions":1,"encoding_format":"base64"}`))
	s := open(f, gateway.Options{})
	f.Fuzz(func(t *testing.T, path int, body []byte) {
		m := &llm.Scripted{}
		e := s.Begin(context.Background(), nil, session(m))
		w := &recorder{header: http.Header{}}
		method := http.MethodPost
		if path = (path%len(paths) + len(paths)) % len(paths); path == 5 {
			method = http.MethodGet
		}
		r, err := http.NewRequest(method, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		e.Serve(w, r, paths[path], body)
		if w.status != 200 && !strings.Contains(w.body.String(), `"error":{`) || w.body.Len() == 0 {
			t.Errorf("%d %s", w.status, w.body.String())
		}
		for _, r := range m.Asked() {
			if len(r.Messages) == 0 || r.Author.Provider != "openai" {
				t.Errorf("%+v", r)
			}
		}
		if _, err := e.End(); err != nil {
			t.Error(err)
		}
	})
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   strings.Builder
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
