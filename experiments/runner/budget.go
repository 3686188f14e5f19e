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
)

// purse pays for a run's calls: it holds them to the budget, and keeps what they took in the run's folder, so that a
// run started again goes on from there. What the ledger answers never gets here.
type purse struct {
	limits cost.Limits
	prices cost.Prices
	meter  *cost.Meter
	before cost.Charge // spent when the run was started
	dir    string

	begun   time.Time // when the run was started
	seconds float64   // of the starts before

	mu       sync.Mutex
	counters map[string]*cost.Counter // by provider and model
	saved    time.Time

	failure atomic.Pointer[string] // why the last call that failed did
	first   atomic.Pointer[string] // why the first one did
}

// saveEvery bounds how much of the spending a killed process forgets.
const saveEvery = time.Second

// newPurse checks that every call can be priced, where the budget is in dollars.
func newPurse(p *plan.Plan, dir string) (*purse, error) {
	b := p.Experiment.Budget
	prices, err := cost.LoadPrices(b.Prices)
	if err != nil {
		return nil, err
	}
	if none := prices.Lacking(p.Cells); b.USD > 0 && len(none) > 0 {
		return nil, fmt.Errorf("runner: a budget in dollars needs the price of %s: write it into a file and name that with --prices or budget.prices, or set a budget in tokens",
			strings.Join(none, ", "))
	}
	before, err := cost.ReadSpent(dir)
	if err != nil {
		return nil, err
	}
	seconds, err := cost.ReadSeconds(dir)
	if err != nil {
		return nil, err
	}
	l := cost.Limits{USD: b.USD, Tokens: int64(b.Tokens)}
	return &purse{limits: l, prices: prices, meter: cost.NewMeter(l, before), before: before, dir: dir, begun: time.Now(), seconds: seconds,
		counters: map[string]*cost.Counter{}, saved: time.Now()}, nil
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

// saveNowAndThen writes what was spent, not too often. That it fails is told when the run ends.
func (p *purse) saveNowAndThen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.saved) >= saveEvery {
		p.saved = time.Now()
		_ = p.save()
	}
}

// charge is what one call takes.
func (p *purse) charge(m configs.Model, r llm.Request, prompt, completion int64) cost.Charge {
	m.Name = r.Model
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
	return p.charge(m, r, prompt, int64(n*output)), nil
}

// prompt counts a request's prompt offline.
func (p *purse) prompt(m configs.Model, r llm.Request) (int64, error) {
	m.Name = r.Model
	key := m.Provider + "\x00" + m.Name
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
	return c.Prompt(plan.Prompt(r))
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
	m.purse.meter.Settle(want, m.took(r, got, err))
	m.purse.saveNowAndThen()
	if f := (*llm.Failure)(nil); errors.As(err, &f) {
		why := whyFailed(f)
		m.purse.failure.Store(&why)
		m.purse.first.CompareAndSwap(nil, &why)
	}
	return got, err
}

// whyFailed is a failure's reason and cause.
func whyFailed(f *llm.Failure) string {
	if f.Err == nil {
		return f.Reason
	}
	return f.Reason + ": " + f.Err.Error()
}

// took is what a call took: the tokens that the provider counted. A completion that was made and held back, as a blocked
// one, is taken at its prompt; a call that failed otherwise costs nothing.
func (m *metered) took(r llm.Request, got []llm.Response, err error) cost.Charge {
	if err == nil {
		var u llm.Usage
		for _, g := range got {
			u = u.Add(g.Usage)
		}
		return m.purse.charge(m.model, r, int64(u.PromptTokens), int64(u.CompletionTokens))
	}
	var f *llm.Failure
	if errors.As(err, &f) && f.Status == 0 && !f.Retryable {
		if prompt, err := m.purse.prompt(m.model, r); err == nil {
			return m.purse.charge(m.model, r, prompt, 0)
		}
	}
	return cost.Charge{}
}
