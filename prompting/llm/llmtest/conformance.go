package llmtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// TestModel checks what every provider must do, against a fake server of the given kind. newModel returns a model that
// talks to baseURL, without retries of its own; one of kind Plain makes every request one for plain completions.
func TestModel(t *testing.T, newModel func(baseURL string) llm.Model, k Kind) {
	c := conformance{newModel, k}
	t.Run("what is sent", c.sent)
	t.Run("what is not set is not sent", c.unset)
	if k == Plain {
		t.Run("one text", c.plain)
	} else {
		t.Run("conversation", c.conversation)
		t.Run("tools", c.tools)
		t.Run("tools that are none", c.noTools)
	}
	t.Run("text comes back byte for byte", c.texts)
	t.Run("stop and length", c.ends)
	t.Run("an empty answer is an answer, a blocked one is none", c.empty)
	t.Run("a prompt too long is a failure of its item", c.tooLong)
	if k == Anthropic {
		t.Run("what it does not do is told", c.told)
	} else {
		t.Run("seed", c.seed)
		t.Run("log-probabilities", c.logprobs)
		t.Run("several samples", c.several)
		t.Run("a server without several samples", c.alone)
	}
	t.Run("a cancelled context", c.cancelled)
	t.Run("a deadline", c.deadline)
	t.Run("what ends a run", c.fatal)
}

type conformance struct {
	newModel func(baseURL string) llm.Model
	kind     Kind
}

// start runs a fake server and a model that talks to it.
func (c conformance) start(t *testing.T) (*Server, llm.Model) {
	t.Helper()
	s := Start(t, c.kind)
	return s, c.newModel(s.URL)
}

