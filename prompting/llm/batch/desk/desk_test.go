package desk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/anthropic"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/batch/desk"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/openai"
	"assay/prompting/llm/retry"
)

// office is a ledger and a desk in front of a fake service.
type office struct {
	t      *testing.T
	ledger *ledger.Ledger
	desk   *desk.Desk
	server *llmtest.Batches
	author llm.Author
	last   []desk.Report
}

func newOffice(t *testing.T, b *llmtest.Batches) *office {
	t.Helper()
	llmtest.StartBatches(t, b)
	l, err := ledger.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	o := &office{t: t, ledger: l, server: b, author: llm.Author{Provider: string(b.Kind), Model: "m-1", Server: b.URL}}
	o.desk = &desk.Desk{Ledger: l, Service: o.service(), Attempts: 3, Serves: func(ledger.Batch) bool { return true },
		Again: retry.Wrap(nil, retry.Options{Attempts: 4, FirstWait: time.Millisecond, LongestWait: time.Millisecond}).Do}
	return o
}

// service opens the batches of the fake server.
func (o *office) service() (s batch.Service) {
	var err error
	if o.server.Kind == llmtest.Anthropic {
		s, err = anthropic.NewBatches(anthropic.Options{Key: "secret-key-1234", BaseURL: o.server.URL})
	} else {
		s, err = openai.NewBatches(openai.Options{Key: "secret-key-1234", BaseURL: o.server.URL})
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return s
}

// request returns a request whose answer repeats it.
func (o *office) request(i int) llm.Request {
	r := llmtest.Ask(fmt.Sprintf("question %02d", i))
	r.Author = o.author
	r.Params.MaxTokens = 100
	return r
}

// start does what one start of a run does: collect, ask what is lacking, send. It returns how many requests have no outcome.
func (o *office) start(n int) (lacking int, err error) {
	ctx := context.Background()
	if err := o.ledger.Ungather(ctx); err != nil {
		return 0, err
	}
	open, err := o.ledger.Batches(ctx, true)
	if err != nil {
		return 0, err
	}
	o.last = nil
	for _, b := range open {
		rep, err := o.desk.Collect(ctx, b)
		o.last = append(o.last, rep)
		if err = errors.Join(err, rep.Err); err != nil {
			return 0, err
		}
	}
	known, err := o.ledger.BatchFailures(ctx, "run-1")
	if err != nil {
		return 0, err
	}
	g := desk.NewGatherer(o.ledger, o.desk.Service)
	m := o.ledger.Wrap(g, ledger.Options{Run: "run-1", Gathers: true, Known: known})
	for i := range n {
		resp, err := m.Generate(ctx, o.request(i))
		var f *llm.Failure
		switch {
		case errors.Is(err, prompting.ErrUnknown):
			lacking++
		case err != nil && !errors.As(err, &f):
			return 0, err
		case err == nil && (resp.Text != fmt.Sprintf("question %02d", i) || resp.Tier != llm.Batch):
			o.t.Errorf("question %d: %q, tier %q", i, resp.Text, resp.Tier)
		}
	}
	if err := g.Flush(ctx); err != nil {
		return 0, err
	}
	_, err = o.desk.Send(ctx, "run-1", func(llm.Request) error { return nil })
	return lacking, err
}

// finish starts until all have an outcome, and returns how often.
func (o *office) finish(n int) int {
	o.t.Helper()
	for starts := 1; starts < 30; starts++ {
		switch lacking, err := o.start(n); {
		case err != nil:
			o.t.Fatalf("start %d: %v", starts, err)
		case lacking == 0:
			return starts
		}
	}
	o.t.Fatal("it does not end")
	return 0
}

// once returns an outcome for the first batch alone, for every third request.
func once(what llmtest.Outcome) func(int, string) llmtest.Outcome {
	var mu sync.Mutex
	n := 0
	return func(batch int, _ string) llmtest.Outcome {
		mu.Lock()
		defer mu.Unlock()
		if n++; batch == 0 && n%3 == 0 {
			return what
		}
		return llmtest.Succeeds
	}
}

// TestFaults is the table of what may go wrong with a batch: what is lost, what is asked twice, and how many starts it takes.
func TestFaults(t *testing.T) {
	const n = 12
	at := func(s llmtest.Step, w llmtest.When, status int) func() func(llmtest.Step, llmtest.When) int {
		return func() func(llmtest.Step, llmtest.When) int {
			var first sync.Once
			return func(step llmtest.Step, when llmtest.When) (out int) {
				if step == s && when == w {
					first.Do(func() { out = status })
				}
				return out
			}
		}
	}
	both := func(a, b func() func(llmtest.Step, llmtest.When) int) func() func(llmtest.Step, llmtest.When) int {
		return func() func(llmtest.Step, llmtest.When) int {
			first, second := a(), b()
			return func(s llmtest.Step, w llmtest.When) int {
				if out := first(s, w); out != 0 {
					return out
				}
				return second(s, w)
			}
		}
	}
	cases := []struct {
		name    string
		outcome llmtest.Outcome
		end     func(int) (string, string)
		hook    func() func(llmtest.Step, llmtest.When) int
		batches int // that there are in the end
		again   int // requests that were worked on twice, because an answer of the first time cannot be read
		failed  int
		openai  bool // OpenAI's alone
	}{
		{name: "nothing", batches: 1},
		{name: "some expired", outcome: llmtest.Expires, batches: 2},
		{name: "some failed for the moment", outcome: llmtest.Fails, batches: 2, again: 4},
		{name: "some refused", outcome: llmtest.Refuses, batches: 1, failed: 4},
		{name: "some missing", outcome: llmtest.Missing, batches: 2},
		{name: "some answered twice", outcome: llmtest.Doubled, batches: 1},
		{name: "some lines no JSON", outcome: llmtest.Garbled, batches: 2, again: 4},
		{name: "answers of others", outcome: llmtest.Foreign, batches: 1},
		{name: "results cut in a line", outcome: llmtest.Cut, batches: 2, again: 10},
		{name: "expired", end: func(b int) (string, string) { return map[bool]string{true: "expired", false: "completed"}[b == 0], "" }, outcome: llmtest.Expires, batches: 2, openai: true},
		{name: "queue full", end: func(b int) (string, string) {
			return map[bool]string{true: "failed", false: "completed"}[b == 0], batch.QueueFull + ": Enqueued token limit reached"
		}, batches: 3, openai: true},
		{name: "429 on upload", hook: at(llmtest.Upload, llmtest.Before, 429), batches: 1, openai: true},
		{name: "500 on upload", hook: at(llmtest.Upload, llmtest.Handled, 500), batches: 1, openai: true},
		{name: "429 on create", hook: at(llmtest.Create, llmtest.Before, 429), batches: 1},
		{name: "500 on create, refused", hook: at(llmtest.Create, llmtest.Before, 500), batches: 1},
		{name: "500 on create, accepted", hook: at(llmtest.Create, llmtest.Handled, 500), batches: 1},
		{name: "create lost on the way there", hook: at(llmtest.Create, llmtest.Before, llmtest.Lost), batches: 1},
		{name: "create lost on the way back", hook: at(llmtest.Create, llmtest.Handled, llmtest.Lost), batches: 1},
		{name: "create cut on the way back", hook: at(llmtest.Create, llmtest.Half, llmtest.Lost), batches: 1},
		{name: "500 on status", hook: at(llmtest.Status, llmtest.Before, 500), batches: 1},
		{name: "status lost", hook: at(llmtest.Status, llmtest.Handled, llmtest.Lost), batches: 1},
		{name: "429 on results", hook: at(llmtest.Results, llmtest.Before, 429), batches: 1},
		{name: "429 on the list", hook: both(at(llmtest.Create, llmtest.Handled, llmtest.Lost), at(llmtest.List, llmtest.Before, 429)), batches: 1},
		{name: "500 on the list", hook: both(at(llmtest.Create, llmtest.Handled, llmtest.Lost), at(llmtest.List, llmtest.Handled, 500)), batches: 1},
		{name: "list cut on the way", hook: both(at(llmtest.Create, llmtest.Handled, llmtest.Lost), at(llmtest.List, llmtest.Half, llmtest.Lost)), batches: 1},
		{name: "429 on the file of errors", outcome: llmtest.Expires, hook: at(llmtest.Errors, llmtest.Before, 429), batches: 2, openai: true},
		{name: "file of errors cut on the way", outcome: llmtest.Refuses, hook: at(llmtest.Errors, llmtest.Half, llmtest.Lost), batches: 1, failed: 4, openai: true},
		{name: "results cut on the way", hook: at(llmtest.Results, llmtest.Half, llmtest.Lost), batches: 1},
	}
	for _, kind := range []llmtest.Kind{llmtest.OpenAI, llmtest.Anthropic} {
		for _, c := range cases {
			if c.openai && kind != llmtest.OpenAI {
				continue
			}
			t.Run(string(kind)+": "+c.name, func(t *testing.T) {
				b := &llmtest.Batches{Kind: kind, EndAs: c.end}
				if c.outcome != "" {
					b.Outcome = once(c.outcome)
				}
				if c.hook != nil {
					b.Hook = c.hook()
				}
				o := newOffice(t, b)
				starts := o.finish(n)
				failed, err := o.ledger.BatchFailures(t.Context(), "run-1")
				stored, more := o.ledger.Count(t.Context())
				requests, twice := b.Done()
				if errors.Join(err, more) != nil || stored+len(failed) != n || len(failed) != c.failed || requests != n || twice != c.again || b.Count() != c.batches {
					t.Errorf("%d starts, %d of %d stored, %d failed (want %d), %d worked on, %d twice (want %d), %d batches (want %d), %v", starts, stored, n, len(failed), c.failed,
						requests, twice, c.again, b.Count(), c.batches, errors.Join(err, more))
				}
				t.Logf("| %s | %s | %d | %d | %d | %d |", kind, c.name, starts, n-stored-len(failed), twice-c.again, b.Count())
			})
		}
	}
}

// TestWhatAlwaysFails counts as a failure in the end, and does not go on for ever.
func TestWhatAlwaysFails(t *testing.T) {
	for _, kind := range []llmtest.Kind{llmtest.OpenAI, llmtest.Anthropic} {
		for _, what := range []llmtest.Outcome{llmtest.Fails, llmtest.Missing, llmtest.Garbled} {
			o := newOffice(t, &llmtest.Batches{Kind: kind, Outcome: func(int, string) llmtest.Outcome { return what }})
			if starts := o.finish(2); starts != 4 { // three batches
				t.Errorf("%s, %s: %d starts", kind, what, starts)
			}
			if failed, err := o.ledger.BatchFailures(t.Context(), "run-1"); err != nil || len(failed) != 2 {
				t.Errorf("%s, %s: %v, %v", kind, what, failed, err)
			}
		}
	}
}

// TestARefusedBatch says why, loses nothing, and can be sent again.
func TestARefusedBatch(t *testing.T) {
	o := newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI, EndAs: func(b int) (string, string) {
		return map[bool]string{true: "failed", false: "completed"}[b == 0], "invalid_model: no batches of this model"
	}})
	if _, err := o.start(3); err != nil {
		t.Fatal(err)
	}
	if _, err := o.start(3); err == nil || !strings.Contains(err.Error(), "invalid_model: no batches of this model") {
		t.Errorf("%v", err)
	}
	o.finish(3)
}

