package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/plots/terminal"
)

// shared is a buffer that a verb writes to while the test reads.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// proxyOf starts assay proxy, and returns what the lines that it prints set, and what ends it and gives its notes.
func proxyOf(t *testing.T, args ...string) (env map[string]string, end func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs shared
	a := &app{out: terminal.New(&out), err: terminal.New(&errs)}
	done := make(chan int, 1)
	go func() { done <- a.execute(ctx, append([]string{"proxy"}, args...)) }()
	for !strings.Contains(out.String(), "NO_PROXY") {
		select {
		case code := <-done:
			t.Fatalf("ended with %d: %s", code, errs.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	env = map[string]string{}
	for line := range strings.Lines(out.String()) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		env[name] = value
	}
	return env, func() string {
		cancel()
		if code := <-done; code != exitDone {
			t.Errorf("ended with %d", code)
		}
		return errs.String()
	}
}

// ask posts to the address of a proxy.
func ask(t *testing.T, env map[string]string, path, body string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, env["ASSAY_URL"]+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+env["OPENAI_API_KEY"])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, resp.StatusCode, b, err)
	}
	return string(b)
}

// TestProxy: what a program asks is recorded, replayed offline byte for byte, and made a run with its tokens and calls.
func TestProxy(t *testing.T) {
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store"), filepath.Join(dir, "answers.jsonl")
	const chat = `{"messages":[{"role":"user","content":"CREATE TABLE members (a INT)\nQuestion: how many members?"}]}`
	play := func(args ...string) (answer, notes string) {
		env, end := proxyOf(t, append(args, "--store", store)...)
		if env["OPENAI_BASE_URL"] != env["ASSAY_URL"]+"/v1" || env["ANTHROPIC_BASE_URL"] != env["ASSAY_URL"] || env["ANTHROPIC_API_KEY"] == "" {
			t.Errorf("%v", env)
		}
		answer = ask(t, env, "/item/film_festival-001/v1/chat/completions", chat)
		ask(t, env, "/item/film_festival-001/answer", `{"sql":"SELECT 1"}`)
		return answer, end()
	}
	live, notes := play("--out", file)
	if !strings.Contains(notes, "1 calls, 0 from the ledger, 0 failed; 1 answers") || !strings.Contains(notes, "assay import --subset") {
		t.Error(notes)
	}
	again, notes := play("--offline")
	if again != live || !strings.Contains(notes, "0 calls, 1 from the ledger") {
		t.Errorf("%s\nand\n%s\n%s", live, again, notes)
	}
	var out, errs bytes.Buffer
	run := func(want int, args ...string) {
		t.Helper()
		out.Reset()
		errs.Reset()
		a := &app{out: terminal.New(&out), err: terminal.New(&errs)}
		if code := a.execute(context.Background(), args); code != want {
			t.Fatalf("%v: %d %s", args, code, errs.String())
		}
	}
	run(exitFailed, "import", "--pred", file, "--name", "mine", "--store", store)
	run(exitFailed, "import", "--pred", file, "--name", "mine", "--subset", "--store", filepath.Join(dir, "other"))
	if !strings.Contains(errs.String(), "lacks") {
		t.Error(errs.String())
	}
	run(exitDone, "import", "--pred", file, "--name", "mine", "--subset", "--store", store)
	runs, err := filepath.Glob(filepath.Join(store, "mine-*", "calls.csv"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	calls, err := os.ReadFile(runs[0])
	if err != nil || !strings.Contains(string(calls), ",generate 1,sha256:") {
		t.Errorf("%s %v", calls, err)
	}
	run(exitDone, "show", "mine", "film_festival-001", "--store", store)
	if !strings.Contains(out.String(), "how many members?") {
		t.Errorf("the prompt is not shown: %s", out.String())
	}
	run(exitDone, "import", "--pred", "mine", "--metrics", "ex", "--subset", "--store", store)
	run(exitUsage, "proxy", "--port", "70000")
	run(exitFailed, "proxy", "--out", filepath.Join(dir, "store", "ledger.db"), "--store", store)
}
