package runner_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"
)

// twoModels are a generator that never answers the same way twice, and a selector behind another address that counts
// ten prompt tokens and one completion token.
type twoModels struct {
	mu    sync.Mutex
	asked map[string]int // by the name of the model opened, and that in the request
	n     int
}

func (m *twoModels) open(_ context.Context, c configs.Model, _ configs.Limits) (llm.Model, error) {
	return &llm.Scripted{Respond: func(r llm.Request) (llm.Response, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked[c.Provider+" "+r.Provider+"/"+r.Model]++
		m.n++
		if c.Provider == "gemini" {
			return llm.Response{Text: "A", Finish: "stop", Usage: llm.Usage{PromptTokens: 10, CompletionTokens: 1}}, nil
		}
		return llm.Response{Text: fmt.Sprintf("```sql\nSELECT %d\n```", m.n), Finish: "stop", Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 20}}, nil
	}}, nil
}

// twoPrices has the generator at 1 and the selector at 1,000 dollars a thousand prompt tokens, completions free.
const twoPrices = "[[price]]\nmodels = [\"gpt-4o-mini\"]\ninput = 1000\noutput = 0\n[[price]]\nmodels = [\"gemini-2.5-flash\"]\ninput = 1000000\noutput = 0\n"

// twoArms is a plan of an arm that generates three candidates with one provider's model and selects with another's.
func twoArms(t *testing.T, set ...string) *plan.Plan {
	t.Helper()
	prices := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(prices, []byte(twoPrices), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "two.toml")
	text := "name = \"two\"\n[dataset]\nkind = \"sample\"\nlimit = 3\n[model]\nprovider = \"openai\"\nname = \"gpt-4o-mini\"\nsamples = 3\n" +
		"temperature = 0.7\nmax_tokens = 50\n[selection]\nrule = \"pairwise\"\nprovider = \"gemini\"\nname = \"gemini-2.5-flash\"\n" +
		"[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := configs.Load(file, catalog.Known, configs.Options{Set: append([]string{"budget.prices=" + prices}, set...)})
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

// TestASelectorOfAnotherProviderIsPricedAsItself: by the meter during the run, by the plan before it.
func TestASelectorOfAnotherProviderIsPricedAsItself(t *testing.T) {
	p := twoArms(t)
	prices, err := cost.LoadPrices(p.Experiment.Budget.Prices)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Forecast(context.Background(), plan.ForecastOptions{Prices: prices})
	if err != nil {
		t.Fatal(err)
	}
	m := &twoModels{asked: map[string]int{}}
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	if err != nil {
		t.Fatal(err)
	}
	own, chosen := m.asked["openai openai/gpt-4o-mini"], m.asked["gemini gemini/gemini-2.5-flash"]
	if len(m.asked) != 2 || own != 9 || chosen == 0 {
		t.Fatalf("asked %v", m.asked)
	}
	if want := float64(own)*0.1 + float64(chosen)*10; res.Spent.USD < want-1e-6 || res.Spent.USD > want+1e-6 {
		t.Errorf("spent %v USD, want %v", res.Spent.USD, want)
	}
	for _, l := range f.Lines {
		model, rate := "openai/gpt-4o-mini", 1e-3
		if l.Stage == "choose" {
			model, rate = "gemini/gemini-2.5-flash", 1.0
		}
		if usd := float64(l.Most.Prompt) * rate; l.Model != model || l.Most.USD < usd*0.999 || l.Most.USD > usd*1.001 {
			t.Errorf("line %+v, want %s and %v USD", l, model, usd)
		}
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "Price of gemini/gemini-2.5-flash") || !strings.Contains(notes, "Tokens of gemini/") {
		t.Errorf("notes %s", notes)
	}
	_, err = runner.Run(context.Background(), twoArms(t, "selection.name=unheard-of", "budget.usd=1"), runner.Options{Store: store.Open(t.TempDir()), Model: m.open})
	if err == nil || !strings.Contains(err.Error(), "price of gemini/unheard-of") {
		t.Errorf("a budget and a selector without a price: %v", err)
	}
}

// TestARepeatCheckAsksWhomTheRunAsked: the selector's requests of the selector, all of it within the budget and kept.
func TestARepeatCheckAsksWhomTheRunAsked(t *testing.T) {
	p, st := twoArms(t), store.Open(t.TempDir())
	m := &twoModels{asked: map[string]int{}}
	o := runner.Options{Store: st, Model: m.open}
	res, err := runner.Run(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	run := read(t, res)
	m.asked = map[string]int{}
	got, err := runner.RepeatCheck(context.Background(), p, res, o, len(run.Calls))
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	own, chosen := m.asked["openai openai/gpt-4o-mini"], m.asked["gemini gemini/gemini-2.5-flash"]
	if len(m.asked) != 2 || own != 9 || chosen == 0 || got[0].Asked != own+chosen || got[0].Text != own || got[0].SQL != own {
		t.Errorf("asked %v: %+v", m.asked, got[0])
	}
	if want := int64(own*120 + chosen*11); got[0].Spent.Tokens != want || got[0].Spent.Calls != int64(own+chosen) {
		t.Errorf("spent %+v, want %d tokens", got[0].Spent, want)
	}
	kept, err := cost.ReadSpent(res.Dir)
	if want := res.Spent.Plus(got[0].Spent); err != nil || kept.Tokens != want.Tokens || kept.Calls != want.Calls || kept.USD < want.USD-1e-6 {
		t.Errorf("kept %+v, want %+v (%v)", kept, want, err)
	}
	// What is left of the budget allows one more call at most.
	p = twoArms(t, fmt.Sprintf("budget.tokens=%d", kept.Tokens+200))
	var over *cost.BudgetError
	got, err = runner.RepeatCheck(context.Background(), p, res, o, len(run.Calls))
	if !errors.As(err, &over) || len(got) > 1 || len(got) == 1 && got[0].Spent.Tokens > 200 {
		t.Errorf("beyond the budget: %+v, %v", got, err)
	}
	after, err := cost.ReadSpent(res.Dir)
	if err != nil || after.Tokens > kept.Tokens+200 || len(got) == 1 && after.Tokens != kept.Tokens+got[0].Spent.Tokens {
		t.Errorf("kept %+v after %+v, %v", after, got, err)
	}
	if _, err := record.Read(res.Dir, catalog.Known); err != nil {
		t.Error(err)
	}
}
