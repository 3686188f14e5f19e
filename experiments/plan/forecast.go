package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"assay/configs"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"

	"golang.org/x/sync/errgroup"
)

// DefaultOutput is the assumed bound on a completion, in tokens, where model.max_tokens is not set.
const DefaultOutput = 1024

// ForecastOptions says what a forecast may use.
type ForecastOptions struct {
	Prices cost.Prices
	// Held returns the ledger's completion of a request key; nil: the ledger holds nothing.
	Held func(ctx context.Context, key string) (llm.Response, bool, error)
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
}

// Forecast renders every prompt of the run and returns the calls, tokens and money that it will take. It makes no call
// except those of Count, which are free of charge.
//
// First calls are exact. Calls that depend on completions that the ledger lacks are a range, which each method forecasts;
// an arm whose method forecasts nothing is counted at its first call, and its line says so. Each line
// also has a likely value between the bounds, an estimate with its source.
func (p *Plan) Forecast(ctx context.Context, o ForecastOptions) (*Forecast, error) {
	if o.Output == 0 {
		o.Output = DefaultOutput
	}
	f := &forecaster{plan: p, opts: o}
	if err := f.open(ctx); err != nil {
		return nil, fmt.Errorf("plan: forecast %q: %w", p.Experiment.Name, err)
	}
	views, err := f.look(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan: forecast %q: %w", p.Experiment.Name, err)
	}
	out := &Forecast{}
	seeds := len(p.Experiment.Seeds)
	sums := make([]sum, len(p.Cells))
	counted := newRepeats()
	each := seeds * len(p.Cells)
	for i, v := range views {
		if i%each == 0 {
			counted.begin(views[i : i+each])
		}
		cell := i / seeds % len(p.Cells)
		sums[cell].add(v, f.cells[cell], cell, counted)
	}
	lines := make([][]cost.Line, len(p.Cells))
	for i, c := range p.Cells {
		lines[i] = sums[i].finish(c, len(p.Set.Examples)*seeds)
	}
	r, err := f.simulate(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("plan: forecast %q: %w", p.Experiment.Name, ctx.Err())
	}
	if err == nil {
		f.expect(lines, r, counted.owner)
	}
	out.Lines = slices.Concat(lines...)
	out.Total = cost.Total(out.Lines)
	out.Notes = append(f.notes(out.Lines), f.likelyNote(r, err))
	return out, nil
}

// forecaster is a forecast in progress.
type forecaster struct {
	plan    *Plan
	opts    ForecastOptions
	cells   []cell
	methods map[[2]int]prompting.Method // by cell and seed
}

// cell says how the calls of one cell are counted and priced. Calls that select may go to another model.
type cell struct {
	arm configs.Arm
	own rates
	all map[string]rates // by modelKey
}

// of returns how the calls of a stage are counted and priced.
func (c cell) of(stage string) rates {
	if r, ok := c.all[modelKey(cost.ModelOf(c.arm, stage))]; ok {
		return r
	}
	return c.own
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
	output  int64 // tokens of a completion, at most
	shares  bool  // one call may return several samples of one prompt
}

// exact reports whether token counts equal the provider's.
func (r rates) exact() bool { return r.count != nil || r.counter.Exact() }

// neverCalled is the model of methods that render prompts and make no call: a forecast that cost money would be a mistake.
type neverCalled struct{}

func (neverCalled) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, errors.New("a forecast asks nothing")
}

