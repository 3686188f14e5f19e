package runner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/metrics"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/llm/ledger"
)

// make plans the quickstart over a few items.
func makePlan(t *testing.T, cache string, set ...string) *plan.Plan {
	t.Helper()
	e, err := configs.Load("quickstart", catalog.Known, configs.Options{Set: append([]string{"dataset.limit=5"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// counting is the baseline behind a counter; before is called ahead of each call with its number.
type counting struct {
	inner  llm.Model
	calls  atomic.Int64
	before func(n int64) error
}

func (c *counting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	n := c.calls.Add(1)
	if c.before != nil {
		if err := c.before(n); err != nil {
			return llm.Response{}, err
		}
	}
	return c.inner.Generate(ctx, r)
}

func (c *counting) open(context.Context, configs.Model, configs.Limits) (llm.Model, error) {
	return c, nil
}

func newCounting(before func(int64) error) *counting {
	return &counting{inner: baseline.New(), before: before}
}

// read is the run that a result is of.
func read(t *testing.T, res runner.Result) *record.Run {
	t.Helper()
	r, err := record.Read(res.Dir, catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same fails unless two run folders hold the same files but for the column cached.
func same(t *testing.T, a, b string) {
	t.Helper()
	sameFiles(t, a, b, record.QuestionsFile, record.CandidatesFile, record.CallsFile, record.ManifestFile)
}

func sameFiles(t *testing.T, a, b string, names ...string) {
	t.Helper()
	for _, name := range names {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestAStoppedRunGoesOnWithoutRepeatingACall(t *testing.T) {
	cache := t.TempDir()
	p := makePlan(t, cache)
	whole := newCounting(nil)
	want, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: whole.open})
	if err != nil {
		t.Fatal(err)
	}

	st := store.Open(t.TempDir())
	var calls int64
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(context.Background())
		m := newCounting(func(n int64) error {
			if n == 4 {
				cancel()
			}
			return nil
		})
		res, err := runner.Run(ctx, p, runner.Options{Store: st, Model: m.open})
		cancel()
		calls += m.calls.Load()
		var stopped *runner.StoppedError
		if errors.As(err, &stopped) {
			if m, _, err := record.ReadManifest(stopped.Dir); err != nil || m.Complete {
				t.Fatalf("after a stop: complete %v, %v", m.Complete, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if stops < 3 {
			t.Errorf("only %d stops: the test shows nothing", stops)
		}
		same(t, want.Dir, res.Dir)
		break
	}
	// A call that the cancellation caught before it was answered is asked again: at most one a worker and stop.
	if done := whole.calls.Load(); calls < done {
		t.Errorf("%d calls, fewer than the %d of a whole run", calls, done)
	}
	l, err := st.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if n, err := l.Count(context.Background()); err != nil || int64(n) != whole.calls.Load() {
		t.Errorf("%d completions kept, want %d (%v)", n, whole.calls.Load(), err)
	}
}

func TestAFinishedRunIsReplayedOffline(t *testing.T) {
	p := makePlan(t, t.TempDir())
	st := store.Open(t.TempDir())
	first, err := runner.Run(context.Background(), p, runner.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	if first.Counts.Called == 0 || first.Counts.Cached != 0 {
		t.Errorf("first run: %+v", first.Counts)
	}
	again, err := runner.Run(context.Background(), p, runner.Options{Store: st, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if again.Counts.Called != 0 || again.Counts.Cached != first.Counts.Called {
		t.Errorf("second run: %+v after %+v", again.Counts, first.Counts)
	}
	_, err = runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Offline: true})
	var miss *ledger.MissError
	if !errors.As(err, &miss) {
		t.Errorf("offline with an empty ledger: %v", err)
	}
}

func TestAModelErrorIsCountedAndNotScored(t *testing.T) {
	p := makePlan(t, t.TempDir(), "workers=1")
	m := newCounting(func(n int64) error {
		if n == 1 {
			return &llm.Failure{Reason: "blocked: SAFETY"}
		}
		return nil
	})
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	if err != nil {
		t.Fatal(err)
	}
	run := read(t, res)
	it, c := run.Items[0], run.Candidates[0]
	if it.Status != metrics.ModelError || it.Values[0].OK || it.SQL != "" || c.Why != "blocked: SAFETY" {
		t.Errorf("item %+v, candidate %+v", it, c)
	}
	for _, it := range run.Items[1:] {
		if it.Status == metrics.ModelError || !it.Values[0].OK {
			t.Errorf("item %+v", it)
		}
	}
}

// A result counts the answers that are model-errors and says why the first failed, also where no call is made.
func TestAResultSaysWhatFailed(t *testing.T) {
	p := makePlan(t, t.TempDir(), "dataset.limit=1", "workers=1")
	check := func(what string, st store.Store, fail func(int64) error, failed int, why string) {
		t.Helper()
		res, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: newCounting(fail).open})
		if err != nil {
			t.Fatal(err)
		}
		if res.Answers != 5 || res.Failed != failed || res.Failure != why {
			t.Errorf("%s: %d of %d failed, %q; want %d, %q", what, res.Failed, res.Answers, res.Failure, failed, why)
		}
	}
	check("every call answered", store.Open(t.TempDir()), nil, 0, "")
	check("one call failed", store.Open(t.TempDir()), func(n int64) error {
		if n == 1 {
			return &llm.Failure{Reason: "blocked: SAFETY"}
		}
		return nil
	}, 1, "blocked: SAFETY")
	st := store.Open(t.TempDir())
	none := func(n int64) error {
		return &llm.Failure{Reason: "http 500", Err: fmt.Errorf("call %d", n), Retryable: true}
	}
	check("none answered", st, none, 5, "http 500: call 1")
	check("none asked again", st, none, 5, "http 500: call 1")
}

// The server's own words are in the run's folder, on one line and without the key, and stay where nobody is asked again.
func TestTheServersWordsAreKept(t *testing.T) {
	const key = "sk-secret-key"
	t.Setenv("ASSAY_TEST_KEY", key)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error": {"message": "grammar is bad\nfor %s", "code": "bad_grammar"}}`, key)
	}))
	p := makePlan(t, t.TempDir(), "dataset.limit=1", "limits.give_up=100", "model.provider=openai", "model.name=x",
		"model.key_env=ASSAY_TEST_KEY", "model.base_url="+server.URL+"/v1")
	st := store.Open(t.TempDir())
	check := func(what string) {
		t.Helper()
		res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
		if err != nil {
			t.Fatal(err)
		}
		const want = "http 400: bad_grammar: grammar is bad for [key]"
		if run := read(t, res); run.Calls[0].Failure != want || run.Candidates[0].Why != want {
			t.Errorf("%s: call %q, candidate %q", what, run.Calls[0].Failure, run.Candidates[0].Why)
		}
	}
	check("asked")
	server.Close()
	check("found finished")
}

// A run over a network tells of the first wait, by the model that the catalog opens.
func TestARunTellsOfWaits(t *testing.T) {
	p := makePlan(t, t.TempDir(), "dataset.limit=1", "workers=1", "limits.give_up=1", "limits.attempts=2",
		"model.provider=openai", "model.name=x", "model.base_url=http://127.0.0.1:1/v1")
	var mu sync.Mutex
	var retried []string
	_, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()),
		Again: func(cause, why string, wait time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			retried = append(retried, cause, why)
		}})
	if err == nil || len(retried) < 2 || retried[0] != "transport" || !strings.Contains(retried[1], "transport: dial 127.0.0.1:1: ") {
		t.Errorf("retried %q; %v", retried, err)
	}
}

// crowd is a server that answers no call before so many are in flight.
type crowd struct {
	mu              sync.Mutex
	want, now, most int
	there           chan struct{} // closed once they are
}

func (c *crowd) expect(n int) { c.want, c.most, c.there = n, 0, make(chan struct{}) }

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.now++
	if c.now == c.want && c.most < c.want {
		close(c.there)
	}
	c.most = max(c.most, c.now)
	c.mu.Unlock()
	select {
	case <-c.there:
	case <-r.Context().Done():
	}
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
	fmt.Fprint(w, `{"choices": [{"message": {"content": "SELECT 1"}, "finish_reason": "stop"}]}`)
}

// As many calls are in flight as the limits say, whatever the workers, and the files are the same.
func TestCallsInFlightFollowTheLimits(t *testing.T) {
	c := &crowd{}
	server := httptest.NewServer(c)
	defer server.Close()
	check := func(workers, concurrency int) string {
		t.Helper()
		c.expect(concurrency)
		p := makePlan(t, t.TempDir(), fmt.Sprintf("workers=%d", workers), fmt.Sprintf("limits.concurrency=%d", concurrency), "limits.call_timeout=2m",
			"limits.attempts=1", "model.provider=openai", "model.name=x", "model.base_url="+server.URL+"/v1")
		res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir())})
		if err != nil || res.Failed > 0 || c.most != concurrency {
			t.Errorf("%d workers: %d in flight, %d failed, %v; want %d", workers, c.most, res.Failed, err, concurrency)
		}
		return res.Dir
	}
	want := check(1, 9)
	for _, got := range []string{check(4, 9), check(4, 1)} { // run.toml states the settings
		sameFiles(t, want, got, record.ItemsFile, record.QuestionsFile, record.CandidatesFile, record.CallsFile)
	}
}

