// Package retry repeats calls that can still succeed: with growing waits, a bounded number of times, and never faster
// than the provider allows.
//
// A request waits for its turn (a free slot, the limits per minute, a pause that the provider asked for) and is sent
// once. After a retryable [llm.Failure] it waits and is sent again. Every 429 halves the number of calls in flight and
// every completion raises it by one, so that the rate settles at what the provider accepts.
//
// When the provider is gone the run ends, because otherwise all remaining items would become model errors. That is the
// case after a time in which calls fail and none is answered, after several requests in a row that fail for the
// provider's reasons, and at the first request that reaches no server when none was ever reached, because the address
// is then likely wrong.
//
// The package must never change a request or repeat one that was answered: a completion that is wrong or empty is a
// result.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"

	"github.com/cenkalti/backoff/v5"
)

// Attempts is how many calls a request may take, the first included, where nothing else is stated.
const Attempts = 8

// Options bound the calls. The zero value suits a paid provider without known limits.
type Options struct {
	Attempts    int           // calls per request, the first included; [Attempts] if 0; at most 3 if no server was ever reached
	FirstWait   time.Duration // mean wait before the second call, doubled for each further one; 1 s if 0
	LongestWait time.Duration // bound on that mean; 1 min if 0
	Patience    time.Duration // longest wait that a provider may ask for; beyond it the request fails; 15 min if 0
	Timeout     time.Duration // per call; a request may run into it twice; 5 min if 0, none if negative

	Concurrency       int // most calls in flight, also the number at the start; 16 if 0
	RequestsPerMinute int // no limit if 0
	TokensPerMinute   int // prompt and completion tokens; no limit if 0
	GiveUp            int // number of requests in a row that fail for the provider's reasons and end the run; 10 if 0, never if negative

	// Silence is how long calls may fail without one answer before the run ends; 1 min if 0, for ever if negative. A
	// wait that the provider asks for does not count, nor does a call that takes long.
	Silence time.Duration

	// Endless makes no failure the end of all calls, whatever GiveUp and Silence say: for a process that serves others and
	// outlives an outage. A request fails for itself, and the next one is tried.
	Endless bool

	// Again is called before each wait for another attempt, with the failure that caused it; from several goroutines at
	// once. Nil calls nothing.
	Again func(f *llm.Failure, wait time.Duration)

	Leave *Leave // of the calls in flight when the context is cancelled; nil cuts them off

	Seed  uint64 // of the jitter, on which no result depends
	Clock Clock  // the system's if nil
}

// withDefaults replaces zeros by the defaults that Options documents.
func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	wait := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.Attempts, Attempts)
	def(&o.Concurrency, 16)
	def(&o.GiveUp, 10)
	wait(&o.FirstWait, time.Second)
	wait(&o.LongestWait, time.Minute)
	wait(&o.Patience, 15*time.Minute)
	wait(&o.Timeout, 5*time.Minute)
	wait(&o.Silence, time.Minute)
	if o.Endless {
		o.GiveUp, o.Silence = -1, -1
	}
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	return o
}

// Clock gives the time and waits. Tests supply their own, so that they take no real time.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with the context's error as soon as that is done.
	Sleep(ctx context.Context, d time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Model is a model that retries. It is safe for concurrent use.
type Model struct {
	inner llm.Model
	o     Options
	slots *slots
	rate  *limits
	trip  *circuit
	long  long
	count struct{ requests, attempts, retries, throttles, failures, waited atomic.Int64 }

	mu  sync.Mutex // guards rng
	rng *rand.Rand
}

var (
	_ llm.SampleGenerator = (*Model)(nil)
	_ llm.EmbeddingModel  = (*Model)(nil)
	_ llm.Warner          = (*Model)(nil)
)

// Wrap returns a Model that retries the calls of m.
func Wrap(m llm.Model, o Options) *Model {
	o = o.withDefaults()
	return &Model{inner: m, o: o, slots: newSlots(o.Concurrency), rate: newLimits(o.RequestsPerMinute, o.TokensPerMinute),
		trip: newCircuit(o.GiveUp, o.Silence, o.Endless), rng: rand.New(rand.NewPCG(o.Seed, 0x7265747279))}
}

// Generate calls until a completion comes, a repetition cannot help, or the attempts are used up: the error is then the
// last [*llm.Failure]. A prompt that was too long in another sample fails without a call. A context that is done, or
// whose deadline the next wait would pass, is returned at once. An [*openError] ends the run.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if f := m.long.of(r); f != nil {
		return llm.Response{}, f
	}
	got, err := do(ctx, m, prompt(r), func(ctx context.Context) (one []llm.Response, err error) {
		resp, err := m.inner.Generate(ctx, r)
		return []llm.Response{resp}, err
	}, spent)
	if err != nil {
		return llm.Response{}, m.long.note(r, err)
	}
	return got[0], nil
}

