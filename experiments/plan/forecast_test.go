package plan_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
)

func makePlan(t testing.TB, name string, set ...string) *plan.Plan {
	t.Helper()
	e, err := configs.Load(name, catalog.Known, configs.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func forecast(t testing.TB, p *plan.Plan, o plan.ForecastOptions) *plan.Forecast {
	t.Helper()
	f, err := p.Forecast(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func prices(t testing.TB) cost.Prices {
	t.Helper()
	p, err := cost.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFirstCallsAreExact: the tokens of a stage are those of its prompts, counted one by one.
func TestFirstCallsAreExact(t *testing.T) {
	p := makePlan(t, "quickstart", "dataset.limit=3", "model.provider=openai", "model.name=gpt-4o-mini", "model.max_tokens=100")
	f := forecast(t, p, plan.ForecastOptions{Prices: prices(t)})
	counter, err := cost.NewCounter(p.Cells[0].Arm.Model)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range p.Cells {
		m := rehearse(t, p, c)
		var want int64
		for _, ex := range p.Set.Examples {
			r, ok, err := m.First(t.Context(), ex.Question)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			want += counter.Prompt(plan.Prompt(r))
		}
		l := f.Lines[slices.IndexFunc(f.Lines, func(l cost.Line) bool { return l.Arm == c.Arm.Name })]
		if l.Likely.Prompt != want || l.Calls != 3 || l.Estimated != 0 || !l.Exact {
			t.Errorf("arm %d: %+v, want %d prompt tokens", i, l, want)
		}
		usd := float64(want) * 0.15 / 1e6
		near(t, l.Certain, cost.Bill{Ask: 3, Prompt: want, USD: usd})
		near(t, l.Most, cost.Bill{Ask: 3, Prompt: want, Output: 300, USD: usd + 300*0.60/1e6})
	}
}

func rehearse(t *testing.T, p *plan.Plan, c configs.Cell) plan.Rehearsal {
	t.Helper()
	m, err := p.Rehearse(c, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// near checks a bill, whose dollars may differ by rounding.
func near(t *testing.T, got, want cost.Bill) {
	t.Helper()
	if d := got.USD - want.USD; d > 1e-9 || d < -1e-9 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got.USD = want.USD; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEqualCallsAreAskedOnce: at temperature 0 and without demonstrations every seed asks the same.
func TestEqualCallsAreAskedOnce(t *testing.T) {
	p := makePlan(t, "quickstart", "dataset.limit=3", "exemplars.k=0", "seeds=1,2,3")
	for _, l := range forecast(t, p, plan.ForecastOptions{}).Lines {
		if l.Stage != "solve" && (l.Calls != 9 || l.Ledger != 6 || l.Certain.Ask != 3 || l.Likely.Ask != 3) || l.Ledger != 2*l.Likely.Ask || l.Items != 9 {
			t.Errorf("%+v", l)
		}
	}
}

// TestSamplesMayShareACall: then the prompt is likely paid for once; the embedded baseline is asked for each.
func TestSamplesMayShareACall(t *testing.T) {
	line := func(set ...string) cost.Line {
		p := makePlan(t, "quickstart", append(set, "dataset.limit=3", "model.temperature=0.7")...)
		return forecast(t, p, plan.ForecastOptions{Prices: prices(t)}).Lines[0]
	}
	gpt := []string{"model.provider=openai", "model.name=gpt-4o"}
	one, four := line(gpt...), line(append(gpt, "model.samples=4")...)
	if four.Likely.Prompt != one.Likely.Prompt || four.Most.Prompt != 4*one.Most.Prompt || four.Certain.Ask != 12 || four.Certain.USD != one.Certain.USD {
		t.Errorf("four samples %+v, one %+v", four, one)
	}
	many := append(gpt, "model.samples=4")
	if p := makePlan(t, "quickstart", append(many, "dataset.limit=3", "model.temperature=0.7", "arm.cot.model.seed=3")...); true {
		lines := forecast(t, p, plan.ForecastOptions{Prices: prices(t)}).Lines
		if free, seeded := lines[0], lines[1]; free.Likely.Prompt*4 != free.Most.Prompt || seeded.Likely.Prompt != seeded.Most.Prompt {
			t.Errorf("a seed of one arm's samples: %+v, without: %+v", seeded, free)
		}
	}
	if base := line("model.samples=4"); base.Likely.Prompt != base.Most.Prompt || base.Estimated != 0 {
		t.Errorf("baseline: %+v", base)
	}
}

// TestLikelyLengths: a completion is as long as the ledger's of the same model, method and stage are in the mean, and
// as the baseline's where there are none; what is likely lies between what is certain and the most, also of questions that
// were not simulated.
func TestLikelyLengths(t *testing.T) {
	check := func(what, source string, output int64, lengths plan.Lengths, set ...string) {
		t.Helper()
		p := makePlan(t, "quickstart", append(set, "model.provider=openai", "model.name=gpt-4o-mini", "model.max_tokens=100")...)
		f := forecast(t, p, plan.ForecastOptions{Prices: prices(t), Lengths: lengths})
		first := f.Lines[0]
		if first.Source != source || output >= 0 && first.Likely.Output != output {
			t.Errorf("%s: %+v, want %d tokens by %s", what, first, output, source)
		}
		usd := (float64(first.Likely.Prompt)*0.15 + float64(first.Likely.Output)*0.60) / 1e6
		if d := first.Likely.USD - usd; d > 1e-6*usd+1e-9 || d < -1e-6*usd-1e-9 {
			t.Errorf("%s: %v USD, want %v", what, first.Likely.USD, usd)
		}
		for _, l := range append(f.Lines, f.Total) {
			e := l.Likely
			if e.Ask < l.Certain.Ask || e.Ask != l.Most.Ask || e.Prompt < l.Certain.Prompt || e.Prompt > l.Most.Prompt || e.Output <= 0 || e.Output > l.Most.Output ||
				e.USD < l.Certain.USD-1e-9 || e.USD > l.Most.USD+1e-9 {
				t.Errorf("%s: %+v is outside of %+v", what, e, l)
			}
		}
	}
	lengths := func(name, method, stage string, tokens ...int64) plan.Lengths {
		out := plan.Lengths{}
		arm := configs.Arm{Method: method, Model: configs.Model{Provider: "openai", Name: name}}
		for _, n := range tokens {
			out.Add(plan.LengthOf(arm, stage), n)
		}
		return out
	}
	check("nothing is known", "the baseline", -1, nil, "dataset.limit=5")
	check("10, 20 and 60 tokens", "3 in the ledger", 5*30, lengths("gpt-4o-mini", "standard", "generate", 10, 20, 60), "dataset.limit=5")
	check("longer than they may be", "1 in the ledger", 5*100, lengths("gpt-4o-mini", "standard", "generate", 1000), "dataset.limit=5")
	check("of another model", "the baseline", -1, lengths("gpt-4o", "standard", "generate", 10), "dataset.limit=5")
	check("of another method", "the baseline", -1, lengths("gpt-4o-mini", "cot", "generate", 10), "dataset.limit=5")
	check("of another stage", "the baseline", -1, lengths("gpt-4o-mini", "standard", "fix 1", 10), "dataset.limit=5")
	check("all 290 questions, of which 60 are simulated", "1 in the ledger", 290*30, lengths("gpt-4o-mini", "standard", "generate", 30))
}

func TestAForecastIsTheSameAgain(t *testing.T) {
	p := makePlan(t, "quickstart", "dataset.limit=20", "sweep.k=0,2,4", "seeds=1,2")
	a, b := forecast(t, p, plan.ForecastOptions{}), forecast(t, p, plan.ForecastOptions{})
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func TestAnUnknownPriceIsNotZero(t *testing.T) {
	p := makePlan(t, "quickstart", "dataset.limit=2", "model.provider=openai", "model.name=gpt-4o", "arm.cot.model.name=nobody")
	f := forecast(t, p, plan.ForecastOptions{Prices: prices(t)})
	for _, l := range f.Lines {
		if l.Unknown != (l.Arm == "cot") || l.Unknown && l.Most.USD != 0 {
			t.Errorf("%+v", l)
		}
	}
	if !f.Total.Unknown || !strings.HasSuffix(cost.Money(f.Total.Most.USD, f.Total.Unknown), " and unknown") || f.Total.Exact {
		t.Errorf("total %+v", f.Total)
	}
}

// TestTheProviderCounts: known prompts are counted by the provider where it can, and nothing is generated.
func TestTheProviderCounts(t *testing.T) {
	s := llmtest.Start(t, llmtest.Gemini)
	t.Setenv("COUNT_KEY", "k")
	p := makePlan(t, "quickstart", "dataset.limit=3", "model.provider=gemini", "model.name=gemini-2.5-flash", "model.key_env=COUNT_KEY", "model.base_url="+s.URL)
	f := forecast(t, p, plan.ForecastOptions{Prices: prices(t), Count: func(ctx context.Context, m configs.Model) (llm.Model, bool, error) {
		return catalog.Counting(ctx, m, p.Experiment.Limits)
	}})
	if n := len(s.Calls()); n != 5*3 { // five arms' first calls
		t.Errorf("%d counts", n)
	}
	for _, c := range s.Calls() {
		if !c.Asked.Count {
			t.Errorf("called %s", c.URL)
		}
	}
	for _, l := range f.Lines {
		if !l.Exact || l.Likely.Prompt == 0 || !l.Unknown { // behind an address of its own
			t.Errorf("%+v", l)
		}
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "the provider's own count") {
		t.Errorf("%q", f.Notes)
	}
	if _, ok, err := catalog.Counting(context.Background(), configs.Model{Provider: "baseline"}, configs.Limits{}); ok || err != nil {
		t.Errorf("the baseline: %v, %v", ok, err)
	}
}

func TestACancelledForecastEnds(t *testing.T) {
	p := makePlan(t, "quickstart")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Forecast(ctx, plan.ForecastOptions{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("err = %v", err)
	}
}

// BenchmarkSpider plans 100 items of a paper's main table: seven arms, five seeds, eight demonstrations a prompt.
func BenchmarkSpider(b *testing.B) {
	dir, err := filepath.Abs("../../../shared/data/spider")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no ../shared/data/spider beside the repository")
	}
	b.Setenv("SPIDER", dir)
	p := makePlan(b, "tai-table1", "model.provider=openai", "model.name=gpt-4o-2024-08-06", "exemplars.file=sample", "dataset.limit=100")
	calls := int64(0)
	for b.Loop() {
		calls += forecast(b, p, plan.ForecastOptions{Prices: prices(b)}).Total.Likely.Ask
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
}

// TestRequests: in the order of the trace, and certain up to the first completion that is not held.
func TestRequests(t *testing.T) {
	p := makePlan(t, "quickstart", "dataset.limit=1", "arm.least-to-most.model.samples=2", "arm.least-to-most.model.temperature=0.5")
	m := rehearse(t, p, p.Cells[slices.IndexFunc(p.Cells, func(c configs.Cell) bool { return c.Arm.Name == "least-to-most" })])
	check := func(what string, held plan.Held, want ...string) {
		t.Helper()
		all, err := m.Requests(t.Context(), p.Set.Examples[0].Question, held)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range all {
			if len(r.Request.Messages) == 0 {
				t.Errorf("%s: no messages: %+v", what, r)
			}
			got = append(got, fmt.Sprint(r.Stage, " ", r.Request.Sample, " ", r.Estimate))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	r, ok, err := m.First(t.Context(), p.Set.Examples[0].Question)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	first := r.Key()
	check("nothing is held", nil, "reduce 0 false", "solve 1 0 true", "solve 2 0 true", "reduce 1 false", "solve 1 1 true", "solve 2 1 true")
	check("the first is held", func(_ context.Context, key string) (llm.Response, bool, error) {
		return llm.Response{Text: "To answer, we need to know: \"Who?\", \"Where?\""}, key == first, nil
	}, "reduce 0 false", "solve 1 0 false", "solve 2 0 true", "solve 3 0 true", "reduce 1 false", "solve 1 1 true", "solve 2 1 true")
	check("all is held", func(context.Context, string) (llm.Response, bool, error) {
		return llm.Response{Text: "SELECT 1"}, true, nil
	},
		"reduce 0 false", "solve 1 0 false", "reduce 1 false", "solve 1 1 false")
}