func TestAFinishedRunKeepsItsModelErrorsUntilToldToRetry(t *testing.T) {
	p := makePlan(t, t.TempDir())
	st := store.Open(t.TempDir())
	down := newCounting(func(n int64) error {
		if n <= 3 {
			return &llm.Failure{Reason: "http 500", Retryable: true}
		}
		return nil
	})
	check := func(m *counting, retry bool, wantCalls int64, wantErrors int) {
		t.Helper()
		before := m.calls.Load()
		res, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: m.open, RetryErrors: retry})
		if err != nil {
			t.Fatal(err)
		}
		errors := 0
		for _, c := range read(t, res).Calls {
			if c.Failure == "http 500" {
				errors++
			}
		}
		if calls := m.calls.Load() - before; errors != wantErrors || wantCalls >= 0 && calls != wantCalls {
			t.Errorf("retry %v: %d calls and %d failures, want %d and %d", retry, calls, errors, wantCalls, wantErrors)
		}
	}
	check(down, false, -1, 3)
	up := newCounting(nil)
	check(up, false, 0, 3)
	check(up, true, -1, 0)
	check(up, true, 0, 0)
}

func TestARunThatCannotGoOnKeepsWhatItHas(t *testing.T) {
	p := makePlan(t, t.TempDir(), "workers=1")
	st := store.Open(t.TempDir())
	m := newCounting(func(n int64) error {
		if n > 4 {
			return errors.New("the provider is gone")
		}
		return nil
	})
	_, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: m.open})
	var stopped *runner.StoppedError
	if !errors.As(err, &stopped) || stopped.Done == 0 || !strings.Contains(err.Error(), "the provider is gone") || !strings.Contains(err.Error(), "run the same command again") {
		t.Fatalf("err = %v", err)
	}
	run, err := record.Read(stopped.Dir, catalog.Known)
	if err != nil || run.Manifest.Complete || len(run.Items) != stopped.Done {
		t.Errorf("%d items, complete %v, %v", len(run.Items), run.Manifest.Complete, err)
	}
}

