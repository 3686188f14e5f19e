package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/prompting/llm"
)

// embedder computes vectors of a text's length; texts that begin with "bad" are refused, alone or among others.
type embedder struct {
	mu    sync.Mutex
	asked []string
	calls int
	gate  chan struct{} // closed before the first call returns; nil: at once
	err   error
}

func (e *embedder) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, errors.New("asked for a completion")
}

func (e *embedder) Vectors(ctx context.Context, r llm.EmbeddingRequest) (out llm.Embedding, err error) {
	e.mu.Lock()
	e.calls++
	e.asked = append(e.asked, r.Texts...)
	e.mu.Unlock()
	if e.gate != nil {
		<-e.gate
	}
	if e.err != nil {
		return out, e.err
	}
	out = llm.Embedding{Model: "e-001", Vectors: make([]llm.Vector, len(r.Texts))}
	for i, t := range r.Texts {
		if strings.HasPrefix(t, "bad") {
			return llm.Embedding{}, &llm.Failure{Reason: "http 400", Status: 400}
		}
		out.Vectors[i].Values = []float32{float32(len(t)), 0.1}
	}
	out.Count(r.Texts, 3*len(r.Texts))
	return out, ctx.Err()
}

func embed(texts ...string) llm.EmbeddingRequest {
	return llm.EmbeddingRequest{Author: llm.Author{Provider: "openai", Model: "e"}, Texts: texts}
}

// lengths are what embedder made of the texts.
func lengths(e llm.Embedding) (out []int) {
	for _, v := range e.Vectors {
		n := -1
		if v.Values != nil {
			n = int(v.Values[0])
		}
		out = append(out, n)
	}
	return out
}

func TestVectorsAreAskedForOnce(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	e := &embedder{}
	m := l.Wrap(e, Options{Run: "r"})
	check := func(what string, r llm.EmbeddingRequest, asked int) {
		t.Helper()
		before := len(e.asked)
		got, err := m.Vectors(t.Context(), r)
		want := make([]int, len(r.Texts))
		for i, text := range r.Texts {
			want[i] = len(text)
		}
		if err != nil || !slices.Equal(lengths(got), want) || len(e.asked)-before != asked {
			t.Errorf("%s: %v, %v, asked for %d, want %d", what, lengths(got), err, len(e.asked)-before, asked)
		}
	}
	check("two, one of them twice", embed("a", "bb", "a"), 2)
	check("both and another", embed("bb", "ccc", "a"), 1)
	check("none", embed(), 0)
	sized := embed("a")
	sized.Dimensions = 2
	check("another length", sized, 1)
	var many []string
	for i := range 2500 {
		many = append(many, fmt.Sprintf("%05d", i))
	}
	check("many", embed(many...), 2500)
	if e.calls != 3+25 {
		t.Errorf("%d calls", e.calls)
	}
	check("many again", embed(many...), 0)
	if got, want := m.Counts(), (Counts{Recalled: 2 + 2500, Embedded: 4 + 2500}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	paid, err := l.Paid(t.Context(), "r")
	tokens, times := int64(0), int64(0)
	for _, p := range paid {
		tokens, times = tokens+int64(p.Usage.PromptTokens)*p.Times, times+p.Times
		if !p.Vector || p.Author != embed().Author || p.Usage.CompletionTokens != 0 {
			t.Errorf("paid %+v", p)
		}
	}
	if tokens != 3*2504 || times != 2504 || err != nil {
		t.Errorf("%+v, %v", paid, err)
	}
	off := l.Wrap(nil, Options{Offline: true})
	if got, err := off.Vectors(t.Context(), embed("ccc", "a")); err != nil || !slices.Equal(lengths(got), []int{3, 1}) || !got.Vectors[0].Cached {
		t.Errorf("offline: %v, %v", got, err)
	}
	var miss *MissError
	if _, err := off.Vectors(t.Context(), embed("a", "new")); !errors.As(err, &miss) || !strings.Contains(err.Error(), `"new"`) {
		t.Errorf("offline: %v", err)
	}
	if v := m.Voices(); len(v) != 1 || !v[llm.Voice{Author: embed().Author, Model: "e-001"}] {
		t.Errorf("voices %v", v)
	}
}

func TestEqualTextsInFlightAreOneCall(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	e := &embedder{gate: make(chan struct{})}
	m := l.Wrap(e, Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			got, err := m.Vectors(t.Context(), embed("shared", fmt.Sprint(i), "other"))
			if err != nil || !slices.Equal(lengths(got), []int{6, 1, 5}) {
				t.Errorf("%v, %v", lengths(got), err)
			}
		})
	}
	close(e.gate)
	all.Wait()
	if n := len(e.asked); n != 2+8 {
		t.Errorf("asked for %d texts: %q", n, e.asked)
	}
}