// GenerateN implements [llm.SampleGenerator] by the model's own GenerateN or, if it has none, gives the first of the samples
// alone: each of the others is a call of its own, with a price and a turn of its own, and so the caller's.
func (m *Model) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	g, ok := m.inner.(llm.SampleGenerator)
	if !ok {
		r.Sample = samples[0]
		resp, err := m.Generate(ctx, r)
		if err != nil {
			return nil, err
		}
		return []llm.Response{resp}, nil
	}
	if f := m.long.of(r); f != nil {
		return nil, f
	}
	got, err := do(ctx, m, prompt(r), func(ctx context.Context) ([]llm.Response, error) {
		return g.GenerateN(ctx, r, samples)
	}, spent)
	return got, m.long.note(r, err)
}

// Do applies the same retries and limits to a call that is no completion. The error of the last attempt is returned.
func (m *Model) Do(ctx context.Context, call func(context.Context) error) error {
	_, err := do(ctx, m, 0, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) }, func(struct{}) int { return 0 })
	return err
}

// Vectors implements [llm.EmbeddingModel] by the model's own, with the same retries and within the same limits.
func (m *Model) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	chars := 0
	for _, t := range r.Texts {
		chars += len(t)
	}
	return do(ctx, m, (chars+3)/4, func(ctx context.Context) (llm.Embedding, error) { return llm.VectorsBy(ctx, m.inner, r) },
		func(e llm.Embedding) int { return e.Usage().PromptTokens })
}

