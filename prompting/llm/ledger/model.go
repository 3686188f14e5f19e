package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"assay/prompting/llm"
)

// Options says how a Model asks. The zero value asks whatever the ledger does not hold.
type Options struct {
	Offline bool // never ask: a request that the ledger does not hold is a [*MissError]

	// Known are failures that shall not be tried again, request key to reason. Such a request is a [*llm.Failure] of
	// that reason without a call, offline too. A completion that the ledger holds goes before it.
	Known map[string]string

	// Run is the id of the run that asks. It is kept with every completion that is asked for, so that [Ledger.Paid] can say
	// what the run took; empty where nobody wants to know.
	Run string

	// Hold says what this process runs: before the first call the ledger's lock is taken with it (see
	// [Ledger.Acquire]) and kept until Close, so that a run that the ledger answers whole needs no lock. Wait waits for
	// it, else the error is a [*HeldError]. An empty Hold takes no lock.
	Hold string
	Wait bool
}

// Model is a model with a ledger around it: a request that the ledger holds is answered from it, any other is asked,
// stored, and only then returned. It is safe for concurrent use.
type Model struct {
	ledger *Ledger
	inner  llm.Model
	o      Options
	mu     sync.Mutex         // of voices
	voices map[llm.Voice]bool // who gave what was returned; true where the call was made here
	held   chan struct{}      // holds one token; taken while the lock is being acquired
	holds  bool

	cached, called, failed, known atomic.Int64
}

var (
	_ llm.SampleGenerator = (*Model)(nil)
	_ llm.Warner          = (*Model)(nil)
)

// outcome is what came of one sample: a response, or an error. Neither is a sample that its call did not answer.
type outcome struct {
	resp llm.Response
	err  error
	ok   bool // resp holds

	alone bool // err is of this very sample, and not of a call that asked for more
}

// flight is a sample being asked; out is set when done is closed.
type flight struct {
	done chan struct{}
	out  outcome
}

// slot is one sample asked of a Model.
type slot struct {
	outcome
	request llm.Request
	key     string
}

// Wrap puts the ledger around inner. Offline, inner is never asked (and may be nil).
func (l *Ledger) Wrap(inner llm.Model, o Options) *Model {
	return &Model{ledger: l, inner: inner, o: o, voices: map[llm.Voice]bool{}, held: make(chan struct{}, 1)}
}

// MissError is a request that the ledger does not hold, asked offline.
type MissError struct {
	Request llm.Request
	Path    string // the ledger's file
}

// Error names the request by author, key and the end of its last message, and tells the remedies.
func (e *MissError) Error() string {
	last := ""
	if n := len(e.Request.Messages); n > 0 {
		last = e.Request.Messages[n-1].Text
	}
	const show = 120
	if len(last) > show {
		last = "..." + last[len(last)-show:]
	}
	return fmt.Sprintf("ledger: offline: %q has no completion of %s, sample %d (%s), for a prompt that ends in %q: run without --offline, import the ledger that has it, or where `assay ledger stats` shows it under another author let that answer by `assay ledger adopt`",
		e.Path, e.Request.Author, e.Request.Sample, e.Request.Key(), last)
}

// Generate answers from the ledger, or asks and stores. Equal requests in flight at once are asked once.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	s := &slot{request: r, key: r.Key()}
	m.fill(ctx, []*slot{s})
	if s.err != nil {
		return llm.Response{}, s.err
	}
	m.returned(s)
	return s.resp, nil
}

// returned counts a completion that is handed out, and remembers who gave it.
func (m *Model) returned(s *slot) {
	if s.resp.Cached {
		m.cached.Add(1)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := llm.VoiceOf(s.request.Author, s.resp)
	m.voices[v] = m.voices[v] || !s.resp.Cached
}

// Voices lists who gave the completions handed out so far, in no order; true of those that were asked for here.
func (m *Model) Voices() map[llm.Voice]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.voices)
}

