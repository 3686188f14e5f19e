package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/batch/desk"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/retry"
)

// batched makes a plan whose calls go to a service of batches.
func batched(t *testing.T, cache string, b *llmtest.Batches, set ...string) *plan.Plan {
	t.Helper()
	provider := "openai"
	if b.Kind == llmtest.Anthropic {
		provider = "anthropic"
	}
	return makePlan(t, cache, append([]string{"model.provider=" + provider, "model.name=m", "model.as=m", "model.base_url=" + b.URL, "model.max_tokens=300"}, set...)...)
}

// quick opens a provider's batches without the waits between attempts.
func quick(m configs.Model, l configs.Limits) (batch.Service, func(context.Context, func(context.Context) error) error, error) {
	return catalog.Batches(m, l, retry.Options{FirstWait: time.Millisecond, LongestWait: time.Millisecond})
}

// finishBatches starts a run until nothing is pending, and returns how often.
func finishBatches(t *testing.T, p *plan.Plan, o runner.Options) (runner.Result, int) {
	t.Helper()
	o.Batch, o.Batches = true, quick
	for n := 1; n < 40; n++ {
		res, err := runner.Run(context.Background(), p, o)
		if err != nil {
			t.Fatalf("start %d: %v", n, err)
		}
		if res.Pending == 0 {
			return res, n
		}
	}
	t.Fatal("the run does not end")
	return runner.Result{}, 0
}

// TestBatchesAnswerAsCalls: a run whose methods ask in several stages has the results of a run of calls, whatever else happens
// to its batches, and every request was asked once.
func TestBatchesAnswerAsCalls(t *testing.T) {
	cache := t.TempDir()
	calls := newCounting(nil)
	for _, kind := range []llmtest.Kind{llmtest.OpenAI, llmtest.Anthropic} {
		b := llmtest.StartBatches(t, &llmtest.Batches{Kind: kind, Model: baseline.New()})
		p := batched(t, cache, b)
		want, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: calls.open})
		if err != nil {
			t.Fatal(err)
		}
		var seen []desk.Report
		got, starts := finishBatches(t, p, runner.Options{Store: store.Open(t.TempDir()), Collected: func(r desk.Report) { seen = append(seen, r) }})
		requests, twice := b.Done()
		if starts != 4 || len(seen) != 3 || requests != int(want.Spent.Calls) || twice != 0 || got.Counts.Called != 0 {
			t.Errorf("%s: %d starts, %d batches collected, %d requests for %d calls, %d twice, %+v", kind, starts, len(seen), requests, want.Spent.Calls, twice, got.Counts)
		}
		sameFiles(t, want.Dir, got.Dir, "questions.csv", "candidates.csv")
	}
}

// TestAFailureInABatchIsAModelError, which counts until the run is repeated.
func TestAFailureInABatchIsAModelError(t *testing.T) {
	n := 0
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New(), Outcome: func(int, string) llmtest.Outcome {
		if n++; n%4 == 0 {
			return llmtest.Refuses
		}
		return llmtest.Succeeds
	}})
	p, st := batched(t, t.TempDir(), b), store.Open(t.TempDir())
	first, _ := finishBatches(t, p, runner.Options{Store: st})
	if first.Failed == 0 || !strings.Contains(first.Failure, "400") {
		t.Errorf("%d failed, %q", first.Failed, first.Failure)
	}
	sent := b.Count()
	if again, starts := finishBatches(t, p, runner.Options{Store: st}); again.Failed != first.Failed || starts != 1 || b.Count() != sent {
		t.Errorf("again: %d failed, %d starts, %d batches", again.Failed, starts, b.Count())
	}
	b.Outcome = nil
	if _, err := runner.Run(context.Background(), p, runner.Options{Store: st, Batch: true, Batches: quick, RetryErrors: true}); err != nil || b.Count() != sent+1 {
		t.Fatalf("%d batches, %v", b.Count(), err)
	}
	if last, _ := finishBatches(t, p, runner.Options{Store: st}); last.Failed != 0 {
		t.Errorf("repeated: %d failed", last.Failed)
	}
}

// TestBatchesKeepTheBudget: a batch reserves its most, so that no start goes over it, and a larger budget goes on.
func TestBatchesKeepTheBudget(t *testing.T) {
	cache := t.TempDir()
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New()})
	st := store.Open(t.TempDir())
	const most = 6000
	var over *cost.BudgetError
	starts := 0
	for ; starts < 40; starts++ {
		_, err := runner.Run(context.Background(), batched(t, cache, b, fmt.Sprintf("budget.tokens=%d", most)), runner.Options{Store: st, Batch: true, Batches: quick})
		if err != nil && !errors.As(err, &over) {
			t.Fatal(err)
		}
		if open := underWay(t, st); err != nil && open == 0 {
			break
		}
	}
	requests, _ := b.Done()
	spent := tokens(t, st)
	if over == nil || requests == 0 || requests >= 33 || spent == 0 || spent > most || starts == 40 {
		t.Errorf("%v, %d requests, %d tokens, %d starts", over, requests, spent, starts)
	}
	if _, starts := finishBatches(t, batched(t, cache, b), runner.Options{Store: st}); starts < 2 {
		t.Errorf("without a budget: %d starts", starts)
	}
	if requests, twice := b.Done(); requests != 33 || twice != 0 {
		t.Errorf("%d requests, %d twice", requests, twice)
	}
}