// TestPlainCallsWait checks that a call is not made for what a batch is under way with.
func TestPlainCallsWait(t *testing.T) {
	o := newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI, Wait: 100})
	if _, err := o.start(2); err != nil {
		t.Fatal(err)
	}
	m := o.ledger.Wrap(nil, ledger.Options{Run: "run-2"})
	_, err := m.Generate(t.Context(), o.request(0))
	var not *ledger.NotSentError
	if !errors.As(err, &not) || !strings.Contains(err.Error(), "run --batch") {
		t.Errorf("%v", err)
	}
	for range 3 { // nor is it sent once more
		if _, err := o.start(2); err != nil || o.server.Count() != 1 {
			t.Errorf("%d batches, %v", o.server.Count(), err)
		}
	}
}

// TestGatewaysWithoutMetadata finds a batch by its file.
func TestGatewaysWithoutMetadata(t *testing.T) {
	var first sync.Once
	o := newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI, NoMetadata: true, Hook: func(s llmtest.Step, w llmtest.When) (out int) {
		if s == llmtest.Create && w == llmtest.Handled {
			first.Do(func() { out = llmtest.Lost })
		}
		return out
	}})
	o.finish(4)
	if o.server.Count() != 1 {
		t.Errorf("%d batches", o.server.Count())
	}
}

