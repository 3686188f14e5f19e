package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/retry"
)

// quick are retries with waits of their own short enough for a test; waits that a server asks for are full. No call is
// too slow: a busy machine is not the server's fault.
var quick = retry.Options{Attempts: 4, FirstWait: time.Millisecond, LongestWait: 4 * time.Millisecond, Timeout: -1}

// hurried is a model the first calls of which end at their deadline, and not before the server has heard them; those
// after them take the time that they need. So the outcome of slow answers does not depend on the machine.
type hurried struct {
	llm.Model
	server *llmtest.Server
	slow   int64 // calls that the server answers too late
	calls  atomic.Int64
}

func (h *hurried) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	n := h.calls.Add(1)
	if n > h.slow {
		return h.Model.Generate(context.WithoutCancel(ctx), r)
	}
	late := overdue{ctx, make(chan struct{})}
	context.AfterFunc(ctx, func() {
		for int64(len(h.server.Calls())) < n {
			time.Sleep(time.Millisecond)
		}
		close(late.done)
	})
	return h.Model.Generate(late, r)
}

// overdue is a context that ends as its parent did, once done is closed.
type overdue struct {
	context.Context
	done chan struct{}
}

func (o overdue) Deadline() (time.Time, bool) { return time.Time{}, false }
func (o overdue) Done() <-chan struct{}       { return o.done }

func (o overdue) Err() error {
	select {
	case <-o.done:
		return o.Context.Err()
	default:
		return nil
	}
}

// fault is a line of the table: a script of faults, and the outcome expected of every provider.
type fault struct {
	name   string
	script []llmtest.Fault
	always bool   // the script's only fault is met by every call
	want   string // "ok", "failure REASON", or "ends the run"
	calls  int
	least  time.Duration
}

const storm = 60 * time.Millisecond

// wait asks to wait by a header.
func wait(header string) llmtest.Fault {
	return llmtest.Fault{Name: "429", Status: 429, Header: map[string]string{"Retry-After": header}}
}

var (
	millions = fmt.Sprintf(`{"choices": [%[1]s{}], "candidates": [%[1]s{}], "content": [], "stop_details": [%[1]s{}]}`, strings.Repeat("{},", 1e6))
	long     = fmt.Sprintf(`{"choices": [{"message": {"content": %[1]q}, "text": %[1]q}], "candidates": [{"content": {"parts": [{"text": %[1]q}]}}], "content": [{"type": "text", "text": %[1]q}]}`, strings.Repeat("x", 2<<20))
)

var slow = llmtest.Fault{Name: "slow first byte", Delay: time.Minute}

