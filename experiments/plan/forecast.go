package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"assay/configs"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
)

// DefaultOutput is the assumed bound on a completion, in tokens, where model.max_tokens is not set.
const DefaultOutput = 1024

// Longest returns the tokens that a completion of such a request may have: as it states, or else those that its provider is sent
// or, where it is sent none, those assumed, in both cases on top of a budget for reasoning. It is no bound where it is assumed.
func Longest(by configs.Provider, p llm.Params, assumed int) int {
	if p.MaxTokens > 0 {
		return p.MaxTokens
	}
	budget, _ := p.Budget()
	return cmp.Or(by.Answer, assumed) + max(budget, 0)
}

// Held returns the ledger's completion of a request key; ok is false where it has none. Nil: the ledger holds nothing.
type Held func(ctx context.Context, key string) (r llm.Response, ok bool, err error)

// ForecastOptions says what a forecast may use.
type ForecastOptions struct {
	Prices cost.Prices
	Held   Held
	// Count opens a provider's own count of prompt tokens, ok being false where it has none; nil: tokens are counted here.
	Count func(context.Context, configs.Model) (m llm.Model, ok bool, err error)
	// Output is the assumed bound on a completion where model.max_tokens is not set; 0: DefaultOutput.
	Output int
	// Lengths are those of the completions of earlier runs; nil for none.
	Lengths Lengths
	// Progress is called after each question under one arm, sweep point and seed, one call at a time; nil for none.
	Progress func(done, total int)
}

// Forecast is the calls, tokens and money that a run will take.
type Forecast struct {
	Lines []cost.Line `json:"lines"` // by sweep point and arm, then stage
	Total cost.Line   `json:"total"`
	Notes []string    `json:"notes"` // how tokens were counted, where prices are from, what was assumed

	Questions int `json:"questions"` // of the dataset
	Open      int `json:"open"`      // of these, the ones for which the ledger lacks a completion
	Simulated int `json:"simulated"` // of these, the ones on which calls were estimated

	Rounds []Rounds `json:"rounds,omitempty"` // by sweep point and arm: how often a batch must be waited for
}

// Bounds on the estimate, which must take seconds for an experiment of any size: answers in all, and questions under one
// cell and seed. The least number of questions wins over the number of answers.
const (
	maxAnswers   = 1200
	maxQuestions = 60
	minQuestions = 3
)

// Forecast runs every method over what the ledger holds, and returns the calls, tokens and money that a run will take. It
// makes no call except those of Count, which are free of charge.
//
// It goes over the questions twice. At first a completion that the ledger lacks is unknown, and what a method asks all the
// same is certain. Then, for some of the questions that lack one, the baseline answers in the model's place: what is asked
// beyond the certain calls is an estimate, scaled to all such questions. Equal requests of the run are paid for once.
func (p *Plan) Forecast(ctx context.Context, o ForecastOptions) (*Forecast, error) {
	if o.Output == 0 {
		o.Output = DefaultOutput
	}
	f := &forecaster{plan: p, opts: o}
	err := f.open(ctx)
	out := &Forecast{Questions: len(p.Set.Examples)}
	if err == nil {
		err = f.run(ctx, out)
	}
	if err != nil {
		return nil, fmt.Errorf("plan: forecast %q: %w", p.Experiment.Name, err)
	}
	return out, nil
}

// forecaster is a forecast in progress.
type forecaster struct {
	plan    *Plan
	opts    ForecastOptions
	cells   []cell
	methods []prompting.Method // by cell, then seed: an answer's position is question x len(methods) + that
	texts   texts              // to embed
}

// cell says how the calls of one cell are counted and priced. Calls that select may go to another model.
type cell struct {
	configs.Cell
	own rates
	all map[string]rates // by modelKey
}

