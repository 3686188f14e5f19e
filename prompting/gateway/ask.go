package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/prompting"
	"assay/prompting/llm"

	"golang.org/x/sync/errgroup"
)

// stageHeader is the header by which a client may name the stage of a request, as "solve 2".
const stageHeader = "X-Assay-Stage"

// usualStage is the stage of requests whose client names none: that of the one call of most methods.
const usualStage = "generate"

// mostStage bounds the name of a stage, in bytes.
const mostStage = 64

// errGone is a client that no longer waits. Nothing is written to it.
var errGone = errors.New("gateway: the client has gone")

// order is a request for n completions as it was read, without sample and seed.
type order struct {
	request llm.Request
	n       int
	stage   string // as the client names it; may be empty
}

// outcome is one completion, or why there is none.
type outcome struct {
	key      string // of its request
	response llm.Response
	failure  *llm.Failure // nil where there is a response
}

// asking is an order in the trace.
type asking struct {
	base  string // number-free part of a stage that the client names; empty where it names none
	part  int    // the number at its end; -1 for none
	stage string // as the client names it
	calls []prompting.Call
	same  string // key of the request without its number
	ended bool   // it was answered, or failed
	holds bool   // its numbers are its own
	done  bool   // it came to an end before the exchange did
	gone  bool   // its client does not wait for it

	messages []llm.Message // of the request; of the first mostQuoted orders alone
	turns    int           // their number
	lines    []string      // the longest line of each completion
	stored   int64         // the first llm.Response.Stored of its completions; 0: none was stored
}

// ask puts an order to the session's model. Equal orders are told apart by their samples, in order of arrival. A client that
// goes away frees the number of its order: if it asks again, it asks for the same completion.
func (e *Exchange) ask(client context.Context, o order) ([]outcome, error) {
	if e.session.Model == nil {
		return nil, &refusal{Status: http.StatusForbidden, Code: "no_item",
			Message: "no item is open on this address, so that nobody could say what the completion was for: ask while answering an item, and by the base_url that came with it"}
	}
	o.request.Params = e.seeded(o)
	base := o.request.Key()
	a, first, err := e.enter(o, base)
	if err != nil {
		return nil, err
	}
	type result struct {
		got []outcome
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer e.running.Done()
		got, err := e.complete(prompting.At(e.ctx, cmp.Or(o.stage, usualStage)), o, first)
		e.stop(err)
		err = e.note(a, o, base, first, got, err)
		done <- result{got, err}
	}()
	defer e.answered()
	select {
	case r := <-done:
		e.linger(r.got)
		return r.got, r.err
	case <-client.Done():
		e.abandon(a, o, base, first)
		return nil, errGone
	}
}

// lingering is how long an answer of the ledger is held back while nothing says that the program has threads: it comes so
// fast that a second thread would often ask after it, and look like the next step of the first.
const lingering = 3 * time.Millisecond

// linger holds an answer of the ledger back until another request arrives, for a short time.
func (e *Exchange) linger(got []outcome) {
	if len(got) == 0 || !got[0].response.Cached {
		return
	}
	select {
	case <-e.threads:
	case <-time.After(lingering):
	case <-e.ctx.Done():
	}
}

// answered notes that a request waits no more.
func (e *Exchange) answered() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting--
}

// seeded returns an order's parameters with the seed that its samples are drawn from, where none is stated and the model
// samples. It is that of a method's own request.
func (e *Exchange) seeded(o order) llm.Params {
	p := o.request.Params
	p.Seed = nil
	if p.Temperature > 0 && p.FixedSeed == nil {
		seed := llm.DrawSeed(e.session.Seed, e.session.About, e.session.Name, cmp.Or(o.stage, usualStage))
		p.Seed = &seed
	}
	return p
}

// enter gives an order the lowest numbers in a row that no equal one has, and a place in the trace.
func (e *Exchange) enter(o order, base string) (a *asking, first int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return nil, 0, &refusal{Status: http.StatusGone, Code: "item_over", Message: "the item has been answered"}
	}
	if most := cmp.Or(e.session.Calls, mostCompletions); e.asked+o.n > most {
		return nil, 0, &refusal{Status: http.StatusForbidden, Code: "too_many_calls",
			Message: fmt.Sprintf("one item may ask for %d completions (limits.calls_per_item), %d were asked for, and this would be %d more", most, e.asked, o.n)}
	}
	e.asked += o.n
	if e.waiting++; e.waiting == 2 && !e.threaded {
		e.threaded = true
		close(e.threads)
	}
	first = lowest(e.taken[base], o.n)
	e.mark(base, first, o.n, true)
	a = &asking{stage: o.stage, holds: true}
	a.base, a.part = numbered(o.stage)
	if a.same = base; slices.ContainsFunc(e.trace, func(b *asking) bool { return b.same == base && !b.ended }) {
		e.warnings[twins] = true
	}
	if a.turns = len(o.request.Messages); len(e.trace) < mostQuoted {
		a.messages = o.request.Messages
	}
	e.trace = append(e.trace, a)
	e.running.Add(1)
	return a, first, nil
}