var faults = []fault{
	{name: "none", want: "ok", calls: 1},
	{name: "429 twice, with a wait", script: slices.Repeat([]llmtest.Fault{llmtest.Throttled(storm)}, 2), want: "ok", calls: 3, least: 2 * storm},
	{name: "429 without a wait", script: []llmtest.Fault{llmtest.Throttled(0)}, want: "ok", calls: 2},
	{name: "429 storm", script: []llmtest.Fault{llmtest.Throttled(storm)}, always: true, want: "failure http 429", calls: 4, least: 3 * storm},
	{name: "429 for an hour", script: []llmtest.Fault{llmtest.Throttled(time.Hour)}, always: true, want: "failure http 429", calls: 1},
	{name: "408", script: []llmtest.Fault{llmtest.Refused(408)}, want: "ok", calls: 2},
	{name: "500", script: []llmtest.Fault{llmtest.Refused(500)}, want: "ok", calls: 2},
	{name: "500 for good", script: []llmtest.Fault{llmtest.Refused(500)}, always: true, want: "failure http 500", calls: 4},
	{name: "502, 503, 504", script: []llmtest.Fault{llmtest.Refused(502), llmtest.Refused(503), llmtest.Refused(504)}, want: "ok", calls: 4},
	{name: "503 for good", script: []llmtest.Fault{llmtest.Refused(503)}, always: true, want: "failure http 503", calls: 4},
	{name: "529", script: []llmtest.Fault{llmtest.Refused(529)}, want: "ok", calls: 2},
	{name: "529 for good", script: []llmtest.Fault{llmtest.Refused(529)}, always: true, want: "failure http 529", calls: 4},
	{name: "slow first byte", script: []llmtest.Fault{slow}, want: "ok", calls: 2},
	{name: "slow for good", script: []llmtest.Fault{slow}, always: true, want: "failure timeout", calls: 2},
	{name: "half a body", script: []llmtest.Fault{{Name: "half", Half: true}}, want: "ok", calls: 2},
	{name: "half a body for good", script: []llmtest.Fault{{Name: "half", Half: true}}, always: true, want: "failure half an answer", calls: 4},
	{name: "connection reset", script: []llmtest.Fault{{Name: "reset", Reset: true}}, want: "ok", calls: 2},
	{name: "reset for good", script: []llmtest.Fault{{Name: "reset", Reset: true}}, always: true, want: "failure connection reset", calls: 4},
	{name: "malformed JSON", script: []llmtest.Fault{{Name: "malformed", Body: `{"choices": [}]`}}, want: "failure malformed answer", calls: 1},
	{name: "JSON of another shape", script: []llmtest.Fault{{Name: "shape", Body: `{"choices": 7, "candidates": 7}`}}, want: "failure malformed answer", calls: 1},
	{name: "truncated JSON", script: []llmtest.Fault{{Name: "truncated", Body: `{"choices": [{"message": {"con`}}, want: "ok", calls: 2},
	{name: "an HTML page", script: []llmtest.Fault{{Name: "page", Body: "<html>sign in</html>", Type: "text/html"}}, want: "failure wrong content type", calls: 1},
	{name: "an event stream", script: []llmtest.Fault{{Name: "stream", Body: "data: {}\n\n", Type: "text/event-stream"}}, want: "failure wrong content type", calls: 1},
	{name: "an endless body", script: []llmtest.Fault{{Name: "flood", Body: `{"choices": [`, Flood: "{},"}}, want: "failure answer too large", calls: 1},
	{name: "an endless line", script: []llmtest.Fault{{Name: "line", Flood: "x"}}, want: "failure answer too large", calls: 1},
	{name: "an endless body in gzip", script: []llmtest.Fault{{Name: "bomb", Flood: " ", Gzip: true}}, want: "failure answer too large", calls: 1},
	{name: "an endless event stream", script: []llmtest.Fault{{Name: "events", Flood: "data: {}\n\n", Type: "text/event-stream"}}, want: "failure wrong content type", calls: 1},
	{name: "an endless page", script: []llmtest.Fault{{Name: "page", Flood: "<p>", Type: "text/html"}}, want: "failure answer too large", calls: 1},
	{name: "an endless error", script: []llmtest.Fault{{Name: "500", Status: 500, Flood: "sorry "}}, want: "ok", calls: 2},
	{name: "a megabyte of header", script: []llmtest.Fault{{Name: "header", Large: 1 << 20}}, want: "failure header too large", calls: 1},
	{name: "a byte and no more", script: []llmtest.Fault{{Name: "hang", Body: "{", Hang: true}}, want: "ok", calls: 2},
	{name: "a byte and no more for good", script: []llmtest.Fault{{Name: "hang", Body: "{", Hang: true}}, always: true, want: "failure timeout", calls: 2},
	{name: "a million lists in lists", script: []llmtest.Fault{{Name: "deep", Body: strings.Repeat("[", 1e6)}}, want: "failure malformed answer", calls: 1},
	{name: "a million choices", script: []llmtest.Fault{{Name: "choices", Body: millions}}, want: "ok", calls: 1},
	{name: "a completion of two megabytes", script: []llmtest.Fault{{Name: "long", Body: long}}, want: "failure completion too long", calls: 1},
	{name: "429 for thirty years", script: []llmtest.Fault{wait("1000000000")}, always: true, want: "failure http 429", calls: 1},
	{name: "429 until the year 9999", script: []llmtest.Fault{wait("Fri, 31 Dec 9999 23:59:59 GMT")}, always: true, want: "failure http 429", calls: 1},
	{name: "429 until yesterday", script: []llmtest.Fault{wait("Thu, 01 Jan 1970 00:00:00 GMT")}, want: "ok", calls: 2},
	{name: "429 for less than no time", script: []llmtest.Fault{wait("-1000000000")}, want: "ok", calls: 2},
	{name: "400", script: []llmtest.Fault{llmtest.Refused(400)}, want: "failure http 400", calls: 1},
	{name: "413", script: []llmtest.Fault{llmtest.Refused(413)}, want: "failure prompt too long", calls: 1},
	{name: "401", script: []llmtest.Fault{llmtest.Refused(401)}, want: "ends the run", calls: 1},
	{name: "402", script: []llmtest.Fault{llmtest.Refused(402)}, want: "ends the run", calls: 1},
	{name: "403", script: []llmtest.Fault{llmtest.Refused(403)}, want: "ends the run", calls: 1},
	{name: "404", script: []llmtest.Fault{llmtest.Refused(404)}, want: "ends the run", calls: 1},
	{name: "a redirect", script: []llmtest.Fault{{Name: "302", Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}}, want: "ends the run", calls: 1},
	{name: "500, then 401", script: []llmtest.Fault{llmtest.Refused(500), llmtest.Refused(401)}, want: "ends the run", calls: 2},
}

