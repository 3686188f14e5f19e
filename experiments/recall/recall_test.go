package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/prompting/llm"
	"assay/prompting/values"
)

// sample loads the first items of the embedded dataset.
func sample(t *testing.T, n int) *dataset.Set {
	t.Helper()
	set, err := dataset.Load(t.Context(), configs.Dataset{Kind: "sample", Limit: n}, dataset.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// measure measures with an index of the test's own.
func measure(t *testing.T, set *dataset.Set, o Options) *Recall {
	t.Helper()
	o.Values = values.Options{Dir: t.TempDir()}
	r, err := Measure(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMeasure(t *testing.T) {
	set := sample(t, 60)
	r := measure(t, set, Options{Workers: 2})
	least := func(kind string, k int, want float64) {
		t.Helper()
		s := r.At(kind, k, nil)
		if s.Items == 0 || s.Gold < s.Items || s.Estimate < want || s.Low > s.Estimate || s.High < s.Estimate {
			t.Errorf("%s @%d: %+v, want %.2f at least", kind, k, s, want)
		}
	}
	least("columns", 5, 0.7)
	least("columns", 10, 0.8)
	least("phrases", 10, 0.6)
	least("values", 10, 0.8)
	if len(r.Items)+r.Unread != 60 || r.Items[0].ID != set.Examples[0].Question.ID {
		t.Errorf("%d items and %d unread, the first %s", len(r.Items), r.Unread, r.Items[0].ID)
	}
	if again := measure(t, set, Options{}); fmt.Sprint(again) != fmt.Sprint(r) {
		t.Error("one worker measures otherwise than two")
	}
}

func TestShares(t *testing.T) {
	r := &Recall{Items: []Item{
		{ID: "1", Labels: axes.Labels{DB: "a"}, Looks: []Look{{"columns", "t.x", 1}, {"columns", "t.y", 0}, {"values", "v", 3}}},
		{ID: "2", Labels: axes.Labels{DB: "b"}, Looks: []Look{{"columns", "t.x", 5}}},
		{ID: "3", Labels: axes.Labels{DB: "b"}},
	}}
	inB := func(l axes.Labels) bool { return l.DB == "b" }
	check := func(kind string, k int, of func(axes.Labels) bool, want string) {
		t.Helper()
		shares, gold := r.Shares(kind, k, of)
		if got := fmt.Sprint(shares, gold); got != want {
			t.Errorf("%s @%d: %s, want %s", kind, k, got, want)
		}
	}
	check("columns", 1, nil, "[0.5 0] 3")
	check("columns", 5, nil, "[0.5 1] 3")
	check("columns", 5, inB, "[1] 1")
	check("values", 2, nil, "[0] 1")
	check("phrases", 5, nil, "[] 0")
	if s := r.At("columns", 5, nil); s.Estimate != 0.75 || s.Items != 2 || s.Gold != 3 {
		t.Errorf("mean %+v", s)
	}
	if g := r.Gain(r, "columns", 5, nil); g.Estimate != 0 || g.Low != 0 {
		t.Errorf("gain over itself %+v", g)
	}
}

// fake computes vectors of one place, or an error.
type fake struct {
	err   error
	short bool
}

func (f fake) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range texts {
		out[i] = []float32{1, float32(len(texts[i]))}
	}
	if f.short {
		out = out[1:]
	}
	return out, f.err
}

var _ llm.Embedder = fake{}

func TestEmbedder(t *testing.T) {
	set := sample(t, 12)
	if r := measure(t, set, Options{Embedder: fake{}}); r.At("columns", 5, nil).Items == 0 {
		t.Error("nothing was looked up")
	}
	fails := func(name string, o Options, want string) {
		t.Helper()
		o.Values.Dir = t.TempDir()
		if _, err := Measure(t.Context(), set, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	fails("a model that fails", Options{Embedder: fake{err: errors.New("no more")}}, "no more")
	fails("too few vectors", Options{Embedder: fake{short: true}}, "vectors for")
	fails("a kind that is none", Options{Kinds: []string{"colours"}}, `measure "colours"`)
	fails("a part that is none", Options{Without: []string{"magic"}}, `leave out "magic"`)
}

// Evidence names columns; without it fewer are found.
func TestBare(t *testing.T) {
	set := sample(t, 10)
	for i := range set.Examples {
		set.Examples[i].Question.Text, set.Examples[i].Question.Evidence = "what", set.Examples[i].Question.Text
	}
	with, bare := measure(t, set, Options{Kinds: []string{"columns"}}), measure(t, set, Options{Kinds: []string{"columns"}, Bare: true})
	if g := bare.Gain(with, "columns", 5, nil); g.Estimate >= 0 || g.High < g.Estimate {
		t.Errorf("the gain without evidence is %+v", g)
	}
}
