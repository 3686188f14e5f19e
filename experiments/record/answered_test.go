package record

import (
	"strings"
	"testing"
)

const card = `{"id":"/x.gguf","aliases":["m"],"meta":{"ftype":"Q4_0","size":7,"n_params":3},"owned_by":"llamacpp"}`

func TestWordsOfWhoAnswered(t *testing.T) {
	check := func(a Answered, want string) {
		t.Helper()
		if got := a.Words(); got != want {
			t.Errorf("%+v: %s, want %s", a, got, want)
		}
	}
	check(Answered{Model: "m"}, "")
	check(Answered{Model: "m", By: "m"}, "")
	check(Answered{Model: "m", By: "m-2024"}, `"m-2024"`)
	check(Answered{Model: "m", By: "m", Print: "fp"}, "fingerprint fp")
	check(Answered{Model: "m", By: "/x.gguf", Card: card}, `"/x.gguf", meta.ftype Q4_0, meta.n_params 3, meta.size 7`)
	check(Answered{Model: "m", Card: card}, `id "/x.gguf", meta.ftype Q4_0, meta.n_params 3, meta.size 7`)
	check(Answered{Model: "m", Card: `no JSON`}, "")
	check(Answered{Model: "m", Card: `{"id":"` + strings.Repeat("x", 200) + `"}`}, `id "`+strings.Repeat("x", 80)+`..."`)
}

func TestDoubtsOfWhoAnswered(t *testing.T) {
	check := func(want string, all ...Answered) {
		t.Helper()
		if got := strings.Join(Doubts(all), "\n"); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", all, got, want)
		}
	}
	a := Answered{Author: "openai/m", By: "m", Card: card}
	b, c := a, a
	b.Card = strings.Replace(card, `"size":7`, `"size":8`, 1)
	c.Author, c.By = "openai/n", "n"
	older, newer, other := a, a, a
	older.By, newer.By = "/models/m.gguf", "m.gguf"
	older.Card = `{"id":"/models/m.gguf","meta":{"size":7}}`
	newer.Card = `{"id":"m.gguf","meta":{"size":7},"defaults":{"temperature":0.8,"n_ctx":8192}}`
	other.By, other.Card = newer.By, `{"id":"m.gguf","meta":{"size":7},"defaults":{"temperature":1,"n_ctx":8192}}`
	check("", older, newer)
	check("The completions of openai/m were not all given by the same: defaults.temperature: 0.8 and 1.", newer, other)
	if got := newer.Defaults(); got != "n_ctx 8192, temperature 0.8" || older.Defaults() != "" {
		t.Errorf("defaults %q", got)
	}
	check("")
	check("", a)
	check("", a, c)
	check("", a, a)
	check("The completions of openai/m were not all given by the same: meta.size: 7 and 8.", a, b, c)
	check("The completions of openai/m were not all given by the same: fingerprint: nothing and fp.", Answered{Author: "openai/m"}, Answered{Author: "openai/m", Print: "fp"})
}
