package llm

import "testing"

func TestSplitUsageAddsUp(t *testing.T) {
	check := func(prompt, completion int, texts ...string) {
		t.Helper()
		var sum Usage
		parts := SplitUsage(Usage{PromptTokens: prompt, CompletionTokens: completion}, texts)
		for _, p := range parts {
			sum = sum.Add(p)
			if p.CompletionTokens < 0 || p.Estimated != (len(texts) > 1) {
				t.Errorf("part %+v of %d texts", p, len(texts))
			}
		}
		if len(parts) != len(texts) || sum.PromptTokens != prompt || sum.CompletionTokens != completion {
			t.Errorf("%d+%d over %q: parts %+v", prompt, completion, texts, parts)
		}
	}
	check(10, 7, "SELECT 1")
	check(10, 7, "a", "bb", "cccc")
	check(10, 2, "a", "b", "c", "d", "e")
	check(0, 0, "", "")
	check(5, 1, "", "", "")
}

func TestSentSeedDiffersBySample(t *testing.T) {
	seed := int64(40)
	r := Request{Params: Params{Seed: &seed}, Sample: 2}
	if got := r.SentSeed(); got == nil || *got != 42 || seed != 40 {
		t.Errorf("seed %v", got)
	}
	if got := (Request{Sample: 2}).SentSeed(); got != nil {
		t.Errorf("seed %v where none is set", *got)
	}
}

func TestExtraParametersArePartOfTheIdentity(t *testing.T) {
	plain, none, extra := Request{}, Request{}, Request{}
	none.Params.Extra = map[string]any{}
	extra.Params.Extra = map[string]any{"min_p": 0.1}
	if plain.Key() != none.Key() {
		t.Error("an empty map changes the key")
	}
	if plain.Key() == extra.Key() {
		t.Error("an extra parameter does not change the key")
	}
}