// of returns how the calls of a stage are counted and priced.
func (c cell) of(stage string) rates {
	m := cost.ModelOf(c.Arm, stage)
	if r, ok := c.all[modelKey(m)]; ok {
		return r.under(m)
	}
	return c.own
}

// under returns the rates with what depends on the model's parameters: a stated seed is one sample's.
func (r rates) under(m configs.Model) rates {
	r.alone = r.alone || m.Seed != nil
	return r
}

// modelKey names a model for prices and tokenizers, which do not depend on its parameters.
func modelKey(m configs.Model) string {
	return fmt.Sprintf("%q %q %q", m.Provider, m.BaseURL, m.Name)
}

// rates says how the calls of one model are counted and priced.
type rates struct {
	counter *cost.Counter
	count   llm.Model // the provider's own count; nil: counter's
	price   cost.Price
	priced  bool
	by      configs.Provider
	shares  bool      // one call may return several samples of one prompt; it is a provider's model and not the baseline
	alone   bool      // each sample is a call of its own all the same
	sent    *sent     // nil where it is not known how the provider caches prompts
	known   *sync.Map // what was counted of certain requests: key -> counted
}

// sharesPrompt reports whether the samples of one prompt pay for it once.
func (r rates) sharesPrompt() bool { return r.shares && !r.alone }

// caches reports whether what cached prompt tokens cost is known.
func (r rates) caches() bool { return r.priced && (r.sent != nil || !r.shares) }

// batches reports whether what a batch costs is known.
func (r rates) batches() bool { return r.priced && (r.price.Batch != nil || !r.shares) }

// exact reports whether token counts equal the provider's.
func (r rates) exact() bool { return r.count != nil || r.counter.Exact() }

// open constructs the methods, and the rates of every model once.
func (f *forecaster) open(ctx context.Context) error {
	opened, in := map[string]rates{}, standIn{new(standingIn)}
	for _, c := range f.plan.Cells {
		x := cell{Cell: c, all: map[string]rates{}}
		for _, m := range cost.ModelsOf(c.Arm) {
			key := modelKey(m)
			if _, ok := opened[key]; !ok {
				r, err := f.rates(ctx, m)
				if err != nil {
					return err
				}
				opened[key] = r
			}
			x.all[key] = opened[key]
		}
		x.own = x.all[modelKey(c.Arm.Model)].under(c.Arm.Model)
		f.cells = append(f.cells, x)
		for _, seed := range f.plan.Experiment.Seeds {
			if c.Arm.Row.Program && f.plan.Programs.Refusal(c.Arm) != nil {
				f.methods = append(f.methods, silent{})
				continue
			}
			m, err := f.plan.MethodWith(c, Models{in, in, vectorsOf{in, len(f.cells)}}, seed)
			if err != nil {
				return fmt.Errorf("arm %q: %w", c.Arm.Name, err)
			}
			f.methods = append(f.methods, m)
		}
	}
	return nil
}

// silent stands for a program that may not be started: nobody knows what it would ask.
type silent struct{}

// Answer implements prompting.Method.
func (silent) Answer(context.Context, prompting.Question) (a prompting.Answer, err error) {
	return a, prompting.ErrUnknown
}

// rates returns how the calls of a model are counted and priced.
func (f *forecaster) rates(ctx context.Context, m configs.Model) (r rates, err error) {
	if r.counter, err = cost.NewCounter(m); err != nil {
		return r, err
	}
	if f.opts.Count != nil {
		if r.count, _, err = f.opts.Count(ctx, m); err != nil {
			return r, err
		}
	}
	r.price, r.priced = f.opts.Prices.Find(m)
	r.shares, r.known = !m.Local, &sync.Map{}
	r.by = f.plan.Experiment.Known.Provider(m.Provider)
	r.alone = r.by.Alone
	if rule, ok := r.price.Rule(); ok && r.priced {
		r.sent = newSent(rule, f.plan.Experiment.Limits.InFlight())
	}
	return r, nil
}