// TestUnsure checks that nothing is sent again while a batch that has no mark may be ours, and that another's is not taken.
func TestUnsure(t *testing.T) {
	lost := false
	b := &llmtest.Batches{Kind: llmtest.Anthropic, Wait: 3}
	b.Hook = func(s llmtest.Step, w llmtest.When) int {
		if s == llmtest.Create && w == llmtest.Handled && !lost {
			lost = true
			return llmtest.Lost
		}
		return 0
	}
	o := newOffice(t, b)
	if _, err := o.start(3); err != nil {
		t.Fatal(err)
	}
	if _, err := o.start(3); err != nil || len(o.last) != 1 || o.last[0].Unsure == "" || b.Count() != 1 {
		t.Errorf("%+v, %v", o.last, err)
	}
	o.finish(3)
	if b.Count() != 1 {
		t.Errorf("%d batches", b.Count())
	}
}

// small is a service with bounds of its own.
type small struct {
	batch.Service
	limits batch.Limits
}

func (s small) Limits() batch.Limits { return s.limits }

// TestSizes checks that no batch is beyond the provider's bounds, and that what is alone beyond them is still sent.
func TestSizes(t *testing.T) {
	for want, limits := range map[int]batch.Limits{3: {Requests: 5, Bytes: 1 << 20}, 4: {Requests: 50, Bytes: 900}, 12: {Requests: 50, Bytes: 10}} {
		o := newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI})
		o.desk.Service = small{o.desk.Service, limits}
		if o.finish(12); o.server.Count() != want {
			t.Errorf("%+v: %d batches, want %d", limits, o.server.Count(), want)
		}
		if all, err := o.ledger.Batches(t.Context(), false); err != nil || slices.ContainsFunc(all, func(b ledger.Batch) bool {
			return b.Requests > limits.Requests || b.Bytes > limits.Bytes && b.Requests > 1
		}) {
			t.Errorf("%+v: %+v, %v", limits, all, err)
		}
	}
}

