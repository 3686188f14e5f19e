package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"assay/prompting"
	"assay/prompting/llm"
)

// Options says when a Model calls the inner model. The zero value calls it for whatever the ledger does not hold.
type Options struct {
	Offline bool // never call: a request that the ledger does not hold is a [*MissError]

	// Known maps request keys to the reasons of failures that must not be tried again. Such a request is a
	// [*llm.Failure] of that reason without a call, offline too. A completion in the ledger takes precedence.
	Known map[string]string

	// Run is the id of the run that asks. It is stored with every completion that a call gives, so that [Ledger.Paid]
	// can report what the run cost. Empty stores none.
	Run string

	// Hold describes what this process runs. The ledger's lock is taken with it before the first call (see
	// [Ledger.Acquire]) and kept until Close, so that a run without calls needs no lock. If another process has the
	// lock, Wait waits for it; otherwise the error is a [*HeldError]. An empty Hold takes no lock.
	Hold string
	Wait bool

	// Gathers says that the inner model makes no call, but notes each request for a batch. Otherwise a request that is
	// under way in a batch is a [*NotSentError].
	Gathers bool
}

// Model answers requests from the ledger. For a request that the ledger lacks it calls the inner model, stores the
// completion, and only then returns it. It is safe for concurrent use.
type Model struct {
	ledger *Ledger
	inner  llm.Model
	o      Options
	mu     sync.Mutex         // guards voices
	voices map[llm.Voice]bool // who gave the returned completions; true if a call of this Model did
	held   chan struct{}      // a mutex of capacity 1 that a context can stop waiting for; taken while the lock is acquired
	holds  bool

	cached, called, failed, known atomic.Int64
	recalled, embedded            atomic.Int64 // vectors
	refused                       atomic.Int64 // texts that the provider refused since it last gave a vector
}

var (
	_ llm.SampleGenerator = (*Model)(nil)
	_ llm.Warner          = (*Model)(nil)
)

// outcome is the result of one sample: a response or an error. Both are absent if the call did not answer the sample.
type outcome struct {
	resp llm.Response
	err  error
	ok   bool // resp is set

	alone bool // err is of this sample alone, not of a call that asked for several
}

// flight is a call in progress for one sample; out may be read once done is closed.
type flight struct {
	done chan struct{}
	out  outcome
}

// slot is one sample that the caller asked for.
type slot struct {
	outcome
	request llm.Request
	key     string
}

// Wrap returns a Model that puts the ledger in front of inner. Offline, inner is never called and may be nil.
func (l *Ledger) Wrap(inner llm.Model, o Options) *Model {
	return &Model{ledger: l, inner: inner, o: o, voices: map[llm.Voice]bool{}, held: make(chan struct{}, 1)}
}

// MissError is a request, made offline, that the ledger does not hold.
type MissError struct {
	Request llm.Request
	Path    string // the ledger's file
}

// Error names the request by author, key and the end of its last message, and the remedies.
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

// Generate answers from the ledger, or calls and stores. Equal requests in progress at once make one call.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	s := &slot{request: r, key: r.Key()}
	m.fill(ctx, []*slot{s})
	if s.err != nil {
		return llm.Response{}, s.err
	}
	m.returned(s)
	return s.resp, nil
}

// returned counts a completion that is returned to the caller, and notes who gave it.
func (m *Model) returned(s *slot) {
	if s.resp.Cached {
		m.cached.Add(1)
	}
	m.voice(s)
}

// voice notes who gave an answer.
func (m *Model) voice(s *slot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := llm.VoiceOf(s.request.Author, s.resp)
	m.voices[v] = m.voices[v] || !s.resp.Cached
}

// Voices reports who gave the completions returned so far; true means that a call of this Model did.
func (m *Model) Voices() map[llm.Voice]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.voices)
}

// GenerateN implements [llm.SampleGenerator]. Samples that the ledger holds come from it; the rest are asked for in as
// few calls as the inner model allows, and each completion is stored as its own row before it is returned. The
// responses end at the first sample that got no completion; later ones are stored, and Generate finds them.
func (m *Model) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	slots := make([]*slot, len(samples))
	for i, k := range samples {
		r.Sample = k
		slots[i] = &slot{request: r, key: r.Key()}
	}
	m.fill(ctx, slots)
	if unknown := unknownOf(slots); unknown != nil {
		return m.rest(slots), unknown
	}
	// An error that is not a failure (a cancelled context, a full disk) ends the run, so no response is returned with
	// it.
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

