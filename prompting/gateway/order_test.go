package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/prompting/gateway"
	"assay/prompting/llm"
)

// storing is a model of which a ledger stored each answer in a second of its own. It answers once let is closed.
type storing struct {
	seconds map[string]int64
	let     chan struct{}
}

func (s storing) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	<-s.let
	last := r.Messages[len(r.Messages)-1].Text
	return llm.Response{Text: "the answer of " + last[:1], Tier: llm.Batch, Stored: s.seconds[last[:1]]}, nil
}

// TestTheOrderOfCalls: what threads ask in any order has one order in the trace, that of the ledger and of what they say.
// What is asked one by one stays as it was asked.
func TestTheOrderOfCalls(t *testing.T) {
	check := func(what string, threads bool, seconds map[string]int64, want string, orders ...string) {
		t.Helper()
		for _, asked := range orders {
			m := storing{seconds, make(chan struct{})}
			if !threads {
				close(m.let)
			}
			e := begin(t, session(m))
			var g sync.WaitGroup
			for i, text := range strings.Split(asked, ",") {
				g.Go(func() {
					body := fmt.Sprintf(`{"messages":[{"role":"user","content":%q}]}`, text)
					if got, answer := post(t, e, "/chat/completions", body); got != 200 {
						t.Errorf("%s: %d %s", what, got, answer)
					}
				})
				if !threads {
					g.Wait()
				}
				for e.Asking() <= i {
					time.Sleep(time.Millisecond)
				}
			}
			if threads {
				close(m.let)
			}
			g.Wait()
			if got := lasts(t, e, m, strings.Split(asked, ",")); got != want {
				t.Errorf("%s: asked as %q, the trace has %q, want %q", what, asked, got, want)
			}
		}
	}
	type at = map[string]int64
	check("one by one", false, at{"a": 5, "b": 5}, "b a", "b,a")
	check("no ledger: as they arrived", true, at{}, "b a", "b,a")
	check("the ledger's order", true, at{"a": 7, "b": 5, "c": 6}, "b c a", "a,b,c", "c,b,a", "b,c,a")
	check("a quotation is later", true, at{"a": 5, "b": 5, "c": 5}, "b a c", "b,a of the answer of b,c of the answer of a", "c of the answer of a,b,a of the answer of b")
	check("a circle ends", true, at{"a": 5, "b": 5}, "a b", "a of the answer of b,b of the answer of a", "b of the answer of a,a of the answer of b")
}

// lasts ends an exchange and returns the first letters of what its calls asked, in the trace's order.
func lasts(t *testing.T, e *gateway.Exchange, m storing, asked []string) string {
	t.Helper()
	rec, err := e.End()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, text := range asked {
		r := llm.Request{Author: session(m).Author, Params: session(m).Params, Messages: []llm.Message{{Role: llm.User, Text: text}}}
		names[r.Key()] = text[:1]
	}
	var out []string
	for i, c := range rec.Trace {
		if want := fmt.Sprintf("generate %d", i+1); c.Stage != want || c.Tier != llm.Batch {
			t.Errorf("call %d is of stage %q, tier %q; want %q, %q", i, c.Stage, c.Tier, want, llm.Batch)
		}
		out = append(out, names[c.Key])
	}
	return strings.Join(out, " ")
}
