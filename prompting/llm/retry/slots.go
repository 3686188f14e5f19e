package retry

import (
	"context"
	"errors"
	"sync"
)

// errClosed ends the wait for a slot when the run has ended.
var errClosed = errors.New("retry: given up")

// slots bounds the number of calls in flight. The bound is halved when the provider answers 429 and grows by one with
// each completion (additive increase, multiplicative decrease, as in TCP). Waiting calls are served in order.
type slots struct {
	mu    sync.Mutex
	most  int
	limit int
	used  int
	epoch int // how often the bound was halved
	queue []chan struct{}
}

// newSlots returns slots for most calls, with all of them free.
func newSlots(most int) *slots {
	most = max(most, 1)
	return &slots{most: most, limit: most}
}

// acquire waits for a slot; closed ends the wait with errClosed.
func (s *slots) acquire(ctx context.Context, closed <-chan struct{}) error {
	s.mu.Lock()
	if err := ctx.Err(); err != nil {
		s.mu.Unlock()
		return err
	}
	if s.used < s.limit && len(s.queue) == 0 {
		s.used++
		s.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.queue = append(s.queue, turn)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		s.leave(turn)
		return ctx.Err()
	case <-closed:
		s.leave(turn)
		return errClosed
	}
}

// leave gives up a place in the queue, or the slot if it was assigned at the same moment.
func (s *slots) leave(turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.queue {
		if q == turn {
			s.queue = append(s.queue[:i], s.queue[i+1:]...)
			return
		}
	}
	s.used--
	s.serve()
}

// release frees a slot; grow raises the bound by one.
func (s *slots) release(grow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	if grow {
		s.limit = min(s.limit+1, s.most)
	}
	s.serve()
}

// serve assigns free slots to the calls that wait; mu is held.
func (s *slots) serve() {
	for s.used < s.limit && len(s.queue) > 0 {
		s.used++
		close(s.queue[0])
		s.queue = s.queue[1:]
	}
}

// halve halves the bound, once for all the calls that were in flight together: a burst of 429 answers has one cause.
// epoch is the value of epochNow when the call began.
func (s *slots) halve(epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch == s.epoch {
		s.epoch++
		s.limit = max(s.limit/2, 1)
	}
}

// epochNow returns the number of halvings, to be passed to halve.
func (s *slots) epochNow() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// limitNow returns the present bound.
func (s *slots) limitNow() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit
}