// TestCancel: what was answered before stays, the rest is sent again, and one that is given up is asked anew.
func TestCancel(t *testing.T) {
	for _, fault := range []int{0, 429, 500, llmtest.Lost} { // once, after the server has done it
		for _, forget := range []bool{false, true} {
			var first sync.Once
			o := newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI, Wait: 10, Hook: func(s llmtest.Step, w llmtest.When) (out int) {
				if s == llmtest.Cancel && w == llmtest.Handled {
					first.Do(func() { out = fault })
				}
				return out
			}})
			if _, err := o.start(6); err != nil {
				t.Fatal(err)
			}
			all, err := o.ledger.Batches(t.Context(), true)
			if err != nil || len(all) != 1 {
				t.Fatalf("%v, %v", all, err)
			}
			if err := o.desk.Cancel(t.Context(), all[0], forget); err != nil {
				t.Fatal(err)
			}
			o.server.Wait = 0
			o.finish(6)
			if requests, twice := o.server.Done(); requests != 6 || twice != 0 || o.server.Count() != 2 {
				t.Errorf("fault %d, forget %t: %d requests, %d twice, %d batches", fault, forget, requests, twice, o.server.Count())
			}
		}
	}
}

// TestAnotherLedgersBatch is not taken for one's own, and its answers are not either.
func TestAnotherLedgersBatch(t *testing.T) {
	for _, kind := range []llmtest.Kind{llmtest.OpenAI, llmtest.Anthropic} {
		var loses atomic.Bool // the next creation
		b := &llmtest.Batches{Kind: kind, Hook: func(s llmtest.Step, w llmtest.When) int {
			if s == llmtest.Create && w == llmtest.Before && loses.CompareAndSwap(true, false) {
				return llmtest.Lost
			}
			return 0
		}}
		o := newOffice(t, b)
		other := llmtest.Ask("of another")
		other.Author, other.Params.MaxTokens = o.author, 10
		line, err := o.desk.Service.Line(strings.Repeat("a", 64), other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.desk.Service.Send(t.Context(), batch.Outgoing{ID: "b-other", Requests: 1, Lines: func() iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) { yield(line, nil) }
		}}); err != nil {
			t.Fatal(err)
		}
		loses.Store(true)
		o.finish(1)
		if requests, twice := b.Done(); requests != 2 || twice != 0 || b.Count() != 2 {
			t.Errorf("%s: %d requests, %d twice, %d batches", kind, requests, twice, b.Count())
		}
	}
}

