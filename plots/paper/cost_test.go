package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/table"
)

// costRun has two arms over two items; the second arm asks in two stages.
func costRun(t *testing.T, model string) *record.Run {
	t.Helper()
	e := experiment(t, "[1]", "kind = \"sample\"", model+twoArms)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "0123456789ab", Experiment: "demo", Complete: true, Dataset: "sample/dev", Items: 2,
		Metrics: []record.Metric{{ID: "ts"}, {ID: "ex"}}}}
	for _, arm := range []string{"standard", "qdecomp"} {
		for i, item := range []string{"a", "b"} {
			status := metrics.Correct
			if i == 1 && arm == "standard" {
				status = metrics.Wrong
			}
			v := record.Value{V: map[metrics.Status]float64{metrics.Correct: 1}[status], OK: true}
			r.Items = append(r.Items, record.Item{Item: item, Arm: arm, Seed: 1, Status: status, Values: []record.Value{v, v}})
			if arm == "standard" {
				r.Calls = append(r.Calls, record.Call{Item: item, Arm: arm, Seed: 1, Stage: "generate", Key: item, PromptTokens: record.CountOf(1000), CompletionTokens: record.CountOf(100)})
				continue
			}
			for _, stage := range []string{"reduce", "solve 1", "solve 2"} {
				r.Calls = append(r.Calls, record.Call{Item: item, Arm: arm, Seed: 1, Stage: stage, Key: item + stage, PromptTokens: record.CountOf(2000), CompletionTokens: record.CountOf(500)})
			}
		}
	}
	return r
}

func makeCost(t *testing.T, r *record.Run) *table.Table {
	t.Helper()
	outs, err := made(r, "cost")
	if err != nil {
		t.Fatal(err)
	}
	return outs[0].Table
}

func TestCostWorkedByHand(t *testing.T) {
	tab := makeCost(t, costRun(t, "[model]\nprovider = \"openai\"\nname = \"gpt-4o-mini\"\n")) // 0.15 and 0.60 a million
	check := func(row int, want ...any) {
		t.Helper()
		for i, w := range want {
			c := tab.Rows[row][i]
			if s, ok := w.(string); ok && c.String() != s {
				t.Errorf("row %d, %s: %q, want %q", row, tab.Columns[i].Name, c, s)
			}
			if f, ok := w.(float64); ok && (c.Num == nil || math.Abs(c.Num.Value-f) > 1e-9*f) {
				t.Errorf("row %d, %s: %q, want %v", row, tab.Columns[i].Name, c, f)
			}
		}
	}
	// 2 x (1000 x 0.15 + 100 x 0.60) / 10^6 = 0.00042; one correct.
	check(0, "Standard", "generate", 2.0, 2000.0, 200.0, 0.00042, 2.0, 1.0, 1/0.00042)
	// A call: (2000 x 0.15 + 500 x 0.60) / 10^6 = 0.0006; two reduce, four solve, two correct.
	check(1, "QDecomp", "reduce", 2.0, 4000.0, 1000.0, 0.0012, "", "", "")
	check(2, "QDecomp", "solve", 4.0, 8000.0, 2000.0, 0.0024, "", "", "")
	check(3, "QDecomp", "all", 6.0, 12000.0, 3000.0, 0.0036, 2.0, 2.0, 2/0.0036)
	if len(tab.Rows) != 4 {
		t.Errorf("%d rows", len(tab.Rows))
	}
	if notes := strings.Join(tab.Notes, "\n"); !strings.Contains(notes, "0.15 in, 0.075 cached, 0.60 out, batches at 0.5 (OpenAI API documentation, Pricing, 2026-09-26)") {
		t.Errorf("the notes do not date the price:\n%s", notes)
	}
}

