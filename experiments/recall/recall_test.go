package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/prompting/draw"
	"assay/prompting/exemplar"
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
	if n := r.Found("values"); n < 1 || n > 20 || r.Found("columns") != 0 {
		t.Errorf("%v values a question", n)
	}
	if len(r.Items)+r.Unread != 60 || r.Items[0].ID != set.Examples[0].Question.ID {
		t.Errorf("%d items and %d unread, the first %s", len(r.Items), r.Unread, r.Items[0].ID)
	}
	if again := measure(t, set, Options{}); fmt.Sprint(again) != fmt.Sprint(r) {
		t.Error("one worker measures otherwise than two")
	}
}

func TestShares(t *testing.T) {
	r := &Recall{Items: []Item{
		{ID: "1", Labels: axes.Labels{DB: "a"}, Looks: []Look{{"columns", "t.x", 1, 0}, {"columns", "t.y", 0, 0}, {"values", "v", 3, 0}}},
		{ID: "2", Labels: axes.Labels{DB: "b"}, Looks: []Look{{"columns", "t.x", 5, 0}}},
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
	if g := r.Gain(r, "columns", 5, nil); g.Estimate != 0 || g.Low >= 0 || g.High <= 0 {
		t.Errorf("gain over itself %+v", g)
	}
	if g := r.Gain(&Recall{}, "columns", 5, nil); !math.IsNaN(g.Estimate) {
		t.Errorf("gain over no items %+v", g)
	}
	if s := r.At("columns", 5, inB); s.Estimate != 1 || s.Low >= 1 {
		t.Errorf("all found of one item: %+v", s)
	}
}

// TestCluster: databases that differ make the interval wider than their many items do.
func TestCluster(t *testing.T) {
	r := &Recall{}
	for i := range 200 {
		rank := i / 100 // found in the second database alone
		r.Items = append(r.Items, Item{Labels: axes.Labels{DB: fmt.Sprint(i / 100)}, Looks: []Look{{"columns", "t.x", rank, 0}}})
	}
	items := r.At("columns", 1, nil)
	r.Cluster = true
	bases := r.At("columns", 1, nil)
	if items.Estimate != 0.5 || bases.Estimate != 0.5 || bases.Databases != 2 || bases.High-bases.Low < 3*(items.High-items.Low) {
		t.Errorf("over items %+v, over databases %+v", items, bases)
	}
	none := &Recall{Cluster: true, Items: slices.Clone(r.Items)}
	for i := range none.Items {
		none.Items[i].Looks = []Look{{"columns", "t.x", 0, 0}}
	}
	if g := r.Gain(none, "columns", 1, nil); g.Estimate != 0.5 || g.Low != 0 || g.High != 1 {
		t.Errorf("gain %+v", g)
	}
	one := func(l axes.Labels) bool { return l.DB == "1" }
	if s := r.At("columns", 1, one); s.Estimate != 1 || s.Low < 0.9 || s.Low == 1 {
		t.Errorf("one database: %+v", s)
	}
}

func TestDemos(t *testing.T) {
	set := sample(t, 60)
	demos, _, err := dataset.Exemplars(t.Context(), configs.Dataset{Kind: "sample"}, configs.Exemplars{}, dataset.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Pool: pool, Kinds: []string{"demos", "demos-whole", "demos-random"}, Deepest: 100}
	r := measure(t, set, o)
	masked, whole, random := r.At("demos", 5, nil), r.At("demos-whole", 5, nil), r.At("demos-random", 5, nil)
	if masked.Items < 10 || masked.Items != whole.Items || masked.Items != random.Items || masked.Estimate <= random.Estimate {
		t.Errorf("masked %+v, whole %+v, random %+v", masked, whole, random)
	}
	for _, kind := range o.Kinds {
		if all := r.At(kind, 100, nil); all.Estimate != 1 { // what is counted can be found
			t.Errorf("%s @100: %+v", kind, all)
		}
	}
	for _, it := range r.Items {
		for _, l := range it.Looks {
			if l.Gold == "" || strings.Contains(l.Gold, "'") {
				t.Errorf("%s: skeleton %q", it.ID, l.Gold)
			}
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Measure(stopped, set, Options{Pool: pool, Kinds: []string{"demos-random"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	o.Embedder = fake{}
	if by := measure(t, set, o); by.At("demos-random", 5, nil).Estimate != random.Estimate || by.At("demos", 100, nil).Estimate != 1 {
		t.Error("a model's vectors change what is drawn at random, or lose demonstrations")
	}
}

func TestMisspell(t *testing.T) {
	check := func(question, text string, changed bool) {
		t.Helper()
		got := misspell(draw.Rand(1, t.Name(), question), question, text)
		if (got != question) != changed || strings.Contains(strings.ToLower(got), strings.ToLower(text)) && changed {
			t.Errorf("%q with %q: %q", question, text, got)
		}
	}
	check("Singers from France?", "France", true)
	check("singers from FRANCE", "France", true)
	check("Singers from Spain?", "France", false)
	check("Is it M?", "M", false)
	check("in Ürümqi, İzmir", "Ürümqi", true)
	check("из Москвы", "МОСКВ", true)
	check("", "France", false)
	check("France", "", false)
}

// TestParts leaves each part out of the kinds that have it.
func TestParts(t *testing.T) {
	set := sample(t, 5)
	for _, p := range Parts() {
		r := measure(t, set, Options{Kinds: p.Kinds, Without: []string{p.Name}})
		if len(r.Items) == 0 || p.Does == "" {
			t.Errorf("without %s: %+v", p.Name, r)
		}
	}
	usual, more := measure(t, set, Options{Kinds: []string{"values"}}), measure(t, set, Options{Kinds: []string{"values"}, Without: []string{"least-cosine"}})
	if more.Found("values") <= usual.Found("values") {
		t.Errorf("%v values a question, and without the least cosine %v", usual.Found("values"), more.Found("values"))
	}
	o, _, err := Options{Without: []string{Evidence, "least-edit", "stems"}}.filled()
	if err != nil || !o.Bare || o.Values.MinEdit >= 0 || fmt.Sprint(o.unranked) != "[stems]" {
		t.Errorf("%+v, %v", o, err)
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
	fails("a kind that is none", Options{Kinds: []string{"colours"}}, `"colours" is no kind of retrieval`)
	fails("no demonstrations", Options{Kinds: []string{"demos"}}, "no demonstrations to look among")
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
