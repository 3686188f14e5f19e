package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting/llm"
)

// many is a model that gives several samples per call, at most most of them, and fails for those in bad.
type many struct {
	llm.Scripted
	most  int
	bad   []int
	mu    sync.Mutex
	calls []string // "1 2 3" for GenerateN, "=1" for Generate
}

func (m *many) say(r llm.Request) string { return fmt.Sprintf("%s %d", r.Messages[0].Text, r.Sample) }

func (m *many) log(s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, s)
}

func (m *many) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	m.log(fmt.Sprintf("=%d", r.Sample))
	if slices.Contains(m.bad, r.Sample) {
		return llm.Response{}, &llm.Failure{Reason: fmt.Sprintf("blocked %d", r.Sample)}
	}
	return llm.Response{Text: m.say(r), Usage: llm.Usage{PromptTokens: 10, CompletionTokens: 5}}, nil
}

func (m *many) GenerateN(_ context.Context, r llm.Request, samples []int) (out []llm.Response, err error) {
	m.log(strings.Trim(fmt.Sprint(samples), "[]"))
	for _, k := range samples {
		if len(out) == m.most || slices.Contains(m.bad, k) {
			break
		}
		r.Sample = k
		out = append(out, llm.Response{Text: m.say(r)})
	}
	if len(out) == 0 {
		return nil, &llm.Failure{Reason: "blocked all"}
	}
	return out, nil
}

func TestSamplesHeldComeFromTheFileAndTheRestAtOnce(t *testing.T) {
	ctx := context.Background()
	check := func(what string, inner *many, held, ask []int, wantGot int, wantCalls ...string) *Model {
		t.Helper()
		l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
		for _, k := range held {
			r := request("q", k)
			if err := l.Put(ctx, r, llm.Response{Text: inner.say(r)}); err != nil {
				t.Fatal(err)
			}
		}
		m := l.Wrap(inner, Options{})
		got, err := m.GenerateN(ctx, request("q", 99), ask)
		if (err != nil) != (wantGot == 0 && len(ask) > 0) || len(got) != wantGot {
			t.Fatalf("%s: %d responses, %v", what, len(got), err)
		}
		for i, resp := range got {
			if want := inner.say(request("q", ask[i])); resp.Text != want || resp.Cached != slices.Contains(held, ask[i]) {
				t.Errorf("%s: response %d is %+v", what, i, resp)
			}
		}
		if !slices.Equal(inner.calls, wantCalls) {
			t.Errorf("%s: calls %q, want %q", what, inner.calls, wantCalls)
		}
		inner.calls = nil
		return m
	}
	check("none asked", &many{most: 9}, nil, nil, 0)
	check("none held", &many{most: 9}, nil, []int{0, 1, 2}, 3, "0 1 2")
	check("all held", &many{most: 9}, []int{0, 1}, []int{0, 1}, 2)
	check("n=3 extends to n=10 by 7", &many{most: 9}, []int{0, 1, 2}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, "3 4 5 6 7 8 9")
	check("held ones between", &many{most: 9}, []int{1, 3}, []int{0, 1, 2, 3}, 4, "0 2")
	check("the model has a limit", &many{most: 2}, nil, []int{0, 1, 2, 3, 4}, 5, "0 1 2 3 4", "2 3 4", "=4")
	check("the model ignores n", &many{most: 1}, nil, []int{0, 1, 2}, 1, "0 1 2")
	check("all blocked", &many{most: 9, bad: []int{0, 1}}, nil, []int{0, 1}, 0, "0 1")

	// What came after a failure is stored, and comes without a call when it is asked for; it was paid for in this run.
	inner := &many{most: 9, bad: []int{1}}
	m := check("blocked between", inner, []int{0, 2}, []int{0, 1, 2}, 1, "=1")
	if _, err := m.Generate(ctx, request("q", 1)); err == nil || !strings.Contains(err.Error(), "blocked 1") {
		t.Errorf("the blocked sample: %v", err)
	}
	if resp, err := m.Generate(ctx, request("q", 2)); err != nil || !resp.Cached {
		t.Errorf("the held sample: %+v, %v", resp, err)
	}
	if len(inner.calls) != 0 {
		t.Errorf("calls %q", inner.calls)
	}
	inner.bad = nil // a failure is reported once: asking again makes a new call
	if resp, err := m.Generate(ctx, request("q", 1)); err != nil || resp.Cached {
		t.Errorf("the blocked sample, later: %+v, %v", resp, err)
	}
}

