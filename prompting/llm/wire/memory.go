package wire

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// The limits on what is kept of answers, in bytes after decompression. What one process keeps of answers at a time is
// below the sum of free per call in flight, shared and one whole answer, however many calls there are.
const (
	maxAnswer  = 16 << 20  // of one answer; 250 vectors of 4,000 numbers are 15 MB, the longest known completions 1 MB
	maxRefusal = 64 << 10  // read of an answer that is an error, or no JSON: its beginning says why
	free       = 128 << 10 // of one answer, without a share of the memory
	shared     = 16 << 20  // of all answers together, beyond what is free
)

// inFlight is the memory of all answers of the process.
var inFlight = newMemory(shared)

// memory is a number of bytes that answers in flight share. An answer takes more as it grows. When none is left, one of
// those that wait may take as much as it needs, and the next one when that is done: so however many wait, one of them
// goes on. The others wait within the time limits of their calls.
type memory struct {
	mu   sync.Mutex
	left int64
	one  bool          // an answer takes as much as it needs
	more chan struct{} // closed when some is given back
}

func newMemory(bytes int64) *memory { return &memory{left: bytes, more: make(chan struct{})} }

// share is what one answer has taken. The zero share has taken nothing.
type share struct {
	of   *memory
	held int64
	one  bool
}

// grow waits until the answer may have size bytes in all, or until ctx ends.
func (m *memory) grow(ctx context.Context, s *share, size int64) error {
	for s.of = m; ; {
		m.mu.Lock()
		need := size - free - s.held
		switch {
		case need <= 0 || s.one:
			m.mu.Unlock()
			return nil
		case need <= m.left:
			m.left -= need
			s.held += need
			m.mu.Unlock()
			return nil
		case !m.one:
			m.one, s.one = true, true
			m.mu.Unlock()
			return nil
		}
		more := m.more
		m.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// release gives back what the answer has taken. A second call does nothing.
func (s *share) release() {
	m := s.of
	if m == nil {
		return
	}
	m.mu.Lock()
	m.left += s.held
	if s.one {
		m.one = false
	}
	close(m.more)
	m.more = make(chan struct{})
	m.mu.Unlock()
	*s = share{}
}

// read reads all of r, up to limit bytes, taking memory as the text grows. The error is a *largeError for a longer
// text, ctx's, or that of r, with what came before it.
func (m *memory) read(ctx context.Context, s *share, r io.Reader, limit int64) ([]byte, error) {
	body := make([]byte, 0, min(4<<10, limit))
	for {
		if len(body) == cap(body) {
			size := min(2*int64(cap(body)), limit+1) // the last byte is never kept: it shows that there are more
			if err := m.grow(ctx, s, size); err != nil {
				return body, err
			}
			larger := make([]byte, len(body), size)
			copy(larger, body)
			body = larger
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return body[:limit], &largeError{limit}
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, err
		}
	}
}

// largeError is an answer above the limit.
type largeError struct{ limit int64 }

func (e *largeError) Error() string {
	return fmt.Sprintf("the answer has more than %d bytes: is base_url a server of models? bound completions by model.max_tokens", e.limit)
}
