package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"assay/configs"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"

	"golang.org/x/sync/errgroup"
)

// standIn is the model of every method that a forecast runs. It makes no call: it answers from the session that the context
// carries, since the methods are shared between questions.
type standIn struct {
	of *standingIn // tells stand-ins apart: what methods keep of the vectors of one is not another's
}

// standingIn is a forecast or a Rehearsal.
type standingIn struct{ _ byte }

var _ llm.SampleGenerator = standIn{}

type sessionKey struct{}

// session is one question under one cell and seed.
type session struct {
	held     Held
	baseline llm.Model // answers where the ledger cannot; nil: nobody does
	// embed is called with the texts, by key, that are asked for at once and whose vectors the ledger lacks; nil: nobody counts them.
	embed func(lacking map[string]string)
	// see fills in what is to be known of a request; its answer is empty where nobody gives one.
	see func(context.Context, *call, llm.Request, llm.Response) error

	mu    sync.Mutex
	calls []call
	waves int
	open  bool // a completion was unknown
}

// call is a request that a method made.
type call struct {
	stage, key string
	wave       int  // requests of one wave may share a prompt
	held       bool // the ledger has its completion

	counted
	output, most int64       // tokens; output is 0 where nobody answered, most bounds it
	request      llm.Request // for a Rehearsal alone: a forecast could not hold the prompts of all questions
}

// counted is what was counted of the prompt of a call that the ledger does not answer.
type counted struct {
	known      bool
	prompt     int64            // tokens
	beginnings []cost.Beginning // see rates.tokens
}

// answered is what a session recorded.
type answered struct {
	calls []call
	open  bool
	trace []prompting.Call // of the answer, where there is one
}

// Generate implements [llm.Model].
func (m standIn) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	out, err := m.GenerateN(ctx, r, []int{r.Sample})
	if err != nil {
		return llm.Response{}, err
	}
	return out[0], nil
}

// GenerateN implements [llm.SampleGenerator]. Every sample is recorded, whether or not one before it is unknown.
func (standIn) GenerateN(ctx context.Context, r llm.Request, samples []int) (out []llm.Response, err error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return nil, errors.New("plan: a forecast's method asks under a context that is not its question's")
	}
	wave := s.wave()
	var unknown []int
	var first call // of those counted: samples share a prompt
	for _, r.Sample = range samples {
		resp, err := s.answer(ctx, wave, r, &first)
		if errors.Is(err, prompting.ErrUnknown) {
			unknown = append(unknown, r.Sample)
		} else if err != nil {
			return nil, err
		}
		out = append(out, resp)
	}
	if unknown != nil {
		return out, &prompting.Unknown{Samples: unknown}
	}
	return out, nil
}

func (s *session) wave() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waves++
	return s.waves
}

// answer answers one request from the ledger, or else by the baseline where that stands in, and records it. first is a call of
// the same prompt that was counted, if any was.
func (s *session) answer(ctx context.Context, wave int, r llm.Request, first *call) (resp llm.Response, err error) {
	c := call{stage: prompting.Stage(ctx), key: r.Key(), wave: wave, counted: first.counted}
	if s.held != nil {
		resp, c.held, err = s.held(ctx, c.key)
	}
	if err == nil && !c.held && s.baseline != nil {
		resp, err = s.baseline.Generate(ctx, r)
	}
	if err == nil {
		err = s.see(ctx, &c, r, resp)
	}
	if err != nil {
		return resp, err
	}
	resp.Cached = c.held
	if c.counted.known {
		*first = c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	if !c.held && s.baseline == nil {
		s.open = true
		return resp, prompting.ErrUnknown
	}
	return resp, nil
}

// run answers a question by a method within the session. A completion that is unknown is no error: it ends what depends on it.
func (s *session) run(ctx context.Context, m prompting.Method, q prompting.Question) (answered, error) {
	a, err := m.Answer(context.WithValue(ctx, sessionKey{}, s), q)
	if errors.Is(err, prompting.ErrUnknown) {
		err = ctx.Err()
	}
	return answered{s.calls, s.open, a.Trace}, err
}

// answers runs every method over these questions, several at once. Each result goes to its own position, so the order of the
// goroutines does not show. Without a baseline what the ledger lacks is unknown.
func (f *forecaster) answers(ctx context.Context, questions []int, baseline llm.Model) ([]answered, error) {
	each := len(f.methods)
	out := make([]answered, len(questions)*each)
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(f.workers())
	var mu sync.Mutex
	done := 0
	for i := range out {
		if within.Err() != nil {
			break
		}
		ex := f.plan.Set.Examples[questions[i/each]]
		if ex.Fault != "" { // the run will not ask it
			continue
		}
		g.Go(func() (err error) {
			cell := i % each / len(f.plan.Experiment.Seeds)
			s := &session{held: f.opts.Held, baseline: baseline, see: f.counts(f.cells[cell], baseline == nil), embed: f.texts.noting(cell, baseline == nil)}
			if out[i], err = s.run(within, f.methods[i%each], ex.Question); err != nil {
				return err
			}
			if baseline == nil && f.opts.Progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				f.opts.Progress(done, len(out))
			}
			return nil
		})
	}
	return out, errors.Join(g.Wait(), ctx.Err())
}