// unknownOf lists the samples that the inner model noted for a batch; nil where there are none, or another error counts.
func unknownOf(slots []*slot) error {
	var u prompting.Unknown
	for _, s := range slots {
		switch {
		case errors.Is(s.err, prompting.ErrUnknown):
			u.Samples = append(u.Samples, s.request.Sample)
		case s.err != nil:
			return nil
		}
	}
	if u.Samples == nil {
		return nil
	}
	return &u
}

// rest returns the responses of all slots, empty for those that are not known.
func (m *Model) rest(slots []*slot) []llm.Response {
	out := make([]llm.Response, len(slots))
	for i, s := range slots {
		if out[i] = s.resp; s.ok {
			m.returned(s)
		}
	}
	return out
}

// keep notes the outcomes of samples that GenerateN did not return, so that asking for one makes no second call, and
// reports whether its call was made in this run, or why there is no completion.
func (m *Model) keep(slots []*slot) {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	for _, s := range slots {
		// Completions from the ledger need no note: asking again finds them. An error of a call for several samples is
		// not noted either, because a call for one may succeed.
		if s.ok && !s.resp.Cached || s.alone {
			m.ledger.left[s.key] = s.outcome
		}
	}
}

// take returns and forgets the outcome of a sample that an earlier GenerateN noted.
func (m *Model) take(key string) (outcome, bool) {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	out, ok := m.ledger.left[key]
	delete(m.ledger.left, key)
	return out, ok
}

// fill answers the slots, in this order: from noted outcomes, from the ledger, by a call, by waiting for another
// goroutine's call. A slot stays unanswered only if a call for several samples gave fewer.
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
	// Calls come before waiting: another goroutine may wait for mine while this one waits for theirs.
	mine, theirs, flights := m.claim(open)
	if len(mine) > 0 {
		m.ask(ctx, mine)
		m.land(mine)
	}
	for i, s := range theirs {
		m.await(ctx, s, flights[i])
	}
}

// lookUp answers a slot without a call, and reports whether it could.
func (m *Model) lookUp(ctx context.Context, s *slot) bool {
	if out, ok := m.take(s.key); ok {
		s.outcome = out
		return true
	}
	if s.resp, s.ok, s.err = m.ledger.Get(ctx, s.key); s.ok || s.err != nil {
		return true
	}
	// A known failure comes after the ledger: a completion that another run has bought since is still the answer.
	reason, known := m.o.Known[s.key]
	if known {
		m.known.Add(1)
		s.err, s.alone = &llm.Failure{Reason: reason}, true
	}
	return known
}

// claim divides slots into those that this goroutine will call for and those that other goroutines already call for.
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

// land publishes the outcomes to the goroutines that wait for them.
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

// await copies the outcome of another goroutine's call. If that call gave nothing for the sample, or was cancelled with
// its goroutine, the sample is asked for again.
func (m *Model) await(ctx context.Context, s *slot, f *flight) {
	select {
	case <-ctx.Done():
		s.err = ctx.Err()
		return
	case <-f.done:
	}
	// Cancellation belongs to the goroutine that called and not to this one, so it is no answer for this slot.
	cancelled := errors.Is(f.out.err, context.Canceled) || errors.Is(f.out.err, context.DeadlineExceeded)
	if f.out.ok || f.out.err != nil && !cancelled {
		s.outcome = f.out
		s.resp.Cached = s.ok // the other goroutine reports the call
		return
	}
	// The other's call is over without an answer for this sample, so this goroutine takes its place in the queue.
	if s.err = ctx.Err(); s.err == nil {
		m.fill(ctx, []*slot{s})
	}
}

// isFailure reports whether err is a failure of one item, and not one that ends the run.
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

// Counts says what a Model did so far, in numbers of completions, vectors apart.
type Counts struct {
	Cached int64 // answered by the ledger
	Called int64 // given by a call
	Failed int64 // called for without success
	Known  int64 // not called for, because Options.Known has the failure

	Recalled int64 // vectors that the ledger gave, each text of a request once
	Embedded int64 // vectors that a call gave
}

// Plus adds two counts.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Cached + d.Cached, c.Called + d.Called, c.Failed + d.Failed, c.Known + d.Known, c.Recalled + d.Recalled, c.Embedded + d.Embedded}
}

// Counts returns what the model did so far.
func (m *Model) Counts() Counts {
	return Counts{m.cached.Load(), m.called.Load(), m.failed.Load(), m.known.Load(), m.recalled.Load(), m.embedded.Load()}
}
