package llm

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestBatches(t *testing.T) {
	check := func(what string, texts []string, want ...int) {
		t.Helper()
		var got []int
		var all []string
		for b := range (EmbeddingRequest{Texts: texts}).Batches() {
			got, all = append(got, len(b.Texts)), append(all, b.Texts...)
		}
		if !slices.Equal(got, want) || !slices.Equal(all, texts) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	check("none", nil)
	check("few", []string{"a", "b"}, 2)
	check("many", make([]string, 250), 100, 100, 50)
	check("long", []string{long(40_000), long(40_000), long(40_000)}, 2, 1)
	check("one above the limit", []string{"a", long(400_000), "b"}, 1, 1, 1)
}

func TestVectorsIdentity(t *testing.T) {
	base := EmbeddingRequest{Author: Author{Provider: "p", Model: "m"}}
	key := func(r EmbeddingRequest, text string) string { return r.Request(text).Key() }
	sized, other, named := base, base, base
	sized.Dimensions, other.Model, named.As = 256, "n", "weights"
	keys := []string{key(base, "a"), key(base, "b"), key(base, "a "), key(sized, "a"), key(other, "a"), key(named, "a"),
		Request{Author: base.Author, Messages: []Message{{Role: User, Text: "a"}}}.Key()}
	if n := len(slices.Compact(slices.Sorted(slices.Values(keys)))); n != len(keys) {
		t.Errorf("%d keys of %d requests", n, len(keys))
	}
	if moved := named; key(named, "a") != func() string { moved.Model, moved.Server = "x", "http://y"; return key(moved, "a") }() {
		t.Error("a named author's address is in the key")
	}
}

func TestVectorsAreStoredAsGiven(t *testing.T) {
	e := Embedding{Model: "m-1", Vectors: []Vector{{Values: []float32{0.1, -3e38, 0, math.SmallestNonzeroFloat32}, Tokens: 7}}}
	got, err := VectorOf(e.Response(0))
	if err != nil || !slices.Equal(got.Values, e.Vectors[0].Values) || got.Tokens != 7 {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "abc", "SELECT 1", packed([]float32{float32(math.NaN())}), packed([]float32{float32(math.Inf(1))})} {
		_, err := VectorOf(Response{Text: text})
		if (err == nil) != (text == "SELECT 1") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTokensOfTextsAddUp(t *testing.T) {
	for total := 1; total < 50; total++ {
		e, texts := Embedding{Vectors: make([]Vector, 4)}, []string{"a", "a longer text", "", "ab"}
		e.Count(texts, total)
		if u := e.Usage(); u.PromptTokens != total || u.Estimated {
			t.Errorf("%+v of %d", u, total)
		}
	}
	e := Embedding{Vectors: make([]Vector, 1)}
	if e.Count([]string{"12345"}, 0); !e.Vectors[0].Estimated || e.Vectors[0].Tokens != 2 {
		t.Errorf("%+v", e)
	}
}

type fixed [][]float32

func (f fixed) Vectors(context.Context, EmbeddingRequest) (e Embedding, err error) {
	for _, v := range f {
		e.Vectors = append(e.Vectors, Vector{Values: v})
	}
	return e, nil
}

func TestBind(t *testing.T) {
	check := func(what string, f fixed, want string, texts ...string) {
		t.Helper()
		got, err := Bind(f, Author{Provider: "p", Model: "m"}, 0).Embed(context.Background(), texts)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
		for _, v := range got {
			sum := 0.0
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if math.Abs(sum-1) > 1e-6 && sum != 0 {
				t.Errorf("%s: length %v", what, sum)
			}
		}
	}
	check("none", nil, "")
	check("two", fixed{{3, 4}, {1e-30, 0}}, "", "a", "b")
	check("huge", fixed{{3e38, 3e38}}, "", "a")
	check("zeros", fixed{{0, 0}}, "", "a")
	check("too few", fixed{{1}}, "1 vectors for 2 texts", "a", "b")
	check("two models behind a name", fixed{{1}, {1, 2}}, "embeddings.dimensions", "a", "b")
}

func FuzzVectorOf(f *testing.F) {
	f.Add("abcd")
	f.Add(packed([]float32{1, 2, 3}))
	f.Fuzz(func(t *testing.T, text string) {
		v, err := VectorOf(Response{Text: text})
		if err == nil && packed(v.Values) != text {
			t.Errorf("%q became %q", text, packed(v.Values))
		}
	})
}
