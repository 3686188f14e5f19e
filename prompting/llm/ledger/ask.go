package ledger

import (
	"context"
	"errors"

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
		all[i] = &pending{key: slots[i].key, request: slots[i].request, response: got[i], run: m.o.Run}
	}
	if err := m.ledger.putAll(ctx, all); err != nil {
		slots[0].err = err
		return 0
	}
	for i, p := range all {
		slots[i].resp, slots[i].ok = p.response, true
		if !p.lost {
			continue
		}
		if err := m.first(ctx, slots[i], p.response.Usage); err != nil {
			slots[i].err = err
		}
	}
	return len(got)
}

// first answers a slot with the completion that was stored before its own came, by another process: the first answer is
// the answer, in this run as in every other. What its own took is paid for all the same.
func (m *Model) first(ctx context.Context, s *slot, u llm.Usage) (err error) {
	if m.o.Run != "" {
		if err := m.ledger.Charge(ctx, m.o.Run, s.request.Author, u); err != nil {
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
