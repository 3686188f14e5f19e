package retry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// clock is a clock that a test moves: sleeping takes no time and moves it on.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
	jump  time.Duration // added once, at the next sleep

	during func() // run once, at the next sleep
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	during := c.during
	c.during = nil
	c.mu.Unlock()
	if during != nil {
		during()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept = append(c.slept, d)
	c.now = c.now.Add(d + c.jump)
	c.jump = 0
	return ctx.Err()
}

func (c *clock) total() (sum time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.slept {
		sum += d
	}
	return sum
}

// fails returns a model that fails with each error in turn (nil means an answer) and answers from then on.
func fails(errs ...error) (*llm.Scripted, *atomic.Int64) {
	var n atomic.Int64
	return &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if i := int(n.Add(1)) - 1; i < len(errs) {
			return "ok", errs[i]
		}
		return "ok", nil
	}}, &n
}

func throttled(after time.Duration) error {
	return &llm.Failure{Reason: "http 429", Status: 429, Retryable: true, RetryAfter: after}
}

func status(code int) error {
	return &llm.Failure{Reason: fmt.Sprintf("http %d", code), Status: code, Retryable: code >= 500}
}

var lost = &llm.Failure{Reason: "connection reset", Retryable: true}

func ask(m *Model) error {
	_, err := m.Generate(context.Background(), llm.Request{})
	return err
}

func TestWhatIsAskedAgain(t *testing.T) {
	check := func(what string, calls int, ok bool, errs ...error) {
		t.Helper()
		inner, n := fails(errs...)
		m := Wrap(inner, Options{Clock: newClock(), Attempts: 4})
		err := ask(m)
		if (err == nil) != ok || int(n.Load()) != calls {
			t.Errorf("%s: %v after %d calls, want %d", what, err, n.Load(), calls)
		}
		if !ok && !errors.Is(err, errs[calls-1]) {
			t.Errorf("%s: %v is not the last call's error", what, err)
		}
		s := m.Stats()
		if int(s.Attempts) != calls || int(s.Retries) != calls-1 || s.Requests != 1 {
			t.Errorf("%s: %+v", what, s)
		}
	}
	check("an answer", 1, true)
	check("429, then an answer", 2, true, throttled(0))
	check("500, 503, reset, then an answer", 4, true, status(500), status(503), lost)
	check("500 too often", 4, false, status(500), status(500), status(500), status(500))
	check("400", 1, false, status(400))
	check("blocked", 1, false, &llm.Failure{Reason: "blocked: SAFETY"})
	check("an error that ends the run", 1, false, errors.New("http 401"))
	check("500, then blocked", 2, false, status(500), &llm.Failure{Reason: "blocked: SAFETY"})
	check("a wait beyond patience", 1, false, throttled(time.Hour))
}

func TestWaits(t *testing.T) {
	check := func(what string, low, high []time.Duration, errs ...error) {
		t.Helper()
		c := newClock()
		inner, _ := fails(errs...)
		if err := ask(Wrap(inner, Options{Clock: c})); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if len(c.slept) != len(low) {
			t.Errorf("%s: waits %v", what, c.slept)
			return
		}
		for i, d := range c.slept {
			if d < low[i] || d > high[i] {
				t.Errorf("%s: wait %d is %v, want %v to %v", what, i, d, low[i], high[i])
			}
		}
	}
	s := func(xs ...float64) (ds []time.Duration) {
		for _, x := range xs {
			ds = append(ds, time.Duration(x*float64(time.Second)))
		}
		return ds
	}
	check("doubled, give or take a half", s(0.5, 1, 2), s(1.5, 3, 6), status(500), status(503), lost)
	check("as the provider asks, and up to a tenth more", s(7), s(7.7), throttled(7*time.Second))
	check("the provider's wait does not stop the doubling", s(7, 1), s(7.7, 3), throttled(7*time.Second), status(500))
}

func TestJitterComesFromTheSeed(t *testing.T) {
	waits := func(seed uint64) []time.Duration {
		c := newClock()
		inner, _ := fails(status(500), status(500), status(500))
		ask(Wrap(inner, Options{Clock: c, Seed: seed}))
		return c.slept
	}
	if d := cmp.Diff(waits(1), waits(1)); d != "" {
		t.Error(d)
	}
	if cmp.Diff(waits(1), waits(2)) == "" {
		t.Error("two seeds wait alike")
	}
}

func TestAPauseHoldsEveryRequestBack(t *testing.T) {
	c := newClock()
	start := c.Now()
	var at []time.Duration // when each call came
	m := Wrap(&llm.Scripted{Reply: func(r llm.Request) (string, error) {
		at = append(at, c.Now().Sub(start))
		if len(at) == 1 {
			return "", throttled(10 * time.Second)
		}
		return "ok", nil
	}}, Options{Clock: c})
	c.during = func() { // while the first request waits, a second one comes
		if err := ask(m); err != nil {
			t.Error(err)
		}
	}
	if err := ask(m); err != nil {
		t.Fatal(err)
	}
	if len(at) != 3 || at[0] != 0 || at[1] < 10*time.Second {
		t.Errorf("calls at %v, want none within the 10 s asked for", at)
	}
}

