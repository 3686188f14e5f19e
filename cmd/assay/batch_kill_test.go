package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/llm/llmtest"
)

var killBatches = flag.Bool("kill-batches", false, "TestKilledBatches kills at every step of both services, and prints the table")

// batchRun is an experiment whose calls are batches, and the command that starts it.
type batchRun struct {
	t       *testing.T
	dir     string
	cache   string
	service *llmtest.Batches
}

// another is an arm with a model of its own, whose requests are a batch of their own.
const another = "[[arm]]\nname = \"c\"\nmethod = \"standard\"\n[arm.model]\nname = \"m2\"\nas = \"m2\"\n"

// newBatchRun makes one whose methods need three stages of calls, with further arms.
func newBatchRun(t *testing.T, cache string, b *llmtest.Batches, arms string) *batchRun {
	t.Helper()
	dir := t.TempDir()
	b.Model = baseline.New()
	llmtest.StartBatches(t, b)
	provider := "openai"
	if b.Kind == llmtest.Anthropic {
		provider = "anthropic"
	}
	text := fmt.Sprintf("name = \"x\"\nmetrics = [\"ex\"]\n[dataset]\nkind = \"sample\"\nlimit = 4\n[exemplars]\nk = 0\n[model]\nprovider = %q\nname = \"m\"\nas = \"m\"\nbase_url = %q\nmax_tokens = 300\n"+
		"[[arm]]\nname = \"a\"\nmethod = \"standard\"\n[[arm]]\nname = \"b\"\nmethod = \"least-to-most\"\n", provider, b.URL) + arms
	if err := os.WriteFile(filepath.Join(dir, "x.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return &batchRun{t, dir, cache, b}
}

func (r *batchRun) command(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	c := exec.Command(exe, args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), mainEnv+"=1", "XDG_CACHE_HOME="+r.cache)
	return c
}

// pendingOf is what a start prints with --json; Pending is 0 once the run is done.
type pendingOf struct {
	Run     string
	Pending int
	Sent    int
	Calls   int
}

// start runs the command once; a process that was killed has no answer.
func (r *batchRun) start(running func(*os.Process)) (out pendingOf, killed bool) {
	r.t.Helper()
	c := r.command("run", "x.toml", "--batch", "--json", "--quiet")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	running(c.Process)
	err := c.Wait()
	if state, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && state.Signaled() {
		return out, true
	}
	if err != nil {
		r.t.Fatalf("run: %v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		r.t.Fatalf("%v: %q", err, stdout.String())
	}
	return out, false
}

// finish starts until the run is done.
func (r *batchRun) finish() (dir string, starts, kills int) {
	r.t.Helper()
	for starts = 1; starts < 40; starts++ {
		out, killed := r.start(func(*os.Process) {})
		if killed {
			kills++
			continue
		}
		if out.Pending == 0 {
			return filepath.Join(r.dir, out.Run), starts, kills
		}
	}
	r.t.Fatal("the run does not end")
	return "", 0, 0
}

// lockLedger holds the ledger's file against writers until it is released, so that what has arrived is not stored.
func lockLedger(t *testing.T, path string) (release func()) {
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=10000&_txlock=immediate")
	if err != nil {
		t.Error(err)
		return func() {}
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Error(err)
		return func() { db.Close() }
	}
	return func() { _ = tx.Rollback(); db.Close() }
}

// unstored is a kill after the answer has arrived and before it is in the ledger.
const unstored llmtest.When = "answered, not stored"

// TestKilledBatches kills the process at each step of a run in batches, once, and starts it again until the run is done. No
// call may be lost, none made twice, and the files must be those of a run that was not killed.
func TestKilledBatches(t *testing.T) {
	kinds, whens := []llmtest.Kind{llmtest.OpenAI}, []llmtest.When{llmtest.Handled, unstored}
	steps := []moment{{llmtest.Create, 1}, {llmtest.Create, 2}}
	if *killBatches {
		kinds = append(kinds, llmtest.Anthropic)
		steps = []moment{{llmtest.Upload, 1}, {llmtest.Upload, 2}, {llmtest.Create, 1}, {llmtest.Create, 2}, {llmtest.List, 1}, {llmtest.Status, 1}, {llmtest.Status, 2},
			{llmtest.Results, 1}, {llmtest.Results, 2}, {llmtest.Errors, 1}}
		whens = []llmtest.When{llmtest.Before, llmtest.Handled, llmtest.Half, llmtest.Answered, unstored}
		fmt.Println("| service | killed at | when | starts | calls | lost | twice | batches |\n|---|---|---|---|---|---|---|---|")
	}
	cache := t.TempDir()
	for _, kind := range kinds {
		calm := newBatchRun(t, cache, &llmtest.Batches{Kind: kind}, another)
		want, _, _ := calm.finish()
		calls, _ := calm.service.Done()
		for _, step := range steps {
			if kind == llmtest.Anthropic && (step.step == llmtest.Upload || step.step == llmtest.Errors) {
				continue
			}
			for _, when := range whens {
				killedAt(t, cache, kind, step, when, want, calls)
			}
		}
	}
}

// moment is the time, from 1, that a step is made.
type moment struct {
	step llmtest.Step
	time int
}

// String names the step, as in "create 2".
func (m moment) String() string { return fmt.Sprintf("%s %d", m.step, m.time) }

// killedAt kills at one moment, and checks what remains.
func killedAt(t *testing.T, cache string, kind llmtest.Kind, step moment, when llmtest.When, want string, calls int) {
	t.Helper()
	b := &llmtest.Batches{Kind: kind}
	r := newBatchRun(t, cache, b, another)
	k := &killer{t: t, step: step.step, pass: step.time - 1, when: when, ledger: filepath.Join(r.dir, "runs", "ledger.db"), prepared: step.step != llmtest.List}
	b.Hook = k.hook
	if step.step == llmtest.Errors { // which there is where something expired
		var first sync.Once
		b.Outcome = func(int, string) (o llmtest.Outcome) {
			first.Do(func() { o = llmtest.Expires })
			return o
		}
	}
	var dir string
	starts := 0
	for kills := 0; starts < 40 && dir == ""; {
		starts++
		out, killed := r.start(k.follow)
		if k.end(); killed {
			kills++
		} else if out.Pending == 0 {
			dir = filepath.Join(r.dir, out.Run)
		}
	}
	got, twice := b.Done()
	if *killBatches {
		fmt.Printf("| %s | %s | %s | %d | %d | %d | %d | %d |\n", kind, step, when, starts, got, calls-got, twice, b.Count())
	}
	if dir == "" || !k.done || got != calls || twice != 0 {
		t.Errorf("%s, killed at %s, %s: done %t, killed %t, %d calls of %d, %d twice", kind, step, when, dir != "", k.done, got, calls, twice)
		return
	}
	integrity(t, k.ledger)
	for _, name := range []string{"questions.csv", "items.csv", "candidates.csv", "calls.csv"} {
		a, errA := os.ReadFile(filepath.Join(want, name))
		b, errB := os.ReadFile(filepath.Join(dir, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s, killed at %s, %s: %s differs from a run that was not killed (%v, %v)", kind, step, when, name, errA, errB)
		}
	}
}

// killer kills the process that runs when a step comes to a moment, once.
type killer struct {
	t      *testing.T
	step   llmtest.Step
	when   llmtest.When
	ledger string
	pass   int // how often the step is made before
	// prepared says that the step comes by itself. A list is asked for after a batch whose answer was lost.
	prepared, done bool

	mu      sync.Mutex
	process *os.Process
	unlock  func()
}

// follow says which process runs.
func (k *killer) follow(p *os.Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.process = p
}

// end releases the ledger once the process has ended.
func (k *killer) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unlock != nil {
		k.unlock()
		k.unlock = nil
	}
}

func (k *killer) hook(s llmtest.Step, w llmtest.When) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.prepared && s == llmtest.Create && w == llmtest.Handled {
		k.prepared = true
		_ = k.process.Kill()
		return llmtest.Lost
	}
	switch {
	case k.done || s != k.step:
	case k.pass > 0:
		if w == llmtest.Answered {
			k.pass--
		}
	case k.when == unstored && w == llmtest.Half: // the rest of the answer arrives while nobody can store it
		k.unlock = lockLedger(k.t, k.ledger)
	case k.when == unstored && w == llmtest.Answered:
		k.done = true
		p := k.process
		time.AfterFunc(300*time.Millisecond, func() { _ = p.Kill() })
	case w == k.when:
		k.done = true
		_ = k.process.Kill()
		return llmtest.Lost
	}
	return 0
}

// TestBatchByHand is the way of the commands: run, list, run again.
func TestBatchByHand(t *testing.T) {
	r := newBatchRun(t, t.TempDir(), &llmtest.Batches{Kind: llmtest.OpenAI, Wait: 1}, "")
	say := func(args string, want ...string) {
		t.Helper()
		c := r.command(strings.Fields(args)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s: no %q in %s", args, w, out)
			}
		}
	}
	say("run x.toml --batch", "8 requests sent, batch b-", "0 of 8 answers are there: run again to collect")
	say("batch list", "batch-1", "sent")
	say("runs", "incomplete") // before anything is scored: a collection of the ledger must know of it
	say("run x.toml --batch", "in_progress", "nothing new to send, 8 requests under way")
	say("run x.toml --batch --wait", "8 answered", "run: ")
	say("batch list --all", "batch-2", "done")
	say("batch export x.toml - --set model.temperature=0.5", "/v1/chat/completions", "8 requests")
	say("batch export x.toml requests.jsonl --set model.temperature=0.6", "requests.jsonl: 8 requests, batch b-")
	say("batch export x.toml again.jsonl --set model.temperature=0.6", "nothing to ask")
	refused := func(args, want string) {
		t.Helper()
		if out, err := r.command(strings.Fields(args)...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", args, err, out)
		}
	}
	refused("batch import requests.jsonl", "none of its 8 lines answers a request")
	refused("ledger gc", "is under way, and answers of its run that no folder names yet")
	say("run x.toml --batch --set model.temperature=0.6", "requests are in exported files", "then run again")
	say("run x.toml --offline", "0 failed")
}

