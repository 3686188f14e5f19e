// Package memory divides a number of bytes among those who work at once.
//
// Whoever needs bytes asks its [Pool] before it takes them, waits where none is left, and gives them back. When all wait,
// one of them may take as much as it needs, and the next one when that is done: so however many wait, one goes on. A pool
// must never refuse: how much one may take at most is for the caller to bound, and with that bound the most that is kept
// at a time is the pool and one of those.
package memory

import (
	"context"
	"sync"
)

// Pool is a number of bytes that many share. It is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	left int64
	one  bool          // a share takes as much as it needs
	more chan struct{} // closed when some is given back
}

// NewPool returns a pool of so many bytes; 0: one share at a time.
func NewPool(bytes int64) *Pool { return &Pool{left: bytes, more: make(chan struct{})} }

// Share is what one has taken of a pool. The zero Share has taken nothing. It is for one goroutine at a time.
type Share struct {
	of   *Pool
	held int64
	one  bool
}

// Grow waits until the share has at least size bytes in all. The error is the cause for which ctx ended.
func (p *Pool) Grow(ctx context.Context, s *Share, size int64) error {
	for s.of = p; ; {
		p.mu.Lock()
		need := size - s.held
		switch {
		case need <= 0 || s.one:
			p.mu.Unlock()
			return nil
		case need <= p.left:
			p.left -= need
			s.held += need
			p.mu.Unlock()
			return nil
		case !p.one:
			p.one, s.one = true, true
			p.mu.Unlock()
			return nil
		}
		more := p.more
		p.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Keep gives back all but size bytes. A share that may take as much as it needs may do so until Release.
func (s *Share) Keep(size int64) {
	if s.of != nil && size < s.held {
		s.of.give(s.held-size, false)
		s.held = size
	}
}

// Release gives back what the share has taken. A second call does nothing.
func (s *Share) Release() {
	if s.of != nil {
		s.of.give(s.held, s.one)
		*s = Share{}
	}
}

// give takes bytes back, and wakes those who wait.
func (p *Pool) give(bytes int64, one bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left += bytes
	if one {
		p.one = false
	}
	close(p.more)
	p.more = make(chan struct{})
}