// open constructs the methods, and the rates of every model once.
func (f *forecaster) open(ctx context.Context) error {
	f.methods = map[[2]int]prompting.Method{}
	opened := map[string]rates{}
	for i, c := range f.plan.Cells {
		x := cell{arm: c.Arm, all: map[string]rates{}}
		for _, m := range cost.ModelsOf(c.Arm) {
			key := modelKey(m)
			r, ok := opened[key]
			if !ok {
				var err error
				if r, err = f.rates(ctx, m); err != nil {
					return err
				}
				opened[key] = r
			}
			if r.output = int64(c.Arm.Longest()); r.output == 0 {
				r.output = int64(f.opts.Output)
			}
			x.all[key] = r
		}
		x.own = x.all[modelKey(c.Arm.Model)]
		f.cells = append(f.cells, x)
		for s, seed := range f.plan.Experiment.Seeds {
			m, err := f.plan.Method(c, neverCalled{}, seed)
			if err != nil {
				return fmt.Errorf("arm %q: %w", c.Arm.Name, err)
			}
			f.methods[[2]int{i, s}] = m
		}
	}
	return nil
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
	r.shares = !m.Local
	return r, nil
}

// look forecasts every question under every cell and seed, several at once. Each result goes to its own position, so the
// order of the goroutines does not show.
func (f *forecaster) look(ctx context.Context) ([]view, error) {
	cells, seeds := len(f.plan.Cells), len(f.plan.Experiment.Seeds)
	views := make([]view, len(f.plan.Set.Examples)*cells*seeds)
	g, within := errgroup.WithContext(ctx)
	workers := runtime.NumCPU()
	if f.opts.Count != nil {
		workers = max(workers, f.plan.Experiment.Limits.InFlight()) // they wait for a network
	}
	g.SetLimit(workers)
	var mu sync.Mutex
	done := 0
	for i := range views {
		if within.Err() != nil {
			break
		}
		g.Go(func() (err error) {
			cell, seed := i/seeds%cells, i%seeds
			views[i], err = f.view(within, f.methods[[2]int{cell, seed}], f.cells[cell], f.plan.Experiment.Seeds[seed], f.plan.Set.Examples[i/(cells*seeds)].Question)
			if err == nil && f.opts.Progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				f.opts.Progress(done, len(views))
			}
			return err
		})
	}
	return views, errors.Join(g.Wait(), ctx.Err())
}

// held returns the lookup of requests in the ledger.
func (f *forecaster) held(ctx context.Context) prompting.Held {
	return func(r llm.Request) (llm.Response, bool, error) {
		if f.opts.Held == nil {
			return llm.Response{}, false, nil
		}
		return f.opts.Held(ctx, r.Key())
	}
}

// firstCallOnly is the Why of a method that does not forecast the calls after its first.
const firstCallOnly = "the method forecasts its first call only: there may be more"

// calls returns the method's forecast for a question, or its first prompt where it has none.
func (f *forecaster) calls(ctx context.Context, m prompting.Method, q prompting.Question) (prompting.Outlook, string, error) {
	if t, ok := m.(prompting.Forecaster); ok {
		o, err := t.Forecast(q, f.held(ctx))
		return o, "", err
	}
	messages, err := m.Prompts(q)
	return prompting.Outlook{Known: []prompting.Foreseen{{Stage: "first", Request: llm.Request{Messages: messages}}}}, firstCallOnly, err
}

// tokens counts a request's prompt.
func (r rates) tokens(ctx context.Context, req llm.Request) (int64, error) {
	if r.count != nil && req.Provider != "" {
		resp, err := r.count.Generate(ctx, req)
		return int64(resp.Usage.PromptTokens), err
	}
	return r.counter.Prompt(Prompt(req)), nil
}

// Prompt returns a request's prompt as it is counted. Providers do not document how they write tools into a prompt, so each
// tool counts as its name, description and schema.
func Prompt(r llm.Request) []cost.Message {
	out := Messages(r.Messages)
	for _, t := range r.Tools {
		out = append(out, cost.Message{Text: t.Name + " " + t.Description + " " + string(t.Parameters)})
	}
	return out
}

// Messages returns the turns of a prompt as they are counted, calls of tools included.
func Messages(in []llm.Message) []cost.Message {
	out := make([]cost.Message, len(in))
	for i, m := range in {
		out[i] = cost.Message{Role: string(m.Role), Text: m.Text}
		for _, c := range m.Calls {
			out[i].Text += " " + c.Name + " " + c.Arguments
		}
	}
	return out
}
