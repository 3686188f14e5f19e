package wire

import (
	"fmt"
	"slices"
	"sync"

	"assay/prompting/llm"
)

// Set is a set of strings for concurrent use, bounded so that no server can fill the memory. Its zero value is empty.
type Set struct {
	mu   sync.Mutex
	list []string
}

// maxSet bounds the number of strings in a Set.
const maxSet = 100

// Add adds text, unless the set is full.
func (s *Set) Add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) < maxSet && !slices.Contains(s.list, text) {
		s.list = append(s.list, text)
	}
}

// Has reports whether the set contains text.
func (s *Set) Has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.list, text)
}

// Sorted returns the strings, sorted.
func (s *Set) Sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.list)
	slices.Sort(list)
	return list
}

// Vector is a vector of an answer.
type Vector []float32

// maxNumbers is more numbers than any vector has.
const maxNumbers = 1 << 14

// UnmarshalJSON implements json.Unmarshaler.
func (v *Vector) UnmarshalJSON(raw []byte) (err error) {
	*v, err = Whole[float32](raw, maxNumbers, "numbers in a vector")
	return err
}

// Embedding checks a provider's vectors, and counts the tokens of each text, of which the provider counted total, 0 if it
// counts none. The error is a [*llm.Failure], except for vectors that are not of the length asked for: those of every other
// text would not be either, so it ends the run.
func Embedding(r llm.EmbeddingRequest, vectors []Vector, model string, total int) (llm.Embedding, error) {
	out := llm.Embedding{Model: model}
	for _, v := range vectors {
		out.Vectors = append(out.Vectors, llm.Vector{Values: v})
	}
	if err := llm.CheckEmbedding(r, out); err != nil {
		return llm.Embedding{}, &llm.Failure{Reason: Malformed, Err: err}
	}
	if n := len(vectors[0]); r.Dimensions > 0 && n != r.Dimensions {
		return llm.Embedding{}, fmt.Errorf("vectors of %d dimensions came for embeddings.dimensions = %d: the model has no such setting: leave it out", n, r.Dimensions)
	}
	out.Count(r.Texts, max(total, 0))
	return out, nil
}
