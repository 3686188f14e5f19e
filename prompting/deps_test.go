package prompting_test

import (
	"context"
	"fmt"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// many gives at most limit samples a call and counts calls of either kind.
type many struct {
	llm.Scripted
	limit int
	asked []string
}

func (m *many) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	m.asked = append(m.asked, fmt.Sprint("one ", r.Sample))
	if r.Sample == 3 {
		return llm.Response{}, &llm.Failure{Reason: "blocked: SAFETY"}
	}
	return llm.Response{Text: fmt.Sprint("answer ", r.Sample)}, nil
}

func (m *many) GenerateN(_ context.Context, _ llm.Request, samples []int) ([]llm.Response, error) {
	m.asked = append(m.asked, fmt.Sprint("many ", samples))
	var out []llm.Response
	for _, s := range samples[:min(m.limit, len(samples))] {
		out = append(out, llm.Response{Text: fmt.Sprint("answer ", s)})
	}
	return out, nil
}

func TestSamplesOfOnePromptAreAskedInOneCall(t *testing.T) {
	a := []llm.Message{{Role: llm.User, Text: "a"}}
	b := []llm.Message{{Role: llm.User, Text: "b"}}
	check := func(limit int, prompts [][]llm.Message, want ...string) {
		t.Helper()
		m := &many{limit: limit}
		arm := configs.Arm{Name: "x", Method: "standard", Schema: configs.Schema{Format: "apidocs"}, Exemplars: configs.Exemplars{Strategy: "none"}}
		k, err := prompting.NewKit("x", prompting.Deps{Model: m, Author: llm.Author{Provider: "p", Model: "m"}}, arm, 0)
		if err != nil {
			t.Fatal(err)
		}
		replies, err := k.AskAll(context.Background(), "generate", "an item", prompts)
		if err != nil || len(replies) != len(prompts) {
			t.Fatalf("%d replies, %v", len(replies), err)
		}
		if d := cmp.Diff(want, m.asked); d != "" {
			t.Error(d)
		}
		keys := map[string]bool{}
		for i, r := range replies {
			keys[r.Call.Key] = true
			text, failure := fmt.Sprint("answer ", i), ""
			if len(m.asked) > 0 && i == 3 && limit < 4 {
				text, failure = "", "blocked: SAFETY"
			}
			if r.Response.Text != text || r.Failure != failure || r.Call.Failure != failure || r.Call.Sample != i {
				t.Errorf("reply %d: %+v", i, r)
			}
		}
		if len(keys) != len(prompts) {
			t.Errorf("%d keys for %d samples", len(keys), len(prompts))
		}
	}
	check(9, [][]llm.Message{a}, "one 0")
	check(9, [][]llm.Message{a, a, a}, "many [0 1 2]")
	check(2, [][]llm.Message{a, a, a, a}, "many [0 1 2 3]", "one 2", "one 3") // the server gave two: the others say why themselves
	check(9, [][]llm.Message{a, b, b}, "one 0", "many [1 2]")
}

// TestParams: a conversation is the same request whether or not the settings name it.
func TestParams(t *testing.T) {
	check := func(api, want string) {
		t.Helper()
		if got := prompting.Params(configs.Model{API: api, MaxTokens: 9}); got.API != want || got.MaxTokens != 9 {
			t.Errorf("%q: %+v", api, got)
		}
	}
	check("", "")
	check("chat", "")
	check("completions", llm.Completions)
}