// Ask returns a request of one user turn.
func Ask(text string) llm.Request {
	return llm.Request{Author: llm.Author{Provider: "test", Model: "m-1"}, Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

// generate makes a request that must succeed.
func generate(t *testing.T, m llm.Model, r llm.Request) llm.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	resp, err := m.Generate(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// sent checks what reaches the server.
func (c conformance) sent(t *testing.T) {
	s, m := c.start(t)
	temperature, topP, topK, seed := 0.5, 0.25, 7, int64(42)
	r := Ask("one")
	r.Params = llm.Params{Temperature: temperature, TopP: &topP, TopK: &topK, MaxTokens: 99, Stop: []string{"\n\n", "END"}, Seed: &seed}
	resp := generate(t, m, r)
	want := Asked{Model: "m-1", Turns: r.Messages, Temperature: &temperature, TopP: &topP, TopK: &topK, MaxTokens: 99,
		Stop: r.Params.Stop, Seed: r.SentSeed()}
	if c.kind == Anthropic {
		want.Stop, want.Seed = []string{"END"}, nil
	}
	if d := cmp.Diff(want, s.Last().Asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
	if d := cmp.Diff(llm.Response{Text: "one", Finish: "stop", Model: "m-1-001", Print: map[Kind]string{OpenAI: "fp_test", Plain: "fp_test"}[c.kind],
		Usage: llm.Usage{PromptTokens: 1, CompletionTokens: 1}}, resp); d != "" {
		t.Errorf("response (-want +got):\n%s", d)
	}
}

// unset checks that parameters without a value are not sent, and that one request is one call.
func (c conformance) unset(t *testing.T) {
	s, m := c.start(t)
	r := Ask("one")
	generate(t, m, r)
	zero := 0.0 // temperature 0 is a choice, and is sent
	want := Asked{Model: "m-1", Turns: r.Messages, Temperature: &zero}
	if c.kind == Anthropic { // whose API requires a bound
		want.MaxTokens = 16_384
	}
	if d := cmp.Diff(want, s.Last().Asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
	if n := len(s.Calls()); n != 1 {
		t.Errorf("%d calls for one request", n)
	}
	r.Params.DefaultTemperature = true
	generate(t, m, r)
	want.Temperature = nil
	if d := cmp.Diff(want, s.Last().Asked); d != "" {
		t.Errorf("asked of a request that leaves the temperature to the provider (-want +got):\n%s", d)
	}
}

// conversation checks system messages and several turns.
func (c conformance) conversation(t *testing.T) {
	s, m := c.start(t)
	r := Ask("first")
	r.Messages = append([]llm.Message{{Role: llm.System, Text: "be brief"}}, append(r.Messages,
		llm.Message{Role: llm.Assistant, Text: "second"}, llm.Message{Role: llm.User, Text: sayTurns})...)
	if got, want := generate(t, m, r).Text, "user: first\nassistant: second\nuser: TURNS\n"; got != want {
		t.Errorf("turns %q, want %q", got, want)
	}
	if got := s.Last().Asked.System; got != "be brief" {
		t.Errorf("system %q", got)
	}
	r.Messages = r.Messages[:3]
	if _, err := m.Generate(context.Background(), r); err == nil {
		t.Error("a conversation that ends with the model's own turn was taken")
	}
}

// texts checks that any text comes back byte for byte.
func (c conformance) texts(t *testing.T) {
	_, m := c.start(t)
	check := func(what, text string) {
		t.Helper()
		if got := generate(t, m, Ask(text)).Text; got != text {
			t.Errorf("%s: %d bytes came back of %d, %.40q", what, len(got), len(text), got)
		}
	}
	check("accents", "Müller é 漢字 🙂 \u2028 \u00a0")
	check("JSON's own characters", "\"quoted\" \\ back\\slash {\"a\": [1]} \t\r\n </script> &amp;")
	check("control characters", "a\x01b\x1f\x7f")
	check("white space at the ends", "\n  SELECT 1;\n\n")
	const size = 1 << 20
	r := Ask("LONG 1048576")
	r.Params.MaxTokens = size
	if got := generate(t, m, r).Text; got != long(size) {
		t.Errorf("a completion of 1 MiB came back with %d bytes", len(got))
	}
}

// ends checks the finish reasons.
func (c conformance) ends(t *testing.T) {
	_, m := c.start(t)
	r := Ask("SELECT 1; -- more")
	r.Params.Stop = []string{"--"}
	if got := generate(t, m, r); got.Text != "SELECT 1; " || got.Finish != "stop" {
		t.Errorf("with a stop sequence: %+v", got)
	}
	r = Ask("SELECT 1 FROM t")
	r.Params.MaxTokens = 2
	if got := generate(t, m, r); got.Text != "SELECT 1" || got.Finish != "length" {
		t.Errorf("with a bound on tokens: %+v", got)
	}
}

// failure asks and returns the failure; any other outcome fails the test.
func failure(t *testing.T, m llm.Model, r llm.Request) *llm.Failure {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, err := m.Generate(ctx, r)
	var f *llm.Failure
	if !errors.As(err, &f) {
		t.Fatalf("err = %v, want a failure", err)
	}
	return f
}

// empty checks that an empty answer is an answer and a blocked one a failure.
func (c conformance) empty(t *testing.T) {
	s, m := c.start(t)
	if got := generate(t, m, Ask(sayEmpty)); got.Text != "" || got.Finish != "stop" || got.Usage.PromptTokens == 0 {
		t.Errorf("an empty answer: %+v", got)
	}
	want := map[Kind]string{OpenAI: "blocked", Plain: "blocked", Gemini: "finish: SAFETY", Anthropic: "blocked: refusal"}[c.kind]
	if f := failure(t, m, Ask(sayBlock)); !strings.HasPrefix(f.Reason, want) || f.Retryable {
		t.Errorf("a blocked one: %+v", f)
	}
	if n := len(s.Calls()); n != 2 {
		t.Errorf("%d calls for two requests", n)
	}
}

// tooLong checks that a prompt beyond the window fails its item only.
func (c conformance) tooLong(t *testing.T) {
	s, m := c.start(t)
	s.Window = 1000
	f := failure(t, m, Ask(strings.Repeat("schema ", 200)))
	if f.Reason != "prompt too long" || f.Retryable || f.Status != 400 {
		t.Errorf("failure %+v", f)
	}
	generate(t, m, Ask("short"))
}

// seed checks that a seed repeats an answer, and that samples of one seed differ.
func (c conformance) seed(t *testing.T) {
	_, m := c.start(t)
	seed := int64(5)
	ask := func(sample int) string {
		r := Ask(sayRandom)
		r.Params.Seed, r.Sample = &seed, sample
		return generate(t, m, r).Text
	}
	if first := ask(0); ask(0) != first {
		t.Error("the same request with a seed has two answers")
	}
	if ask(0) == ask(1) {
		t.Error("two samples of one seed have the same answer")
	}
}

// told checks that a provider without seeds, log-probabilities and stop sequences of white space says so, each once.
func (c conformance) told(t *testing.T) {
	_, m := c.start(t)
	r, seed := Ask("SELECT 1\n\nFROM t"), int64(1)
	r.Params = llm.Params{MaxTokens: 9, Seed: &seed, Logprobs: true, Stop: []string{"\n\n"}}
	for range 2 {
		if got := generate(t, m, r); got.Text != "SELECT 1" || got.Logprob != nil || got.Finish != "stop" {
			t.Errorf("response %+v", got)
		}
	}
	if w, ok := m.(llm.Warner); !ok || len(w.Warnings()) != 3 {
		t.Errorf("no three warnings: %v", m)
	}
}

// several checks calls for several samples.
func (c conformance) several(t *testing.T) {
	s, m := c.start(t)
	g, ok := m.(llm.SampleGenerator)
	if !ok {
		t.Skip("the provider gives one sample per call")
	}
	r := Ask(sayRandom)
	got, err := g.GenerateN(context.Background(), r, []int{2, 3, 4})
	if err != nil || len(got) != 3 || len(s.Calls()) != 1 {
		t.Fatalf("%d completions in %d calls: %v", len(got), len(s.Calls()), err)
	}
	var texts []string
	var sum llm.Usage
	for _, g := range got {
		texts = append(texts, g.Text)
		sum = sum.Add(g.Usage)
	}
	slices.Sort(texts)
	if len(slices.Compact(texts)) != 3 {
		t.Errorf("samples %q", texts)
	}
	if want := 3 * tokens(texts[0]); sum.PromptTokens != tokens(sayRandom) || sum.CompletionTokens != want {
		t.Errorf("usage of all %+v, want %d and %d", sum, tokens(sayRandom), want)
	}
	if got, err := g.GenerateN(context.Background(), r, nil); err != nil || len(got) != 0 || len(s.Calls()) != 1 {
		t.Errorf("none asked: %v, %v", got, err)
	}
	if _, err := g.GenerateN(context.Background(), Ask(sayBlock), []int{0, 1}); err == nil {
		t.Error("no completion at all is no error")
	}
}

// alone checks servers that ignore or refuse the number of samples.
func (c conformance) alone(t *testing.T) {
	check := func(what string, set func(*Server), calls int) {
		t.Helper()
		s, m := c.start(t)
		g, ok := m.(llm.SampleGenerator)
		if !ok {
			t.Skip("the provider gives one sample per call")
		}
		set(s)
		for range 2 {
			got, err := g.GenerateN(context.Background(), Ask("x"), []int{0, 1, 2})
			if err != nil || len(got) != 1 {
				t.Errorf("%s: %d completions, %v", what, len(got), err)
			}
		}
		if n := len(s.Calls()); n != calls {
			t.Errorf("%s: %d calls, want %d", what, n, calls)
		}
		if w, ok := m.(llm.Warner); !ok || len(w.Warnings()) != 1 {
			t.Errorf("%s: there is no warning", what)
		}
	}
	check("ignores the number", func(s *Server) { s.IgnoreN = true }, 2)
	check("refuses the number", func(s *Server) { s.RefuseN = true }, 3) // refused, then one each
}

// cancelled checks that a cancelled context ends a call.
func (c conformance) cancelled(t *testing.T) {
	s, m := c.start(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Generate(ctx, Ask("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	s.Always(Fault{Name: "slow", Delay: time.Minute})
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := m.Generate(ctx, Ask("x"))
	if f := (*llm.Failure)(nil); !errors.Is(err, context.Canceled) || errors.As(err, &f) {
		t.Errorf("cancelled in between: %v", err)
	}
}

// deadline checks that a deadline ends a call.
func (c conformance) deadline(t *testing.T) {
	s, m := c.start(t)
	s.Always(Fault{Name: "slow", Delay: time.Minute})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Generate(ctx, Ask("x"))
	if f := (*llm.Failure)(nil); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &f) {
		t.Errorf("err = %v", err)
	}
}

// fatal checks the errors that end a run.
func (c conformance) fatal(t *testing.T) {
	check := func(status int) {
		t.Helper()
		s, m := c.start(t)
		s.Always(Refused(status))
		_, err := m.Generate(context.Background(), Ask("x"))
		if f := (*llm.Failure)(nil); err == nil || errors.As(err, &f) {
			t.Errorf("%d: %v, want an error that ends the run", status, err)
		}
		if n := len(s.Calls()); n != 1 {
			t.Errorf("%d: %d calls", status, n)
		}
	}
	check(302)
	check(401)
	check(403)
	check(404)
}