// inLedger calls f with the ledger of a store.
func inLedger(t *testing.T, st store.Store, f func(*ledger.Ledger) error) {
	t.Helper()
	l, err := st.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f(l), l.Close()); err != nil {
		t.Fatal(err)
	}
}

func underWay(t *testing.T, st store.Store) (n int) {
	inLedger(t, st, func(l *ledger.Ledger) error {
		all, err := l.Batches(t.Context(), true)
		for _, b := range all {
			n += b.Open
		}
		return err
	})
	return n
}

// tokens counts those of all batches.
func tokens(t *testing.T, st store.Store) (n int) {
	inLedger(t, st, func(l *ledger.Ledger) error {
		all, err := l.Batches(t.Context(), false)
		for _, b := range all {
			paid, more := l.BatchPaid(t.Context(), b)
			for _, p := range paid {
				if p.Tier != llm.Batch {
					t.Errorf("tier %q", p.Tier)
				}
				n += int(p.Times) * (p.Usage.PromptTokens + p.Usage.CompletionTokens)
			}
			err = errors.Join(err, more)
		}
		return err
	})
	return n
}

// TestAPlainRunWaitsForBatches: it buys nothing that is under way, and says how to go on.
func TestAPlainRunWaitsForBatches(t *testing.T) {
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New()})
	p, st := batched(t, t.TempDir(), b), store.Open(t.TempDir())
	if _, err := runner.Run(context.Background(), p, runner.Options{Store: st, Batch: true, Batches: quick}); err != nil {
		t.Fatal(err)
	}
	calls := newCounting(nil)
	_, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: calls.open})
	var not *ledger.NotSentError
	if !errors.As(err, &not) || calls.calls.Load() != 0 || !strings.Contains(err.Error(), "assay batch cancel") {
		t.Errorf("%d calls, %v", calls.calls.Load(), err)
	}
}

// TestFilesThatOthersAnswer: exports and imports, stage after stage, are a run of calls, whatever the order of the answers.
func TestFilesThatOthersAnswer(t *testing.T) {
	cache, dir := t.TempDir(), t.TempDir()
	b := &llmtest.Batches{Kind: llmtest.OpenAI, URL: "http://127.0.0.1:1/v1"} // nobody is there
	st := store.Open(dir)
	stages := 0
	for ; stages < 10; stages++ {
		var text bytes.Buffer
		out, err := runner.Export(context.Background(), batched(t, cache, b), runner.Options{Store: st}, "requests.jsonl", &text)
		if err != nil {
			t.Fatal(err)
		}
		if len(out) == 0 {
			break
		}
		inLedger(t, st, func(l *ledger.Ledger) error { return desk.Written(t.Context(), l, out) })
		if again, err := runner.Export(context.Background(), batched(t, cache, b), runner.Options{Store: st}, "again.jsonl", &bytes.Buffer{}); err != nil || len(again) != 0 {
			t.Errorf("exported twice: %v, %v", again, err)
		}
		if strings.Contains(text.String(), "127.0.0.1") {
			t.Error("the file has the address")
		}
		answers := filepath.Join(dir, "answers.jsonl")
		if err := os.WriteFile(answers, answerFile(t, text.Bytes()), 0o666); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			inLedger(t, st, func(l *ledger.Ledger) error {
				got, err := desk.Import(t.Context(), l, answers, func(ledger.Batch) (batch.Format, error) { return catalog.Lines("openai") })
				if want := bytes.Count(text.Bytes(), []byte{'\n'}); i == 0 && (got.Answered != want || got.Open != 0 || got.Bad != 2) || i == 1 && (got.Known != want || got.Answered != 0) {
					t.Errorf("import %d: %+v of %d", i, got, want)
				}
				return err
			})
		}
	}
	res, err := runner.Run(context.Background(), batched(t, cache, b), runner.Options{Store: st, Offline: true})
	if err != nil || stages != 3 || res.Failed != 0 {
		t.Errorf("%d stages, %d failed, %v", stages, res.Failed, err)
	}
}

