package script

import (
	"context"
	"fmt"
	"sync"

	"assay/prompting"
	"assay/prompting/memory"
)

// What the methods of a process may keep at a time: mostShared, and what one question may hold, however many questions are
// answered at once. It is counted as package star charges, and is a little more than is really kept.
const (
	mostShared = 48 << 20
	// mostHeld bounds a question: what its calls build and are told, and the prompts in flight. It does not depend on
	// what other questions do, which only wait for each other.
	mostHeld = 144 << 20
	// mostAnswer bounds what is kept of a question when it is answered: its candidates, and the notes of its calls.
	mostAnswer = 8 << 20
	// sampleSize is what a sample takes that only waits: its goroutine and its thread. 10,000 samples of one question fit.
	sampleSize = 8 << 10
	// callSize and candidateSize are what one takes besides its texts.
	callSize      = 512
	candidateSize = 256
)

// holding is the memory of all methods of the process.
var holding = memory.NewPool(mostShared)

// item is what all calls about one question share.
type item struct {
	mu      sync.Mutex
	asked   int
	printed map[print]func() (string, error)

	// within is set where this is done for another item, which may hold what this one would wait for.
	within bool

	room  sync.Mutex // guards what follows
	held  int        // bytes
	kept  int        // of them, by what is the answer
	share memory.Share
}

// hold takes so many bytes more, and waits until there are any. The error is ctx's, or that of a question beyond its bound.
func (it *item) hold(ctx context.Context, bytes int) error {
	it.room.Lock()
	defer it.room.Unlock()
	if it.held+bytes > mostHeld {
		return fmt.Errorf("too much memory: the calls about one question may keep %d MB of texts, lists and prompts at a time, all samples together", mostHeld>>20)
	}
	if !it.within {
		if err := holding.Grow(ctx, &it.share, int64(it.held+bytes)); err != nil {
			return err
		}
	}
	it.held += bytes
	return nil
}

// drop gives bytes back.
func (it *item) drop(bytes int) {
	it.room.Lock()
	defer it.room.Unlock()
	if it.held -= bytes; it.held == 0 {
		it.share.Release()
		return
	}
	it.share.Keep(int64(it.held))
}

// end gives everything back.
func (it *item) end() {
	it.room.Lock()
	defer it.room.Unlock()
	it.held, it.kept = 0, 0
	it.share.Release()
}

// keep holds what a part leaves behind, until the question is answered.
func (it *item) keep(ctx context.Context, cs []prompting.Candidate, calls []*prompting.Call) error {
	n := 0
	for _, c := range cs {
		n += candidateSize + len(c.SQL) + len(c.Original) + len(c.Failure)
	}
	texts := 0
	for _, c := range calls {
		n += callSize
		texts += len(c.Note) + len(c.Observation) + len(c.Failure)
		for _, s := range c.Steps {
			texts += len(s.Question) + len(s.Columns) + len(s.SQL)
		}
	}
	if err := it.hold(ctx, n+texts); err != nil {
		return err
	}
	it.room.Lock()
	defer it.room.Unlock()
	if it.kept += n + texts; it.kept > mostAnswer {
		return fmt.Errorf("the candidates, notes and observations of one question have more than %d MB", mostAnswer>>20)
	}
	return nil
}

// hold takes bytes for the length of the call.
func (s *session) hold(bytes int) error {
	if err := s.item.hold(s.ctx, bytes); err != nil {
		return err
	}
	s.held += bytes
	return nil
}

// drop gives back what the call took since it had held so many bytes.
func (s *session) drop(held int) {
	s.item.drop(s.held - held)
	s.held = held
}

// mostPrinted bounds the forms of a question that are kept: usual methods have one or two.
const mostPrinted = 16

// print prints a question in a form, once.
func (it *item) print(p print) (string, error) {
	it.mu.Lock()
	made, ok := it.printed[p]
	if !ok {
		made = sync.OnceValues(p.made)
		if it.printed == nil {
			it.printed = map[print]func() (string, error){}
		}
		if len(it.printed) < mostPrinted {
			it.printed[p] = made
		}
	}
	it.mu.Unlock()
	return made()
}

// Begin returns a context under which all calls are about one question, so that their number and their memory are bounded
// together, and a function that ends the question. It must be called: what is held until then, other questions lack.
func Begin(ctx context.Context) (context.Context, func()) {
	if ctx.Value(itemKey{}) != nil {
		return ctx, func() {}
	}
	it := &item{}
	return context.WithValue(ctx, itemKey{}, it), it.end
}

type itemKey struct{}

// itemOf returns what the calls about a question share.
func itemOf(ctx context.Context) *item {
	if it, ok := ctx.Value(itemKey{}).(*item); ok {
		return it
	}
	return &item{}
}

// usualCalls bounds the completions of one question where limits.calls_per_item is not stated.
const usualCalls = 20000

// count adds n completions to the item's, and refuses those beyond the bound.
func (it *item) count(n, most int) error {
	it.mu.Lock()
	defer it.mu.Unlock()
	if most == 0 {
		most = usualCalls
	}
	if it.asked += n; it.asked > most {
		return fmt.Errorf("the method asks for more than %d completions about one question: raise limits.calls_per_item if it means to", most)
	}
	return nil
}
