package runner_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/retry"
)

// opened opens providers with short waits.
func opened(ctx context.Context, m configs.Model, l configs.Limits) (llm.Model, error) {
	if m.Local {
		return baseline.New(), nil
	}
	return catalog.Model(ctx, m, l, retry.Options{FirstWait: time.Millisecond})
}

// embedding plans a run whose arms compare texts by a server's vectors.
func embedding(t *testing.T, cache string, s *llmtest.Server, set ...string) *plan.Plan {
	t.Helper()
	return makePlan(t, cache, append([]string{"embeddings.provider=openai", "embeddings.name=e-1", "embeddings.base_url=" + s.URL, "values.use=true",
		"schema.format=bird", "schema.descriptions=3", "exemplars.strategy=similarity", "exemplars.k=2", "seeds=[0,1]"}, set...)...)
}

// texts are the different texts that a server embedded, and the calls that asked for them.
func texts(s *llmtest.Server) (different []string, calls int) {
	for _, c := range s.Calls() {
		if len(c.Asked.Embed) > 0 {
			different, calls = append(different, c.Asked.Embed...), calls+1
		}
	}
	slices.Sort(different)
	return slices.Compact(different), calls
}

func TestVectorsOfARun(t *testing.T) {
	s, cache, st := llmtest.Start(t, llmtest.OpenAI), t.TempDir(), store.Open(t.TempDir())
	p := embedding(t, cache, s)
	prices, err := cost.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	foretold, err := p.Forecast(context.Background(), plan.ForecastOptions{Prices: prices})
	if err != nil || len(s.Calls()) > 0 {
		t.Fatalf("%v, %d calls of a forecast", err, len(s.Calls()))
	}
	first, err := runner.Run(context.Background(), p, runner.Options{Store: st, Model: opened})
	if err != nil {
		t.Fatal(err)
	}
	different, calls := texts(s)
	r := read(t, first)
	byKey := map[string]record.Vector{}
	for _, v := range r.Vectors {
		byKey[v.Key] = v
	}
	if len(different) == 0 || len(byKey) != len(different) || first.Counts.Embedded != int64(len(different)) {
		t.Fatalf("%d texts embedded in %d calls; vectors.csv has %d; counts %+v", len(different), calls, len(byKey), first.Counts)
	}
	tokens := 0
	for _, v := range byKey {
		tokens += v.PromptTokens.N
	}
	for _, c := range r.Calls {
		if !strings.Contains(c.Stage, "embed") {
			continue
		}
		t.Errorf("calls.csv has a call for vectors: %+v", c)
	}
	line := foretold.Lines[0]
	if line.Stage != "embed" || line.Model != "openai/e-1" || !line.Unknown || line.Likely.Ask != int64(calls) {
		t.Errorf("%d calls, forecast %+v", calls, line)
	}
	if first.Spent.Tokens < int64(tokens) {
		t.Errorf("spent %+v, and the texts have %d tokens", first.Spent, tokens)
	}
	if n := len(p.Manifest.Similarity); n != 3 {
		t.Errorf("similarities %+v", p.Manifest.Similarity)
	}
	for _, x := range p.Manifest.Similarity {
		if x.By != "cosine of the vectors of openai/e-1" {
			t.Errorf("%s by %s", x.Use, x.By)
		}
	}

	before := len(s.Calls())
	again, err := runner.Run(context.Background(), embedding(t, cache, s, "workers=7"), runner.Options{Store: st, Model: opened, Offline: true})
	if err != nil || len(s.Calls()) != before || again.Dir != first.Dir || again.Counts.Embedded != 0 {
		t.Fatalf("offline: %v, %d calls, %+v", err, len(s.Calls())-before, again.Counts)
	}
	replay := store.Open(t.TempDir())
	move(t, st, replay)
	other, err := runner.Run(context.Background(), embedding(t, cache, s, "workers=7"), runner.Options{Store: replay, Model: opened, Offline: true})
	if err != nil || len(s.Calls()) != before {
		t.Fatalf("in another store: %v, %d calls", err, len(s.Calls())-before)
	}
	sameFiles(t, first.Dir, other.Dir, record.VectorsFile, record.CandidatesFile, record.CallsFile, record.ManifestFile, record.LinksFile)
	var miss *ledger.MissError
	if _, err := runner.Run(context.Background(), embedding(t, cache, s, "embeddings.dimensions=2"), runner.Options{Store: st, Model: opened, Offline: true}); !errors.As(err, &miss) {
		t.Errorf("other vectors, offline: %v", err)
	}
	l, err := st.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	held, err := p.Forecast(context.Background(), plan.ForecastOptions{Prices: prices, Held: l.Get})
	if err != nil || held.Lines[0].Calls != 0 || held.Total.Most.Ask != 0 {
		t.Errorf("a forecast of what is held: %+v, %v", held.Lines, err)
	}
}

// move copies the ledger of a store into another.
func move(t *testing.T, from, to store.Store) {
	t.Helper()
	a, err := from.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := to.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	path := t.TempDir() + "/all.jsonl"
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := a.Export(context.Background(), f, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Import(context.Background(), path, ledger.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestWhoComputesVectorsIsPartOfARun(t *testing.T) {
	s, cache := llmtest.Start(t, llmtest.OpenAI), t.TempDir()
	id := func(set ...string) string { return embedding(t, cache, s, set...).Manifest.ID }
	usual := id()
	check := func(what string, differs bool, set ...string) {
		t.Helper()
		if got := id(set...); (got != usual) != differs {
			t.Errorf("%s: the run is another: %t", what, got != usual)
		}
	}
	check("another model", true, "embeddings.name=e-2")
	check("another length", true, "embeddings.dimensions=8")
	check("another address", true, "embeddings.base_url=http://127.0.0.1:1")
	check("another key", false, "embeddings.key_env=OTHER")
	check("the offline vectors", true, "embeddings.provider=offline")
	offline := func(set ...string) string { return makePlan(t, cache, append(set, "values.use=true")...).Manifest.ID }
	if offline() != offline("embeddings.provider=offline") {
		t.Error("the offline vectors make another run where they are stated")
	}
}

// TestTroubleWithVectors: what a provider refuses costs the items that need it, and what concerns all ends the run.
func TestTroubleWithVectors(t *testing.T) {
	s, cache := llmtest.Start(t, llmtest.OpenAI), t.TempDir()
	run := func(st store.Store, offline bool, set ...string) (runner.Result, error) {
		return runner.Run(context.Background(), embedding(t, cache, s, append([]string{"seeds=[0]"}, set...)...), runner.Options{Store: st, Model: opened, Offline: offline})
	}
	st := store.Open(t.TempDir())
	s.Script(llmtest.Refused(503), llmtest.Throttled(time.Millisecond))
	if res, err := run(st, false); err != nil || res.Failed > 0 {
		t.Errorf("a busy server: %+v, %v", res, err)
	}
	if _, err := run(st, false, "budget.tokens=1", "embeddings.dimensions=2"); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("a budget: %v", err)
	}
	s.Always(llmtest.Fault{Name: "short", Body: `{"data":[]}`})
	if _, err := run(store.Open(t.TempDir()), false); err == nil || !strings.Contains(err.Error(), "the provider refused the last ") {
		t.Errorf("no vector ever: %v", err)
	}
	s.Always(llmtest.Refused(401))
	if _, err := run(store.Open(t.TempDir()), false); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a refused key: %v", err)
	}
}
