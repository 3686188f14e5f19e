package llm

import (
	"context"
	"encoding/json"
	"testing"
)

// The keys of requests as they were before tools and log-probabilities: a ledger's rows are found by them.
func TestKeysStayAsTheyWere(t *testing.T) {
	check := func(r Request, want string) {
		t.Helper()
		if got := r.Key(); got != want {
			t.Errorf("key %s, want %s", got, want)
		}
	}
	topP, seed := 0.9, int64(7)
	check(Request{}, "sha256:74080f0a853d954466319bc333297a3ee60b9db47fba867a6ad1ae74d7964c98")
	check(Request{Author: Author{Provider: "openai", Model: "m"}, Sample: 2, Messages: []Message{{Role: System, Text: "s"}, {Role: User, Text: "u"}},
		Params: Params{Temperature: 0.7, TopP: &topP, MaxTokens: 9, Stop: []string{";"}, Seed: &seed, Extra: map[string]any{"min_p": 0.1}}},
		"sha256:5a870ee09600688d48490991bbd4d91fdf8c6c033342c6f12884289d1c13d8b3")
}

func TestToolsAndLogprobsArePartOfTheIdentity(t *testing.T) {
	base := Request{Messages: []Message{{Role: User, Text: "u"}}}
	seen := map[string]string{base.Key(): "the plain request"}
	check := func(what string, r Request) {
		t.Helper()
		if other, ok := seen[r.Key()]; ok {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[r.Key()] = what
	}
	tool := Tool{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}
	call := ToolCall{ID: "1", Name: "f", Arguments: "{}"}
	with := func(change func(*Request)) Request {
		r := base
		change(&r)
		return r
	}
	check("a tool", with(func(r *Request) { r.Tools = []Tool{tool} }))
	check("another tool", with(func(r *Request) { r.Tools = []Tool{{Name: "g"}} }))
	check("logprobs", with(func(r *Request) { r.Params.Logprobs = true }))
	check("a call", with(func(r *Request) {
		r.Messages = append(r.Messages[:1:1], Response{ToolCalls: []ToolCall{call}}.Answered())
	}))
	check("a result", with(func(r *Request) { r.Messages = append(r.Messages[:1:1], call.Answered("ok")) }))
	none := with(func(r *Request) { r.Tools = []Tool{} })
	if none.Key() != base.Key() {
		t.Error("an empty list of tools changes the key")
	}
}

func TestTurnsAreEqualInEverything(t *testing.T) {
	call := ToolCall{ID: "1", Name: "f", Arguments: "{}"}
	all := []Message{{}, {Role: User}, {Text: "x"}, {Calls: []ToolCall{call}}, {Calls: []ToolCall{call, call}}, {CallID: "1"}, {Tool: "f"}}
	for i, m := range all {
		for j, n := range all {
			if m.Equal(n) != (i == j) {
				t.Errorf("%+v and %+v: %v", m, n, m.Equal(n))
			}
		}
	}
}

func TestLogprobMean(t *testing.T) {
	if got := (Logprob{Total: -3, Tokens: 4}).Mean(); got != -0.75 {
		t.Errorf("mean %v", got)
	}
	if got := (Logprob{}).Mean(); got != 0 {
		t.Errorf("mean of nothing %v", got)
	}
}

func TestScriptedRespond(t *testing.T) {
	s := &Scripted{Respond: func(r Request) (Response, error) { return Response{ToolCalls: []ToolCall{{Name: r.Model}}}, nil }}
	got, err := s.Generate(context.Background(), Request{Author: Author{Model: "m"}})
	if err != nil || len(got.ToolCalls) != 1 || got.ToolCalls[0].Name != "m" || len(s.Asked()) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
