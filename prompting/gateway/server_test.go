package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/prompting"
	"assay/prompting/gateway"
	"assay/prompting/llm"
)

const hello = `{"messages":[{"role":"user","content":"hello"}]}`

// TestWhoGetsIn: only a client of this machine that has the whole address and its key, while it is open.
func TestWhoGetsIn(t *testing.T) {
	s := open(t, gateway.Options{})
	e := s.Begin(context.Background(), nil, session(&llm.Scripted{}))
	other := s.Begin(context.Background(), nil, session(&llm.Scripted{}))
	url, key := e.BaseURL()+"/chat/completions", e.Key()
	check := func(what string, want int, url, key string, h ...string) {
		t.Helper()
		got, head, body := do(t, http.MethodPost, url, key, hello, h)
		if got != want {
			t.Errorf("%s: %d, want %d: %s", what, got, want, body)
		}
		if got != 200 && (head.Get("X-Should-Retry") != "false" || !strings.Contains(body, `"error":{`)) {
			t.Errorf("%s: it may be repeated, or has another form: %v %s", what, head, body)
		}
		if head.Get("Access-Control-Allow-Origin") != "" || head.Get("Date") != "" {
			t.Errorf("%s: %v", what, head)
		}
	}
	token := strings.Split(url, "/")[3]
	check("the key", 200, url, key)
	check("the key in Anthropic's header", 200, url, "", "X-Api-Key", key)
	check("the key in Azure's header", 200, url, "", "Api-Key", key)
	check("this machine by name", 200, url, key, "Host", strings.Replace(strings.Split(url, "/")[2], "127.0.0.1", "LocalHost", 1))
	check("no key", 401, url, "")
	check("another exchange's key", 401, url, other.Key())
	check("part of the key", 401, url, key[:len(key)-1])
	check("no address", 401, strings.Replace(url, token+"/", "", 1), key)
	check("a part of the address", 401, strings.Replace(url, token, token[:len(token)-1], 1), key)
	check("another number", 401, strings.Replace(url, token, "0000000000000002"+token[16:], 1), key)
	check("no number", 401, strings.Replace(url, token, strings.Repeat("x", len(token)), 1), key)
	check("dots", 401, strings.Replace(url, token, "x/../"+token, 1), key)
	check("another host", 403, url, key, "Host", "evil.example")
	check("another port", 403, url, key, "Host", "127.0.0.1:1")
	check("a page", 403, url, key, "Origin", "https://evil.example")
	check("a compressed body", 415, url, key, "Content-Encoding", "gzip")
	check("another path", 404, e.BaseURL()+"/responses", key)
	check("a path with dots", 404, e.BaseURL()+"/chat/../chat/completions", key)
	check("another method", 405, e.BaseURL()+"/models", key)
	if _, err := e.End(); err != nil {
		t.Fatal(err)
	}
	check("after the end", 410, url, key)
	check("after the end, with another key", 410, url, "x")
	check("the other", 200, other.BaseURL()+"/chat/completions", other.Key())
}

func TestBodiesAreBounded(t *testing.T) {
	e := begin(t, session(&llm.Scripted{}))
	check := func(what, body string, want int) {
		t.Helper()
		if got, answer := post(t, e, "/chat/completions", body); got != want {
			t.Errorf("%s: %d, want %d: %.200s", what, got, want, answer)
		}
	}
	check("16 MB and more", strings.Repeat(" ", 16<<20)+hello, 413)
	check("many values", `{"x":[`+strings.Repeat("0,", 300_000)+`0]}`, 400)
	check("deep", strings.Repeat(`{"x":`, 200), 400)
	check("long text", `{"messages":[{"role":"user","content":"`+strings.Repeat("x", 1<<20)+`"}]}`, 200)
}

// TestBodiesOfUnknownLength: many at once are answered, though each might have been a long one.
func TestBodiesOfUnknownLength(t *testing.T) {
	m := slow{make(chan struct{}), make(chan struct{})}
	e := begin(t, session(m))
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			req, err := http.NewRequest(http.MethodPost, e.BaseURL()+"/chat/completions", io.MultiReader(strings.NewReader(hello)))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("X-Api-Key", e.Key())
			resp, err := http.DefaultClient.Do(req)
			if err != nil || resp.StatusCode != 200 {
				t.Error(resp, err)
				return
			}
			resp.Body.Close()
		})
	}
	for range 8 { // all are with the model at once
		<-m.began
	}
	close(m.let)
	g.Wait()
}

// TestDoors: one address for the life of a process, which answers for the exchange that is open.
func TestDoors(t *testing.T) {
	s := open(t, gateway.Options{})
	d := s.Door()
	ask := func(path, body string) (int, string) {
		t.Helper()
		status, _, answer := do(t, http.MethodPost, d.BaseURL()+path, d.Key(), body, nil)
		return status, answer
	}
	if got, why := ask("/chat/completions", hello); got != 403 || !strings.Contains(why, "no item is open") {
		t.Errorf("outside of an exchange: %d %s", got, why)
	}
	first, second := session(&llm.Scripted{}), session(&llm.Scripted{})
	first.About, second.About = "d/s/1", "d/s/2"
	e := s.Begin(context.Background(), d, first)
	if got, why := ask("/chat/completions", hello); got != 200 {
		t.Errorf("within one: %d %s", got, why)
	}
	if got, _, why := do(t, http.MethodPost, e.BaseURL()+"/chat/completions", d.Key(), hello, nil); got != 200 {
		t.Errorf("the exchange's address with the door's key: %d %s", got, why)
	}
	rec, err := e.End()
	if err != nil || len(rec.Trace) != 2 || rec.Offline {
		t.Errorf("the first: %+v, %v", rec, err)
	}
	if got, _ := ask("/chat/completions", hello); got != 403 {
		t.Errorf("between two: %d", got)
	}
	if got, why := ask("/embeddings", `{"input":"x","model":"m"}`); got != 200 || !strings.Contains(why, "offline") {
		t.Errorf("embeddings between two: %d %s", got, why)
	}
	e = s.Begin(context.Background(), d, second)
	if rec, err = e.End(); err != nil || len(rec.Trace) != 0 || !rec.Offline {
		t.Errorf("the second depends on the embeddings before it: %+v, %v", rec, err)
	}
	d.Close()
	if got, _ := ask("/embeddings", `{"input":"x"}`); got != 410 {
		t.Errorf("a closed door: %d", got)
	}
}

