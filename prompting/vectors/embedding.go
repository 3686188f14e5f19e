package vectors

import (
	"context"

	"assay/prompting/llm"
)

var _ llm.EmbeddingModel = (*Model)(nil)

// Vectors implements [llm.EmbeddingModel], so that a forecast can put the offline vectors in the place of a provider's. The
// vectors have the length asked for, and the tokens are estimates.
func (m *Model) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	o := m.opts
	if r.Dimensions > 0 {
		o.Dimension = r.Dimensions
	}
	vs, err := (&Model{opts: o}).Embed(ctx, r.Texts)
	if err != nil {
		return llm.Embedding{}, err
	}
	out := llm.Embedding{Model: Name, Vectors: make([]llm.Vector, len(vs))}
	for i, v := range vs {
		out.Vectors[i].Values = v
	}
	out.Count(r.Texts, 0)
	return out, nil
}
