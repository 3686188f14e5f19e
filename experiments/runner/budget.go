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

// account records what a run's calls cost and refuses calls that the budget does not allow. It starts from what the run
// spent before: the sum over the run's completions in the ledger, because the ledger is written with each completion and
// so stays right when the process is killed. The run's folder shows the same sum. Requests that the ledger answers cost
// nothing and never get here.
type account struct {
	limits cost.Limits
	prices cost.Prices
	meter  *cost.Meter
	before cost.Charge // spent by earlier starts of the run
	dir    string
	run    string // the run's id, under which the ledger stores charges
	ledger *ledger.Ledger
	known  configs.Known
	// again is set by the repeat check, whose completions are not stored: the ledger has one per request. Their cost is
	// then stored on its own.
	again bool

	begun   time.Time // when the run was started
	seconds float64   // that the earlier starts took

	mu       sync.Mutex
	counters map[string]*cost.Counter // by provider and model
	scale    map[string]float64       // the highest ratio of the provider's prompt count to the count made here, by provider and model
	longest  map[string]int           // the longest completion so far, in tokens, by provider and model
	turns    map[string]chan struct{} // see firstAlone, by provider and model

	failure atomic.Pointer[string] // why the last failed call failed
	first   atomic.Pointer[string] // why the first failed call failed
}

// pricesOf reads the prices of a plan. It fails where the budget is in dollars and a model has no price: such a budget could
// not stop anything.
func pricesOf(p *plan.Plan) (cost.Prices, error) {
	b := p.Experiment.Budget
	prices, err := cost.LoadPrices(b.Prices)
	if none := prices.Lacking(p.Cells); err == nil && b.USD > 0 && len(none) > 0 {
		err = fmt.Errorf("runner: a budget in dollars needs the price of %s: write it into a file and name that with --prices or budget.prices, or set a budget in tokens",
			strings.Join(none, ", "))
	}
	return prices, err
}

// newAccount sums what the run has spent so far.
func newAccount(ctx context.Context, p *plan.Plan, dir string, l *ledger.Ledger) (*account, error) {
	b := p.Experiment.Budget
	prices, err := pricesOf(p)
	if err != nil {
		return nil, err
	}
	seconds, err := cost.ReadSeconds(dir)
	if err != nil {
		return nil, err
	}
	w := &account{limits: cost.Limits{USD: b.USD, Tokens: int64(b.Tokens)}, prices: prices, dir: dir, run: p.Manifest.ID, ledger: l, known: p.Experiment.Known,
		begun: time.Now(), seconds: seconds, counters: map[string]*cost.Counter{}, scale: map[string]float64{}, longest: map[string]int{}, turns: map[string]chan struct{}{}}
	if w.before, err = w.paid(ctx); err != nil {
		return nil, err
	}
	w.meter = cost.NewMeter(w.limits, w.before)
	return w, nil
}

// paid returns what the run's calls have cost by the ledger, or by the run's folder where that says more: a ledger that was
// replaced, or written before completions carried run ids, does not know of every call.
func (p *account) paid(ctx context.Context) (c cost.Charge, err error) {
	list, err := p.ledger.Paid(ctx, p.run)
	if err != nil {
		return c, err
	}
	var embedded cost.Charge
	vectors := int64(0)
	for _, x := range list {
		m := configs.Model{Provider: x.Author.Provider, Name: x.Author.Model, BaseURL: x.Author.Server, Local: p.known.Provider(x.Author.Provider).Local}
		one := p.priceOf(m, x.Longest, UsageOf(x.Usage, x.Tier))
		if x.Vector { // a call gave as many at once as it may
			embedded, vectors = embedded.Plus(one.Times(x.Times)), vectors+x.Times
			continue
		}
		if x.Usage.PromptTokens == 0 { // a further sample of a call, whose first sample carries the prompt
			one.Calls, one.Unpriced, one.Batch = 0, 0, 0
		}
		c = c.Plus(one.Times(x.Times))
	}
	c = c.Plus(vectorCalls(embedded, vectors))
	shown, err := cost.ReadSpent(p.dir)
	if shown.Tokens > c.Tokens {
		c = shown
	}
	return c, err
}

// spent returns the cost of this start of the run.
func (p *account) spent() cost.Charge { return p.meter.Spent().Minus(p.before) }

// save writes the total spent into the run's folder, where this start spent anything.
func (p *account) save() error {
	if all := p.meter.Spent(); all != p.before {
		return cost.WriteSpent(p.dir, all, p.seconds+time.Since(p.begun).Seconds())
	}
	return nil
}

// charge is the cost of one call; the request names the model, which a stage may replace.
func (p *account) charge(m configs.Model, r llm.Request, u cost.Usage) cost.Charge {
	m.Name = r.Model
	return p.price(m, u)
}

func (p *account) price(m configs.Model, u cost.Usage) cost.Charge { return p.priceOf(m, u.Prompt, u) }

