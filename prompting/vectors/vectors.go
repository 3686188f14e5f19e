// Package vectors turns texts into vectors offline.
//
// A text is folded (see Fold), its words and the character n-grams of each word are counted, weighted by rarity, and
// hashed into a fixed number of dimensions; vectors are then compared by their cosine. Texts with similar spelling are
// near each other. Texts that share only meaning are not, because no language model is involved: the package must never
// be reported as an embedding model, and every report of its results must give [Model.Name].
package vectors

import (
	"context"
	"fmt"
	"math"
	"unicode"

	"assay/prompting/llm"
)

// Defaults of Options.
const (
	defaultDimension = 512
	defaultMinGram   = 2
	defaultMaxGram   = 4
	defaultWord      = 1.0
)

// Name is what reports call these vectors.
const Name = "hashed n-grams of their spelling (offline, no embedding model)"

// Options says what a vector counts. The zero value takes the defaults.
type Options struct {
	Dimension int     // length of a vector; 0 means defaultDimension
	MinGram   int     // length of the shortest n-gram in characters, with the marks of a word's ends; 0 means defaultMinGram
	MaxGram   int     // length of the longest; 0 means defaultMaxGram
	Word      float64 // weight of a whole word relative to one of its n-grams; 0 means defaultWord, negative: none
}

// filled replaces zeros by the defaults.
func (o Options) filled() Options {
	if o.Dimension <= 0 {
		o.Dimension = defaultDimension
	}
	if o.MinGram <= 0 {
		o.MinGram = defaultMinGram
	}
	if o.MaxGram <= 0 {
		o.MaxGram = defaultMaxGram
	}
	o.MaxGram = max(o.MaxGram, o.MinGram)
	if o.Word == 0 {
		o.Word = defaultWord
	}
	return o
}

// Model makes vectors. It is safe for concurrent use.
type Model struct {
	opts   Options
	rarity []float32 // inverse document frequency per dimension; nil if no texts were counted
}

var _ llm.Embedder = (*Model)(nil)

// New returns a Model in which all features weigh the same, for use without a collection of texts.
func New(o Options) *Model { return &Model{opts: o.filled()} }

// Fit returns a Model in which features of few of the texts weigh more than those of many: log(1 + n/count), as in
// TF-IDF. Two features with the same hash are counted as one.
func Fit(o Options, texts []string) *Model {
	m := New(o)
	count := make([]int, m.opts.Dimension)
	last := make([]int, m.opts.Dimension)
	for i, t := range texts {
		m.features(t, func(place int, _ float32) {
			if last[place] != i+1 {
				last[place] = i + 1
				count[place]++
			}
		})
	}
	m.rarity = make([]float32, m.opts.Dimension)
	for i, c := range count {
		m.rarity[i] = float32(math.Log(1 + float64(len(texts))/float64(max(c, 1))))
	}
	return m
}

// Name returns what the vectors are.
func (m *Model) Name() string { return Name }

// Dimension returns the length of each vector.
func (m *Model) Dimension() int { return m.opts.Dimension }

// Embed implements [llm.Embedder]. It fails only with the context's error.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("vectors: embed %d texts: %w", len(texts), err)
		}
		out[i] = m.Vector(t)
	}
	return out, nil
}

// Vector returns a text's vector, of length 1. A text without letters, digits or other signs has the zero vector.
func (m *Model) Vector(text string) []float32 {
	v := make([]float32, m.opts.Dimension)
	m.features(text, func(place int, w float32) { v[place] += w })
	sum := 0.0
	for i, x := range v {
		if m.rarity != nil {
			x *= m.rarity[i]
			v[i] = x
		}
		sum += float64(x) * float64(x)
	}
	if sum > 0 {
		scale := float32(1 / math.Sqrt(sum))
		for i := range v {
			v[i] *= scale
		}
	}
	return v
}

// features calls f with the dimension and the signed weight of each feature of a text, in the order of the text. The
// sign comes from the hash, so that features that collide cancel out as often as they add up (Weinberger et al. 2009,
// Feature Hashing for Large Scale Multitask Learning).
func (m *Model) features(text string, f func(place int, weight float32)) {
	text = Fold(text)
	emit := func(kind byte, s string, w float32) {
		h := hash(kind, s)
		if h>>63 == 1 {
			w = -w
		}
		f(int(h%uint64(m.opts.Dimension)), w)
	}
	eachWord(text, func(w string) {
		if m.opts.Word > 0 {
			emit('w', w, float32(m.opts.Word))
		}
		marked := "^" + w + "$"
		starts := runeStarts(marked)
		for n := m.opts.MinGram; n <= m.opts.MaxGram; n++ {
			for i := 0; i+n < len(starts); i++ {
				emit('g', marked[starts[i]:starts[i+n]], 1)
			}
		}
	})
}

// eachWord calls f with each run of letters, digits and other signs that are neither blank nor punctuation.
func eachWord(s string, f func(word string)) {
	start := -1
	for i, r := range s {
		part := !unicode.IsSpace(r) && !unicode.IsPunct(r)
		switch {
		case part && start < 0:
			start = i
		case !part && start >= 0:
			f(s[start:i])
			start = -1
		}
	}
	if start >= 0 {
		f(s[start:])
	}
}

// runeStarts returns the byte offset of each character, and the length of s.
func runeStarts(s string) []int {
	out := make([]int, 0, len(s)+1)
	for i := range s {
		out = append(out, i)
	}
	return append(out, len(s))
}

// hash is FNV-1a over the kind and the text. Its bits are mixed afterwards, because the low ones decide the dimension.
func hash(kind byte, s string) uint64 {
	h := (uint64(14695981039346656037) ^ uint64(kind)) * 1099511628211
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}
