package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// A call embeds at most maxBatch texts of maxBatchBytes in all. The API's limits are 2,048 texts and 300,000 tokens,
// and no tokenizer makes more than one token per byte. The vectors of maxBatch texts fit into one answer.
const (
	maxBatch      = 256
	maxBatchBytes = 300_000
)

// Embedder computes vectors by one of the server's embedding models. It is safe for concurrent use.
type Embedder struct {
	client *Client
	model  string
}

var _ llm.Embedder = (*Embedder)(nil)

// Embedder returns the embedder of a model, such as "text-embedding-3-small".
func (c *Client) Embedder(model string) *Embedder { return &Embedder{c, model} }

// Embed implements [llm.Embedder], in as few calls as the API's limits allow. Its errors are of the same kinds as
// Generate's.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for len(all) < len(texts) {
		got, err := e.batch(ctx, next(texts[len(all):]))
		if err != nil {
			return nil, e.client.key.Error(named(err, "embed", e.model))
		}
		all = append(all, got...)
	}
	return all, wire.CheckVectors(all, len(texts))
}

// next returns the first texts that fit in one call, at least one.
func next(texts []string) []string {
	size := 0
	for i, t := range texts {
		size += len(t)
		if i == maxBatch || i > 0 && size > maxBatchBytes {
			return texts[:i]
		}
	}
	return texts
}

// batch makes one call, and puts the vectors into the order of the texts by their index.
func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	c, call := e.client, &wire.Call{}
	defer call.Done()
	sent := c.post(ctx, "/embeddings", map[string]any{"model": e.model, "input": texts, "encoding_format": "float"}, call)
	if err := c.outcome(ctx, call, sent); err != nil {
		return nil, err
	}
	var answer struct {
		Data json.RawMessage `json:"data"`
	}
	if err := c.key.Decode(call, &answer); err != nil {
		return nil, err
	}
	data, err := wire.Whole[struct {
		Index     int         `json:"index"`
		Embedding wire.Vector `json:"embedding"`
	}](answer.Data, len(texts), "vectors")
	if err != nil {
		return nil, &llm.Failure{Reason: wire.Malformed, Err: errors.New(c.key.Clip(err.Error()))}
	}
	out := make([][]float32, len(texts))
	for _, d := range data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, &llm.Failure{Reason: wire.Malformed, Err: fmt.Errorf("embedding index %d of %d texts", d.Index, len(texts))}
		}
		out[d.Index] = d.Embedding
	}
	return out, wire.CheckVectors(out, len(texts))
}