// run answers the questions twice, see [Plan.Forecast], and sums up.
func (f *forecaster) run(ctx context.Context, out *Forecast) error {
	all := make([]int, out.Questions)
	for i := range all {
		all[i] = i
	}
	sure, err := f.answers(ctx, all, nil)
	if err != nil {
		return err
	}
	each := len(f.methods)
	lacking := slices.DeleteFunc(all, func(q int) bool {
		return !slices.ContainsFunc(sure[q*each:(q+1)*each], func(a answered) bool { return a.open })
	})
	sample := spread(lacking, min(max(maxAnswers/each, minQuestions), maxQuestions))
	out.Open, out.Simulated = len(lacking), len(sample)
	guess, failed := f.answers(ctx, sample, baseline.New())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t := newTally(f, guess, sure)
	t.certain(sure)
	scale := float64(len(lacking)) / float64(max(len(sample), 1))
	if failed == nil {
		for i, q := range sample {
			t.estimated(q, guess[i*each:(i+1)*each], sure[q*each:(q+1)*each])
		}
		t.sampled(scale)
		if out.Rounds, err = f.rounds(ctx, sample); err != nil {
			return err
		}
	}
	out.Lines = f.texts.lines(f, t.finish(scale, out.Questions), scale)
	out.Total = cost.Total(out.Lines)
	out.Notes = f.notes(out, failed)
	return nil
}

// spread returns n of the positions, or all where they are fewer. It takes them evenly, since a dataset's neighbours are
// often of one database and have prompts of one length.
func spread(all []int, n int) (out []int) {
	n = min(n, len(all))
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}

// once counts a request's prompt where no equal request was counted.
func (r rates) once(ctx context.Context, key string, req llm.Request, certain bool) (counted, error) {
	if !certain {
		return r.tokens(ctx, req, false)
	}
	if x, ok := r.known.Load(key); ok {
		return x.(counted), nil
	}
	c, err := r.tokens(ctx, req, true)
	if err == nil {
		r.known.Store(key, c)
	}
	return c, err
}

// tokens counts a request's prompt, and the beginnings of it that the provider caches: by the provider itself where it may be
// asked. Its own count of the beginnings is not known, so theirs are scaled to it.
func (r rates) tokens(ctx context.Context, req llm.Request, ask bool) (c counted, err error) {
	c.known, ask = true, ask && r.count != nil
	if r.sent != nil && r.price.Caches(req.Params.Extra) {
		c.prompt, c.beginnings = r.counter.Beginnings(sequence(req), r.sent.rule)
	} else if !ask {
		c.prompt = r.counter.Prompt(Prompt(req))
	}
	if !ask {
		return c, nil
	}
	here := max(c.prompt, 1)
	resp, err := r.count.Generate(ctx, req)
	c.prompt = int64(resp.Usage.PromptTokens)
	for i := range c.beginnings {
		c.beginnings[i].Tokens = c.beginnings[i].Tokens * c.prompt / here
	}
	return c, err
}

// sequence returns a request's prompt in the order in which providers read it: tools come first.
func sequence(r llm.Request) []cost.Message {
	all := Prompt(r)
	return slices.Concat(all[len(r.Messages):], all[:len(r.Messages)])
}

// Prompt returns a request's prompt as it is counted. Providers do not document how they write tools into a prompt, so each
// tool counts as its name, description and schema.
func Prompt(r llm.Request) []cost.Message {
	out := make([]cost.Message, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = cost.Message{Role: string(m.Role), Text: m.Text + spelled(m.Calls)}
	}
	for _, t := range r.Tools {
		out = append(out, cost.Message{Text: t.Name + " " + t.Description + " " + string(t.Parameters)})
	}
	return out
}

// spelled writes calls of tools as they are counted.
func spelled(calls []llm.ToolCall) (out string) {
	for _, c := range calls {
		out += " " + c.Name + " " + c.Arguments
	}
	return out
}
