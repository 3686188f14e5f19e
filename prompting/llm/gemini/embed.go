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

var _ llm.EmbeddingModel = (*Client)(nil)

// Vectors implements [llm.EmbeddingModel], with one call. Its errors are of the same kinds as Generate's.
func (c *Client) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	got, err := c.embed(ctx, r)
	if err != nil {
		return llm.Embedding{}, c.key.Error(named(err, "embed", r.Model))
	}
	return got, nil
}

// embedded is the answer to a call for vectors. The API counts the tokens of some models only.
type embedded struct {
	Embeddings json.RawMessage `json:"embeddings"`
	Usage      struct {
		Prompt int `json:"promptTokenCount"`
	} `json:"usageMetadata"`
}

// embed makes one call.
func (c *Client) embed(ctx context.Context, r llm.EmbeddingRequest) (none llm.Embedding, err error) {
	m := c.genai.EmbeddingModel(r.Model)
	b := m.NewBatch()
	for _, t := range r.Texts {
		b.AddContent(genai.Text(t))
	}
	call := &wire.Call{Edit: func(raw []byte) ([]byte, error) { return sized(raw, r.Dimensions) }}
	defer call.Done()
	_, sdk := m.BatchEmbedContents(wire.With(ctx, call), b)
	if err := c.outcome(ctx, call, sdk); err != nil {
		return none, err
	}
	var answer embedded
	if err := c.key.Decode(call, &answer); err != nil {
		return none, err
	}
	list, err := wire.Whole[struct{ Values wire.Vector }](answer.Embeddings, len(r.Texts), "embeddings")
	if err != nil {
		return none, &llm.Failure{Reason: wire.Malformed, Err: errors.New(c.key.Clip(err.Error()))}
	}
	vectors := make([]wire.Vector, len(list))
	for i, v := range list {
		vectors[i] = v.Values
	}
	return wire.Embedding(r, vectors, "", answer.Usage.Prompt)
}

// sized adds the length of the vectors to the SDK's request, which has no field for it; 0 adds nothing.
func sized(raw []byte, dimensions int) ([]byte, error) {
	if dimensions == 0 {
		return raw, nil
	}
	var doc struct {
		Model    string           `json:"model"`
		Requests []map[string]any `json:"requests"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	for _, r := range doc.Requests {
		r["outputDimensionality"] = dimensions
	}
	return json.Marshal(doc)
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