func outcome(err error) string {
	var f *llm.Failure
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &f):
		return "failure " + f.Reason
	}
	return "ends the run"
}

// faultRow is a row of the table that .ci/faults prints: the fault, the provider, what came of it, calls made, and what
// the user saw.
func faultRow(fault string, k llmtest.Kind, what string, calls int, err error) string {
	saw := "the answer"
	if err != nil {
		saw = err.Error()
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %s |", fault, k, what, calls, saw)
}

// TestFaults is the table of faults over providers; .ci/faults prints it.
func TestFaults(t *testing.T) {
	for _, k := range providers {
		for _, f := range faults {
			t.Run(string(k)+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				s := llmtest.Start(t, k)
				if f.always {
					s.Always(f.script[0])
				} else {
					s.Script(f.script...)
				}
				var inner llm.Model = open(t, k, s.URL)
				o := quick
				if len(f.script) > 0 && (f.script[0].Delay > 0 || f.script[0].Hang) {
					slow := int64(len(f.script))
					if f.always {
						slow = int64(f.calls)
					}
					inner, o.Timeout = &hurried{Model: inner, server: s, slow: slow}, 20*time.Millisecond
				}
				m := retry.Wrap(inner, o)
				start := time.Now()
				_, err := m.Generate(context.Background(), llmtest.Ask("x"))
				took := time.Since(start)
				if got := outcome(err); got != f.want || len(s.Calls()) != f.calls {
					t.Errorf("%s after %d calls, want %s after %d: %v", got, len(s.Calls()), f.want, f.calls, err)
				}
				if took < f.least {
					t.Errorf("asked again after %v, %v before the server allows", took, f.least-took)
				}
				if s := m.Stats(); int(s.Attempts) != f.calls {
					t.Errorf("stats %+v", s)
				}
				t.Log(faultRow(f.name, k, f.want, len(s.Calls()), err))
			})
		}
	}
}