// TestStoppedWait: a run that waits for its batches ends at once with its interrupt, says what goes on without it, and is collected
// by the next start.
func TestStoppedWait(t *testing.T) {
	asked, once := make(chan struct{}), sync.Once{}
	b := &llmtest.Batches{Kind: llmtest.OpenAI, Wait: 1 << 20, Hook: func(s llmtest.Step, w llmtest.When) int {
		if s == llmtest.Status && w == llmtest.Answered {
			once.Do(func() { close(asked) })
		}
		return 0
	}}
	r := newBatchRun(t, t.TempDir(), b, "")
	c := r.command("run", "x.toml", "--batch", "--wait")
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(said.String(), "run the same command again to collect") {
		t.Errorf("exit %d, %s", code, said.String())
	}
	if out, killed := r.start(func(*os.Process) {}); killed || out.Pending != 8 || out.Sent != 0 || b.Count() != 1 {
		t.Errorf("the next start: %+v, %d batches", out, b.Count())
	}
}

// TestBatchTutorial follows the commands of the tutorial on batches: with a provider, and with files that a program answers.
func TestBatchTutorial(t *testing.T) {
	text, err := os.ReadFile("../../configs/tutorials/batches.md")
	if err != nil {
		t.Fatal(err)
	}
	online, offline, ok := strings.Cut(string(text), "## 5.")
	if !ok {
		t.Fatal("the tutorial has no section 5")
	}
	var said string
	follow := func(r *batchRun, part string) (commands int) {
		for line := range strings.Lines(part) {
			words := strings.Fields(strings.SplitN(line, "#", 2)[0])
			switch {
			case !strings.HasPrefix(line, "    ") || len(words) == 0:
			case words[0] == "assay" && !strings.Contains(line, "--offline"):
				out, err := r.command(words[1:]...).CombinedOutput()
				if said = string(out); err != nil {
					t.Fatalf("%s: %v, %s", line, err, out)
				}
				commands++
			case words[0] == "vllm":
				r.answer("requests.jsonl", "answers.jsonl")
			}
		}
		return commands
	}
	r := newBatchRun(t, t.TempDir(), &llmtest.Batches{Kind: llmtest.OpenAI}, "")
	rename := func() {
		if err := os.Rename(filepath.Join(r.dir, "x.toml"), filepath.Join(r.dir, "my.toml")); err != nil {
			t.Fatal(err)
		}
	}
	rename()
	if n := follow(r, online); n != 4 || !strings.Contains(said, "requests sent, batch b-") {
		t.Errorf("%d commands, the last said %s", n, said)
	}
	r = newBatchRun(t, r.cache, &llmtest.Batches{Kind: llmtest.OpenAI}, "")
	rename()
	for stages := 0; !strings.Contains(said, "nothing to ask"); stages++ {
		if stages == 4 {
			t.Fatalf("the files do not end: %s", said)
		}
		if _, err := os.Stat(filepath.Join(r.dir, "requests.jsonl")); err == nil { // that of the next stage is written
			r.answer("requests.jsonl", "answers.jsonl")
			_, after, _ := strings.Cut(offline, "    vllm")
			follow(r, after)
			continue
		}
		follow(r, offline)
	}
	if out, err := r.command("run", "my.toml", "--offline").CombinedOutput(); err != nil || r.service.Count() != 0 {
		t.Errorf("%v, %s; %d batches", err, out, r.service.Count())
	}
}

// answer answers a file of requests, as a program does that serves a model.
func (r *batchRun) answer(requests, answers string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, requests))
	if err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var q struct {
			ID   string `json:"custom_id"`
			Body struct {
				Messages []struct{ Role, Content string }
			}
		}
		if err := json.Unmarshal(line, &q); err != nil {
			r.t.Fatal(err)
		}
		ask := llm.Request{Author: llm.Author{Provider: "test", Model: "m"}}
		for _, m := range q.Body.Messages {
			ask.Messages = append(ask.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content})
		}
		got, err := baseline.New().Generate(r.t.Context(), ask)
		if err != nil {
			r.t.Fatal(err)
		}
		content, _ := json.Marshal(got.Text)
		fmt.Fprintf(&out, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}},"error":null}`+"\n", q.ID, content)
	}
	if err := os.WriteFile(filepath.Join(r.dir, answers), out.Bytes(), 0o666); err != nil {
		r.t.Fatal(err)
	}
}
