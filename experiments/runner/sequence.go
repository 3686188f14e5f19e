package runner

import (
	"context"
	"sync"

	"assay/prompting"
)

// sequence passes outcomes on in the order of their jobs, whatever the order in which they finish. It delays jobs that are
// too far ahead of the slowest one, in number or in the bytes of the outcomes that wait, which bounds their memory.
type sequence struct {
	window int // how far ahead of the first unfinished job another may be
	next   func(*outcome) error

	mu      sync.Mutex
	moved   *sync.Cond // next has been called, or stopped is set
	at      int        // the first job that has not been passed on
	waiting map[int]*outcome
	bytes   int // of those that wait
	stopped bool
}

func newSequence(window int, next func(*outcome) error) *sequence {
	s := &sequence{window: window, next: next, waiting: map[int]*outcome{}}
	s.moved = sync.NewCond(&s.mu)
	return s
}

// mostWaiting is how many bytes may wait before no other job is begun than the one that they wait for.
const mostWaiting = 32 << 20

// size is about the bytes of an outcome's texts.
func (o *outcome) size() (n int) {
	if o == nil {
		return 0
	}
	for _, all := range [][]prompting.Candidate{o.answer.Candidates, o.answer.Dropped} {
		for _, c := range all {
			n += 512 + len(c.SQL) + len(c.Original)
		}
	}
	for _, c := range o.answer.Trace {
		n += 1024 + len(c.Note) + len(c.Observation)
	}
	return n
}

// admit waits until job i is not too far ahead, the context is done, or stop is called.
func (s *sequence) admit(ctx context.Context, i int) error {
	defer context.AfterFunc(ctx, s.stop)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for (i >= s.at+s.window || i > s.at && s.bytes > mostWaiting) && !s.stopped {
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
	s.bytes += o.size()
	for {
		o, ok := s.waiting[s.at]
		if !ok {
			return nil
		}
		delete(s.waiting, s.at)
		s.bytes -= o.size()
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