func TestNoServerOrNoTrust(t *testing.T) {
	for _, k := range providers {
		check := func(what, url, want string, calls int64, part string) {
			t.Helper()
			m := retry.Wrap(open(t, k, url), quick)
			_, err := m.Generate(context.Background(), llmtest.Ask("x"))
			if got := outcome(err); got != want || !strings.Contains(fmt.Sprint(err), part) {
				t.Errorf("%s, %s: %s, want %s: %v", k, what, got, want, err)
			}
			if n := m.Stats().Attempts; n != calls {
				t.Errorf("%s, %s: %d calls, want %d", k, what, n, calls)
			}
			t.Log(faultRow(what, k, want, int(m.Stats().Attempts), err))
		}
		plain := llmtest.Start(t, k).URL
		secure := llmtest.StartTLS(t, k).URL
		check("nobody listens", "http://127.0.0.1:1", "ends the run", 3, "refused")
		check("a certificate nobody trusts", secure, "ends the run", 1, "certificate")
		check("TLS to a plain server", strings.Replace(plain, "http:", "https:", 1), "ends the run", 1, "speak no TLS: http?")
		check("plain text to a server of TLS", strings.Replace(secure, "https:", "http:", 1), "ends the run", 1, "speaks TLS: https?")
	}
}

func TestEmbeddingsUnderFaults(t *testing.T) {
	for _, k := range providers {
		s := llmtest.Start(t, k)
		p := open(t, k, s.URL)
		if !embeds(p) {
			continue
		}
		m := retry.Wrap(p, quick)
		s.Script(llmtest.Refused(503), llmtest.Throttled(time.Millisecond), llmtest.Fault{Name: "half", Half: true})
		texts := embeddings("one", "three", "é")
		got, err := m.Vectors(context.Background(), texts)
		if err != nil || len(got.Vectors) != 3 || len(s.Calls()) != 4 {
			t.Fatalf("%s: %v, %v, %d calls", k, got, err, len(s.Calls()))
		}
		check := func(what, want string, f llmtest.Fault) {
			t.Helper()
			s.Script(f)
			if _, err := m.Vectors(context.Background(), texts); outcome(err) != want {
				t.Errorf("%s, %s: %s, want %s: %v", k, what, outcome(err), want, err)
			}
		}
		answer := func(vectors ...string) llmtest.Fault {
			var data, list []string
			for i, v := range vectors {
				data = append(data, fmt.Sprintf(`{"index": %d, "embedding": %s}`, i, v))
				list = append(list, fmt.Sprintf(`{"values": %s}`, v))
			}
			return llmtest.Fault{Name: "vectors", Body: fmt.Sprintf(`{"data": [%s], "embeddings": [%s]}`, strings.Join(data, ","), strings.Join(list, ","))}
		}
		const malformed = "failure malformed answer"
		check("no vectors", malformed, answer())
		check("one too few", malformed, answer("[1]", "[2]"))
		check("one too many", malformed, answer("[1]", "[2]", "[3]", "[4]"))
		check("other lengths", malformed, answer("[1]", "[2]", "[3, 4]"))
		check("an empty one", malformed, answer("[]", "[]", "[]"))
		check("a number too large for any", malformed, answer("[1]", "[2]", "[1e39]"))
		check("no number", malformed, answer("[1]", "[2]", `["NaN"]`))
		check("null", malformed, answer("[1]", "[2]", "null"))
		check("a number that JSON has not", malformed, answer("[1]", "[2]", "[NaN]"))
		for _, said := range []string{"input (1400 tokens) is too large to process. increase the physical batch size (current batch size: 512)", "the input length exceeds the context length"} {
			if k == llmtest.Gemini {
				break
			}
			check("a text too long", "failure prompt too long", llmtest.Fault{Status: 500, Code: said})
		}
		check("a refused key", "ends the run", llmtest.Refused(401))
		texts.Dimensions = 4
		check("another length than was asked for", "ends the run", answer("[1]", "[2]", "[3]"))
	}
}