// priceOf is the cost of a part of a call that had so many prompt tokens.
func (p *account) priceOf(m configs.Model, prompt int64, u cost.Usage) cost.Charge {
	c := cost.Charge{Tokens: u.Tokens(), Calls: 1}
	if price, ok := p.prices.Find(m); ok {
		c.USD = price.Sum(prompt, u)
	} else {
		c.Unpriced = 1
	}
	if u.Batch {
		c.Batch = 1
	}
	return c
}

// most returns the highest cost of a call for n samples: its prompt as counted here, scaled up by what learn has seen, and
// n completions of the longest length. The whole prompt may be written to the provider's cache, which may cost more; none of
// it need be read from there. batch says that they are asked in a batch.
func (p *account) most(m configs.Model, r llm.Request, n int, batch bool) (cost.Charge, error) {
	if p.limits == (cost.Limits{}) {
		return cost.Charge{}, nil
	}
	prompt, err := p.prompt(m, r)
	if err != nil {
		return cost.Charge{}, err
	}
	output := plan.Longest(p.known.Provider(m.Provider), r.Params, plan.DefaultOutput)
	p.mu.Lock()
	scale := max(p.scale[modelKey(m, r.Model)], 1)
	output = max(output, p.longest[modelKey(m, r.Model)])
	p.mu.Unlock()
	if batch { // nothing is learned before all of it is sent
		prompt = max(prompt, p.longestPrompt(m, r))
	}
	u := cost.Usage{Prompt: int64(scale * float64(prompt)), Completion: int64(n * output), Batch: batch}
	if price, ok := p.prices.Find(m); ok && price.Caches(r.Params.Extra) {
		u.Written = u.Prompt
	}
	return p.charge(m, r, u), nil
}

// learn compares the provider's count of a prompt with the count made here, and notes how long completions are. Tokenizers
// differ, a completion may have no bound, and a reservation that is too low would let every call in flight overrun the budget.
func (p *account) learn(m configs.Model, r llm.Request, got []llm.Response) {
	if p.limits == (cost.Limits{}) || len(got) == 0 {
		return
	}
	prompt, err := p.prompt(m, r)
	key := modelKey(m, r.Model)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && prompt > 0 {
		p.scale[key] = max(p.scale[key], float64(got[0].Usage.PromptTokens)/float64(prompt))
	}
	for _, g := range got {
		p.longest[key] = max(p.longest[key], g.Usage.CompletionTokens)
	}
}

// firstAlone lets one call to a model under way at a time until one was answered, where there is a budget: what others reserve is
// learned from it. Each call to firstAlone that succeeds must be followed by one to done.
func (p *account) firstAlone(ctx context.Context, m configs.Model, r llm.Request) (done func(), err error) {
	if p.limits == (cost.Limits{}) {
		return func() {}, nil
	}
	key := modelKey(m, r.Model)
	turn, learned := p.turn(key)
	if learned {
		return func() {}, nil
	}
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, learned = p.turn(key); learned {
		<-turn
		return func() {}, nil
	}
	return func() { <-turn }, nil
}

// turn returns what one call holds at a time, and whether a call was answered.
func (p *account) turn(key string) (turn chan struct{}, learned bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turns[key] == nil {
		p.turns[key] = make(chan struct{}, 1)
	}
	_, learned = p.longest[key]
	return p.turns[key], learned
}

func modelKey(m configs.Model, name string) string { return m.Provider + "\x00" + name }

// prompt counts the tokens of a request's prompt without a call.
func (p *account) prompt(m configs.Model, r llm.Request) (int64, error) {
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

// longestPrompt bounds the tokens of a request's prompt where they are estimated; 0 where they are counted.
func (p *account) longestPrompt(m configs.Model, r llm.Request) (n int64) {
	p.mu.Lock()
	c := p.counters[modelKey(m, r.Model)]
	p.mu.Unlock()
	if c.Exact() {
		return 0
	}
	for _, x := range plan.Prompt(r) {
		n += int64(len(x.Text)/bytesPerToken + 1)
	}
	return n
}

// bounded refuses a request whose completion has no bound where there is a budget: a batch cannot be stopped once it is sent.
func (p *account) bounded(m configs.Model, r llm.Request) error {
	if p.limits == (cost.Limits{}) || r.Params.MaxTokens > 0 || p.known.Provider(m.Provider).Answer > 0 {
		return nil
	}
	return fmt.Errorf("runner: a budget cannot be held in batches of %q, whose completions have no bound: set model.max_tokens, or the max_tokens of the stage that asks", r.Model)
}

// wrap charges a provider's model to the account. The ledger wraps the result, so that only calls that the ledger cannot
// answer are charged.
func (p *account) wrap(inner llm.Model, m configs.Model) llm.Model {
	one := &metered{inner, p, m}
	if many, ok := inner.(llm.SampleGenerator); ok {
		return &meteredMany{one, many}
	}
	return one
}

// metered is a model whose calls are charged to an account.
type metered struct {
	inner   llm.Model
	account *account
	model   configs.Model
}

// meteredMany is a metered model that gives several samples per call.
type meteredMany struct {
	*metered
	many llm.SampleGenerator
}

var (
	_ llm.SampleGenerator = (*meteredMany)(nil)
	_ llm.EmbeddingModel  = (*metered)(nil)
	_ llm.Warner          = (*metered)(nil)
)

// Generate makes the call where the budget allows it. The error is a [*cost.BudgetError] where the call could go over it.
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

// GenerateN makes the call where the budget allows it, as Generate does.
func (m *meteredMany) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	return m.pay(ctx, r, len(samples), func() ([]llm.Response, error) { return m.many.GenerateN(ctx, r, samples) })
}

