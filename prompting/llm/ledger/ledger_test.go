package ledger

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func request(text string, sample int) llm.Request {
	return llm.Request{Author: llm.Author{Provider: "test", Model: "m"}, Sample: sample, Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func openTest(t *testing.T, path string) *Ledger {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestAFinishedCallIsNeverRepeated(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a folder with ? and #", "ledger.db")
	ask := func(wantCalls int, reqs ...llm.Request) {
		t.Helper()
		l, err := Open(path) // opened anew each time: what counts is on disk
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		inner := &llm.Scripted{Reply: func(r llm.Request) (string, error) { return "answer to " + r.Messages[0].Text, nil }}
		m := l.Wrap(inner, Options{})
		for _, r := range reqs {
			resp, err := m.Generate(ctx, r)
			if err != nil || resp.Text != "answer to "+r.Messages[0].Text {
				t.Errorf("Generate = %q, %v", resp.Text, err)
			}
		}
		if got := len(inner.Asked()); got != wantCalls {
			t.Errorf("%d calls, want %d", got, wantCalls)
		}
	}
	ask(1, request("a", 0), request("a", 0))
	ask(0, request("a", 0))
	ask(2, request("a", 0), request("a", 1), request("a", 2)) // n=1 extends to n=3 by two calls
	hot := request("a", 0)
	hot.Params.Temperature = 0.7
	ask(1, hot) // temperature is part of the identity
}

func TestAFailureIsNotStored(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	fail := true
	m := l.Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) {
		if fail {
			return "", &llm.Failure{Reason: "http 500"}
		}
		return "ok", nil
	}}, Options{})
	_, err := m.Generate(context.Background(), request("a", 0))
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != "http 500" {
		t.Fatalf("err = %v", err)
	}
	fail = false
	resp, err := m.Generate(context.Background(), request("a", 0))
	if err != nil || resp.Text != "ok" || resp.Cached {
		t.Fatalf("after the failure: %+v, %v", resp, err)
	}
	if got, want := m.Counts(), (Counts{Called: 1, Failed: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestOfflineNamesTheMissingRequest(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	_, err := l.Wrap(nil, Options{Offline: true}).Generate(context.Background(), request("how many singers?", 2))
	var miss *MissError
	if !errors.As(err, &miss) {
		t.Fatalf("err = %v", err)
	}
	for _, part := range []string{"test/m", "sample 2", "how many singers?", l.Path(), miss.Request.Key()} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

func TestEntryGivesTheWholeRequestBack(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	topP, seed := 0.95, int64(7)
	r := llm.Request{Author: llm.Author{Provider: "p", Model: "m"}, Sample: 3,
		Params:   llm.Params{Temperature: 0.5, TopP: &topP, MaxTokens: 10, Stop: []string{"\n"}, Seed: &seed},
		Messages: []llm.Message{{Role: llm.System, Text: "é\x00\n"}, {Role: llm.User, Text: strings.Repeat("long ", 1e5)}}}
	resp := llm.Response{Text: "SELECT 1", Finish: "stop", Usage: llm.Usage{PromptTokens: 5, CompletionTokens: 6}, Model: "m-001"}
	if err := l.Put(context.Background(), r, resp); err != nil {
		t.Fatal(err)
	}
	e, ok, err := l.Entry(context.Background(), r.Key())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	resp.Cached = true
	if d := cmp.Diff(r, e.Request) + cmp.Diff(resp, e.Response, besidesStored); d != "" {
		t.Error(d)
	}
	if e.Request.Key() != r.Key() {
		t.Error("the stored request has another key")
	}
}

func TestEqualRequestsInFlightAreAskedOnce(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	var calls atomic.Int64
	release := make(chan struct{})
	m := l.Wrap(&llm.Scripted{Reply: func(llm.Request) (string, error) {
		calls.Add(1)
		<-release
		return "x", nil
	}}, Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := m.Generate(context.Background(), request("same", 0)); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	wg.Wait()
	if calls.Load() != 1 {
		t.Errorf("%d calls, want 1", calls.Load())
	}
}

func TestAFileOfSomethingElseIsRefused(t *testing.T) {
	check := func(what string, content []byte, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "ledger.db")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q and the path", what, err, want)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, content) {
			t.Errorf("%s: the file was changed", what)
		}
	}
	check("text", bytes.Repeat([]byte("not a database "), 100), "not a database")
}

// besidesStored compares responses but for the second in which they were stored.
var besidesStored = cmpopts.IgnoreFields(llm.Response{}, "Stored")
