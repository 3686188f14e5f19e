package vectors

import (
	"context"
	"fmt"
	"sync"

	"assay/prompting/llm"
)

// Spaces keeps the vectors of lists of texts that one text after another is compared with, by what computes them. Its zero
// value is empty. It is safe for concurrent use.
type Spaces struct {
	mu   sync.Mutex // held while vectors are computed: they are asked for once
	made map[space]*Matrix
	errs map[space]bool // they were asked for in vain
}

// space names a list by its place, so its owner must keep it as it is.
type space struct {
	by   llm.Embedder
	list *string
}

// Cosines returns the cosine of a text's vector with that of each text of a list, which the caller keeps and does not
// change. The vectors of the list are asked for at the first text, and again if that failed. Errors of the embedder are
// returned as they are.
func (s *Spaces) Cosines(ctx context.Context, by llm.Embedder, text string, list []string) ([]float32, error) {
	if len(list) == 0 {
		return nil, nil
	}
	key := space{by, &list[0]}
	asked, err := embedAll(ctx, by, []string{text})
	if err != nil && s.failed(key) {
		return nil, err
	}
	// A forecast notes what is asked for, whether or not the text's own vector is known.
	m, missing := s.of(ctx, key, list)
	if err == nil {
		err = missing
	}
	if err != nil {
		return nil, err
	}
	return m.Cosines(asked[0]), nil
}

func embedAll(ctx context.Context, by llm.Embedder, texts []string) ([][]float32, error) {
	vs, err := by.Embed(ctx, texts)
	if err == nil && len(vs) != len(texts) {
		err = fmt.Errorf("vectors: %d vectors for %d texts", len(vs), len(texts))
	}
	return vs, err
}

func (s *Spaces) failed(key space) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errs[key]
}

// of returns the vectors of a list.
func (s *Spaces) of(ctx context.Context, key space, list []string) (*Matrix, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.made[key]; m != nil {
		return m, nil
	}
	if s.made == nil {
		s.made, s.errs = map[space]*Matrix{}, map[space]bool{}
	}
	vs, err := embedAll(ctx, key.by, list)
	if s.errs[key] = err != nil; err != nil {
		return nil, err
	}
	m, err := NewMatrix(vs)
	if err != nil {
		return nil, err
	}
	for _, other := range s.made { // embedders of one model share the memory
		if m.Equal(other) {
			m = other
		}
	}
	s.made[key] = m
	return m, nil
}
