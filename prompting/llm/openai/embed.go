package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

var _ llm.EmbeddingModel = (*Client)(nil)

// Vectors implements [llm.EmbeddingModel], with one call. Its errors are of the same kinds as Generate's.
func (c *Client) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	got, err := c.embed(ctx, r)
	if err != nil {
		return llm.Embedding{}, c.key.Error(named(err, "embed", r.Model))
	}
	return got, nil
}

// embedded is the answer to a call for vectors.
type embedded struct {
	Data  json.RawMessage `json:"data"`
	Model aside[string]   `json:"model"`
	Usage aside[*usage]   `json:"usage"`
}

// embed makes one call, and puts the vectors into the order of the texts by their index.
func (c *Client) embed(ctx context.Context, r llm.EmbeddingRequest) (none llm.Embedding, err error) {
	call := &wire.Call{}
	defer call.Done()
	body := map[string]any{"model": r.Model, "input": r.Texts, "encoding_format": "float"}
	if r.Dimensions > 0 {
		body["dimensions"] = r.Dimensions
	}
	sent := c.post(ctx, "/embeddings", body, call)
	if err := c.outcome(ctx, call, sent); err != nil {
		return none, err
	}
	var answer embedded
	if err := c.key.Decode(call, &answer); err != nil {
		return none, err
	}
	list, err := placed(answer.Data, len(r.Texts))
	if err != nil {
		return none, &llm.Failure{Reason: wire.Malformed, Err: errors.New(c.key.Clip(err.Error()))}
	}
	return wire.Embedding(r, list, c.key.Clip(answer.Model.v), answer.Usage.v.counted().PromptTokens)
}

// placed reads the vectors of n texts, each of which must be there once.
func placed(data []byte, n int) ([]wire.Vector, error) {
	list, err := wire.Whole[struct {
		Index     int         `json:"index"`
		Embedding wire.Vector `json:"embedding"`
	}](data, n, "vectors")
	if err != nil {
		return nil, err
	}
	out := make([]wire.Vector, n)
	for _, d := range list {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, fmt.Errorf("embedding index %d of %d texts", d.Index, n)
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}