// TestWhatEndsAnItem: errors of the model that are no failures come back from End, whatever the program made of them.
func TestWhatEndsAnItem(t *testing.T) {
	check := func(what string, err error, status int, part string, ends bool) {
		t.Helper()
		e := begin(t, session(&llm.Scripted{Reply: func(llm.Request) (string, error) { return "", err }}))
		got, body := post(t, e, "/chat/completions", hello)
		if got != status || !strings.Contains(body, part) {
			t.Errorf("%s: %d %s, want %d with %q", what, got, body, status, part)
		}
		rec, ended := e.End()
		if ends != errors.Is(ended, err) {
			t.Errorf("%s: ends with %v", what, ended)
		}
		if n := len(rec.Trace); ends && n != 0 || !ends && (n != 1 || rec.Trace[0].Failure == "") {
			t.Errorf("%s: %+v", what, rec.Trace)
		}
	}
	check("a miss", errors.New("ledger: offline"), 403, "ledger: offline", true)
	check("an unknown completion", prompting.ErrUnknown, 403, "unknown_completion", true)
	check("a busy provider", &llm.Failure{Reason: "http 429", Status: 429, Retryable: true}, 429, "rate_limit_error", false)
	check("a broken one", &llm.Failure{Reason: "http 503", Status: 503, Retryable: true}, 503, "server_error", false)
	check("no connection", &llm.Failure{Reason: "transport", Retryable: true}, 502, "transport", false)
	check("a failure that a run knows", &llm.Failure{Reason: "http 429: slow down"}, 429, "http 429: slow down", false)
	check("a long prompt that a run knows", &llm.Failure{Reason: "prompt too long: 9 tokens"}, 400, "context_length_exceeded", false)
	check("a filter", &llm.Failure{Reason: "blocked: SAFETY"}, 400, "content_filter", false)
	check("a long prompt", &llm.Failure{Reason: "prompt too long", Status: 500}, 400, "context_length_exceeded", false)
}

// TestTheKnownErrorComesFirst: a completion that is not known gives way to what ends the run.
func TestTheKnownErrorComesFirst(t *testing.T) {
	fatal := errors.New("no budget")
	e := begin(t, session(&llm.Scripted{Reply: func(r llm.Request) (string, error) {
		if r.Messages[0].Text == "hello" {
			return "", prompting.ErrUnknown
		}
		return "", fatal
	}}))
	post(t, e, "/chat/completions", hello)
	post(t, e, "/chat/completions", strings.Replace(hello, "hello", "bye", 1))
	if _, err := e.End(); !errors.Is(err, fatal) || !strings.Contains(err.Error(), `"d/s/1"`) {
		t.Error(err)
	}
}

// slow is a model that answers when it is let, or when its context ends.
type slow struct{ began, let chan struct{} }

func (m slow) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	m.began <- struct{}{}
	select {
	case <-m.let:
		return llm.Response{Text: "late", Finish: "stop"}, nil
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

// TestEndingEndsCalls: End waits for no model, and a cancelled run is an error.
func TestEndingEndsCalls(t *testing.T) {
	check := func(what string, cancels bool, want error) {
		t.Helper()
		m := slow{make(chan struct{}), make(chan struct{})}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		e := open(t, gateway.Options{}).Begin(ctx, nil, session(m))
		status := make(chan int)
		go func() {
			got, _ := post(t, e, "/chat/completions", hello)
			status <- got
		}()
		<-m.began
		if cancels {
			cancel()
		}
		rec, err := e.End()
		if !errors.Is(err, want) || len(rec.Trace) != 0 || len(rec.Warnings) != 1 {
			t.Errorf("%s: %+v, %v", what, rec, err)
		}
		if got := <-status; got != 403 {
			t.Errorf("%s: the client got %d", what, got)
		}
	}
	check("an answer before its call", false, nil)
	check("a cancelled run", true, context.Canceled)
}

// TestAClientThatGoesAway asks for the same completion when it comes back.
func TestAClientThatGoesAway(t *testing.T) {
	m := slow{make(chan struct{}), make(chan struct{})}
	e := begin(t, session(m))
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.BaseURL()+"/chat/completions", strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", e.Key())
	gone := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(req)
		gone <- err
	}()
	<-m.began
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for e.Asking() > 0 {
		time.Sleep(time.Millisecond)
	}
	close(m.let)
	go func() { <-m.began }()
	if got, body := post(t, e, "/chat/completions", hello); got != 200 {
		t.Fatalf("%d %s", got, body)
	}
	rec, err := e.End()
	if err != nil || len(rec.Trace) != 1 || rec.Trace[0].Sample != 0 {
		t.Errorf("%+v, %v", rec, err)
	}
}
