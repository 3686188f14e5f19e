package llm

import "testing"

func TestBeside(t *testing.T) {
	check := func(p Params, want string) {
		t.Helper()
		if got := p.Beside(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	seed := int64(0)
	check(Params{Temperature: 1, MaxTokens: 9}, "")
	check(Params{Reasoning: "4096"}, "reasoning 4096")
	check(Params{Reasoning: "low", FixedSeed: &seed, Extra: map[string]any{"min_p": 0.1, "k": map[string]any{"b": "x", "a": []any{true}}, "a": int64(1)}},
		`reasoning low, seed 0, a 1, k {"a":[true],"b":"x"}, min_p 0.1`)
}