func TestAnErrorThatIsNoFailureEndsTheRun(t *testing.T) {
	p := makePlan(t, t.TempDir())
	m := newCounting(func(int64) error { return errors.New("the key was refused") })
	_, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	if err == nil || !strings.Contains(err.Error(), "the key was refused") {
		t.Errorf("err = %v", err)
	}
}

func TestRepeatCheckCountsOtherAnswers(t *testing.T) {
	p := makePlan(t, t.TempDir(), "exemplars.k=0")
	st := store.Open(t.TempDir())
	steady := newCounting(nil)
	res, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: steady.open})
	if err != nil {
		t.Fatal(err)
	}
	check := func(m *counting, wantText int) {
		t.Helper()
		before := m.calls.Load()
		got, err := runner.RepeatCheck(context.Background(), p, res, runner.Options{Store: st, Model: m.open}, 3)
		if err != nil || len(got) != 5 {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, r := range got {
			if r.Asked != 3 || r.Text != wantText || r.SQL != wantText {
				t.Errorf("%+v, want %d other texts", r, wantText)
			}
		}
		if n := m.calls.Load() - before; n != 15 {
			t.Errorf("%d calls, want 15: the ledger must not answer", n)
		}
	}
	check(steady, 0)
	check(&counting{inner: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "SELECT 'something else'", nil }}}, 3)
}