func TestKnownFailuresHoldBackNoOtherSample(t *testing.T) {
	ctx := context.Background()
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	inner := &many{most: 9}
	m := l.Wrap(inner, Options{Known: map[string]string{request("q", 1).Key(): "blocked: SAFETY"}})
	got, err := m.GenerateN(ctx, request("q", 0), []int{0, 1, 2, 3})
	if err != nil || len(got) != 1 || !slices.Equal(inner.calls, []string{"0 2 3"}) {
		t.Fatalf("%d responses, calls %q, %v", len(got), inner.calls, err)
	}
	_, err = m.Generate(ctx, request("q", 1))
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != "blocked: SAFETY" {
		t.Errorf("err = %v", err)
	}
	resp, err := m.Generate(ctx, request("q", 3))
	if err != nil || resp.Cached || len(inner.calls) != 1 {
		t.Errorf("a sample paid for by the call of several: %+v, %v, calls %q", resp, err, inner.calls)
	}
	if got, want := m.Counts(), (Counts{Called: 3, Known: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	off := l.Wrap(nil, Options{Offline: true, Known: map[string]string{request("z", 0).Key(): "empty"}})
	if _, err := off.Generate(ctx, request("z", 0)); !errors.As(err, &f) || f.Reason != "empty" {
		t.Errorf("offline: %v", err)
	}
}

func TestSamplesOneByOneIfTheModelGivesOnlyOne(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	inner := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if r.Sample == 2 {
			return "", &llm.Failure{Reason: "empty"}
		}
		return fmt.Sprint(r.Sample), nil
	}}
	m := l.Wrap(inner, Options{})
	got, err := m.GenerateN(context.Background(), request("q", 0), []int{0, 1, 2, 3})
	if err != nil || len(got) != 2 || got[1].Text != "1" || len(inner.Asked()) != 3 {
		t.Errorf("%+v, %v after %d calls", got, err, len(inner.Asked()))
	}
	if n, err := l.Count(context.Background()); n != 2 || err != nil {
		t.Errorf("%d stored, %v", n, err)
	}
}

func TestOverlappingSamplesAreAskedOnce(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	var calls sync.Map
	m := l.Wrap(&llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if _, again := calls.LoadOrStore(r.Key(), true); again {
			t.Errorf("sample %d is asked twice", r.Sample)
		}
		return "x", nil
	}}, Options{})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			got, err := m.GenerateN(context.Background(), request("q", 0), []int{i, i + 1, i + 2, i + 3})
			if err != nil || len(got) != 4 {
				t.Errorf("%d responses, %v", len(got), err)
			}
		})
	}
	wg.Wait()
	if got := m.Counts(); got.Called != 15 || got.Cached != 12*4-15 {
		t.Errorf("counts %+v", got)
	}
}

func TestACancelledCallDoesNotFailTheOneThatWaitsForIt(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	m := l.Wrap(&waiting{calls: &calls}, Options{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := m.Generate(ctx, request("q", 0)); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled one: %v", err)
		}
	})
	for calls.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	wg.Go(func() {
		if _, err := m.Generate(context.Background(), request("q", 0)); err != nil {
			t.Errorf("the other: %v", err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	cancel()
	wg.Wait()
}

// waiting waits in its first call for the end of the context, and answers the others.
type waiting struct{ calls *atomic.Int64 }

func (w *waiting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if w.calls.Add(1) == 1 {
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}
	return llm.Response{Text: "ok"}, nil
}
