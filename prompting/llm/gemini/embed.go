package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"

	"github.com/google/generative-ai-go/genai"
)

// maxBatch is how many texts batchEmbedContents accepts per call.
const maxBatch = 100

// Embedder computes vectors by one of the API's embedding models. It is safe for concurrent use.
type Embedder struct {
	client *Client
	model  string
}

var _ llm.Embedder = (*Embedder)(nil)

// Embedder returns the embedder of a model, such as "gemini-embedding-001".
func (c *Client) Embedder(model string) *Embedder { return &Embedder{c, model} }

// Embed implements [llm.Embedder], with one call per hundred texts. Its errors are of the same kinds as Generate's.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var all [][]float32
	for start := 0; start < len(texts); start += maxBatch {
		batch := texts[start:min(start+maxBatch, len(texts))]
		got, err := e.batch(ctx, batch)
		if err != nil {
			return nil, e.client.key.Error(named(err, "embed", e.model))
		}
		all = append(all, got...)
	}
	return all, wire.CheckVectors(all, len(texts))
}

// batch makes one call.
func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	m := e.client.genai.EmbeddingModel(e.model)
	b := m.NewBatch()
	for _, t := range texts {
		b.AddContent(genai.Text(t))
	}
	call := &wire.Call{}
	defer call.Done()
	_, sdk := m.BatchEmbedContents(wire.With(ctx, call), b)
	if err := e.client.outcome(ctx, call, sdk); err != nil {
		return nil, err
	}
	var answer struct {
		Embeddings json.RawMessage `json:"embeddings"`
	}
	if err := e.client.key.Decode(call, &answer); err != nil {
		return nil, err
	}
	list, err := wire.Whole[struct{ Values wire.Vector }](answer.Embeddings, len(texts), "embeddings")
	if err == nil && len(list) != len(texts) {
		err = fmt.Errorf("%d embeddings for %d texts", len(list), len(texts))
	}
	if err != nil {
		return nil, &llm.Failure{Reason: wire.Malformed, Err: errors.New(e.client.key.Clip(err.Error()))}
	}
	out := make([][]float32, len(texts))
	for i, v := range list {
		out[i] = v.Values
	}
	return out, nil
}

// CountTokens returns how many tokens the request's prompt has, system instruction and earlier turns included. The call
// is free but counts against the limit of requests per minute.
func (c *Client) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	m, last, call, err := c.prepare(r, 1)
	if err != nil {
		return 0, fmt.Errorf("gemini: count tokens with %q: %w", r.Model, err)
	}
	defer call.Done()
	_, sdk := m.CountTokens(wire.With(ctx, call), genai.Text(last))
	if err := c.outcome(ctx, call, sdk); err != nil {
		return 0, c.key.Error(named(err, "count tokens", r.Model))
	}
	var answer struct {
		Total *int `json:"totalTokens"`
	}
	if err := c.key.Decode(call, &answer); err != nil {
		return 0, c.key.Error(err)
	}
	if answer.Total == nil {
		return 0, &llm.Failure{Reason: wire.Malformed, Err: fmt.Errorf("no totalTokens")}
	}
	return *answer.Total, nil
}
