package ledger

import (
	"context"
	"errors"

	"assay/prompting/llm"
)

// ask makes the calls for the slots, which differ only in their sample, and stores the completions.
func (m *Model) ask(ctx context.Context, slots []*slot) {
	if err := m.ready(ctx); err != nil {
		fail(slots, err)
		return
	}
	var open []*slot
	for _, s := range slots { // another goroutine or process may have stored a completion in the meantime
		if s.resp, s.ok, s.err = m.ledger.Get(ctx, s.key); !s.ok && s.err == nil {
			open = append(open, s)
		}
	}
	if err := m.free(ctx, open); err != nil {
		fail(slots, err)
		return
	}
	many, _ := m.inner.(llm.SampleGenerator)
	for len(open) > 0 {
		// One call for all open samples pays for the prompt once; what it leaves open is asked for by the next.
		n := 1
		if many != nil {
			n = len(open)
		}
		got := m.call(ctx, many, open[:n])
		if got == 0 {
			// A failure belongs to the samples of this call; any other error ends the run and so holds for all.
			if err := open[0].err; err != nil && !isFailure(err) {
				fail(open, err)
			}
			return
		}
		if n > 1 && got == 1 { // the model ignores n: return, so that the caller can ask for the others in parallel
			return
		}
		open = open[got:]
	}
}

// free checks that no batch under way has one of the requests, which would then be bought twice.
func (m *Model) free(ctx context.Context, slots []*slot) error {
	if m.o.Gathers {
		return nil
	}
	for _, s := range slots {
		if b, ok, err := m.ledger.Awaited(ctx, s.key); err != nil {
			return err
		} else if ok {
			return &NotSentError{s.key, b}
		}
	}
	return nil
}

// ready checks what must hold before a call: the ledger can store the answer, and this process has the lock.
func (m *Model) ready(ctx context.Context) error {
	if m.ledger.write == nil {
		return &readOnlyError{m.ledger.path, m.ledger.why}
	}
	if m.o.Hold == "" {
		return nil
	}
	// Taken and given back on every path: only the first caller acquires the ledger's lock, the others wait here for it
	// and then find holds set.
	select {
	case m.held <- struct{}{}:
		defer func() { <-m.held }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if m.holds {
		return nil
	}
	if _, err := m.ledger.Acquire(ctx, m.o.Hold, m.o.Wait); err != nil { // released by Close
		return err
	}
	m.holds = true
	return nil
}

// fail sets the error of the slots that have neither an answer nor an error yet.
func fail(slots []*slot, err error) {
	for _, s := range slots {
		if s.err == nil && !s.ok {
			s.err = err
		}
	}
}

// call makes one call for the slots and stores its completions. It returns how many of the slots are answered, counted
// from the first; if none is, the first slot has the error.
func (m *Model) call(ctx context.Context, many llm.SampleGenerator, slots []*slot) int {
	got, err := m.generate(ctx, many, slots)
	if err != nil {
		if isFailure(err) {
			m.failed.Add(1)
		}
		slots[0].err, slots[0].alone = err, len(slots) == 1
		return 0
	}
	return m.store(ctx, slots, got)
}

// generate calls the inner model: GenerateN for several slots if it can, else Generate for the first. It returns at
// least one response unless it fails, and at most one per slot.
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
	// A server may give more than it was asked for; there is no request to store the rest under.
	return got[:min(len(got), len(slots))], err
}

// store stores the completions of one call, and only then answers the slots with them.
func (m *Model) store(ctx context.Context, slots []*slot, got []llm.Response) int {
	m.called.Add(int64(len(got)))
	all := make([]*pending, len(got))
	for i := range got {
		got[i].Cached = false
		all[i] = &pending{key: slots[i].key, request: slots[i].request, response: got[i], run: m.o.Run}
	}
	// Stored first: a completion that is returned and then lost would be paid for twice, and the second may differ.
	if err := m.ledger.putAll(ctx, all); err != nil {
		slots[0].err = err
		return 0
	}
	for i, p := range all {
		slots[i].resp, slots[i].ok = p.response, true
		slots[i].resp.Stored = p.created.Unix()
		if !p.lost {
			continue
		}
		if err := m.first(ctx, slots[i], p.response); err != nil {
			slots[i].err = err
		}
	}
	return len(got)
}

// first answers a slot with the completion that another process stored before this call's own came back: the ledger
// keeps the first answer, so that every run sees the same one. The tokens of the second are still paid for, and are
// charged.
func (m *Model) first(ctx context.Context, s *slot, second llm.Response) (err error) {
	if m.o.Run != "" {
		if err := m.ledger.Charge(ctx, m.o.Run, s.request.Author, second.Usage, second.Tier); err != nil {
			return err
		}
	}
	resp, ok, err := m.ledger.Get(ctx, s.key)
	if ok {
		s.resp = resp
		s.resp.Cached = false // a call was made for it
	}
	return err
}