func TestClockJumps(t *testing.T) {
	check := func(what string, jump, most time.Duration) {
		t.Helper()
		c := newClock()
		c.jump = jump
		inner, n := fails(throttled(10*time.Second), throttled(10*time.Second))
		m := Wrap(inner, Options{Clock: c, RequestsPerMinute: 60, TokensPerMinute: 6000})
		for range 5 {
			if err := ask(m); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n.Load() != 7 || c.total() > most {
			t.Errorf("%s: %d calls, waits %v", what, n.Load(), c.slept)
		}
	}
	check("none", 0, time.Minute)
	check("forward", 24*time.Hour, time.Minute)
	check("back", -24*time.Hour, time.Minute)
}

func TestRequestsPerMinute(t *testing.T) {
	c := newClock()
	var at []time.Duration
	start := c.Now()
	m := Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) {
		at = append(at, c.Now().Sub(start))
		return "ok", nil
	}}, Options{Clock: c, RequestsPerMinute: 30})
	for range 100 {
		if err := ask(m); err != nil {
			t.Fatal(err)
		}
	}
	for i := 30; i < len(at); i++ {
		if at[i]-at[i-30] < time.Minute-time.Millisecond {
			t.Fatalf("31 requests within %v, from %v on", at[i]-at[i-30], at[i-30])
		}
	}
	if last := at[99]; last > 200*time.Second {
		t.Errorf("100 requests took %v, want about 198 s", last)
	}
}

func TestTokensPerMinute(t *testing.T) {
	c := newClock()
	start := c.Now()
	m := Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) { return strings.Repeat("x", 2000), nil }},
		Options{Clock: c, TokensPerMinute: 6000})
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("y", 2000)}}}
	for range 60 { // 500 tokens in and 500 out, 60,000 in all
		if _, err := m.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Now().Sub(start); got < 9*time.Minute || got > 10*time.Minute {
		t.Errorf("60,000 tokens at 6,000 a minute took %v", got)
	}
}

func TestConcurrencyFollowsThrottling(t *testing.T) {
	s := newSlots(16)
	check := func(what string, want int) {
		t.Helper()
		if got := s.limitNow(); got != want {
			t.Errorf("%s: %d in flight, want %d", what, got, want)
		}
	}
	take := func() {
		t.Helper()
		if err := s.acquire(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	check("start", 16)
	e := s.epochNow()
	s.halve(e)
	s.halve(e) // a second 429 of the same burst
	check("a burst of 429", 8)
	s.halve(s.epochNow())
	s.halve(s.epochNow())
	s.halve(s.epochNow())
	s.halve(s.epochNow())
	check("many bursts", 1)
	take()
	s.release(true)
	check("a completion", 2)
	for range 40 {
		take()
		s.release(true)
	}
	check("many completions", 16)
}

func TestNoMoreInFlightThanAllowed(t *testing.T) {
	var now, most, n atomic.Int64
	m := Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) {
		if k := now.Add(1); k > most.Load() {
			most.Store(k)
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		if n.Add(1)%7 == 0 {
			return "", throttled(0)
		}
		return "ok", nil
	}}, Options{Clock: newClock(), Concurrency: 3, Attempts: 50})
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			if err := ask(m); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 {
		t.Errorf("%d in flight", most.Load())
	}
	if m.slots.used != 0 || len(m.slots.queue) != 0 {
		t.Errorf("slots left: %+v", m.slots)
	}
	if s := m.Stats(); s.Requests != 60 || s.Attempts != n.Load() || s.Throttles != s.Retries || s.Failures != 0 {
		t.Errorf("%+v of %d calls", s, n.Load())
	}
}

