package exemplar

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"assay/configs"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"
	"assay/prompting/vectors"
)

// counter is the offline vectors behind a counter of texts.
type counter struct {
	texts []string
	err   error
}

func (c *counter) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if c.texts = append(c.texts, texts...); c.err != nil {
		return nil, c.err
	}
	return vectors.New(vectors.Options{}).Embed(ctx, texts)
}

// TestNearestByAnEmbedder: demonstrations are those whose masked questions an embedder finds nearest; the pool's vectors are
// asked for once per embedder.
func TestNearestByAnEmbedder(t *testing.T) {
	db := &schema.Database{Name: "d", Tables: []schema.Table{{Name: "ships", Columns: []schema.Column{{Name: "captain"}}}}}
	var demos []Demo
	for i, q := range []string{"How many ships are there?", "List the captain of each ship.", "What is the average age?", "List the names of all."} {
		demos = append(demos, Demo{ID: fmt.Sprint(i), DB: fmt.Sprint("db", i%2), Question: q, SQL: "SELECT 1", Schema: db})
	}
	p, err := NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	var spaces vectors.Spaces
	pick := func(c llm.Embedder, db string) (ids []string, err error) {
		got, err := p.Select(t.Context(), Query{Text: "List the captain of all ships.", DB: db, Nearness: func(ctx context.Context, text string, list []string) ([]float32, error) {
			return spaces.Cosines(ctx, c, text, list)
		}}, 1, configs.Exemplars{Strategy: Nearest, K: 1})
		for _, d := range got {
			ids = append(ids, d.ID)
		}
		return ids, err
	}
	one, other := &counter{}, &counter{}
	check := func(c *counter, db, want string, texts int) {
		t.Helper()
		before := len(c.texts)
		if got, err := pick(c, db); err != nil || fmt.Sprint(got) != want || len(c.texts)-before != texts {
			t.Errorf("%v, %v, %d texts; want %s, %d", got, err, len(c.texts)-before, want, texts)
		}
	}
	check(one, "elsewhere", "[3]", 5)
	check(one, "elsewhere", "[3]", 1)
	check(one, "db1", "[2]", 1)
	check(other, "elsewhere", "[3]", 5)
	if got := one.texts[1]; got != "how many <name> are there" {
		t.Errorf("compared %q", got)
	}
	failing := &counter{err: errors.New("unknown")}
	for _, texts := range []int{5, 1, 1} { // a forecast notes the pool's texts once
		before := len(failing.texts)
		if _, err := pick(failing, "x"); !errors.Is(err, failing.err) || len(failing.texts)-before != texts {
			t.Errorf("%v, %d texts, want %d", err, len(failing.texts)-before, texts)
		}
	}
	failing.err = nil
	check(failing, "elsewhere", "[3]", 5)
}
