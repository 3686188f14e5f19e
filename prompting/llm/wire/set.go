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

// CheckVectors checks that there are n vectors of one length above zero; the error is a [*llm.Failure].
func CheckVectors(vectors [][]float32, n int) error {
	if len(vectors) != n {
		return &llm.Failure{Reason: Malformed, Err: fmt.Errorf("%d vectors for %d texts", len(vectors), n)}
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return &llm.Failure{Reason: Malformed, Err: fmt.Errorf("vector %d has length %d, the first %d", i, len(v), len(vectors[0]))}
		}
	}
	return nil
}
