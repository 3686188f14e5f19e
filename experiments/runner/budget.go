package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
)

// purse pays for a run's calls and holds them to the budget. What was spent before is what the ledger's completions took
// that the run asked for, so that a process that was killed forgets nothing; the run's folder shows it. What the ledger
// answers never gets here.
type purse struct {
	limits cost.Limits
	prices cost.Prices
	meter  *cost.Meter
	before cost.Charge // spent when the run was started
	dir    string
	run    string // its id
	ledger *ledger.Ledger
	known  configs.Known
	// again says that completions are not stored: they repeat those that are.
	again bool

	begun   time.Time // when the run was started
	seconds float64   // of the starts before

	mu       sync.Mutex
	counters map[string]*cost.Counter // by provider and model
	scale    map[string]float64       // the most that a provider counted of a prompt for one token counted here, by provider and model

	failure atomic.Pointer[string] // why the last call that failed did
	first   atomic.Pointer[string] // why the first one did
}

// newPurse sums what the run took so far, and checks that every call can be priced where the budget is in dollars.
func newPurse(ctx context.Context, p *plan.Plan, dir string, l *ledger.Ledger) (*purse, error) {
	b := p.Experiment.Budget
	prices, err := cost.LoadPrices(b.Prices)
	if err != nil {
		return nil, err
	}
	if none := prices.Lacking(p.Cells); b.USD > 0 && len(none) > 0 {
		return nil, fmt.Errorf("runner: a budget in dollars needs the price of %s: write it into a file and name that with --prices or budget.prices, or set a budget in tokens",
			strings.Join(none, ", "))
	}
	seconds, err := cost.ReadSeconds(dir)
	if err != nil {
		return nil, err
	}
	w := &purse{limits: cost.Limits{USD: b.USD, Tokens: int64(b.Tokens)}, prices: prices, dir: dir, run: p.Manifest.ID, ledger: l, known: p.Experiment.Known,
		begun: time.Now(), seconds: seconds, counters: map[string]*cost.Counter{}, scale: map[string]float64{}}
	if w.before, err = w.paid(ctx); err != nil {
		return nil, err
	}
	w.meter = cost.NewMeter(w.limits, w.before)
	return w, nil
}

// paid is what the run's calls took, as the ledger has it. A ledger that was lost, or is older than the run ids in it,
// knows of less than the run's folder says.
func (p *purse) paid(ctx context.Context) (c cost.Charge, err error) {
	list, err := p.ledger.Paid(ctx, p.run)
	if err != nil {
		return c, err
	}
	for _, x := range list {
		m := configs.Model{Provider: x.Author.Provider, Name: x.Author.Model, BaseURL: x.Author.Server, Local: p.known.Provider(x.Author.Provider).Local}
		one := p.price(m, x.PromptTokens, x.CompletionTokens)
		if x.PromptTokens == 0 { // a further completion of a call
			one.Calls, one.Unpriced = 0, 0
		}
		c = c.Plus(one.Times(x.Times))
	}
	shown, err := cost.ReadSpent(p.dir)
	if shown.Tokens > c.Tokens {
		c = shown
	}
	return c, err
}

// spent is what this start of the run took.
func (p *purse) spent() cost.Charge { return p.meter.Spent().Minus(p.before) }

// save writes what was spent, where anything was.
func (p *purse) save() error {
	if all := p.meter.Spent(); all != p.before {
		return cost.WriteSpent(p.dir, all, p.seconds+time.Since(p.begun).Seconds())
	}
	return nil
}

// charge is what one call takes.
func (p *purse) charge(m configs.Model, r llm.Request, prompt, completion int64) cost.Charge {
	m.Name = r.Model
	return p.price(m, prompt, completion)
}

func (p *purse) price(m configs.Model, prompt, completion int64) cost.Charge {
	c := cost.Charge{Tokens: prompt + completion, Calls: 1}
	if price, ok := p.prices.Find(m); ok {
		c.USD = price.USD(prompt, completion)
	} else {
		c.Unpriced = 1
	}
	return c
}

// most is what a call for n samples takes at most, by the count of its prompt and its bound on completions.
func (p *purse) most(m configs.Model, r llm.Request, n int) (cost.Charge, error) {
	if p.limits == (cost.Limits{}) {
		return cost.Charge{}, nil
	}
	prompt, err := p.prompt(m, r)
	if err != nil {
		return cost.Charge{}, err
	}
	output := r.Params.MaxTokens
	if output == 0 {
		output = plan.DefaultOutput
	}
	p.mu.Lock()
	scale := max(p.scale[modelKey(m, r.Model)], 1)
	p.mu.Unlock()
	return p.charge(m, r, int64(scale*float64(prompt)), int64(n*output)), nil
}

