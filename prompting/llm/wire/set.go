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

// maxSet bounds a Set.
const maxSet = 100

// Add puts text in, once.
func (s *Set) Add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) < maxSet && !slices.Contains(s.list, text) {
		s.list = append(s.list, text)
	}
}

// Has reports whether text is in.
func (s *Set) Has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.list, text)
}

// Sorted returns what is in, sorted.
func (s *Set) Sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.list)
	slices.Sort(list)
	return list
}

// CheckVectors reports vectors that are not n of one length above zero, as a [*llm.Failure].
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