// TestTheKeyIsNowhere plants a key, meets every fault from servers that repeat the key in their errors, and looks for
// it in all that can be printed.
func TestTheKeyIsNowhere(t *testing.T) {
	for _, k := range providers {
		var seen strings.Builder
		look := func(format string, args ...any) { fmt.Fprintf(&seen, format+"\n", args...) }
		ask := func(s *llmtest.Server, url string) {
			p := open(t, k, url)
			m := retry.Wrap(p, quick)
			_, err := m.Generate(context.Background(), llmtest.Ask("x"))
			for e := err; e != nil; e = errors.Unwrap(e) {
				look("%v %+v %#v %q", e, e, e, e)
			}
			seed := int64(1)
			r := llmtest.Ask("x")
			r.Params.Seed = &seed
			_, err = m.GenerateN(context.Background(), r, []int{0, 1})
			look("%v %+v", err, err)
			if embeds(p) {
				_, err = m.Vectors(context.Background(), embeddings("x"))
				look("%v %+v", err, err)
			}
			look("%q %v %+v %+v %#v", m.Warnings(), m.Stats(), p, m, p)
			for _, c := range s.Calls() {
				look("%s %s", c.URL, c.Body)
				if c.Key() != plantedKey {
					t.Errorf("%s: the key came as %q", k, c.Key())
				}
			}
		}
		for _, f := range faults {
			// Of these nothing is printed that others do not print.
			if len(f.script) > 0 && (f.script[0].Delay > 0 || f.script[0].Hang || f.script[0].Flood != "" && f.script[0].Status == 0) {
				continue
			}
			s := llmtest.Start(t, k)
			s.EchoKey, s.IgnoreN, s.IgnoreSeed = true, true, true
			if len(f.script) > 0 {
				once := f.script[0]
				if once.Body != "" {
					once.Body += plantedKey
				}
				once.Wait = 0
				s.Always(once)
			}
			ask(s, s.URL)
		}
		tls := llmtest.StartTLS(t, k)
		ask(tls, tls.URL)
		ask(tls, "http://127.0.0.1:1")
		if text := seen.String(); strings.Contains(text, plantedKey) || strings.Contains(text, "7qzx") {
			at := strings.Index(text, "7qzx")
			t.Errorf("%s: the key shows: ...%q", k, text[max(at-200, 0):min(at+50, len(text))])
		}
		if !strings.Contains(seen.String(), "[key]") {
			t.Errorf("%s: no server repeated the key: the test looks at nothing", k)
		}
	}
}

// TestAStormOnManyWorkers lets a server refuse all above a rate, and counts: every request is answered, none is asked
// more often than its answers and its refusals.
func TestAStormOnManyWorkers(t *testing.T) {
	for _, k := range providers {
		s := llmtest.Start(t, k)
		for range 20 {
			s.Script(llmtest.Throttled(5*time.Millisecond), llmtest.Fault{}, llmtest.Refused(http.StatusServiceUnavailable))
		}
		o := quick
		o.Attempts, o.Concurrency = 20, 8
		m := retry.Wrap(open(t, k, s.URL), o)
		const requests = 60
		errs := make(chan error, requests)
		for i := range requests {
			go func() {
				r := llmtest.Ask("x")
				r.Sample = i
				_, err := m.Generate(context.Background(), r)
				errs <- err
			}()
		}
		for range requests {
			if err := <-errs; err != nil {
				t.Errorf("%s: %v", k, err)
			}
		}
		if n := len(s.Calls()); n != requests+40 || m.Stats().Throttles != 20 || m.Stats().Retries != 40 {
			t.Errorf("%s: %d calls, %+v, want %d calls", k, n, m.Stats(), requests+40)
		}
	}
}

// BenchmarkProvider measures a short completion through HTTP on the loopback, many at once.
func BenchmarkProvider(b *testing.B) {
	for _, k := range providers {
		b.Run(string(k), func(b *testing.B) {
			s := llmtest.Start(b, k)
			m := retry.Wrap(open(b, k, s.URL), retry.Options{Concurrency: 32})
			r := llmtest.Ask(strings.Repeat("CREATE TABLE t (a INTEGER, b TEXT);\n", 100))
			r.Params.MaxTokens = 50
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := m.Generate(context.Background(), r); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
