package runner

import (
	"context"
	"sync"
)

// sequence hands outcomes on in the order of their jobs, whatever the order in which they finish, and holds up jobs that
// are too far ahead of the slowest, so that what waits to be handed on stays bounded.
type sequence struct {
	window int // jobs ahead of the first unfinished one that may be under way or wait
	next   func(*outcome) error

	mu      sync.Mutex
	moved   *sync.Cond // next has been called, or stopped is set
	at      int        // the first job that is not handed on
	waiting map[int]*outcome
	stopped bool
}

func newSequence(window int, next func(*outcome) error) *sequence {
	s := &sequence{window: window, next: next, waiting: map[int]*outcome{}}
	s.moved = sync.NewCond(&s.mu)
	return s
}

// admit waits until job i is not too far ahead, the context is done, or stop is called.
func (s *sequence) admit(ctx context.Context, i int) error {
	defer context.AfterFunc(ctx, s.stop)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i >= s.at+s.window && !s.stopped {
		s.moved.Wait()
	}
	return ctx.Err()
}

// stop lets everyone go who waits to be admitted: no further job is to be begun.
func (s *sequence) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.moved.Broadcast()
}

// put takes the outcome of job i, and hands on all that are now in order. A nil outcome is a job that came to nothing: it
// is passed over.
func (s *sequence) put(i int, o *outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[i] = o
	for {
		o, ok := s.waiting[s.at]
		if !ok {
			return nil
		}
		delete(s.waiting, s.at)
		s.at++
		s.moved.Broadcast()
		if o == nil {
			continue
		}
		if err := s.next(o); err != nil {
			return err
		}
	}
}

// rest hands on what waits behind a job that will not finish, in order.
func (s *sequence) rest(total int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; s.at < total && len(s.waiting) > 0; s.at++ {
		if o, ok := s.waiting[s.at]; ok {
			delete(s.waiting, s.at)
			if o == nil {
				continue
			}
			if err := s.next(o); err != nil {
				return err
			}
		}
	}
	return nil
}