// learn compares what the provider counted of a prompt with what is counted here: tokenizers differ, and a budget that
// reserves too little is overrun by every call in flight.
func (p *purse) learn(m configs.Model, r llm.Request, got []llm.Response) {
	if p.limits == (cost.Limits{}) || len(got) == 0 {
		return
	}
	prompt, err := p.prompt(m, r)
	if err != nil || prompt == 0 {
		return
	}
	key := modelKey(m, r.Model)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scale[key] = max(p.scale[key], float64(got[0].Usage.PromptTokens)/float64(prompt))
}

func modelKey(m configs.Model, name string) string { return m.Provider + "\x00" + name }

// prompt counts a request's prompt offline.
func (p *purse) prompt(m configs.Model, r llm.Request) (int64, error) {
	m.Name = r.Model
	key := modelKey(m, m.Name)
	p.mu.Lock()
	c, ok := p.counters[key]
	var err error
	if !ok {
		if c, err = cost.NewCounter(m); err == nil {
			p.counters[key] = c
		}
	}
	p.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Prompt(plan.Prompt(r)), nil
}

// wrap puts the purse around a provider's model; it stands within the ledger.
func (p *purse) wrap(inner llm.Model, m configs.Model) llm.Model {
	one := &metered{inner, p, m}
	if many, ok := inner.(llm.SampleGenerator); ok {
		return &meteredMany{one, many}
	}
	return one
}

// metered is a model whose calls are paid for.
type metered struct {
	inner llm.Model
	purse *purse
	model configs.Model
}

// meteredMany is one that gives several samples a call.
type meteredMany struct {
	*metered
	many llm.SampleGenerator
}

var (
	_ llm.SampleGenerator = (*meteredMany)(nil)
	_ llm.Warner          = (*metered)(nil)
)

// Generate asks within the budget. The error is a [*cost.BudgetError] where the call could go over it.
func (m *metered) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	got, err := m.pay(ctx, r, 1, func() ([]llm.Response, error) {
		resp, err := m.inner.Generate(ctx, r)
		return []llm.Response{resp}, err
	})
	if err != nil {
		return llm.Response{}, err
	}
	return got[0], nil
}

// GenerateN asks within the budget, as Generate does.
func (m *meteredMany) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	return m.pay(ctx, r, len(samples), func() ([]llm.Response, error) { return m.many.GenerateN(ctx, r, samples) })
}

// Warnings returns what the model doubted.
func (m *metered) Warnings() []string {
	if w, ok := m.inner.(llm.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// pay reserves, calls, and settles.
func (m *metered) pay(ctx context.Context, r llm.Request, n int, call func() ([]llm.Response, error)) ([]llm.Response, error) {
	if err := m.purse.meter.Shut(); err != nil { // before the prompt is counted: after a stop every job gets here
		return nil, err
	}
	want, err := m.purse.most(m.model, r, n)
	if err != nil {
		return nil, err
	}
	if err := m.purse.meter.Reserve(ctx, want); err != nil {
		return nil, err
	}
	got, err := call()
	m.purse.learn(m.model, r, got)
	used := m.used(r, got, err)
	m.purse.meter.Settle(want, m.charge(r, used))
	if used != (llm.Usage{}) && (err != nil || m.purse.again) { // else the ledger stores it with the completions
		if unkept := m.purse.ledger.Charge(ctx, m.purse.run, r.Author, used); unkept != nil {
			return nil, unkept
		}
	}
	if f := (*llm.Failure)(nil); errors.As(err, &f) {
		why := f.Why()
		m.purse.failure.Store(&why)
		m.purse.first.CompareAndSwap(nil, &why)
	}
	return got, err
}

// used is what a call took by the provider's count. A completion that was made and held back, as a blocked one, is taken
// at its prompt where the provider counts nothing; a call that failed otherwise costs nothing.
func (m *metered) used(r llm.Request, got []llm.Response, err error) (u llm.Usage) {
	if err == nil {
		for _, g := range got {
			u = u.Add(g.Usage)
		}
		return u
	}
	var f *llm.Failure
	if errors.As(err, &f) && f.Usage != (llm.Usage{}) {
		return f.Usage
	}
	if errors.As(err, &f) && f.Status == 0 && !f.Retryable {
		if prompt, err := m.purse.prompt(m.model, r); err == nil {
			u.PromptTokens, u.Estimated = int(prompt), true
		}
	}
	return u
}

// charge is what a use costs; a call that used nothing is none.
func (m *metered) charge(r llm.Request, u llm.Usage) cost.Charge {
	if u == (llm.Usage{}) {
		return cost.Charge{}
	}
	return m.purse.charge(m.model, r, int64(u.PromptTokens), int64(u.CompletionTokens))
}