// FuzzAnswers feeds a line of a file of answers to the readers of both services.
func FuzzAnswers(f *testing.F) {
	for _, line := range []string{
		`{"custom_id":"x","response":{"status_code":200,"body":{"choices":[{"message":{"content":"SELECT 1"}}]}},"error":null}`,
		`{"custom_id":"x","response":null,"error":{"code":"batch_expired","message":"m"}}`,
		`{"custom_id":"x","response":{"status_code":404,"request_id":"r","body":null},"error":{"object":"error","message":"m","code":404}}`,
		`{"custom_id":"x","result":{"type":"succeeded","message":{"content":[{"type":"text","text":"SELECT 1"}]}}}`,
		`{"custom_id":"x","result":{"type":"errored","error":{"type":"error","error":{"type":"api_error","message":"m"}}}}`,
		`{"custom_id":"x","response":{"status_code":200,"body":[]},"error":"x"}`, `[]`, `null`, `{"response":{"body":{}}}`,
	} {
		f.Add([]byte(line))
	}
	a, err := anthropic.NewBatches(anthropic.Options{BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		batch.IDOf(line)
		for _, s := range []batch.Format{openai.Lines(openai.Servers[0]), a} {
			if resp, err := s.Read(line, llmtest.Ask("q")); err == nil && resp.Usage.PromptTokens < 0 {
				t.Errorf("%+v", resp)
			}
		}
	})
}

// TestWhenABatchWasMade: the time bounds which of the provider's batches may be this one. It is sent within the second.
func TestWhenABatchWasMade(t *testing.T) {
	o := newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI, Wait: 9})
	before := time.Now().Add(-time.Second)
	if _, err := o.start(1); err != nil {
		t.Fatal(err)
	}
	all, err := o.ledger.Batches(context.Background(), true)
	if err != nil || len(all) != 1 || all[0].Created.Before(before) || all[0].Sent.Before(before) || !all[0].Ended.IsZero() {
		t.Errorf("%v, %+v", err, all)
	}
}

// TestFilesAgain: a file is read whatever wraps it, one bad line costs that line alone, and what a file did not answer
// another may, without a second export.
func TestFilesAgain(t *testing.T) {
	ctx, o := t.Context(), newOffice(t, &llmtest.Batches{Kind: llmtest.OpenAI})
	g := desk.NewGatherer(o.ledger, o.desk.Service)
	var ids []string
	for i := range 3 {
		if _, err := g.Generate(ctx, o.request(i)); !errors.Is(err, prompting.ErrUnknown) {
			t.Fatal(err)
		}
		ids = append(ids, batch.CustomID(o.request(i).Key()))
	}
	format := func(ledger.Batch) (batch.Format, error) { return o.desk.Service, nil }
	out, err := desk.Export(ctx, o.ledger, "run-1", "x", format, io.Discard)
	if err := errors.Join(err, g.Flush(ctx)); err != nil || len(out) != 0 {
		t.Fatalf("%v, %d batches before anything is stored", err, len(out))
	}
	if out, err = desk.Export(ctx, o.ledger, "run-1", "x", format, io.Discard); err != nil || len(out) != 1 {
		t.Fatalf("%v, %d batches", err, len(out))
	}
	if err := desk.Written(ctx, o.ledger, out); err != nil {
		t.Fatal(err)
	}
	check := func(what, text string, want desk.Imported, refusal string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "answers.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := desk.Import(ctx, o.ledger, path, format)
		if got.Warnings = nil; fmt.Sprint(got) != fmt.Sprint(want) || (err == nil) != (refusal == "") || err != nil && !strings.Contains(err.Error(), refusal) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	answer := func(i, status int) string {
		return fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":%d,"body":{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"a"}}],"error":null}}}`+"\r\n", ids[i], status)
	}
	check("no answers", "{}\n[]\n", desk.Imported{Bad: 2}, "none of its 2 lines")
	check("a server that was down", answer(0, 500)+answer(1, 500), desk.Imported{Again: 2, Open: 1}, "")
	check("a mark of the byte order, a long line", "\ufeff"+answer(0, 200)+strings.Repeat("x", 17<<20)+"\n"+answer(0, 200), desk.Imported{Answered: 1, Known: 1, Bad: 1, Open: 1}, "")
	if err := o.desk.Cancel(ctx, out[0], true); err != nil {
		t.Fatal(err)
	}
	check("after it was given up", answer(1, 200)+answer(2, 200)+answer(2, 200), desk.Imported{Answered: 2, Known: 1}, "")
	check("once more", answer(1, 200)+answer(2, 500), desk.Imported{Known: 2}, "")
}