// Warnings returns the model's own warnings.
func (m *Model) Warnings() []string {
	if w, ok := m.inner.(llm.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// prompt estimates a request's prompt tokens, because the limits must be reserved before the provider counts.
func prompt(r llm.Request) int { return llm.EstimateUsage(r, "").PromptTokens }

// spent returns the tokens that responses used, prompt and completion together.
func spent(rs []llm.Response) int {
	n := 0
	for _, r := range rs {
		n += r.Usage.PromptTokens + r.Usage.CompletionTokens
	}
	return n
}

// do repeats call as long as that can help. tokens is the estimate for the prompt; used returns the tokens that an
// answer used in all.
func do[T any](ctx context.Context, m *Model, tokens int, call func(context.Context) (T, error), used func(T) int) (T, error) {
	q := &request{number: m.count.requests.Add(1), wait: &backoff.ExponentialBackOff{InitialInterval: m.o.FirstWait, Multiplier: 2, MaxInterval: m.o.LongestWait}}
	q.wait.Reset()
	var zero T
	for {
		// Each attempt waits for its turn again: a retry must not pass requests that wait for the limits.
		if err := m.turn(ctx, tokens); err != nil {
			return zero, err
		}
		got, err := once(ctx, m, q, call)
		if err == nil {
			// The reservation covered the prompt only, because nobody knows a completion's length in advance.
			m.rate.charge(m.o.Clock.Now(), used(got)-tokens)
			m.slots.release(true)
			return got, nil
		}
		pause, f, err := m.judge(err, q)
		m.slots.release(false) // after judge: if that ends the run, no other request may start in between
		if f == nil {
			return zero, err
		}
		if m.o.Again != nil {
			m.o.Again(f, pause)
		}
		if err := m.sleep(ctx, pause, f); err != nil {
			return zero, err
		}
	}
}

// request is one request in progress.
type request struct {
	number int64 // from 1
	calls  int   // made so far
	late   int   // calls that ran out of time
	wait   backoff.BackOff
}

// judge decides what follows a call's error: how long to wait after f before the next call, or, with f nil, the error
// to return.
func (m *Model) judge(err error, q *request) (time.Duration, *llm.Failure, error) {
	var f *llm.Failure
	if !errors.As(err, &f) {
		m.trip.dropped(q.number)
		return 0, nil, err
	}
	now := m.o.Clock.Now()
	if !providersFault(f) {
		m.count.failures.Add(1)
		m.trip.answered(q.number, now)
		return 0, nil, err
	}
	m.trip.failed(q.number, f, now)
	if open := m.trip.err(); open != nil {
		m.count.failures.Add(1)
		return 0, nil, open
	}
	if !f.Retryable || q.calls >= m.attempts(f, q) || f.RetryAfter > m.o.Patience {
		m.count.failures.Add(1)
		if open := m.trip.spent(f); open != nil {
			return 0, nil, open
		}
		return 0, nil, err
	}
	return m.pause(q.wait.NextBackOff(), f, now), f, nil
}

// Bounds on the calls per request in two cases.
const (
	unreached = 3 // while no server was ever reached: enough for one that is just starting
	late      = 2 // calls that run out of time: a completion that takes too long (one without an end) will again
)

// attempts returns how many calls a request that failed with f may take. A server that was never reached and accepts a
// connection without a TLS handshake most likely speaks no TLS, so one call is enough.
func (m *Model) attempts(f *llm.Failure, q *request) int {
	switch {
	case f.Reason == wire.Silent && !m.trip.reached():
		return 1
	case noConnection(f) && !m.trip.reached():
		return min(unreached, m.o.Attempts)
	case q.late >= late:
		return q.calls
	}
	return m.o.Attempts
}

// once makes one call in the slot that turn acquired, and reports its outcome to slots, limits and circuit.
func once[T any](ctx context.Context, m *Model, q *request, call func(context.Context) (T, error)) (T, error) {
	epoch := m.slots.epochNow()
	m.count.attempts.Add(1)
	if q.calls++; q.calls > 1 {
		m.count.retries.Add(1)
	}
	m.trip.began(q.number, m.o.Clock.Now())
	var got T
	ranOut, err := m.inTime(ctx, func(ctx context.Context) (err error) { got, err = call(ctx); return err })
	var f *llm.Failure
	switch {
	case err == nil:
		m.trip.answered(q.number, m.o.Clock.Now())
	case ctx.Err() != nil:
		err = ctx.Err()
	case m.trip.err() != nil && errors.Is(err, context.Canceled):
		err = m.trip.err()
	case ranOut && errors.Is(err, context.DeadlineExceeded):
		err = &llm.Failure{Reason: wire.Timeout, Retryable: true,
			Err: fmt.Errorf("no answer within %v: bound completions by model.max_tokens, or raise limits.call_timeout", m.o.Timeout)}
	case errors.As(err, &f) && f.Status == http.StatusTooManyRequests:
		m.count.throttles.Add(1)
		m.slots.halve(epoch)
		if f.RetryAfter <= m.o.Patience {
			m.rate.pause(m.o.Clock.Now(), f.RetryAfter)
		}
	}
	if errors.As(err, &f) && f.Reason == wire.Timeout {
		q.late++
	}
	return got, err
}

// inTime makes a call within its time limit, and cancels it when the provider is given up. ranOut says that the limit passed.
func (m *Model) inTime(ctx context.Context, call func(context.Context) error) (ranOut bool, err error) {
	err = m.o.Leave.call(ctx, func(ctx context.Context) (err error) {
		ranOut, err = m.within(ctx, call)
		return err
	})
	return ranOut, err
}

// within is inTime for a call that a cancelled context cuts off.
func (m *Model) within(ctx context.Context, call func(context.Context) error) (ranOut bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.trip.ctx, cancel)()
	if m.o.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, m.o.Timeout)
		defer cancel()
	}
	if server, ok := m.inner.(llm.Reacher); ok && m.o.Silence > 0 {
		go m.watch(ctx, server)
	}
	err = call(ctx)
	return errors.Is(ctx.Err(), context.DeadlineExceeded), err
}

