package runner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/llmtest"
)

// TestABudgetIsKeptOverStartsAndWhenRaised: the run stops within its tokens, does nothing more when started again with the
// same, and ends as one without a budget does when it is raised.
func TestABudgetIsKeptOverStartsAndWhenRaised(t *testing.T) {
	cache := t.TempDir()
	free := newCounting(nil)
	want, err := runner.Run(context.Background(), makePlan(t, cache), runner.Options{Store: store.Open(t.TempDir()), Model: free.open})
	if err != nil {
		t.Fatal(err)
	}
	total := want.Spent
	if total.Calls != free.calls.Load() || total.Tokens == 0 || total.USD != 0 {
		t.Fatalf("spent %+v in %d calls", total, free.calls.Load())
	}
	st := store.Open(t.TempDir())
	calls := int64(0)
	start := func(tokens int64) (runner.Result, *runner.StoppedError, int64) {
		t.Helper()
		m := newCounting(nil)
		res, err := runner.Run(context.Background(), makePlan(t, cache, fmt.Sprintf("budget.tokens=%d", tokens), "model.max_tokens=200", "workers=3"),
			runner.Options{Store: st, Model: m.open})
		calls += m.calls.Load()
		var stopped *runner.StoppedError
		if err != nil && !errors.As(err, &stopped) {
			t.Fatalf("budget %d: %v", tokens, err)
		}
		return res, stopped, m.calls.Load()
	}
	half := total.Tokens / 2
	_, stopped, _ := start(half)
	if stopped == nil || !strings.Contains(stopped.Error(), "raise --token-budget") || stopped.Done == 0 {
		t.Fatalf("half the tokens: %v", stopped)
	}
	spent, err := cost.ReadSpent(stopped.Dir)
	if err != nil || spent.Tokens > half || spent.Tokens < half/2 || spent.Calls != calls {
		t.Errorf("spent %+v of %d in %d calls, %v", spent, half, calls, err)
	}
	// A process that is killed writes no more than what the ledger has: the run's folder forgets, and the budget does not.
	if err := os.Remove(filepath.Join(stopped.Dir, cost.SpentFile)); err != nil {
		t.Fatal(err)
	}
	if m, _, err := record.ReadManifest(stopped.Dir); err != nil || m.Complete {
		t.Errorf("after a stop: complete %v, %v", m.Complete, err)
	}
	// Every job that the ledger answers whole is done, so that no start has fewer than the one before it.
	before := stopped.Done
	for _, budget := range []int64{half, half / 2, 1, half} {
		_, again, n := start(budget)
		if again == nil || n != 0 || again.Done < before {
			t.Fatalf("budget %d after %d: %d calls, %v where %d jobs were done", budget, half, n, again, before)
		}
		before = again.Done
	}
	res, stopped, _ := start(total.Tokens + 100*1224)
	if stopped != nil {
		t.Fatalf("raised: %v", stopped)
	}
	if calls != free.calls.Load() {
		t.Errorf("%d calls over all starts, want %d: none twice", calls, free.calls.Load())
	}
	if after, err := cost.ReadSpent(res.Dir); err != nil || after != spent.Plus(res.Spent) {
		t.Errorf("kept %+v, want %+v and %+v (%v)", after, spent, res.Spent, err)
	}
}

func TestWhatTheLedgerAnswersCostsNothing(t *testing.T) {
	cache, st := t.TempDir(), store.Open(t.TempDir())
	first, err := runner.Run(context.Background(), makePlan(t, cache), runner.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(first.Dir, cost.SpentFile))
	again, err := runner.Run(context.Background(), makePlan(t, cache, "budget.tokens=1"), runner.Options{Store: st})
	if err != nil || again.Spent != (cost.Charge{}) || again.Dir != first.Dir {
		t.Errorf("a budget of one token, everything held: %+v, %v", again.Spent, err)
	}
}

// priced is a model that counts two prompt tokens and one completion token a call, or fails.
func priced(fail error) *counting {
	return &counting{inner: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "SELECT 1", nil }},
		before: func(int64) error { return fail }}
}