// answerFile answers a file as vllm run-batch does, the last request first, between lines that are no answers.
func answerFile(t *testing.T, requests []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(requests), []byte{'\n'})
	out := bytes.NewBufferString("no JSON\n{\"custom_id\": \"other\", \"response\": {\"status_code\": 200, \"body\": {}}}\n")
	for i := len(lines) - 1; i >= 0; i-- {
		var q struct {
			ID     string `json:"custom_id"`
			Method string
			URL    string
			Body   struct {
				Messages []struct{ Role, Content string }
			}
		}
		if err := json.Unmarshal(lines[i], &q); err != nil || q.Method != "POST" || q.URL != "/v1/chat/completions" {
			t.Fatalf("%v: %s", err, lines[i])
		}
		r := llm.Request{Author: llm.Author{Provider: "test", Model: "m"}}
		for _, m := range q.Body.Messages {
			r.Messages = append(r.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content})
		}
		resp, err := baseline.New().Generate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := json.Marshal(map[string]any{"id": "vllm-1", "custom_id": q.ID, "error": nil, "response": map[string]any{"status_code": 200, "request_id": "vllm-batch-1",
			"body": map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "usage": map[string]int{"prompt_tokens": 10, "completion_tokens": 5},
				"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": resp.Text}}}}}})
		out.Write(append(line, '\n'))
	}
	return out.Bytes()
}

// TestBatchesWithVectors: vectors are asked for live, as batches have none, and count against the budget beside what the
// batches under way may cost.
func TestBatchesWithVectors(t *testing.T) {
	cache, s := t.TempDir(), llmtest.Start(t, llmtest.OpenAI)
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New()})
	set := []string{"embeddings.provider=openai", "embeddings.name=e-1", "embeddings.base_url=" + s.URL, "exemplars.strategy=similarity", "exemplars.k=2"}
	st := store.Open(t.TempDir())
	res, _ := finishBatches(t, batched(t, cache, b, set...), runner.Options{Store: st, Model: opened})
	different, _ := texts(s)
	requests, _ := b.Done()
	if requests == 0 || len(different) == 0 || res.Counts.Recalled == 0 || res.Failed != 0 {
		t.Fatalf("%d requests, %d texts, %+v", requests, len(different), res)
	}
	again, _ := finishBatches(t, batched(t, cache, b, set...), runner.Options{Store: st, Model: opened})
	if more, _ := texts(s); len(more) != len(different) || again.Spent != (cost.Charge{}) || again.All != res.All || res.All.Batch != int64(requests) || res.All.Tokens <= int64(tokens(t, st)) {
		t.Errorf("%d texts, %+v after %+v; the batches took %d tokens", len(more), again, res.All, tokens(t, st))
	}
}

// TestABudgetNeedsABoundInBatches: what is sent cannot be stopped, so nothing is sent.
func TestABudgetNeedsABoundInBatches(t *testing.T) {
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New()})
	p := batched(t, t.TempDir(), b, "model.max_tokens=0", "budget.tokens=1000000")
	_, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Batch: true, Batches: quick})
	if err == nil || !strings.Contains(err.Error(), "set model.max_tokens") || b.Count() != 0 {
		t.Errorf("%v, %d batches", err, b.Count())
	}
}

// TestVectorsOfBatches: the vectors that prompts are made with are calls, and all else is batches, of a run and of a file.
func TestVectorsOfBatches(t *testing.T) {
	cache := t.TempDir()
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New()})
	s := llmtest.Start(t, llmtest.OpenAI)
	calls := newCounting(nil)
	live := func(ctx context.Context, m configs.Model, l configs.Limits) (llm.Model, error) {
		if m.BaseURL == s.URL {
			return opened(ctx, m, l)
		}
		return calls.open(ctx, m, l)
	}
	for _, server := range []string{"openai", "ollama"} { // the one has batches, the other none
		p := batched(t, cache, b, "embeddings.provider="+server, "embeddings.name=e-1", "embeddings.base_url="+s.URL, "exemplars.strategy=similarity", "exemplars.k=2")
		want, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: live})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if all, err := runner.Export(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: opened}, "x", &file); err != nil || len(all) != 1 {
			t.Errorf("%s: export: %v, %d batches", server, err, len(all))
		}
		got, _ := finishBatches(t, p, runner.Options{Store: store.Open(t.TempDir()), Model: opened})
		sameFiles(t, want.Dir, got.Dir, "questions.csv", "candidates.csv")
		if len(read(t, got).Vectors) == 0 {
			t.Errorf("%s: no vectors", server)
		}
	}
}

// TestBatchesFailForTheMoment: what fails for the moment is sent again, as calls are where limits.attempts is not stated.
func TestBatchesFailForTheMoment(t *testing.T) {
	b := llmtest.StartBatches(t, &llmtest.Batches{Kind: llmtest.OpenAI, Model: baseline.New(), Outcome: func(batch int, _ string) llmtest.Outcome {
		return map[bool]llmtest.Outcome{true: llmtest.Fails}[batch == 0]
	}})
	if res, _ := finishBatches(t, batched(t, t.TempDir(), b), runner.Options{Store: store.Open(t.TempDir())}); res.Failed != 0 {
		t.Errorf("%d answers are model-errors: %s", res.Failed, res.Failure)
	}
}
