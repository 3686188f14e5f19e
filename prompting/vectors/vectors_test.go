package vectors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFold(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
	check("", "")
	check("plain", "plain")
	check("  Two\t\nWords ", "two words")
	check(" x", "x")
	check("x\t", "x")
	check("a  b", "a b")
	check("Élodie  Müller", "elodie muller")
	check("E\u0301lodie", "elodie")
	check("Straße", "strasse")
	check("Ærø", "aero")
	check("ﬁn", "fin")
	check("Łódź", "lodz")
	check("\u00a0São\u00a0Paulo\u00a0", "sao paulo")
	check("İstanbul", "istanbul")
	check("東京", "東京")
	check("bad\xff", "bad\uFFFD")
}

func TestVector(t *testing.T) {
	m := New(Options{})
	near := func(a, b string, atLeast float32) {
		t.Helper()
		if c := Cosine(m.Vector(a), m.Vector(b)); c < atLeast {
			t.Errorf("%q and %q: cosine %.3f, want %.2f at least", a, b, c, atLeast)
		}
	}
	far := func(a, b string, atMost float32) {
		t.Helper()
		if c := Cosine(m.Vector(a), m.Vector(b)); c > atMost {
			t.Errorf("%q and %q: cosine %.3f, want %.2f at most", a, b, c, atMost)
		}
	}
	near("Alameda", "alameda", 0.9999)
	near("São Paulo", "sao  paulo", 0.9999)
	near("Paulo Sao", "Sao Paulo", 0.9999) // order does not count
	near("Alamdea", "Alameda", 0.3)
	near("airlines", "airline", 0.7)
	far("Alameda", "Preschool", 0.2)
	far("car", "automobile", 0.2) // meaning does not count
	for _, s := range []string{"x", "Ω", "two words", "☃"} {
		v := m.Vector(s)
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if len(v) != defaultDimension || math.Abs(sum-1) > 1e-5 {
			t.Errorf("%q: dimension %d, squared length %g", s, len(v), sum)
		}
	}
	if c := Cosine(m.Vector(" .,- "), m.Vector("x")); c != 0 {
		t.Errorf("no words: cosine %g", c)
	}
}

// TestFit has "flight" in every text and "quito" in one, so that the rare word decides.
func TestFit(t *testing.T) {
	texts := []string{"flight to quito", "flight to oslo", "flight to bern", "flight from bern"}
	m := Fit(Options{Dimension: 4096}, texts)
	x, err := NewMatrix([][]float32{m.Vector(texts[0]), m.Vector(texts[1]), m.Vector(texts[2]), m.Vector(texts[3])})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0}, x.Nearest(m.Vector("Quito"), 1)); diff != "" {
		t.Error(diff)
	}
	plain := New(Options{Dimension: 4096})
	a, b := "flight quito", "flight oslo"
	if f, p := Cosine(m.Vector(a), m.Vector(b)), Cosine(plain.Vector(a), plain.Vector(b)); f >= p {
		t.Errorf("sharing a common word: %.3f with rarity, %.3f without", f, p)
	}
}

func TestEmbed(t *testing.T) {
	m := New(Options{Dimension: 64})
	vs, err := m.Embed(context.Background(), []string{"a", "", "b"})
	if err != nil || len(vs) != 3 || len(vs[1]) != 64 || m.Dimension() != 64 || m.Name() != Name {
		t.Errorf("got %d vectors, %v", len(vs), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMatrix(t *testing.T) {
	m, err := NewMatrix([][]float32{{0, 2}, {3, 0}, {1, 1}, {0, 0}, {0, 5}})
	if err != nil {
		t.Fatal(err)
	}
	got := m.Cosines([]float32{0, 7})
	for i, want := range []float32{1, 0, float32(math.Sqrt(0.5)), 0, 1} {
		if math.Abs(float64(got[i]-want)) > 1e-6 {
			t.Errorf("cosine %d is %g, want %g", i, got[i], want)
		}
	}
	check := func(want []int, q []float32, k int) {
		t.Helper()
		if diff := cmp.Diff(want, m.Nearest(q, k)); diff != "" {
			t.Error(diff)
		}
	}
	check([]int{0, 4, 2}, []float32{0, 1}, 3)
	check([]int{1, 2, 0, 3, 4}, []float32{9, 0}, 9)
	check([]int{}, []float32{1, 0}, -1)
	check([]int{0}, []float32{1, 2, 3}, 1) // another dimension: all alike
	if _, err := NewMatrix([][]float32{{1}, {1, 2}}); err == nil || err.Error() != "vectors: matrix of 2 vectors: vector 2 has 2 places, the first 1" {
		t.Errorf("ragged: %v", err)
	}
	if empty, err := NewMatrix(nil); err != nil || len(empty.Nearest([]float32{1}, 3)) != 0 {
		t.Errorf("empty: %v", err)
	}
	if Cosine([]float32{1}, []float32{1, 2}) != 0 || Cosine(nil, nil) != 0 || Cosine([]float32{0}, []float32{1}) != 0 {
		t.Error("what has no angle has cosine 0")
	}
}

func FuzzVector(f *testing.F) {
	for _, s := range []string{"", "a", "\xff\xfe", "İß", "a\u0301\u0301", " \u00a0x"} {
		f.Add(s)
	}
	m := New(Options{Dimension: 32})
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if !utf8.ValidString(folded) {
			t.Errorf("Fold(%q) is not UTF-8", s)
		}
		for _, x := range m.Vector(s) {
			if x != x || x > 1.0001 || x < -1.0001 {
				t.Fatalf("%q has place %g", s, x)
			}
		}
	})
}

func BenchmarkVector(b *testing.B) {
	m := New(Options{})
	for b.Loop() {
		m.Vector("Alameda County Community School")
	}
}

func BenchmarkNearest(b *testing.B) {
	m := New(Options{})
	vs := make([][]float32, 10000)
	for i := range vs {
		vs[i] = m.Vector(fmt.Sprintf("question %d about ships and harbours", i))
	}
	x, err := NewMatrix(vs)
	if err != nil {
		b.Fatal(err)
	}
	q := m.Vector("which harbour has ship 77")
	for b.Loop() {
		x.Nearest(q, 10)
	}
}