func TestAFailureIsItsTexts(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	e := &embedder{}
	m := l.Wrap(e, Options{})
	got, err := m.Vectors(t.Context(), embed("a", "bb", "bad", "cccc", "ddddd"))
	if !isFailure(err) || !slices.Equal(lengths(got), []int{1, 2, -1, 4, 5}) {
		t.Errorf("%v, %v", lengths(got), err)
	}
	calls := e.calls
	if got, err := m.Vectors(t.Context(), embed("a", "bb", "cccc", "ddddd")); err != nil || len(got.Vectors) != 4 || e.calls != calls {
		t.Errorf("%v, %v, %d more calls", lengths(got), err, e.calls-calls)
	}
	known := l.Wrap(nil, Options{Offline: true, Known: map[string]string{embed().Request("bad").Key(): "http 400"}})
	if got, err := known.Vectors(t.Context(), embed("a", "bad")); !isFailure(err) || !slices.Equal(lengths(got), []int{1, -1}) {
		t.Errorf("a known failure offline: %v, %v", lengths(got), err)
	}
	var bad []string
	for i := range 300 {
		bad = append(bad, fmt.Sprint("bad", i))
	}
	if _, err := m.Vectors(t.Context(), embed(bad...)); err == nil || isFailure(err) || !strings.Contains(err.Error(), "refused the last 20 texts") {
		t.Errorf("nothing but refusals: %v", err)
	}
	e.err = errors.New("the key is refused")
	if _, err := m.Vectors(t.Context(), embed("x", "y")); err != e.err {
		t.Errorf("an error that ends the run: %v", err)
	}
	e.err = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Vectors(ctx, embed("z")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got, err := m.Vectors(t.Context(), embed("z")); err != nil || !slices.Equal(lengths(got), []int{1}) {
		t.Errorf("after a cancelled call: %v, %v", lengths(got), err)
	}
	if _, err := l.Wrap(&llm.Scripted{}, Options{}).Vectors(t.Context(), embed("w")); !errors.Is(err, llm.ErrNoEmbeddings) {
		t.Errorf("a model without vectors: %v", err)
	}
}

func TestVectorsTravel(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	want, err := l.Wrap(&embedder{}, Options{Run: "r"}).Vectors(t.Context(), embed("a", "é", "\xff"))
	if err != nil {
		t.Fatal(err)
	}
	other := openTest(t, filepath.Join(t.TempDir(), "other.db"))
	if _, err := other.Import(t.Context(), export(t, l, "vectors.jsonl.zst"), ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	check := func(what string, r llm.EmbeddingRequest) {
		t.Helper()
		got, err := other.Wrap(nil, Options{Offline: true}).Vectors(t.Context(), r)
		if err != nil || len(got.Vectors) != 3 {
			t.Fatalf("%s: %v", what, err)
		}
		for i, v := range got.Vectors {
			if !slices.Equal(v.Values, want.Vectors[i].Values) {
				t.Errorf("%s: %v, want %v", what, v.Values, want.Vectors[i].Values)
			}
		}
	}
	check("imported", embed("a", "é", "\xff"))
	if v, err := other.Verify(t.Context(), func(b Bad) { t.Error(b) }); v.Completions != 3 || err != nil {
		t.Errorf("%+v, %v", v, err)
	}
	named := embed("a", "é", "\xff")
	named.As = "weights"
	if n, err := other.Adopt(t.Context(), embed().Author, named.Author); n.Completions != 3 || err != nil {
		t.Errorf("%+v, %v", n, err)
	}
	check("adopted", named)
	keep := func(yield func(string, error) bool) {
		for _, text := range named.Texts {
			if !yield(named.Request(text).Key(), nil) {
				return
			}
		}
	}
	if c, err := other.Collect(t.Context(), keep, false); c.Completions != 3 || c.Kept != 3 || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	check("kept", named)
}

func BenchmarkVectors(b *testing.B) {
	l, err := Open(filepath.Join(b.TempDir(), "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	m := l.Wrap(&wide{}, Options{})
	var texts []string
	for i := range 1000 {
		texts = append(texts, fmt.Sprintf("value number %d", i))
	}
	if _, err := m.Vectors(b.Context(), embed(texts...)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Vectors(b.Context(), embed(texts...)); err != nil {
			b.Fatal(err)
		}
	}
}

// wide computes vectors as long as those of models that people use.
type wide struct{ embedder }

func (*wide) Vectors(_ context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	out := llm.Embedding{Vectors: make([]llm.Vector, len(r.Texts))}
	for i := range out.Vectors {
		out.Vectors[i].Values = make([]float32, 1536)
		for j := range out.Vectors[i].Values {
			out.Vectors[i].Values[j] = float32((i+1)*(j+7)%1009) / 1009
		}
	}
	return out, nil
}
