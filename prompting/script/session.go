package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/render"
	"assay/prompting/sql/schema"

	"golang.org/x/sync/errgroup"
)

// session is one call of a part: what its host functions work with. Only the goroutine of the call uses it.
type session struct {
	ctx  context.Context
	part *Part
	q    prompting.Question
	item *item

	sample int
	meet   *meeting // of the samples of one answer; nil where the call is alone
	trace  []*prompting.Call
	links  []prompting.Linked
	votes  []prompting.Vote
	pool   []*candidate // that choose() chooses of; nil in other parts
	reads  *reader
	depth  int // of templates that name each other
	within int // parts that use this one
	work   int // that filling templates took, as package jinja counts it
}

// item is what all calls about one question share.
type item struct {
	mu      sync.Mutex
	asked   int
	printed map[print]func() (string, error)
}

// print is one way in which a question is printed: what no shuffle changes is the same for every sample.
type print struct {
	kit            *kit
	db             *schema.Database
	text, evidence string
	cue            bool
}

func (p print) made() (string, error) {
	return p.kit.print.input(render.Ask{DB: p.db, Question: p.text, Evidence: p.evidence, Cue: p.cue})
}

// mostPrinted bounds the forms of a question that are kept: usual methods have one or two.
const mostPrinted = 16

// print prints a question in a form, once.
func (it *item) print(p print) (string, error) {
	it.mu.Lock()
	made, ok := it.printed[p]
	if !ok {
		made = sync.OnceValues(p.made)
		if it.printed == nil {
			it.printed = map[print]func() (string, error){}
		}
		if len(it.printed) < mostPrinted {
			it.printed[p] = made
		}
	}
	it.mu.Unlock()
	return made()
}

// Begin returns a context under which all calls are about one question, so that their number is bounded together.
func Begin(ctx context.Context) context.Context {
	if ctx.Value(itemKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, itemKey{}, &item{})
}

type itemKey struct{}

// itemOf returns what the calls about a question share.
func itemOf(ctx context.Context) *item {
	if it, ok := ctx.Value(itemKey{}).(*item); ok {
		return it
	}
	return &item{}
}

// usualCalls bounds the completions of one question where limits.calls_per_item is not stated.
const usualCalls = 20000

// count adds n completions to the item's, and refuses those beyond the bound.
func (it *item) count(n, most int) error {
	it.mu.Lock()
	defer it.mu.Unlock()
	if most == 0 {
		most = usualCalls
	}
	if it.asked += n; it.asked > most {
		return fmt.Errorf("the method asks for more than %d completions about one question: raise limits.calls_per_item if it means to", most)
	}
	return nil
}

// refusal ends a sample: the model gave no completion.
type refusal struct{ why string }

func (r *refusal) Error() string { return "the model gave no completion: " + r.why }

// query is one request to be sent, for n samples from its own.
type query struct {
	request llm.Request
	stage   string
	n       int
	ctx     context.Context

	replies []reply
	err     error
}

// reply is what came of one request.
type reply struct {
	response llm.Response
	call     *prompting.Call // its Failure says why there is no completion
	unknown  bool            // a forecast's model does not know the completion
}

// send sends queries that do not depend on each other, and returns once each has its replies.
func (s *session) send(queries ...*query) error {
	for _, q := range queries {
		q.ctx = s.ctx
		if err := s.item.count(q.n, s.part.kit.deps.Calls); err != nil {
			return err
		}
	}
	if s.meet != nil {
		s.meet.send(s.sample, queries)
	} else {
		exchange(s.part.kit.deps.Model, queries)
	}
	for _, q := range queries {
		if q.err != nil {
			return q.err
		}
		for _, r := range q.replies {
			s.trace = append(s.trace, r.call)
		}
	}
	return nil
}

// meeting lets the samples of one answer wait for each other, so that equal requests are sent as one and the prompt is
// paid for once. Each sample sends from a goroutine of its own; the last one to wait sends for all.
type meeting struct {
	model   llm.Model
	mu      sync.Mutex
	running int
	waiting []waiter
}

// waiter is a sample that waits for its replies.
type waiter struct {
	sample  int
	queries []*query
	done    chan struct{}
}

