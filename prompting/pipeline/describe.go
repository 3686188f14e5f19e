package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/configs"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/script"
	"assay/prompting/vectors"
)

// As returns a question as fixer and selection of an arm see it, once these values have been found for it.
// emb computes vectors; nil: the offline ones.
func As(ctx context.Context, q prompting.Question, arm configs.Arm, found []prompting.LinkedValue, emb llm.Embedder) (prompting.Question, error) {
	q, err := described(ctx, q, arm.Schema.Descriptions, emb)
	if err != nil {
		return q, fmt.Errorf("pipeline: describe %q: %w", q.ID, err)
	}
	if arm.Values.Use {
		q.Schema = script.WithValues(q.Schema, found, arm.Values.Show)
	}
	return q, nil
}

// described returns the question with a schema in which at most k columns have descriptions: those whose name, meaning
// and descriptions are nearest to the question with its evidence; of columns as near the first. It is the context retrieval
// of CHESS, which asks a language model's embeddings; nil is the offline vectors. With k 0 all have them.
func described(ctx context.Context, q prompting.Question, k int, emb llm.Embedder) (prompting.Question, error) {
	if k == 0 || q.Schema == nil {
		return q, nil
	}
	type place struct{ table, column int }
	var places []place
	texts := []string{q.Text + " " + q.Evidence}
	for i, t := range q.Schema.Tables {
		for j, c := range t.Columns {
			if said := strings.TrimSpace(c.Meaning + " " + c.Description + " " + c.Values); said != "" {
				places = append(places, place{i, j})
				texts = append(texts, c.Name+" "+said)
			}
		}
	}
	if len(places) <= k {
		return q, nil
	}
	if emb == nil {
		emb = vectors.New(vectors.Options{})
	}
	vs, err := emb.Embed(ctx, texts)
	if err == nil && len(vs) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vs), len(texts))
	}
	if err != nil {
		return q, err
	}
	near := make(map[place]float32, len(places))
	for i, p := range places {
		near[p] = vectors.Cosine(vs[0], vs[i+1])
	}
	slices.SortStableFunc(places, func(a, b place) int {
		switch {
		case near[a] > near[b]:
			return -1
		case near[a] < near[b]:
			return 1
		}
		return 0
	})
	out := *q.Schema
	out.Tables = slices.Clone(out.Tables)
	for i := range out.Tables {
		out.Tables[i].Columns = slices.Clone(out.Tables[i].Columns)
	}
	for _, p := range places[k:] {
		c := &out.Tables[p.table].Columns[p.column]
		c.Meaning, c.Description, c.Values = "", "", ""
	}
	q.Schema = &out
	return q, nil
}
