package tools

import (
	"context"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/schema"
)

// heard keeps the texts that it is asked for; all its vectors are the same.
type heard struct{ texts []string }

func (h *heard) Embed(_ context.Context, texts []string) ([][]float32, error) {
	h.texts = append(h.texts, texts...)
	out := make([][]float32, len(texts))
	for i := range texts {
		out[i] = []float32{1}
	}
	return out, nil
}

// With a model's vectors the texts are those of the authors' code, and a column that is named comes first.
func TestColumnsByVectors(t *testing.T) {
	h := &heard{}
	s := newSet(t, makeDatabase(t, ferries), Options{Vectors: h, TopK: 2})
	got, err := s.Columns(t.Context(), []string{"price", "the wind"})
	want := []schema.ColumnName{{Table: "ticket", Column: "price"}, {Table: "harbour", Column: "id"}, {Table: "harbour", Column: "name"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("columns %v, %v", got, err)
	}
	for _, text := range []string{"a column named Opened On in harbour.", "a column about the wind."} {
		if !slices.Contains(h.texts, text) {
			t.Errorf("%q was not asked for", text)
		}
	}
}

func TestColumnsOffline(t *testing.T) {
	file := makeDatabase(t, ferries)
	check := func(description, want string) {
		t.Helper()
		got, err := newSet(t, file, Options{TopK: 1}).Columns(t.Context(), []string{description})
		if err != nil || len(got) != 1 || got[0].Dotted() != want {
			t.Errorf("%q: %v, %v; want %s", description, got, err, want)
		}
	}
	check("ferry.class", "ferry.class")
	check("names of the ferries", "ferry.name")
	check("prices of tickets", "ticket.price")
	check("when it was built", "ferry.builtYear")
	check("how deep the harbours are: depths", "harbour.depth")
	_, err := newSet(t, file, Options{Without: []string{"luck"}}).Columns(t.Context(), []string{"x"})
	if err == nil || !strings.Contains(err.Error(), `leave out "luck"`) {
		t.Errorf("error %v", err)
	}
}
