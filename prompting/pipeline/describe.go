package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/configs"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/relevance"
	"assay/prompting/script"
	"assay/prompting/sql/schema"
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

// described returns the question with a schema in which at most k columns have descriptions, those of [Descriptions]. With k
// 0 all have them.
func described(ctx context.Context, q prompting.Question, k int, emb llm.Embedder) (prompting.Question, error) {
	if k == 0 || q.Schema == nil {
		return q, nil
	}
	if places, _ := sayings(q.Schema); len(places) <= k {
		return q, nil // all are kept, and none is compared
	}
	kept, err := Descriptions(ctx, q, k, emb)
	if err == nil {
		q.Schema = undescribed(q.Schema, kept)
	}
	return q, err
}

// Descriptions returns the numbers of the k columns, in the order of the schema's, whose name, meaning and descriptions are
// nearest to the question with its evidence, the nearest first; of columns as near the first. Columns that nothing is said of
// are left out. It is the context retrieval of CHESS, which asks a language model's embeddings; without an embedder columns are
// ranked as package relevance does. The question must have a schema.
func Descriptions(ctx context.Context, q prompting.Question, k int, emb llm.Embedder) ([]int, error) {
	places, texts := sayings(q.Schema)
	asked := q.Text + " " + q.Evidence
	if emb == nil {
		has := func(i int) bool { _, ok := slices.BinarySearch(places, i); return ok }
		return relevance.New(q.Schema).Rank(asked, k, has), nil
	}
	near, err := nearest(ctx, emb, asked, texts, k)
	for i, at := range near {
		near[i] = places[at]
	}
	return near, err
}

// sayings returns the numbers of the columns that something is said of, and for each its name with what is said.
func sayings(db *schema.Database) (places []int, texts []string) {
	n := 0
	for _, t := range db.Tables {
		for _, c := range t.Columns {
			if said := strings.TrimSpace(c.Meaning + " " + c.Description + " " + c.Values); said != "" {
				places, texts = append(places, n), append(texts, c.Name+" "+said)
			}
			n++
		}
	}
	return places, texts
}

// nearest returns the numbers of the k texts nearest to the one asked for.
func nearest(ctx context.Context, emb llm.Embedder, asked string, texts []string, k int) ([]int, error) {
	vs, err := emb.Embed(ctx, append([]string{asked}, texts...))
	if err == nil && len(vs) != len(texts)+1 {
		err = fmt.Errorf("%d vectors for %d texts", len(vs), len(texts)+1)
	}
	if err != nil {
		return nil, err
	}
	m, err := vectors.NewMatrix(vs[1:])
	if err != nil {
		return nil, err
	}
	return m.Nearest(vs[0], k), nil
}

// undescribed returns the schema with the descriptions of those columns alone.
func undescribed(db *schema.Database, kept []int) *schema.Database {
	out := *db
	out.Tables = slices.Clone(out.Tables)
	n := 0
	for i := range out.Tables {
		t := &out.Tables[i]
		t.Columns = slices.Clone(t.Columns)
		for j := range t.Columns {
			if c := &t.Columns[j]; !slices.Contains(kept, n) {
				c.Meaning, c.Description, c.Values = "", "", ""
			}
			n++
		}
	}
	return &out
}
