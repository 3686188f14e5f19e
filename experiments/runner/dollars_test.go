package runner_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/compare"
	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"
)

// TestDollarsAreAlikeEverywhere: what a run cost of which the provider's cache gave a part, and batches answered a part, is the same
// by the meter, the run's folder, the ledger, the calls and a comparison of runs, and the same when it is started again.
func TestDollarsAreAlikeEverywhere(t *testing.T) {
	prices := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(prices, []byte("[[price]]\nmodels = [\"gpt-4o-mini\"]\ninput = 1000\noutput = 4000\ncached = 100\ncache_write = 1250\nbatch = 0.5\nbatch_cached = 50\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var n, batched int64
	var want float64
	model := func(context.Context, configs.Model, configs.Limits) (llm.Model, error) {
		return &llm.Scripted{Respond: func(llm.Request) (llm.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			u := llm.Usage{PromptTokens: 1000, CompletionTokens: 10}
			resp := llm.Response{Text: "SELECT 1", Finish: "stop", Usage: u}
			switch n++; n % 4 {
			case 0:
				want += 1.04 // 1 + 0.04
			case 1:
				resp.Usage.CachedTokens = 600
				want += 0.50 // 0.4 + 0.06 + 0.04
			case 2:
				resp.Usage.CachedTokens, resp.Usage.CacheWriteTokens = 600, 400
				want += 0.60 // 0.06 + 0.5 + 0.04
			case 3:
				resp.Usage.CachedTokens, resp.Tier = 600, llm.Batch
				want += 0.25 // 0.2 + 0.03 + 0.02
				batched++
			}
			return resp, nil
		}}, nil
	}
	p := makePlan(t, t.TempDir(), "model.provider=openai", "model.name=gpt-4o-mini", "budget.prices="+prices)
	st := store.Open(t.TempDir())
	res, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: model})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v USD, want %v", what, got, want)
		}
	}
	near("the meter", res.Spent.USD)
	if res.Spent.Calls != n || res.Spent.Batch != batched || !strings.Contains(res.Spent.String(), "calls in batches") {
		t.Errorf("%v", res.Spent)
	}
	spent, err := cost.ReadSpent(res.Dir)
	if err != nil || spent.Batch != batched {
		t.Errorf("%+v, %v", spent, err)
	}
	near("the folder", spent.USD)
	list, err := cost.LoadPrices(prices)
	if err != nil {
		t.Fatal(err)
	}
	l, err := st.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	paid, err := l.Paid(t.Context(), p.Manifest.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	m := configs.Model{Provider: "openai", Name: "gpt-4o-mini"}
	price, _ := list.Find(m)
	sum := 0.0
	for _, x := range paid {
		u := cost.Usage{Prompt: int64(x.Usage.PromptTokens), Cached: int64(x.Usage.CachedTokens), Written: int64(x.Usage.CacheWriteTokens), Completion: int64(x.Usage.CompletionTokens), Batch: x.Tier == llm.Batch}
		sum += price.USD(u) * float64(x.Times)
	}
	near("the ledger", sum)
	run, err := record.Read(res.Dir, catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]float64{} // arms may share a call
	for _, c := range run.Calls {
		byKey[c.Key] = (&cost.Series{Prices: list}).Of(m, c).V
	}
	sum = 0
	for _, usd := range byKey {
		sum += usd
	}
	near("the calls", sum)
	items, err := record.ReadItems(res.Dir, catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*record.Run{run, items} { // with its calls, and without
		if err := cost.PriceItems(r); err != nil {
			t.Fatal(err)
		}
	}
	whole, streamed := 0.0, 0.0
	for i := range run.Items {
		whole, streamed = whole+run.Items[i].USD.V, streamed+items.Items[i].USD.V
	}
	c, err := compare.Runs(run, items, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compared := 0.0
	for _, x := range c.Pairs {
		compared += x.SpentA.USD.V
	}
	if math.Abs(whole-streamed) > 1e-9 || math.Abs(whole-compared) > 1e-9 || whole < want-1e-9 {
		t.Errorf("the items took %v, read without calls %v, compared %v", whole, streamed, compared)
	}
	again, err := runner.Run(context.Background(), p, runner.Options{Store: st, Offline: true})
	if err != nil || again.Spent.Calls != 0 {
		t.Fatal(again.Spent, err)
	}
	replayed, err := record.Read(again.Dir, catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range replayed.Calls {
		if o := run.Calls[i]; c.Tier != o.Tier || c.CachedTokens != o.CachedTokens || c.CacheWriteTokens != o.CacheWriteTokens {
			t.Fatalf("replayed %+v, was %+v", c, o)
		}
	}
}
