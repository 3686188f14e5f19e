package runner

import (
	"context"
	"sync"
)

// sequence passes outcomes on in the order of their jobs, whatever the order in which they finish. It delays jobs that are
// too far ahead of the slowest one, which bounds the memory of the outcomes that wait.
type sequence struct {
	window int // how far ahead of the first unfinished job another may be
	next   func(*outcome) error

	mu      sync.Mutex
	moved   *sync.Cond // next has been called, or stopped is set
	at      int        // the first job that has not been passed on
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

// stop ends every wait in admit, whose callers then see that the context is done and start no job.
func (s *sequence) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.moved.Broadcast()
}

// put takes the outcome of job i, and passes on every outcome that is now next in order. A nil outcome is a job without one,
// such as a job that the budget did not allow; it is skipped.
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

// rest passes on, in order, the outcomes that wait behind a job that will not finish: a stopped run keeps all that is done.
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
