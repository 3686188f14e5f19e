package llmtest_test

import (
	"context"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/anthropic"
	"assay/prompting/llm/gemini"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/openai"
	"assay/prompting/llm/retry"
)

const plantedKey = "planted+key/7qzx=&x"

// providers are all that speak HTTP. each has the name of its wire format.
var providers = []llmtest.Kind{llmtest.OpenAI, llmtest.Plain, llmtest.Gemini, llmtest.Anthropic}

// provider is what every one of them is.
type provider interface {
	llm.Model
	llm.Warner
}

// several asks for samples: in one call where the provider can, and else for the first.
func several(ctx context.Context, p provider, r llm.Request, samples []int) ([]llm.Response, error) {
	if g, ok := p.(llm.SampleGenerator); ok {
		return g.GenerateN(ctx, r, samples)
	}
	r.Sample = samples[0]
	got, err := p.Generate(ctx, r)
	return []llm.Response{got}, err
}

func open(t testing.TB, k llmtest.Kind, baseURL string) provider {
	t.Helper()
	switch k {
	case llmtest.Anthropic:
		c, err := anthropic.New(anthropic.Options{Key: plantedKey, BaseURL: baseURL})
		if err != nil {
			t.Fatal(err)
		}
		return c
	case llmtest.OpenAI, llmtest.Plain:
		c, err := openai.New(openai.Options{Key: plantedKey, BaseURL: baseURL})
		if err != nil {
			t.Fatal(err)
		}
		if k == llmtest.Plain {
			return plain{c}
		}
		return c
	}
	c, err := gemini.New(context.Background(), gemini.Options{Key: plantedKey, BaseURL: baseURL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// plain asks for plain completions.
type plain struct{ *openai.Client }

func (p plain) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	r.Params.API = llm.Completions
	return p.Client.Generate(ctx, r)
}

func (p plain) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	r.Params.API = llm.Completions
	return p.Client.GenerateN(ctx, r, samples)
}

// embeds reports whether a provider has embedding models.
func embeds(p provider) bool {
	_, ok := p.(llm.EmbeddingModel)
	return ok
}

// embeddings asks for the vectors of texts.
func embeddings(texts ...string) llm.EmbeddingRequest {
	return llm.EmbeddingRequest{Author: llm.Author{Provider: "test", Model: "e-1"}, Texts: texts}
}

func TestProvidersConform(t *testing.T) {
	for _, k := range providers {
		t.Run(string(k), func(t *testing.T) {
			llmtest.TestModel(t, func(url string) llm.Model { return open(t, k, url) }, k)
			if k != llmtest.Anthropic { // which has no embedding models
				llmtest.TestEmbeddings(t, func(url string) llm.EmbeddingModel { return open(t, k, url).(llm.EmbeddingModel) }, k)
			}
		})
	}
}

// TestServersConform: every kind of server that gives several completions per call is asked as OpenAI's own is.
func TestServersConform(t *testing.T) {
	for _, s := range openai.Servers {
		if s.Alone {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			llmtest.TestModel(t, func(url string) llm.Model {
				c, err := openai.New(openai.Options{Server: s.ID, Key: plantedKey, BaseURL: url})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}, llmtest.OpenAI)
		})
	}
}

func TestProvidersConformWithRetries(t *testing.T) {
	for _, k := range providers {
		t.Run(string(k), func(t *testing.T) {
			llmtest.TestModel(t, func(url string) llm.Model { return retry.Wrap(open(t, k, url), retry.Options{}) }, k)
		})
	}
}
