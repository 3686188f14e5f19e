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

// DefaultOutput is how long a completion is assumed to be at most, in tokens, where model.max_tokens says nothing.
const DefaultOutput = 1024

// ForecastOptions says what a forecast may draw on.
type ForecastOptions struct {
	Prices cost.Prices
	// Held answers a request key from the ledger; nil: nothing is held.
	Held func(ctx context.Context, key string) (llm.Response, bool, error)
	// Count opens a provider's own count of prompt tokens, ok being false where it has none; nil: tokens are counted here.
	Count func(context.Context, configs.Model) (m llm.Model, ok bool, err error)
	// Output is assumed where model.max_tokens says nothing; 0: DefaultOutput.
	Output int
	// Lengths are what completions took before, of runs that the ledger has; nil for none.
	Lengths Lengths
	// Progress is called after each question under one arm, sweep point and seed, one call at a time; nil for none.
	Progress func(done, total int)
}

// Forecast is what a run is going to take.
type Forecast struct {
	Lines []cost.Line `json:"lines"` // by sweep point and arm, then stage
	Total cost.Line   `json:"total"`
	Notes []string    `json:"notes"` // how tokens were counted, where prices are from, what was assumed
}

// Forecast renders every prompt of the run and says what calls, tokens and money it takes. It makes no call, but for
// those of Count.
//
// First calls are exact. What hangs on completions that the ledger lacks is a range, as each method tells it; an arm
// whose method tells nothing is taken at its first call, and its line says so. Between the bounds of a range a likely
// value is said, an estimate with its source.
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
	r, err := f.rehearse(ctx)
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

// forecaster is a forecast under way.
type forecaster struct {
	plan    *Plan
	opts    ForecastOptions
	cells   []cell
	methods map[[2]int]prompting.Method // by cell and seed
}

// cell is how the calls of one cell are counted and priced: those that select may be another model's.
type cell struct {
	arm configs.Arm
	own rates
	all map[string]rates // by the model's name
}

// of is how the calls of a stage are counted and priced.
func (c cell) of(stage string) rates {
	if r, ok := c.all[modelKey(cost.ModelOf(c.arm, stage))]; ok {
		return r
	}
	return c.own
}

func modelKey(m configs.Model) string {
	return fmt.Sprintf("%q %q %q", m.Provider, m.BaseURL, m.Name)
}

// rates is how the calls of one model are counted and priced.
type rates struct {
	counter *cost.Counter
	count   llm.Model // the provider's own count; nil: counter's
	price   cost.Price
	priced  bool
	output  int64 // tokens of a completion, at most
	shares  bool  // samples of one prompt may be asked in one call
}

// exact says whether token counts are the provider's.
func (r rates) exact() bool { return r.count != nil || r.counter.Exact() }

// unasked is the model of methods that are never to ask.
type unasked struct{}

func (unasked) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, errors.New("a forecast asks nothing")
}

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
			m, err := f.plan.Method(c, unasked{}, seed)
			if err != nil {
				return fmt.Errorf("arm %q: %w", c.Arm.Name, err)
			}
			f.methods[[2]int{i, s}] = m
		}
	}
	return nil
}

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

// look takes every question under every cell and seed, several at once, into slots by position.
func (f *forecaster) look(ctx context.Context) ([]view, error) {
	cells, seeds := len(f.plan.Cells), len(f.plan.Experiment.Seeds)
	views := make([]view, len(f.plan.Set.Examples)*cells*seeds)
	g, within := errgroup.WithContext(ctx)
	workers := runtime.NumCPU()
	if f.opts.Count != nil {
		workers = max(workers, f.plan.Experiment.Limits.InFlight()) // they wait on a network
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

// held looks a request up in the ledger.
func (f *forecaster) held(ctx context.Context) prompting.Held {
	return func(r llm.Request) (llm.Response, bool, error) {
		if f.opts.Held == nil {
			return llm.Response{}, false, nil
		}
		return f.opts.Held(ctx, r.Key())
	}
}

// unforeseen is the Why of a method that tells nothing of what it does after its first call.
const unforeseen = "the method tells its first call only: there may be more"

// outlook asks the method, or takes its first prompt where it tells nothing.
func (f *forecaster) outlook(ctx context.Context, m prompting.Method, q prompting.Question) (prompting.Outlook, string, error) {
	if t, ok := m.(prompting.Forecaster); ok {
		o, err := t.Forecast(q, f.held(ctx))
		return o, "", err
	}
	messages, err := m.Prompts(q)
	return prompting.Outlook{Known: []prompting.Foreseen{{Stage: "first", Request: llm.Request{Messages: messages}}}}, unforeseen, err
}

// tokens counts a request's prompt.
func (r rates) tokens(ctx context.Context, req llm.Request) (int64, error) {
	if r.count != nil && req.Provider != "" {
		resp, err := r.count.Generate(ctx, req)
		return int64(resp.Usage.PromptTokens), err
	}
	return r.counter.Prompt(Prompt(req)), nil
}

// Prompt is a request's prompt as it is counted. How a provider writes tools into it is not known: each is taken at its
// name, description and schema.
func Prompt(r llm.Request) []cost.Message {
	out := Messages(r.Messages)
	for _, t := range r.Tools {
		out = append(out, cost.Message{Text: t.Name + " " + t.Description + " " + string(t.Parameters)})
	}
	return out
}

// Messages are the turns of a prompt as they are counted.
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