// twins warns of what a replay cannot repeat: nothing tells threads apart that send the same bytes at once.
const twins = "equal requests were made at once: which of them gets which completion depends on which arrives first, and so does a replay; " +
	"ask for n completions in one request, or give each a seed of its own, or at a temperature above 0 a stage (header " + stageHeader + ": draft 1)"

// lowest returns where n numbers in a row begin of which none is taken.
func lowest(taken []bool, n int) int {
	free := 0
	for i, is := range taken {
		if free++; is {
			free = 0
		}
		if free == n {
			return i + 1 - n
		}
	}
	return len(taken) - free
}

// mark sets whether numbers are taken.
func (e *Exchange) mark(base string, first, n int, is bool) {
	t := e.taken[base]
	for len(t) < first+n {
		t = append(t, false)
	}
	for i := first; i < first+n; i++ {
		t[i] = is
	}
	e.taken[base] = t
}

// numbered cuts the number off a stage's end: "solve 2" is 2 of "solve".
func numbered(stage string) (base string, number int) {
	at := strings.LastIndexByte(stage, ' ')
	if at < 0 {
		return stage, -1
	}
	n, err := strconv.Atoi(stage[at+1:])
	if err != nil || n < 0 {
		return stage, -1
	}
	return stage[:at], n
}

// note puts into the trace what became of an order, and returns why nothing did. One that got nothing gives its numbers back:
// a client that repeats it asks for the same completions again, live as when they are replayed.
func (e *Exchange) note(a *asking, o order, base string, first int, got []outcome, err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.ended = true; a.gone {
		return errGone
	}
	for i, x := range got {
		a.calls = append(a.calls, traced(x, e.session.Sample+(first+i)*SampleStep))
		if at := x.response.Stored; at > 0 && (a.stored == 0 || at < a.stored) {
			a.stored = at
		}
		if line := longest(x.response.Text); line != "" {
			a.lines = append(a.lines, line)
		}
		for _, c := range x.response.ToolCalls {
			if same := e.called[c.ID]; len(same) < mostAlike && !slices.Contains(same, c) {
				e.called[c.ID] = append(same, c)
			}
		}
	}
	if err == nil && !slices.ContainsFunc(got, func(x outcome) bool { return x.failure == nil }) {
		err = got[0].failure
	}
	for _, x := range got {
		if err == nil && x.failure != nil {
			e.warnings["some of several samples asked for at once were not given: their choices have the finish_reason content_filter"] = true
		}
	}
	if err != nil {
		e.free(a, o, base, first)
	}
	a.done = e.ctx.Err() == nil
	return err
}

// free gives an order's numbers back, once.
func (e *Exchange) free(a *asking, o order, base string, first int) {
	if a.holds {
		a.holds = false
		e.mark(base, first, o.n, false)
	}
}

// abandon takes an order back whose client has gone. Its call goes on, and is there for the client that asks again.
func (e *Exchange) abandon(a *asking, o order, base string, first int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	a.gone = true
	e.trace = slices.DeleteFunc(e.trace, func(b *asking) bool { return a == b })
	e.free(a, o, base, first)
}

// mostAlike bounds the tool calls of one id that are kept; some servers count ids anew in every conversation.
const mostAlike = 100

// traced returns a completion as the trace has it.
func traced(x outcome, sample int) prompting.Call {
	c := prompting.Call{Sample: sample, Key: x.key}
	if x.failure != nil {
		c.Failure = x.failure.Why()
		return c
	}
	r := x.response
	c.Usage, c.Tier, c.Cached, c.Finish, c.Note = r.Usage, r.Tier, r.Cached, r.Finish, r.Silence()
	return c
}

// complete asks for the n samples of an order from the first on: in one call where the model can, and one by one what that
// leaves open. A sample that fails does not take the others with it; any other error does.
func (e *Exchange) complete(ctx context.Context, o order, first int) ([]outcome, error) {
	r := o.request
	samples := make([]int, o.n)
	for i := range samples {
		samples[i] = e.session.Sample + (first+i)*SampleStep
	}
	var out []outcome
	if many, ok := e.session.Model.(llm.SampleGenerator); ok && o.n > 1 {
		got, err := many.GenerateN(ctx, r, samples)
		var f *llm.Failure
		if err != nil && !errors.As(err, &f) {
			return nil, err
		}
		for i, resp := range got[:min(len(got), o.n)] {
			r.Sample = samples[i]
			out = append(out, outcome{key: r.Key(), response: resp})
		}
	}
	rest := make([]outcome, o.n-len(out))
	g, ctx := errgroup.WithContext(ctx)
	for i, sample := range samples[len(out):] { // what GenerateN did not give is asked for alone, for its own reason
		g.Go(func() (err error) {
			rest[i], err = e.one(ctx, r, sample)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return append(out, rest...), nil
}

// one asks for one completion. A failure is part of the outcome.
func (e *Exchange) one(ctx context.Context, r llm.Request, sample int) (x outcome, err error) {
	r.Sample = sample
	x.key = r.Key()
	if x.response, err = e.session.Model.Generate(ctx, r); errors.As(err, &x.failure) {
		x.response, err = llm.Response{}, nil
	}
	return x, err
}