func TestFailuresInARowEndTheRun(t *testing.T) {
	inner, n := fails(slices.Repeat([]error{status(503)}, 1000)...)
	m := Wrap(inner, Options{Clock: newClock(), Attempts: 2, GiveUp: 3})
	check := func(wantOpen bool, calls int64) {
		t.Helper()
		err := ask(m)
		var open *openError
		var f *llm.Failure
		if errors.As(err, &open) != wantOpen || errors.As(err, &f) == wantOpen || n.Load() != calls {
			t.Errorf("%v after %d calls, want open %v after %d", err, n.Load(), wantOpen, calls)
		}
	}
	check(false, 2)
	check(false, 4)
	check(true, 6)
	check(true, 6) // and no call from then on
	for _, part := range []string{"3 requests in a row", "http 503", "nothing that was answered is lost"} {
		if err := ask(m); !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

func TestWhatIsNotTheProvidersFaultEndsNoRun(t *testing.T) {
	check := func(what string, open bool, errs ...error) {
		t.Helper()
		inner, _ := fails(errs...)
		m := Wrap(inner, Options{Clock: newClock(), Attempts: 1, GiveUp: 3})
		var last error
		for range errs {
			last = ask(m)
		}
		var o *openError
		if errors.As(last, &o) != open {
			t.Errorf("%s: %v, want open %v", what, last, open)
		}
	}
	blocked := &llm.Failure{Reason: "blocked: SAFETY"}
	long := &llm.Failure{Reason: "prompt too long", Status: 400}
	check("blocks", false, blocked, blocked, blocked, blocked)
	check("long prompts", false, long, long, long, long)
	check("bad requests", true, status(400), status(400), status(400))
	check("an answer between", false, status(500), status(500), nil, status(500))
	check("a block between", false, status(500), status(500), blocked, status(500))
}

func TestTheEndReachesThoseWhoWait(t *testing.T) {
	release := make(chan struct{})
	m := Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) {
		<-release
		return "", status(503)
	}}, Options{Attempts: 1, GiveUp: 1, Concurrency: 1})
	errs := make(chan error)
	for range 5 {
		go func() { errs <- ask(m) }()
	}
	close(release)
	for range 5 {
		var open *openError
		if err := <-errs; !errors.As(err, &open) {
			t.Errorf("err = %v", err)
		}
	}
	if n := m.Stats().Attempts; n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestADoneContextIsReturnedAtOnce(t *testing.T) {
	inner, n := fails(throttled(5*time.Minute), throttled(5*time.Minute))
	m := Wrap(inner, Options{})
	check := func(what string, ctx context.Context, want error, calls int64) {
		t.Helper()
		start := time.Now()
		_, err := m.Generate(ctx, llm.Request{})
		var f *llm.Failure
		if !errors.Is(err, want) || errors.As(err, &f) || n.Load() != calls {
			t.Errorf("%s: %v after %d calls", what, err, n.Load())
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: after %v", what, d)
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	check("cancelled before", done, context.Canceled, 0)
	near, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	check("a deadline nearer than the wait", near, context.DeadlineExceeded, 1)
	soon, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	check("cancelled while waiting", soon, context.Canceled, 1)
}

// stuck hangs until its context ends, in the first calls.
type stuck struct {
	calls int64 // that it hangs in
	n     atomic.Int64
}

func (s *stuck) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if s.n.Add(1) > s.calls {
		return llm.Response{Text: "ok"}, nil
	}
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

func TestACallThatTakesTooLongIsAskedAgainOnce(t *testing.T) {
	check := func(hangs, attempts int, calls int64, want string) {
		t.Helper()
		s := &stuck{calls: int64(hangs)}
		err := ask(Wrap(s, Options{Clock: newClock(), Timeout: 10 * time.Millisecond, Attempts: attempts}))
		var f *llm.Failure
		if errors.As(err, &f) != (want != "") || f != nil && f.Reason != want || s.n.Load() != calls {
			t.Errorf("%d calls hang, %d attempts: %v after %d calls, want %q after %d", hangs, attempts, err, s.n.Load(), want, calls)
		}
	}
	check(1, 0, 2, "")
	check(2, 0, 2, "timeout")
	check(9, 0, 2, "timeout")
	check(9, 1, 1, "timeout")
}

// TestSamplesOneByOneWithoutGenerateN: each call is the caller's, who counts it and reserves what it costs.
func TestSamplesOneByOneWithoutGenerateN(t *testing.T) {
	inner, n := fails(nil, errors.New("stop"))
	m := Wrap(inner, Options{})
	got, err := m.GenerateN(context.Background(), llm.Request{}, []int{4, 5, 6})
	if err != nil || len(got) != 1 || n.Load() != 1 || inner.Asked()[0].Sample != 4 {
		t.Errorf("%d completions, %v, %d calls, asked %+v", len(got), err, n.Load(), inner.Asked())
	}
	if got, err := m.GenerateN(context.Background(), llm.Request{}, nil); err != nil || len(got) != 0 || n.Load() != 1 {
		t.Errorf("no samples: %d completions, %v, %d calls", len(got), err, n.Load())
	}
	if _, err := m.GenerateN(context.Background(), llm.Request{}, []int{5, 6}); err == nil || n.Load() != 2 {
		t.Errorf("%v after %d calls", err, n.Load())
	}
}

func BenchmarkGenerate(b *testing.B) {
	m := Wrap(&llm.Scripted{}, Options{RequestsPerMinute: 1 << 30, TokensPerMinute: 1 << 30, Clock: newClock()})
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("schema ", 500)}}}
	for b.Loop() {
		if _, err := m.Generate(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}
