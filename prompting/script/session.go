package script

import (
	"context"
	"errors"
	"slices"
	"sync"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/render"
	"assay/prompting/sql/schema"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// session is one call of a part: what its host functions work with. Only the goroutine of the call uses it.
type session struct {
	ctx  context.Context
	part *Part
	q    prompting.Question
	item *item

	sample int
	meet   *meeting // of the samples of one answer, or of the call alone
	trace  []*prompting.Call
	links  []prompting.Linked
	shows  shows
	votes  []prompting.Vote
	pool   []*candidate // that choose() chooses of; nil in other parts
	reads  *reader
	depth  int // of templates that name each other
	within int // parts that use this one
	work   int // that filling templates took, as package jinja counts it
	held   int // bytes that the call has of the item's
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

// refusal ends a sample: the model gave no completion.
type refusal struct{ why string }

func (r *refusal) Error() string { return "the model gave no completion: " + r.why }

// withheld returns a vector that the provider did not give as the end of the sample, as a completion that it did not give is.
// Any other error stays as it is.
func withheld(err error) error {
	if f := (*llm.Failure)(nil); errors.As(err, &f) {
		return &refusal{f.Why()}
	}
	return err
}

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

// send sends queries that do not depend on each other, and returns once each has its replies. Texts that samples ask alike
// are held once until then; replies are, as long as the call.
func (s *session) send(queries ...*query) error {
	for _, q := range queries {
		s.look(q.request.Messages)
		q.ctx = s.ctx
		if err := s.item.count(q.n, s.part.kit.deps.Calls); err != nil {
			return err
		}
	}
	if err := s.meet.hold(s, queries); err != nil {
		return err
	}
	s.meet.send(s.sample, queries)
	bytes := 0
	for _, q := range queries {
		if q.err != nil {
			return q.err
		}
		for _, r := range q.replies {
			s.trace = append(s.trace, r.call)
			bytes += r.size()
		}
	}
	return s.hold(bytes)
}

// size is the bytes of a reply.
func (r reply) size() int {
	n := len(r.response.Text) + len(r.response.Reasoning) + callSize
	for _, t := range r.response.ToolCalls {
		n += len(t.Name) + len(t.Arguments)
	}
	return n
}

// meeting lets the samples of one answer wait for each other, so that equal requests are sent as one and the prompt is
// paid for once. Each sample sends from a goroutine of its own; the last one to wait sends for all.
type meeting struct {
	model   llm.Model
	item    *item
	mu      sync.Mutex
	running int
	waiting []waiter

	said sync.Mutex
	text map[string]string // of the requests that wait, each held once
	held int               // bytes of them
}

// newMeeting returns a meeting of n samples.
func newMeeting(s *session, n int) *meeting {
	return &meeting{model: s.part.kit.deps.Model, item: s.item, running: n}
}

// hold makes the texts of queries one with those that others ask, and holds those that are new.
func (m *meeting) hold(s *session, queries []*query) error {
	m.said.Lock()
	defer m.said.Unlock()
	if m.text == nil {
		m.text = map[string]string{}
	}
	for _, q := range queries {
		turns := slices.Clone(q.request.Messages)
		for i, t := range turns {
			same, known := m.text[t.Text]
			if !known {
				if err := m.item.hold(s.ctx, len(t.Text)); err != nil {
					return err
				}
				m.held += len(t.Text)
				same, m.text[t.Text] = t.Text, t.Text
			}
			turns[i].Text = same
		}
		q.request.Messages = turns
	}
	return nil
}

// forget gives back what the requests held that have been answered.
func (m *meeting) forget() {
	m.said.Lock()
	defer m.said.Unlock()
	m.item.drop(m.held)
	m.text, m.held = nil, 0
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
	m.forget()
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

// A request in flight is kept some times: as it is stored, as JSON, and as that is sent. Large ones wait for each other.
const (
	copies      = 3
	mostSending = 48 << 20
)

// sending are the bytes of all requests of the process that may be in flight.
var sending = semaphore.NewWeighted(mostSending)

// ask sends one request for the samples of all queries, and divides the replies.
func ask(model llm.Model, group []*query) {
	n := 0
	for _, q := range group {
		n += q.n
	}
	first := group[0]
	bytes := min(copies*int64(sizeOf(first.request.Messages)), mostSending)
	if err := sending.Acquire(first.ctx, bytes); err != nil {
		for _, q := range group {
			q.err = context.Cause(first.ctx)
		}
		return
	}
	defer sending.Release(bytes)
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
	c.Usage, c.Tier, c.Cached, c.Finish, c.Note = resp.Usage, resp.Tier, resp.Cached, resp.Finish, resp.Silence()
	return reply{response: resp, call: c}, err
}