// GenerateN implements [llm.SampleGenerator]: the samples that the ledger holds come from it, the rest are asked in as
// few calls as the inner model can, and each completion is stored as a row of its own before it is returned. A sample
// that got none ends the responses; what came for those after it is stored, and Generate finds it.
func (m *Model) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	slots := make([]*slot, len(samples))
	for i, k := range samples {
		r.Sample = k
		slots[i] = &slot{request: r, key: r.Key()}
	}
	m.fill(ctx, slots)
	for _, s := range slots {
		if s.err != nil && !isFailure(s.err) {
			return nil, s.err
		}
	}
	var got []llm.Response
	for _, s := range slots {
		if !s.ok {
			break
		}
		m.returned(s)
		got = append(got, s.resp)
	}
	if len(got) == 0 && len(slots) > 0 {
		m.keep(slots)
		return nil, slots[0].err
	}
	m.keep(slots[len(got):])
	return got, nil
}

// keep remembers what the samples that are not returned came to, so that asking for one makes no call again, and says
// whether it was paid for in this run, or why there is none.
func (m *Model) keep(slots []*slot) {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	for _, s := range slots {
		if s.ok && !s.resp.Cached || s.alone {
			m.ledger.left[s.key] = s.outcome
		}
	}
}

// take returns what an earlier GenerateN learnt of a sample.
func (m *Model) take(key string) (outcome, bool) {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	out, ok := m.ledger.left[key]
	delete(m.ledger.left, key)
	return out, ok
}

// fill answers the slots: from memory, from the ledger, by asking, by waiting for another goroutine that asks. A slot
// is left without an answer only where a call of several samples gave fewer.
func (m *Model) fill(ctx context.Context, slots []*slot) {
	var open []*slot
	for _, s := range slots {
		if !m.lookUp(ctx, s) {
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return
	}
	if m.o.Offline {
		for _, s := range open {
			s.err = &MissError{s.request, m.ledger.path}
		}
		return
	}
	mine, theirs, flights := m.claim(open)
	if len(mine) > 0 {
		m.ask(ctx, mine)
		m.land(mine)
	}
	for i, s := range theirs {
		m.await(ctx, s, flights[i])
	}
}

// lookUp answers a slot without a call, where that can be.
func (m *Model) lookUp(ctx context.Context, s *slot) bool {
	if out, ok := m.take(s.key); ok {
		s.outcome = out
		return true
	}
	if s.resp, s.ok, s.err = m.ledger.Get(ctx, s.key); s.ok || s.err != nil {
		return true
	}
	reason, known := m.o.Known[s.key]
	if known {
		m.known.Add(1)
		s.err, s.alone = &llm.Failure{Reason: reason}, true
	}
	return known
}

// claim divides slots into those that this goroutine will ask and those that others are asking.
func (m *Model) claim(slots []*slot) (mine, theirs []*slot, flights []*flight) {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	for _, s := range slots {
		if f, ok := m.ledger.flights[s.key]; ok {
			theirs, flights = append(theirs, s), append(flights, f)
			continue
		}
		m.ledger.flights[s.key] = &flight{done: make(chan struct{})}
		mine = append(mine, s)
	}
	return mine, theirs, flights
}

// land tells the waiting goroutines what came.
func (m *Model) land(slots []*slot) {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	for _, s := range slots {
		f := m.ledger.flights[s.key]
		f.out = s.outcome
		delete(m.ledger.flights, s.key)
		close(f.done)
	}
}

// await takes over what another goroutine's call gave. A call that gave nothing for the sample, or was cancelled with
// that goroutine, says nothing about it: it is asked again.
func (m *Model) await(ctx context.Context, s *slot, f *flight) {
	select {
	case <-ctx.Done():
		s.err = ctx.Err()
		return
	case <-f.done:
	}
	cancelled := errors.Is(f.out.err, context.Canceled) || errors.Is(f.out.err, context.DeadlineExceeded)
	if f.out.ok || f.out.err != nil && !cancelled {
		s.outcome = f.out
		s.resp.Cached = s.ok // the call was the other's
		return
	}
	if s.err = ctx.Err(); s.err == nil {
		m.fill(ctx, []*slot{s})
	}
}

func isFailure(err error) bool {
	var f *llm.Failure
	return errors.As(err, &f)
}

// Warnings returns the inner model's warnings.
func (m *Model) Warnings() []string {
	if w, ok := m.inner.(llm.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// Counts says what a Model did so far, in completions.
type Counts struct {
	Cached int64 // answered by the ledger
	Called int64 // asked for and given
	Failed int64 // asked for, and none came
	Known  int64 // not asked for: known to fail
}

// Counts returns what the model did so far.
func (m *Model) Counts() Counts {
	return Counts{m.cached.Load(), m.called.Load(), m.failed.Load(), m.known.Load()}
}
