package llm

import (
	"fmt"
	"math"
	"testing"
)

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
	check(math.MaxInt64, math.MaxInt64, "SELECT 1", "x", "") // a server may count what it likes
	check(10, 7, "a", "bb", "cccc")
	check(10, 2, "a", "b", "c", "d", "e")
	check(0, 0, "", "")
	check(5, 1, "", "", "")
}

// TestSentSeeds: the draws of a run are draws of their own, whatever seed, sample, item, generator or stage they are of.
func TestSentSeeds(t *testing.T) {
	sent := func(seed int64, sample int, purpose ...string) int64 {
		t.Helper()
		stream := DrawSeed(seed, purpose...)
		got := (Request{Params: Params{Seed: &stream}, Sample: sample}).SentSeed()
		if got == nil || *got < 0 || *got > 1<<31-1 {
			t.Fatalf("seed %v sent: no 31 bits", got)
		}
		return *got
	}
	check := func(what string, equal bool, a, b int64) {
		t.Helper()
		if (a == b) != equal {
			t.Errorf("%s: %d and %d", what, a, b)
		}
	}
	check("equal draws", true, sent(0, 1, "item", "standard", "generate"), sent(0, 1, "item", "standard", "generate"))
	check("the next sample of a seed is no sample of the next seed", false, sent(0, 1, "item", "standard", "generate"), sent(1, 0, "item", "standard", "generate"))
	check("another item", false, sent(0, 0, "a", "standard", "generate"), sent(0, 0, "b", "standard", "generate"))
	check("another generator", false, sent(0, 0, "a", "standard", "generate"), sent(0, 0, "a", "cot", "generate"))
	check("another stage", false, sent(0, 0, "a", "standard", "fix 1"), sent(0, 0, "a", "standard", "fix 2"))
	if got := (Request{Sample: 2}).SentSeed(); got != nil {
		t.Errorf("seed %v where none is set", *got)
	}
}

// TestSentSeedsDoNotCollide counts equal seeds over 5 run seeds, 25 samples and 1000 items: none within an item, where
// it would make two draws one, and over all 125,000 no more than 31 bits must have: n(n-1)/2 / 2^31 = 3.6 pairs are
// expected of independent draws, and more than 12 come less than once in 5,000 times.
func TestSentSeedsDoNotCollide(t *testing.T) {
	const seeds, samples, items, most = 5, 25, 1000, 12
	all, pairs := map[int64]int{}, 0
	for item := range items {
		own := map[int64]bool{}
		for seed := range int64(seeds) {
			stream := DrawSeed(seed, fmt.Sprintf("spider/dev/%d", item), "standard", "generate")
			for sample := range samples {
				s := *(Request{Params: Params{Seed: &stream}, Sample: sample}).SentSeed()
				if own[s] {
					t.Errorf("item %d: seed %d twice", item, s)
				}
				own[s] = true
				pairs += all[s]
				all[s]++
			}
		}
	}
	if pairs > most {
		t.Errorf("%d pairs of equal seeds, want %d at most", pairs, most)
	}
	t.Logf("%d draws, %d pairs of equal seeds", seeds*samples*items, pairs)
}

// TestAuthors: who answers decides the key, by model and address or by the name that the experiment gives.
func TestAuthors(t *testing.T) {
	key := func(a Author) string { return Request{Author: a, Messages: []Message{{Role: User, Text: "q"}}}.Key() }
	check := func(what string, same bool, a, b Author) {
		t.Helper()
		if got := key(a) == key(b); got != same {
			t.Errorf("%s: equal keys %v, want %v", what, got, same)
		}
	}
	const one, two = "http://127.0.0.1:8080/v1", "http://127.0.0.1:8081/v1"
	check("the same", true, Author{"openai", "m", one, ""}, Author{"openai", "m", one, ""})
	check("another model", false, Author{"openai", "m", "", ""}, Author{"openai", "n", "", ""})
	check("another provider", false, Author{"openai", "m", "", ""}, Author{"gemini", "m", "", ""})
	check("an address of one's own", false, Author{"openai", "m", "", ""}, Author{"openai", "m", one, ""})
	check("another address", false, Author{"openai", "m", one, ""}, Author{"openai", "m", two, ""})
	check("one name for two addresses", true, Author{"openai", "llama3", one, "llama-q4"}, Author{"openai", "/models/l.gguf", two, "llama-q4"})
	check("another name", false, Author{"openai", "m", one, "q4"}, Author{"openai", "m", one, "q8"})
	check("a name and none", false, Author{"openai", "m", one, "m"}, Author{"openai", "m", "", ""})
	// SHA-256 of
	// {"provider":"openai","model":"m","params":{"temperature":0},"messages":[{"role":"user","text":"q"}],"sample":0}:
	// a provider's own address has the key it always had, so that ledgers of old answer.
	if got := key(Author{"openai", "m", "", ""}); got != "sha256:be2518b2abdaca8c528bc354fefc3e8d644065123f43598933d20e6454e6f907" {
		t.Errorf("a provider's own address: %s", got)
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