func TestCostOfAnUnknownPrice(t *testing.T) {
	r := costRun(t, "[model]\nprovider = \"openai\"\nname = \"somebody\"\n")
	tab := makeCost(t, r)
	if got := tab.Rows[0]; got[5].String() != "unknown" || got[8].String() != "unknown" {
		t.Errorf("%v", got)
	}
	prices := filepath.Join(t.TempDir(), "prices.toml")
	r.Resolved.Budget.Prices = prices
	if notes := strings.Join(makeCost(t, r).Notes, "\n"); !strings.Contains(notes, "the shipped prices are used instead") {
		t.Errorf("a file of prices that is gone is not reported:\n%s", notes)
	}
	if err := os.WriteFile(prices, []byte("[[price]]\nmodels = [\"somebody\"]\ninput = 1000\noutput = 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := makeCost(t, r).Rows[0][5].String(); got != "2.0000" { // 2000 tokens at 1000 dollars a million
		t.Errorf("%q", got)
	}
}

// TestCostOfNothing: the baseline costs nothing, and a report of it alone leaves the table out.
func TestCostOfNothing(t *testing.T) {
	r := costRun(t, "")
	if got := makeCost(t, r).Rows[0]; got[5].String() != "0.0000" || got[8].String() != "" {
		t.Errorf("%v", got)
	}
	if slices.Contains(Default(r), "cost") || !slices.Contains(Default(costRun(t, "[model]\nprovider = \"openai\"\nname = \"x\"\n")), "cost") {
		t.Error("a report has the table where a model is paid for, and only there")
	}
	r.Calls = nil
	if _, err := made(r, "cost"); err == nil || !strings.Contains(err.Error(), "no calls") {
		t.Errorf("no calls: %v", err)
	}
}

// TestCostOfTwoModels: each stage is priced as the model that it asks, and one unknown price makes the sum unknown.
func TestCostOfTwoModels(t *testing.T) {
	models := func(selector string) string {
		return "[model]\nprovider = \"openai\"\nname = \"gpt-4o-mini\"\nsamples = 2\n[selection]\nrule = \"pairwise\"\nprovider = \"openai\"\nname = \"" + selector + "\"\n"
	}
	priced := func(selector string) *table.Table {
		r := costRun(t, models(selector))
		r.Calls = r.Calls[:2]
		r.Calls = append(r.Calls, record.Call{Item: "a", Arm: "standard", Seed: 1, Stage: "choose", Key: "c", PromptTokens: record.CountOf(1000), CompletionTokens: record.CountOf(10)})
		return makeCost(t, r)
	}
	prices, err := cost.LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	dear, ok := prices.Find(configs.Model{Provider: "openai", Name: "gpt-4o"})
	if !ok {
		t.Fatal("gpt-4o has no price")
	}
	tab := priced("gpt-4o")
	want := []float64{0.00042, dear.USD(cost.Usage{Prompt: 1000, Completion: 10}), 0.00042 + dear.USD(cost.Usage{Prompt: 1000, Completion: 10})}
	for i, usd := range want {
		if c := tab.Rows[i][5]; c.Num == nil || math.Abs(c.Num.Value-usd) > 1e-9 {
			t.Errorf("row %d: %q, want %v", i, c, usd)
		}
	}
	if notes := strings.Join(tab.Notes, "\n"); !strings.Contains(notes, "openai/gpt-4o-mini") || !strings.Contains(notes, "openai/gpt-4o,") {
		t.Errorf("notes\n%s", notes)
	}
	tab = priced("somebody")
	if a, b, c := tab.Rows[0][5], tab.Rows[1][5].String(), tab.Rows[2][5].String(); a.Num == nil || b != "unknown" || c != "unknown" {
		t.Errorf("an unknown selector: %q, %q, %q", a, b, c)
	}
}

// TestShortNamesSayWhatTheyCount: no column of money is headed by the unit alone.
func TestShortNamesSayWhatTheyCount(t *testing.T) {
	if got := costShort["correct per USD"]; got != "correct/USD" {
		t.Errorf("correct answers a dollar are headed %q", got)
	}
}

// TestTokensApart: tokens that a provider counts apart have columns of their own where there are some, and nowhere else.
func TestTokensApart(t *testing.T) {
	r := costRun(t, "[model]\nprovider = \"openai\"\nname = \"gpt-4o-mini\"\n")
	names := func() (out []string) {
		for _, c := range makeCost(t, r).Columns {
			out = append(out, c.Name)
		}
		return out
	}
	if got := strings.Join(names(), ","); strings.Contains(got, "cached") || strings.Contains(got, "reasoning") {
		t.Errorf("none is counted apart: %s", got)
	}
	for i := range r.Calls {
		r.Calls[i].CachedTokens, r.Calls[i].ReasoningTokens = record.CountOf(0), record.CountOf(0)
		if r.Calls[i].Stage == "solve 2" {
			r.Calls[i].ReasoningTokens = record.CountOf(50)
		}
	}
	tab := makeCost(t, r)
	at := slices.Index(names(), "reasoning tokens")
	if at < 0 || slices.Contains(names(), "cached tokens") {
		t.Fatalf("columns %q", names())
	}
	var got []string
	for _, row := range tab.Rows {
		got = append(got, row[at].String())
	}
	if want := []string{"0", "0", "100", "100"}; !slices.Equal(got, want) {
		t.Errorf("reasoning %q, want %q", got, want)
	}
	if !strings.Contains(strings.Join(tab.Notes, "\n"), "reasoning tokens those of the completions that came before the answer") {
		t.Error("the notes do not say what they are part of")
	}
	r.Calls[0].CachedTokens = record.Count{} // an import does not say
	r.Calls[1].CachedTokens = record.CountOf(7)
	if tab := makeCost(t, r); tab.Rows[0][slices.Index(names(), "cached tokens")].String() != "unknown" {
		t.Error("a sum with an unknown part is a number")
	}
	outs, err := made(r, "tokens")
	if err != nil || !strings.Contains(fmt.Sprint(outs[0].Table.Columns), "reasoning tokens") {
		t.Errorf("the table of tokens lacks them: %v", err)
	}
}

// TestOwnTableOfTokenParts: an experiment's table has the mean of what the calls of its cells' answers counted apart.
func TestOwnTableOfTokenParts(t *testing.T) {
	r := costRun(t, "[[table]]\nname = \"parts\"\nrows = [\"arm\"]\ncells = [\"cached_tokens\", \"reasoning_tokens\"]\n[model]\nprovider = \"openai\"\nname = \"gpt-4o-mini\"\n")
	for i := range r.Calls {
		r.Calls[i].CachedTokens, r.Calls[i].ReasoningTokens = record.CountOf(i), record.CountOf(0)
	}
	for i := range r.Items {
		r.Items[i].Calls = record.CountOf(1)
	}
	rows := func() (out []string) {
		outs, err := made(r, "table/parts")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range outs[0].Table.Rows {
			out = append(out, row[1].String()+" "+row[2].String())
		}
		return out
	}
	if got := rows(); !slices.Equal(got, []string{"0.5 0.0", "13.5 0.0"}) { // (0+1)/2 and (2+3+4+5+6+7)/2
		t.Errorf("rows = %q", got)
	}
	r.Calls[0].CachedTokens = record.Count{}
	if got := rows(); got[0] != "unknown 0.0" || got[1] != "13.5 0.0" {
		t.Errorf("rows = %q", got)
	}
	r.Calls = r.Calls[2:]
	if got := rows(); got[0] != "unknown unknown" {
		t.Errorf("an answer whose calls are not known: %q", got)
	}
}