// bytesPerToken is fewer than almost any text has, for the highest cost of what cannot be learned from calls before.
const bytesPerToken = 2

// Vectors implements [llm.EmbeddingModel], where the budget allows the call, as Generate does. The ledger stores the cost with
// the vectors.
func (m *metered) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	most := len(r.Texts)
	for _, t := range r.Texts {
		most += len(t) / bytesPerToken
	}
	want := m.embedded(r, most)
	if err := m.account.meter.Reserve(ctx, want); err != nil {
		return llm.Embedding{}, err
	}
	got, err := llm.VectorsBy(ctx, m.inner, r)
	used := cost.Charge{}
	if err == nil {
		used = m.embedded(r, got.Usage().PromptTokens)
	}
	m.account.meter.Settle(want, used)
	m.account.failed(err)
	return got, err
}

// vectorCalls returns the cost of so many vectors with the number of calls that they need at least: how many texts each call
// had is in no ledger.
func vectorCalls(c cost.Charge, vectors int64) cost.Charge {
	c.Calls = (vectors + llm.MostTexts - 1) / llm.MostTexts
	c.Unpriced = min(c.Unpriced, c.Calls)
	return c
}

// embedded is the cost of so many tokens of texts.
func (m *metered) embedded(r llm.EmbeddingRequest, tokens int) cost.Charge {
	model := m.model
	model.Name = r.Model
	return m.account.price(model, cost.Usage{Prompt: int64(tokens)})
}

// failed notes why a call failed.
func (p *account) failed(err error) {
	if f := (*llm.Failure)(nil); errors.As(err, &f) {
		why := f.Why()
		p.failure.Store(&why)
		p.first.CompareAndSwap(nil, &why)
	}
}

// Warnings returns the model's warnings.
func (m *metered) Warnings() []string {
	if w, ok := m.inner.(llm.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// pay reserves the highest cost of a call, makes the call, and settles at what it cost. The reservation comes first so
// that calls in flight together cannot exceed the budget.
func (m *metered) pay(ctx context.Context, r llm.Request, n int, call func() ([]llm.Response, error)) ([]llm.Response, error) {
	if err := m.account.meter.Shut(); err != nil { // before the costly count of the prompt, as after a stop every job gets here
		return nil, err
	}
	done, err := m.account.firstAlone(ctx, m.model, r)
	if err != nil {
		return nil, err
	}
	defer done()
	want, err := m.account.most(m.model, r, n, false)
	if err != nil {
		return nil, err
	}
	if err := m.account.meter.Reserve(ctx, want); err != nil {
		return nil, err
	}
	got, err := call()
	m.account.learn(m.model, r, got)
	used := m.used(r, got, err)
	m.account.meter.Settle(want, m.charge(r, used, tierOf(got)))
	if used != (llm.Usage{}) && (err != nil || m.account.again) { // otherwise the ledger stores the cost with the completions
		if unkept := m.account.ledger.Charge(ctx, m.account.run, r.Author, used, tierOf(got)); unkept != nil {
			return nil, unkept
		}
	}
	m.account.failed(err)
	return got, err
}

// used returns the tokens of a call by the provider's count. Providers bill completions that they make and then block: one
// without a count is charged its prompt, as counted here. A call that failed in another way costs nothing.
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
		if prompt, err := m.account.prompt(m.model, r); err == nil {
			u.PromptTokens, u.Estimated = int(prompt), true
		}
	}
	return u
}

// charge prices the tokens of a call; a call that used none is no call.
func (m *metered) charge(r llm.Request, u llm.Usage, tier string) cost.Charge {
	if u == (llm.Usage{}) {
		return cost.Charge{}
	}
	return m.account.charge(m.model, r, UsageOf(u, tier))
}

// UsageOf returns what is priced of a call whose completion has that tier.
func UsageOf(u llm.Usage, tier string) cost.Usage {
	return cost.Usage{Prompt: int64(u.PromptTokens), Cached: int64(u.CachedTokens), Written: int64(u.CacheWriteTokens), Completion: int64(u.CompletionTokens), Batch: tier == llm.Batch}
}

// tierOf returns the tier of the completions of one call.
func tierOf(got []llm.Response) string {
	if len(got) == 0 {
		return ""
	}
	return got[0].Tier
}