// workers returns how many questions are in progress at once: more where they wait for a provider's counts.
func (f *forecaster) workers() int {
	if f.opts.Count != nil {
		return max(runtime.NumCPU(), f.plan.Experiment.Limits.InFlight())
	}
	return runtime.NumCPU()
}

// counts returns what counts the tokens of a cell's requests. A provider counts only what will be sent as it is.
func (f *forecaster) counts(c cell, certain bool) func(context.Context, *call, llm.Request, llm.Response) error {
	return func(ctx context.Context, x *call, r llm.Request, resp llm.Response) (err error) {
		rate := c.of(x.stage)
		x.most = int64(Longest(rate.by, r.Params, f.opts.Output))
		switch {
		case x.held:
			x.output = int64(resp.Usage.CompletionTokens)
		default:
			if !x.known {
				x.counted, err = rate.once(ctx, x.key, r, certain)
			}
			x.output = rate.counter.Text(resp.Text + spelled(resp.ToolCalls))
		}
		return err
	}
}

// Asked is a request that a method makes for a question.
type Asked struct {
	Stage    string
	Request  llm.Request
	Estimate bool // it may depend on a completion that the baseline gave in the model's place
}

// Rehearsal is a cell's method under a seed, which nobody but the ledger and the baseline answers. It is safe for concurrent
// use.
type Rehearsal struct{ method prompting.Method }

// Rehearse constructs the method of a cell for a seed.
func (p *Plan) Rehearse(c configs.Cell, seed int64) (Rehearsal, error) {
	in := standIn{new(standingIn)}
	m, err := p.MethodWith(c, Models{in, in, vectorsOf{standIn: in}}, seed)
	return Rehearsal{m}, err
}

// First returns the first request that the method makes for a question; ok is false where it makes none. It goes on with
// nothing that depends on a completion, so it is fast.
func (m Rehearsal) First(ctx context.Context, q prompting.Question) (r llm.Request, ok bool, err error) {
	a, err := m.run(ctx, q, nil, nil)
	if err != nil || len(a.calls) == 0 {
		return r, false, err
	}
	byKey := requests(a)
	for _, x := range a.trace { // requests made at once arrive in any order
		if r, ok := byKey[x.Key]; ok {
			return r, true, nil
		}
	}
	return a.calls[0].request, true, nil
}

// Requests returns what the method asks for a question, in the order of its trace. Where held lacks a completion, the baseline
// answers in the model's place. No call is made.
func (m Rehearsal) Requests(ctx context.Context, q prompting.Question, held Held) (out []Asked, err error) {
	sure, err := m.run(ctx, q, held, nil)
	if err != nil {
		return nil, err
	}
	all, err := m.run(ctx, q, held, baseline.New())
	if err != nil {
		return nil, err
	}
	certain, byKey := requests(sure), requests(all)
	for _, x := range all.trace {
		if r, ok := byKey[x.Key]; ok {
			_, sure := certain[x.Key]
			out = append(out, Asked{x.Stage, r, !sure})
		}
	}
	return out, nil
}

// run answers a question within a session that keeps the requests.
func (m Rehearsal) run(ctx context.Context, q prompting.Question, held Held, in llm.Model) (answered, error) {
	s := &session{held: held, baseline: in, see: func(_ context.Context, x *call, r llm.Request, _ llm.Response) error { x.request = r; return nil }}
	a, err := s.run(ctx, m.method, q)
	if err != nil {
		return a, fmt.Errorf("plan: requests for %q: %w", q.ID, err)
	}
	return a, nil
}

// requests returns the requests that a session kept, by key.
func requests(a answered) map[string]llm.Request {
	out := map[string]llm.Request{}
	for _, x := range a.calls {
		out[x.key] = x.request
	}
	return out
}
