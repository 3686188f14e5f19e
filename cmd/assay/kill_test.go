package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
)

var kills = flag.Int("kills", 8, "how often TestKilledRuns kills")

// mainEnv makes this test binary behave as the command, so that a process can be killed.
const mainEnv = "ASSAY_TEST_RUN_MAIN"

// chatServer answers chat completions as the baseline does, and counts how often it gets each request.
type chatServer struct {
	*httptest.Server
	delay    time.Duration // of every answer
	mu       sync.Mutex
	requests map[string]int
}

func newChatServer(t *testing.T, delay time.Duration) *chatServer {
	s := &chatServer{delay: delay, requests: map[string]int{}}
	model := baseline.New()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client was killed while it asked
		}
		var q struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(body, &q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		req := llm.Request{Author: llm.Author{Provider: "baseline", Model: q.Model}}
		for _, m := range q.Messages {
			req.Messages = append(req.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content})
		}
		s.mu.Lock()
		s.requests[req.Key()]++
		s.mu.Unlock()
		time.Sleep(s.delay)
		resp, err := model.Generate(r.Context(), req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "x", "object": "chat.completion", "model": q.Model,
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": resp.Text}}},
			"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
		})
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *chatServer) total() (distinct, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.requests {
		requests += n
	}
	return len(s.requests), requests
}

// TestKilledRuns kills a run with SIGKILL at random moments and starts it again until it is done. It checks that no request
// whose answer had arrived is sent again, and that the files equal those of a run that was not killed.
func TestKilledRuns(t *testing.T) {
	const underWay = 4 // questions: two workers, and two calls in flight
	limit, delay := "40", 10*time.Millisecond
	if *kills > 8 { // long enough to be killed so often
		limit, delay = "0", 25*time.Millisecond
	}
	dir, cache := t.TempDir(), t.TempDir()
	command := func(url, store string) *exec.Cmd {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(exe, "run", "quickstart", "--limit", limit, "--workers", "2", "--set", "limits.concurrency=2", "--quiet", "--json", "--store", filepath.Join(dir, store),
			"--set", "model.provider=openai", "--set", "model.name=fake", "--set", "model.base_url="+url, "--set", "model.as=fake")
		c.Env = append(os.Environ(), mainEnv+"=1", "XDG_CACHE_HOME="+cache)
		return c
	}
	finish := func(url, store string) {
		t.Helper()
		if out, err := command(url, store).CombinedOutput(); err != nil {
			t.Fatalf("run: %v\n%s", err, out)
		}
	}
	calm, stormy := newChatServer(t, 0), newChatServer(t, delay)
	finish(calm.URL, "same")
	whole := runFolder(t, filepath.Join(dir, "same"))
	if err := os.Rename(filepath.Join(dir, "same"), filepath.Join(dir, "whole")); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for range *kills {
		c := command(stormy.URL, "stormy")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(50+rng.IntN(400)) * time.Millisecond)
		_ = c.Process.Kill()
		if c.Wait() == nil {
			break // the run was done before it could be killed
		}
		killed++
	}
	finish(stormy.URL, "stormy")
	distinct, requests := stormy.total()
	want, _ := calm.total()
	t.Logf("%d kills; %d distinct requests, sent %d times; a run that was not killed has %d", killed, distinct, requests, want)
	if distinct != want {
		t.Errorf("%d distinct requests, want %d", distinct, want)
	}
	if most := want + killed*underWay; requests > most { // requests in flight when the process died are sent again
		t.Errorf("%d requests, want at most %d", requests, most)
	}
	integrity(t, filepath.Join(dir, "stormy", "ledger.db"))
	for _, name := range []string{"questions.csv", "candidates.csv", "calls.csv"} {
		a, errA := os.ReadFile(filepath.Join(dir, "whole", filepath.Base(whole), name))
		b, errB := os.ReadFile(filepath.Join(runFolder(t, filepath.Join(dir, "stormy")), name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from a run that was not killed (%v, %v)", name, errA, errB)
		}
	}
}

// runFolder is the only run of a store.
func runFolder(t *testing.T, store string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(store, "quickstart-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d runs in %s, %v", len(found), store, err)
	}
	return found[0]
}

func integrity(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(context.Background(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity of %s: %q, %v", path, verdict, err)
	}
}
