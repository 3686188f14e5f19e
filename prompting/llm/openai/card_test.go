package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
)

// lists serves completions, and models as the body says.
func lists(t *testing.T, status int, models string) (c *Client, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/models" {
			asked.Add(1)
			w.WriteHeader(status)
			io.WriteString(w, models)
			return
		}
		io.WriteString(w, `{"model":"said","system_fingerprint":"b1","choices":[{"finish_reason":"stop","message":{"content":"SELECT 1"}}]}`)
	}))
	t.Cleanup(s.Close)
	c, err := New(Options{Key: plantedKey, BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	return c, asked
}

// TestCards: what a server says of the model comes with every completion, and is asked for once.
func TestCards(t *testing.T) {
	check := func(what string, status int, models, want string) {
		t.Helper()
		c, asked := lists(t, status, models)
		for range 3 {
			got, err := c.Generate(context.Background(), llmtest.Ask("x"))
			if err != nil || got.Card != want || got.Model != "said" || got.Print != "b1" {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("%s: asked %d times", what, n)
		}
	}
	check("the entry of that id", 200, `{"data":[{"id":"other"},{"size":7,"id":"m-1","created":1}]}`, `{"id":"m-1","size":7}`)
	check("an alias", 200, `{"data":[{"id":"/x.gguf","aliases":["m-1"]},{"id":"other"}]}`, `{"aliases":["m-1"],"id":"x.gguf"}`)
	check("a server of one model answers to any name", 200, `{"data":[{"id":"/x.gguf"}]}`, `{"id":"x.gguf"}`)
	check("none of that name among several", 200, `{"data":[{"id":"a"},{"id":"b"}]}`, "")
	check("no list", 404, `nothing here`, "")
	check("no JSON", 200, `<html>`, "")
	check("another shape", 200, `{"data":"x"}`, "")
	check("a long entry", 200, `{"data":[{"id":"m-1","x":"`+strings.Repeat("x", cardBytes)+`"}]}`, "")
	check("an entry that tells the key", 200, `{"data":[{"id":"m-1","x":"`+plantedKey+`"}]}`, `{"id":"m-1","x":"[key]"}`)
}

// TestUsageOfSeveralChoices: llama.cpp counts only the first choice, and is recognized by its timings; others count
// all.
func TestUsageOfSeveralChoices(t *testing.T) {
	const one = `,"timings":{"predicted_n":5}`
	check := func(what string, want int, timings string, texts ...string) {
		t.Helper()
		var choices []string
		for _, text := range texts {
			b, _ := json.Marshal(text)
			choices = append(choices, fmt.Sprintf(`{"finish_reason":"stop","message":{"content":%s}}`, b))
		}
		c, _, _ := serve(t, 200, `{"choices":[`+strings.Join(choices, ",")+`],"usage":{"prompt_tokens":21,"completion_tokens":5}`+timings+`}`)
		got, err := c.GenerateN(context.Background(), llmtest.Ask("x"), make([]int, len(texts)))
		var sum llm.Usage
		for _, g := range got {
			sum = sum.Add(g.Usage)
		}
		if err != nil || sum.CompletionTokens != want || sum.PromptTokens != 21 || sum.Estimated != (len(texts) > 1) {
			t.Errorf("%s: %+v, %v, want %d completion tokens", what, sum, err, want)
		}
		if alone := c.alone.Has("m-1"); alone != (timings == one && len(texts) > 1) {
			t.Errorf("%s: asked one by one from now on: %v", what, alone)
		}
	}
	const text = "SELECT title FROM members"
	check("one choice", 5, one, text)
	check("three of a length", 15, one, text, text, text)
	check("one twice as long", 5+1+4*51/25, one, text, text+" "+text)
	check("an empty one", 5+1, one, text, "")
	check("a server that counts all", 5, `,"timings":{"predicted_n":2}`, text, text)
	check("a server without timings", 5, ``, text, text)
}