func (m *meeting) send(sample int, queries []*query) {
	w := waiter{sample, queries, make(chan struct{})}
	m.mu.Lock()
	m.waiting = append(m.waiting, w)
	m.step()
	<-w.done
}

// leave is what a sample does that asks no more.
func (m *meeting) leave() {
	m.mu.Lock()
	m.step()
}

// step is called with the lock held, which it gives up: one sample less is running, and where none is, those that wait
// are served.
func (m *meeting) step() {
	m.running--
	if m.running > 0 || len(m.waiting) == 0 {
		m.mu.Unlock()
		return
	}
	all := m.waiting
	m.waiting = nil
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b waiter) int { return a.sample - b.sample })
	var queries []*query
	for _, w := range all {
		queries = append(queries, w.queries...)
	}
	exchange(m.model, queries)
	m.mu.Lock()
	m.running = len(all)
	m.mu.Unlock()
	for _, w := range all {
		close(w.done)
	}
}

// exchange sends queries, those of equal requests and consecutive samples as one, and different ones at once.
func exchange(model llm.Model, queries []*query) {
	var g errgroup.Group
	for from := 0; from < len(queries); {
		to := from + 1
		for to < len(queries) && follows(queries[to-1], queries[to]) {
			to++
		}
		group := queries[from:to]
		if from = to; len(group) == len(queries) {
			ask(model, group)
			break
		}
		g.Go(func() error { ask(model, group); return nil })
	}
	_ = g.Wait() // errors are the queries' own
}

// follows reports whether b asks for the samples after those of a, of the same request.
func follows(a, b *query) bool {
	same := func(r llm.Request) string { return llm.Request{Params: r.Params, Tools: r.Tools}.Key() }
	return a.stage == b.stage && a.request.Author == b.request.Author && a.request.Sample+a.n == b.request.Sample &&
		slices.EqualFunc(a.request.Messages, b.request.Messages, llm.Message.Equal) &&
		same(a.request) == same(b.request)
}

// ask sends one request for the samples of all queries, and divides the replies.
func ask(model llm.Model, group []*query) {
	n := 0
	for _, q := range group {
		n += q.n
	}
	first := group[0]
	replies, err := samples(prompting.At(first.ctx, first.stage), model, first.stage, first.request, n)
	for _, q := range group {
		if q.err = err; err != nil {
			continue
		}
		q.replies, replies = replies[:q.n], replies[q.n:]
		if slices.ContainsFunc(q.replies, func(r reply) bool { return r.unknown }) {
			q.err = prompting.ErrUnknown
		}
	}
}

// samples asks for n samples of a request, numbered from its own, in one call where the model can.
func samples(ctx context.Context, model llm.Model, stage string, r llm.Request, n int) (out []reply, err error) {
	first := r.Sample
	numbered := func(i int) llm.Request { r.Sample = first + i; return r }
	if many, ok := model.(llm.SampleGenerator); ok && n > 1 {
		var numbers []int
		for i := range n {
			numbers = append(numbers, first+i)
		}
		responses, err := many.GenerateN(ctx, numbered(0), numbers)
		var f *llm.Failure
		var u *prompting.Unknown
		if err != nil && !errors.As(err, &f) && !errors.As(err, &u) {
			return nil, err
		}
		for i, resp := range responses {
			one, err := replyOf(stage, numbered(i), resp, nil)
			if err != nil {
				return nil, err
			}
			one.unknown = u != nil && slices.Contains(u.Samples, first+i)
			out = append(out, one)
		}
	}
	for i := len(out); i < n; i++ { // a sample that GenerateN did not return is requested alone, for its own failure
		resp, err := model.Generate(ctx, numbered(i))
		one, err := replyOf(stage, numbered(i), resp, err)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// replyOf makes the call of the trace. The error is for what ends the run.
func replyOf(stage string, r llm.Request, resp llm.Response, err error) (reply, error) {
	c := &prompting.Call{Stage: stage, Sample: r.Sample, Key: r.Key()}
	var f *llm.Failure
	if errors.As(err, &f) {
		c.Failure = f.Why()
		return reply{call: c}, nil
	}
	c.Usage, c.Cached, c.Finish, c.Note = resp.Usage, resp.Cached, resp.Finish, resp.Silence()
	return reply{response: resp, call: c}, err
}