// turn waits for a slot, for a pause that the provider asked for, and for the limits per minute. On an error it holds
// no slot.
func (m *Model) turn(ctx context.Context, tokens int) error {
	if err := m.trip.err(); err != nil {
		return err
	}
	if err := m.slots.acquire(ctx, m.trip.opened); err == errClosed {
		return m.trip.err()
	} else if err != nil {
		return err
	}
	if err := m.trip.err(); err != nil {
		m.slots.release(false)
		return err
	}
	wait, seen, cancel := m.rate.reserve(m.o.Clock.Now(), tokens)
	for wait > 0 {
		if err := m.sleep(ctx, wait, nil); err != nil {
			cancel(m.o.Clock.Now())
			m.slots.release(false)
			return err
		}
		wait, seen = m.rate.paused(m.o.Clock.Now(), seen) // another request may have met a pause in the meantime
	}
	return nil
}

// sleep waits for d, unless the context ends first, would end first, or the run ends. f is the failure that causes the
// wait, nil if it is for a turn.
func (m *Model) sleep(ctx context.Context, d time.Duration, f *llm.Failure) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		why := "its turn"
		if f != nil {
			why = "after " + f.Reason
		}
		return fmt.Errorf("retry: the deadline is nearer than the wait of %v for %s: %w", d, why, context.DeadlineExceeded)
	}
	m.count.waited.Add(int64(d))
	sctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(m.trip.ctx, cancel)
	defer stop()
	err := m.o.Clock.Sleep(sctx, d)
	if open := m.trip.err(); open != nil {
		return open
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// pause returns how long to wait after f; d is the mean. The wait is drawn from 50 to 150 percent of d, so that
// requests that failed together do not return together, and ends no later than the allowed silence. A wait that the
// provider asks for is a lower bound, exceeded by up to a tenth for the same reason.
func (m *Model) pause(d time.Duration, f *llm.Failure, now time.Time) time.Duration {
	m.mu.Lock()
	x := m.rng.Float64()
	m.mu.Unlock()
	if f.RetryAfter > 0 {
		return f.RetryAfter + time.Duration(x*float64(f.RetryAfter)/10)
	}
	d = time.Duration((0.5 + x) * float64(d))
	if left := m.trip.left(now); left > 0 {
		d = min(d, left)
	}
	return d
}

// providersFault reports whether f is a failure that other requests will share, and not one of this request alone: a
// blocked answer, an empty text, a prompt that is too long. A page in place of JSON, or an answer without an end, points
// to a wrong address.
func providersFault(f *llm.Failure) bool {
	return f.Retryable || f.Status != 0 && f.Reason != wire.TooLong || slices.Contains([]string{wire.WrongType, wire.TooLarge, wire.Header}, f.Reason)
}

// Stats says what a Model did so far.
type Stats struct {
	Requests    int64         // received
	Attempts    int64         // calls made
	Retries     int64         // calls made after a failed one
	Throttles   int64         // calls answered 429
	Failures    int64         // requests that got no completion
	Waited      time.Duration // all waits together
	Concurrency int           // calls that may be in flight now
}

// Stats returns what the model did so far.
func (m *Model) Stats() Stats {
	c := &m.count
	return Stats{c.requests.Load(), c.attempts.Load(), c.retries.Load(), c.throttles.Load(), c.failures.Load(),
		time.Duration(c.waited.Load()), m.slots.limitNow()}
}