func TestABudgetInDollars(t *testing.T) {
	prices := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(prices, []byte("[[price]]\nmodels = [\"gpt-4o-mini\"]\ninput = 1000\noutput = 1000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	start := func(m *counting, set ...string) (runner.Result, error) {
		p := makePlan(t, cache, append([]string{"model.provider=openai", "model.max_tokens=100"}, set...)...)
		return runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	}
	m := priced(nil)
	_, err := start(m, "model.name=unheard-of", "budget.usd=1", "budget.prices="+prices)
	if err == nil || !strings.Contains(err.Error(), "price of openai/unheard-of") || m.calls.Load() != 0 {
		t.Errorf("no price: %v after %d calls", err, m.calls.Load())
	}
	res, err := start(priced(nil), "model.name=unheard-of")
	if err != nil || res.Spent.Unpriced != res.Spent.Calls || res.Spent.USD != 0 || !strings.Contains(res.Spent.String(), "price unknown") {
		t.Errorf("no price and no budget: %v, %v", res.Spent, err)
	}
	_, err = start(priced(nil), "model.name=gpt-4o-mini", "budget.usd=10", "budget.prices="+prices)
	var over *cost.BudgetError
	if !errors.As(err, &over) || over.Spent.USD > 10 || over.Spent.USD < 5 {
		t.Errorf("ten dollars at 0.001 a token: %v", err)
	}
	// A blocked completion is taken at its prompt, a refused call at nothing.
	blocked, err := start(priced(&llm.Failure{Reason: "blocked: SAFETY"}), "model.name=gpt-4o-mini", "budget.prices="+prices)
	if err != nil || blocked.Spent.USD < 1 {
		t.Errorf("blocked: %v, %v", blocked.Spent, err)
	}
	// What the provider counted of it goes before.
	counted, err := start(priced(&llm.Failure{Reason: "blocked: SAFETY", Usage: llm.Usage{PromptTokens: 7, CompletionTokens: 5}}), "model.name=gpt-4o-mini", "budget.prices="+prices)
	if err != nil || counted.Spent.Tokens != 12*counted.Spent.Calls || counted.Spent.Calls == 0 {
		t.Errorf("blocked and counted: %+v, %v", counted.Spent, err)
	}
	refused, err := start(priced(&llm.Failure{Reason: "http 500", Status: 500, Retryable: true}), "model.name=gpt-4o-mini")
	if err != nil || refused.Spent != (cost.Charge{}) {
		t.Errorf("refused: %v, %v", refused.Spent, err)
	}
}

// forecast is what the plan says of a run before it.
func forecast(t *testing.T, p *plan.Plan, st store.Store) *plan.Forecast {
	t.Helper()
	o := plan.ForecastOptions{}
	if st.HasLedger() {
		l, err := st.Ledger()
		if err != nil {
			t.Fatal(err)
		}
		defer func(l *ledger.Ledger) { l.Close() }(l)
		o.Held = l.Get
	}
	f, err := p.Forecast(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// used is what a run took of one arm's stage: calls, those that the run itself asked, and their tokens.
func used(r *record.Run, l cost.Line) (calls int64, prompt, output int64) {
	seen := map[string]bool{}
	for _, c := range r.Calls {
		if c.Arm != l.Arm || cost.StageOf(c.Stage) != l.Stage || fmt.Sprint(c.Point) != fmt.Sprint(l.Point) {
			continue
		}
		calls++
		if !seen[c.Key] {
			seen[c.Key] = true
			prompt += int64(c.PromptTokens.N)
			output += int64(c.CompletionTokens.N)
		}
	}
	return calls, prompt, output
}

// TestAPlanAgainstItsRun: what a run of the baseline took is what the plan said, where every question was simulated.
func TestAPlanAgainstItsRun(t *testing.T) {
	for _, set := range [][]string{nil, {"model.samples=3", "model.temperature=0.7"}, {"sweep.k=0,2", "seeds=1,2"}, {"schema.shuffle=true", "model.samples=2"}} {
		st := store.Open(t.TempDir())
		p := makePlan(t, t.TempDir(), set...)
		f := forecast(t, p, st)
		res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
		if err != nil {
			t.Fatal(err)
		}
		run := read(t, res)
		for _, l := range f.Lines {
			calls, prompt, output := used(run, l)
			if calls != l.Calls || l.Estimated > 0 && l.Stage != "solve" && set == nil {
				t.Errorf("%v %s/%s: %d calls, planned %d, %d of them estimated", set, l.Arm, l.Stage, calls, l.Calls, l.Estimated)
			}
			if l.Ledger > 0 { // equal calls of other arms and seeds: checked by the total
				continue
			}
			if prompt != l.Likely.Prompt || output != l.Likely.Output || output > l.Most.Output {
				t.Errorf("%v %s/%s: %d prompt tokens and %d of output, planned %+v", set, l.Arm, l.Stage, prompt, output, l)
			}
		}
		most := f.Total.Most
		if n := res.Counts.Called; n != f.Total.Likely.Ask || res.Spent.Tokens > most.Prompt+most.Output || res.Spent.Tokens < f.Total.Certain.Prompt {
			t.Errorf("%v: asked %d of %d tokens, planned %+v", set, n, res.Spent.Tokens, f.Total)
		}
		after := forecast(t, p, st)
		if after.Total.Likely != (cost.Bill{}) || after.Total.Calls != int64(len(run.Calls)) || after.Total.Estimated != 0 {
			t.Errorf("%v: a plan after the run: %+v", set, after.Total)
		}
	}
}

// TestSamplesOfOneCallArePaidOnce: through a real client, what is spent is what the server counted, and a budget that
// one call more would go over stops before it.
func TestSamplesOfOneCallArePaidOnce(t *testing.T) {
	s := llmtest.Start(t, llmtest.OpenAI)
	prices := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(prices, []byte("[[price]]\nmodels = [\"m\"]\ninput = 1000000\noutput = 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	set := []string{"model.provider=openai", "model.name=m", "model.base_url=" + s.URL, "model.samples=3", "model.temperature=0.7",
		"model.max_tokens=50", "budget.prices=" + prices, "arm.least-to-most.method=standard", "workers=2"}
	p := makePlan(t, cache, set...)
	f := forecast(t, p, store.Open(t.TempDir()))
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	var prompt, all int64
	for _, c := range read(t, res).Calls {
		prompt += int64(c.PromptTokens.N)
		all += int64(c.PromptTokens.N + c.CompletionTokens.N)
	}
	calls := int64(len(s.Calls()))
	if calls != 5*4 || res.Spent.Calls != calls { // five items, four arms that differ: one call each for three samples
		t.Errorf("%d calls at the server, %+v spent", calls, res.Spent)
	}
	if want := res.Spent.Tokens * int64(len(p.Cells)) / 4; all < res.Spent.Tokens || all > want*2 || res.Spent.USD <= 0 || res.Spent.USD > float64(prompt) {
		t.Errorf("spent %+v; calls.csv has %d prompt tokens of %d", res.Spent, prompt, all)
	}
	if f.Total.Certain.Ask != 5*4*3 {
		t.Errorf("planned %+v", f.Total)
	}
	_, err = runner.Run(context.Background(), makePlan(t, cache, append(set, fmt.Sprintf("budget.usd=%d", int(res.Spent.USD/2)))...), runner.Options{Store: store.Open(t.TempDir())})
	var stopped *runner.StoppedError
	var over *cost.BudgetError
	if !errors.As(err, &stopped) || !errors.As(err, &over) || over.Spent.USD > res.Spent.USD/2 {
		t.Errorf("half the dollars: %v", err)
	}
	if more := int64(len(s.Calls())) - calls; more == 0 || more >= calls {
		t.Errorf("%d calls within half the dollars, %d within all", more, calls)
	}
}

// TestABudgetHoldsWhereTheProviderCountsMore: a provider whose tokenizer makes more of a prompt than the count here is
// reserved for by what it counted before, so that the calls in flight do not overrun the budget.
func TestABudgetHoldsWhereTheProviderCountsMore(t *testing.T) {
	const budget, each = 20_000, 1000 // a call takes as much; the prompts count about 120 here
	m := &counting{inner: &llm.Scripted{Respond: func(llm.Request) (llm.Response, error) {
		return llm.Response{Text: "SELECT 1", Finish: "stop", Usage: llm.Usage{PromptTokens: each - 1, CompletionTokens: 1}}, nil
	}}}
	p := makePlan(t, t.TempDir(), "model.provider=openai", "model.name=m", "model.max_tokens=1", "exemplars.k=0",
		fmt.Sprint("budget.tokens=", budget), "workers=8")
	_, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	var stopped *runner.StoppedError
	if !errors.As(err, &stopped) {
		t.Fatalf("%v", err)
	}
	if spent, err := cost.ReadSpent(stopped.Dir); err != nil || spent.Tokens > budget || spent.Tokens < budget/2 {
		t.Errorf("spent %d of %d (%v)", spent.Tokens, budget, err)
	}
}

// TestCallsOfOneSampleEach: where each sample is a call of its own, each is counted, and pays for its prompt.
func TestCallsOfOneSampleEach(t *testing.T) {
	s := llmtest.Start(t, llmtest.Anthropic)
	p := makePlan(t, t.TempDir(), "model.provider=anthropic", "model.name=m", "model.base_url="+s.URL, "model.samples=3", "model.temperature=0.7", "model.max_tokens=50",
		"arm.least-to-most.method=standard")
	st := store.Open(t.TempDir())
	res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	again, err := runner.Run(context.Background(), p, runner.Options{Store: st})
	if calls := int64(len(s.Calls())); err != nil || res.Spent.Calls != calls || calls != int64(res.Counts.Called) || again.All.Calls != calls || again.All.Tokens != res.All.Tokens {
		t.Errorf("%v: %d calls, %+v, then %+v", err, calls, res, again)
	}
}

// TestThePriceOfAFurtherSample is that of the prompt which another sample has paid for.
func TestThePriceOfAFurtherSample(t *testing.T) {
	s := llmtest.Start(t, llmtest.OpenAI)
	prices := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(prices, []byte("[[price]]\nmodels = [\"m\"]\ninput = 1\noutput = 1\nabove = 10\nabove_input = 1\nabove_output = 1000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := makePlan(t, t.TempDir(), "model.provider=openai", "model.name=m", "model.base_url="+s.URL, "model.samples=3", "model.temperature=0.7", "model.max_tokens=50",
		"budget.prices="+prices, "arm.least-to-most.method=standard")
	st := store.Open(t.TempDir())
	res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	list, err := cost.LoadPrices(prices)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	asked, series := map[string]bool{}, cost.Series{Prices: list}
	for _, c := range read(t, res).Calls {
		if usd := series.Of(p.Cells[0].Arm.Model, c); !asked[c.Key] {
			asked[c.Key] = true
			sum += usd.V
		}
	}
	if err := os.Remove(filepath.Join(res.Dir, cost.SpentFile)); err != nil {
		t.Fatal(err)
	}
	again, err := runner.Run(context.Background(), p, runner.Options{Store: st}) // by the ledger alone
	for _, got := range []float64{res.Spent.USD, again.All.USD} {
		if math.Abs(got-sum) > 1e-9 || err != nil {
			t.Errorf("%v USD spent, %v by calls.csv, %v", got, sum, err)
		}
	}
}

// TestABudgetHoldsWithoutABoundOnCompletions: the first call is made alone, and the others reserve by how long its answer was.
func TestABudgetHoldsWithoutABoundOnCompletions(t *testing.T) {
	const budget, each = 20_000, 5000 // twice what is assumed, and more
	m := &counting{inner: &llm.Scripted{Respond: func(llm.Request) (llm.Response, error) {
		return llm.Response{Text: "SELECT 1", Usage: llm.Usage{PromptTokens: 10, CompletionTokens: each - 10}}, nil
	}}}
	p := makePlan(t, t.TempDir(), "model.provider=openai", "model.name=m", fmt.Sprintf("budget.tokens=%d", budget), "limits.concurrency=16", "workers=16")
	var over *cost.BudgetError
	if _, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open}); !errors.As(err, &over) {
		t.Fatalf("%v", err)
	}
	if spent := m.calls.Load() * each; spent == 0 || spent > budget {
		t.Errorf("%d tokens of %d", spent, budget)
	}
}
