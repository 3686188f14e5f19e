package llmtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/prompting/llm"
)

// TestEmbeddings checks what every provider's embedding model must do, against a fake server of the given kind. newModel
// returns a model that talks to baseURL, without retries of its own.
func TestEmbeddings(t *testing.T, newModel func(baseURL string) llm.EmbeddingModel, k Kind) {
	s := Start(t, k)
	m := newModel(s.URL)
	request := func(dimensions int, texts ...string) llm.EmbeddingRequest {
		return llm.EmbeddingRequest{Author: llm.Author{Provider: "test", Model: "e-1"}, Dimensions: dimensions, Texts: texts}
	}
	check := func(what string, r llm.EmbeddingRequest) llm.Embedding {
		t.Helper()
		got, err := m.Vectors(context.Background(), r)
		if err != nil || len(got.Vectors) != len(r.Texts) {
			t.Fatalf("%s: %d vectors of %d texts, %v", what, len(got.Vectors), len(r.Texts), err)
		}
		for i, text := range r.Texts {
			if v := got.Vectors[i]; !slices.Equal(v.Values, Vector(text, r.Dimensions)) {
				t.Errorf("%s: vector %d is %v: not that of %q", what, i, v.Values, text)
			}
		}
		if a := s.Last().Asked; a.Model != "e-1" || a.Dimensions != r.Dimensions || !slices.Equal(a.Embed, r.Texts) {
			t.Errorf("%s: asked %+v", what, a)
		}
		return got
	}
	got := check("three texts", request(0, "one", "a longer text", "é"))
	if n := got.Usage().PromptTokens; n == 0 {
		t.Errorf("the texts took %d tokens", n)
	}
	check("a length of their own", request(5, "one", "two"))
	many := make([]string, llm.MostTexts)
	for i := range many {
		many[i] = strings.Repeat("t", i+1)
	}
	calls := len(s.Calls())
	check("as many as a request may have", request(0, many...))
	if n := len(s.Calls()) - calls; n != 1 {
		t.Errorf("%d calls for one request", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Vectors(ctx, request(0, "one")); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}
