package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"assay/prompting/llm"
)

// ask makes the calls for the slots, which differ in their sample alone, and stores what comes.
func (m *Model) ask(ctx context.Context, slots []*slot) {
	if err := m.ready(ctx); err != nil {
		fail(slots, err)
		return
	}
	var open []*slot
	for _, s := range slots { // what was stored since, by the goroutine that asked before this one or another process
		if s.resp, s.ok, s.err = m.ledger.Get(ctx, s.key); !s.ok && s.err == nil {
			open = append(open, s)
		}
	}
	many, _ := m.inner.(llm.SampleGenerator)
	for len(open) > 0 {
		n := 1
		if many != nil {
			n = len(open)
		}
		got := m.call(ctx, many, open[:n])
		if got == 0 {
			if err := open[0].err; err != nil && !isFailure(err) {
				fail(open, err)
			}
			return
		}
		if n > 1 && got == 1 { // the model does not really give several: the caller asks one by one, and in parallel if it likes
			return
		}
		open = open[got:]
	}
}

// ready is what must hold before a call: a ledger that can keep the answer, and the lock.
func (m *Model) ready(ctx context.Context) error {
	if m.ledger.write == nil {
		return &ReadOnlyError{m.ledger.path, m.ledger.why}
	}
	if m.o.Hold == "" {
		return nil
	}
	select {
	case m.held <- struct{}{}:
		defer func() { <-m.held }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if m.holds {
		return nil
	}
	if _, err := m.ledger.Acquire(ctx, m.o.Hold, m.o.Wait); err != nil { // given back by Close
		return err
	}
	m.holds = true
	return nil
}

func fail(slots []*slot, err error) {
	for _, s := range slots {
		if s.err == nil && !s.ok {
			s.err = err
		}
	}
}

// call makes one call for the slots and stores its completions. It returns how many of the slots, from the first, are
// answered; where none is, the first has the error.
func (m *Model) call(ctx context.Context, many llm.SampleGenerator, slots []*slot) int {
	bound, err := m.permit(ctx, slots)
	if err != nil {
		slots[0].err = err
		return 0
	}
	got, err := m.generate(ctx, many, slots)
	var used int64
	for _, r := range got {
		used += int64(r.Usage.PromptTokens) + int64(r.Usage.CompletionTokens)
	}
	m.budget.settle(bound, used)
	if err != nil {
		m.failed.Add(1)
		slots[0].err, slots[0].alone = err, len(slots) == 1
		return 0
	}
	return m.store(ctx, slots, got)
}

// permit asks the budget and Allow. The tokens returned are reserved until the call is settled.
func (m *Model) permit(ctx context.Context, slots []*slot) (bound int64, err error) {
	if m.o.Allow != nil {
		for _, s := range slots {
			if err := m.o.Allow(s.request); isFailure(err) { // it ends the run, whatever it is made of
				return 0, fmt.Errorf("ledger: not allowed: %v", err)
			} else if err != nil {
				return 0, fmt.Errorf("ledger: not allowed: %w", err)
			}
		}
	}
	r := slots[0].request
	if m.budget.max > 0 {
		bound = int64(llm.EstimateUsage(r, "").PromptTokens) + int64(len(slots))*int64(r.Params.MaxTokens)
	}
	return bound, m.budget.reserve(ctx, bound)
}

func (m *Model) generate(ctx context.Context, many llm.SampleGenerator, slots []*slot) ([]llm.Response, error) {
	if many == nil || len(slots) == 1 {
		resp, err := m.inner.Generate(ctx, slots[0].request)
		if err != nil {
			return nil, err
		}
		return []llm.Response{resp}, nil
	}
	samples := make([]int, len(slots))
	for i, s := range slots {
		samples[i] = s.request.Sample
	}
	got, err := many.GenerateN(ctx, slots[0].request, samples)
	if err == nil && len(got) == 0 {
		err = &llm.Failure{Reason: "empty", Err: errors.New("the model gave no sample, and no reason")}
	}
	return got[:min(len(got), len(slots))], err
}

// store keeps the completions of one call and then answers the slots with them.
func (m *Model) store(ctx context.Context, slots []*slot, got []llm.Response) int {
	m.called.Add(int64(len(got)))
	all := make([]*pending, len(got))
	for i := range got {
		got[i].Cached = false
		all[i] = &pending{key: slots[i].key, request: slots[i].request, response: got[i]}
	}
	if err := m.ledger.putAll(ctx, all); err != nil {
		slots[0].err = err
		return 0
	}
	for i, resp := range got {
		slots[i].resp, slots[i].ok = resp, true
		if m.o.Paid != nil {
			m.o.Paid(slots[i].request, resp)
		}
	}
	return len(got)
}

// BudgetError ends a run whose next call may exceed the token budget.
type BudgetError struct {
	Used int64 // tokens of the calls made
	Next int64 // most tokens of the call that was not made: its prompt's estimate and its bound on the completion
	Max  int64
}

// Error tells the figures, and how to go on.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("ledger: token budget: %d of %d tokens are used and the next call may take %d: everything so far is kept; raise the budget and run the same command again to go on",
		e.Used, e.Max, e.Next)
}

// budget bounds tokens: those used, and those that calls in flight may come to use.
type budget struct {
	max int64 // no bound if 0

	mu       sync.Mutex
	used     int64
	reserved int64
	calls    int           // in flight
	freed    chan struct{} // closed when a call is settled; nil where nobody waits
}

// reserve sets n tokens aside, waiting for calls in flight where they may leave enough.
func (b *budget) reserve(ctx context.Context, n int64) error {
	if b.max <= 0 {
		return nil
	}
	for {
		b.mu.Lock()
		if b.used+b.reserved+n <= b.max {
			b.reserved += n
			b.calls++
			b.mu.Unlock()
			return nil
		}
		if b.used+n > b.max || b.calls == 0 {
			defer b.mu.Unlock()
			return &BudgetError{Used: b.used, Next: n, Max: b.max}
		}
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settle replaces a reservation of n tokens by those used.
func (b *budget) settle(n, used int64) {
	if b.max <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used, b.reserved, b.calls = b.used+used, b.reserved-n, b.calls-1
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}
