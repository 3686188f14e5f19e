package plan_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/prompting/llm"
)

// pricesOf are the shipped prices after those of a file.
func pricesOf(t *testing.T, text string) cost.Prices {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := cost.LoadPrices(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const finePrices = `
[[price]]
models = ["gpt-4o-mini"]
input = 1
output = 2
cached = 0.1
cache_least = 64
cache_step = 16
batch = 0.5
`

// TestSharedPrefixesByBruteForce: the tokens that a perfect cache gives to a run are those that each prompt shares with the one
// before it that it shares most with, compared with all of them, character by character.
func TestSharedPrefixesByBruteForce(t *testing.T) {
	set := []string{"dataset.limit=6", "model.provider=openai", "model.name=gpt-4o-mini", "model.max_tokens=100", "exemplars.k=2"}
	p := makePlan(t, "quickstart", append(set, "sweep.k=0,2")...)
	f := forecast(t, p, plan.ForecastOptions{Prices: pricesOf(t, finePrices)})
	counter, err := cost.NewCounter(p.Cells[0].Arm.Model)
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	var want, calls int64
	asked := map[string]bool{}
	for _, ex := range p.Set.Examples {
		for _, c := range p.Cells {
			all, err := rehearse(t, p, c).Requests(t.Context(), ex.Question, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range all {
				if asked[r.Request.Key()] {
					continue
				}
				asked[r.Request.Key()] = true
				text := ""
				for _, m := range plan.Prompt(r.Request) {
					text += "\x00" + m.Role + "\x00" + m.Text
				}
				start := strings.TrimPrefix(text[:longestCommon(text, sent)], "\x00user\x00")
				want += floor(counter.Prompt([]cost.Message{{Role: "user", Text: start}}) - 3)
				sent, calls = append(sent, text), calls+1
			}
		}
	}
	got := f.Total.Cached.Tokens
	if d := float64(got-want) / float64(want); calls != f.Total.Likely.Ask || math.Abs(d) > 0.01 {
		t.Errorf("%d tokens of %d calls, by brute force %d of %d", got, f.Total.Likely.Ask, want, calls)
	}
	if cold := f.Total.Cold; cold.Tokens > got || cold.USD < f.Total.Cached.USD || cold.USD > f.Total.Likely.USD {
		t.Errorf("cold %+v, perfect %+v", cold, f.Total.Cached)
	}
	if usd := f.Total.Likely.USD - 0.9*float64(got)/1e6; math.Abs(usd-f.Total.Cached.USD) > 1e-9 {
		t.Errorf("a perfect cache costs %v, want %v", f.Total.Cached.USD, usd)
	}
}

// longestCommon is the most bytes that a text starts with as one of the others does.
func longestCommon(text string, others []string) (longest int) {
	for _, s := range others {
		n := 0
		for n < min(len(s), len(text)) && s[n] == text[n] {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}

// floor is the longest beginning of at most n tokens, by finePrices: 64, then in steps of 16, or of a 64th of it.
func floor(n int64) (tokens int64) {
	for at := int64(64); at <= n; at += max(16, at/64/16*16) {
		tokens = at
	}
	return tokens
}

// TestThreePrices: a batch is half of what the live calls cost, unless samples share a prompt, for each of which it pays.
func TestThreePrices(t *testing.T) {
	line := func(prices string, set ...string) cost.Line {
		p := makePlan(t, "quickstart", append(set, "dataset.limit=3", "model.provider=openai", "model.name=gpt-4o-mini", "model.temperature=0.7", "model.max_tokens=10")...)
		return forecast(t, p, plan.ForecastOptions{Prices: pricesOf(t, prices)}).Lines[0]
	}
	one := line(finePrices)
	if math.Abs(one.Batch.USD-one.Likely.USD/2) > 1e-12 || !one.Batch.Known || one.Batch.Tokens != 0 {
		t.Errorf("%+v", one)
	}
	four := line(finePrices, "model.samples=4")
	if want := (4*float64(one.Likely.Prompt) + 2*float64(four.Likely.Output)) / 2e6; math.Abs(four.Batch.USD-want) > 1e-9 || four.Batch.USD < four.Likely.USD {
		t.Errorf("four samples: %+v, want %v", four, want)
	}
	unknown := line("[[price]]\nmodels = [\"gpt-4o-mini\"]\ninput = 1\noutput = 2\n")
	if unknown.Batch.Known || unknown.Cached.Known || unknown.Cold.Known || unknown.Cached.String() == "0.00" {
		t.Errorf("no price: %+v", unknown)
	}
	marked := strings.Replace(finePrices, "cache_step = 16", "cache_marked = true\ncache_write = 1.25", 1)
	if x := line(marked); !x.Cached.Known || x.Cached.Tokens != 0 || x.Cached.USD != x.Likely.USD {
		t.Errorf("nobody asks for a cache: %+v", x)
	}
}

// TestRounds: calls that depend on others take a round more.
func TestRounds(t *testing.T) {
	p := makePlan(t, "quickstart", "dataset.limit=3", "model.provider=openai", "model.name=gpt-4o-mini")
	f := forecast(t, p, plan.ForecastOptions{Prices: prices(t)})
	if len(f.Rounds) != len(p.Cells) {
		t.Fatalf("%+v", f.Rounds)
	}
	for i, c := range p.Cells {
		r := f.Rounds[i]
		if r.Arm != c.Arm.Name || r.More || (r.Rounds > 1) != (r.Arm == "least-to-most") || r.Rounds < 1 {
			t.Errorf("%+v", r)
		}
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{"Three prices of what is likely, USD: live ", "Cheapest: in batches", "in steps of 128", "beginnings of 1024 tokens", "0.5 of the live prices", "rounds", "batches have been seen with none"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	if f := forecast(t, makePlan(t, "quickstart", "dataset.limit=3"), plan.ForecastOptions{}); strings.Contains(strings.Join(f.Notes, "\n"), "Three prices") {
		t.Errorf("the baseline: %q", f.Notes)
	}
}

// TestVectorsCostTheSameEachWay, as they are asked for live, and so leave none of the three prices unknown.
func TestVectorsCostTheSameEachWay(t *testing.T) {
	const embedding = "[[price]]\nmodels = [\"e\"]\ninput = 3\noutput = 0\n"
	p := makePlan(t, "quickstart", "dataset.limit=3", "model.provider=openai", "model.name=gpt-4o-mini", "model.max_tokens=10", "exemplars.strategy=similarity",
		"embeddings.provider=openai", "embeddings.name=e")
	f := forecast(t, p, plan.ForecastOptions{Prices: pricesOf(t, finePrices+embedding)})
	l := f.Lines[0]
	if usd := 3 * float64(l.Likely.Prompt) / 1e6; l.Stage != cost.EmbedStage || l.Likely.Ask == 0 || math.Abs(l.Likely.USD-usd) > 1e-12 {
		t.Fatalf("%+v, want %v", l, usd)
	}
	for _, w := range []cost.Way{l.Cached, l.Cold, l.Batch} {
		if !w.Known || w.USD != l.Likely.USD {
			t.Errorf("%+v", w)
		}
	}
	if !f.Total.Cached.Known || !f.Total.Batch.Known || strings.Contains(strings.Join(f.Notes, "\n"), "cache of openai/e") {
		t.Errorf("%+v, %q", f.Total, f.Notes)
	}
}

// TestCallsForVectors: each question makes calls of its own, and arms share them; which goroutine asks first does not count.
func TestCallsForVectors(t *testing.T) {
	lines := func(limit string) []cost.Line {
		p := makePlan(t, "quickstart", limit, "model.provider=openai", "model.name=gpt-4o-mini", "exemplars.strategy=similarity", "values.use=true",
			"embeddings.provider=openai", "embeddings.name=e")
		return forecast(t, p, plan.ForecastOptions{}).Lines
	}
	few, more := lines("dataset.limit=4"), lines("dataset.limit=12")
	if few[0].Likely.Ask < 4 || more[0].Likely.Ask < few[0].Likely.Ask+8 {
		t.Errorf("%d calls for 4 questions, %d for 12", few[0].Likely.Ask, more[0].Likely.Ask)
	}
	if again := lines("dataset.limit=12"); fmt.Sprint(again) != fmt.Sprint(more) {
		t.Errorf("a second forecast is another:\n%v\n%v", again, more)
	}
}

// TestWhatIsWrittenToTheCacheIsPaidFor: live if nothing of it is read, and in batches.
func TestWhatIsWrittenToTheCacheIsPaidFor(t *testing.T) {
	marked := strings.Replace(finePrices, "cache_step = 16", "cache_marked = true\ncache_write = 3", 1)
	line := func(set ...string) cost.Line {
		p := makePlan(t, "quickstart", append(set, "dataset.limit=3", "model.provider=openai", "model.name=gpt-4o-mini", "model.max_tokens=10")...)
		return forecast(t, p, plan.ForecastOptions{Prices: pricesOf(t, marked)}).Lines[0]
	}
	without, with := line(), line(`model.extra.cache_control="ephemeral"`)
	written := with.Likely.USD - without.Likely.USD // two dollars more for a million tokens
	if prompts := 2 * float64(without.Likely.Prompt) / 1e6; written < 0.9*prompts || written > prompts {
		t.Errorf("written: %v of at most %v", written, prompts)
	}
	if math.Abs(with.Batch.USD-with.Likely.USD/2) > 1e-12 || with.Cold.USD > with.Likely.USD || with.Likely.USD > with.Most.USD {
		t.Errorf("%+v", with)
	}
}

// TestLongest: what a request states, or what its provider is sent or is assumed on top of a budget for reasoning.
func TestLongest(t *testing.T) {
	check := func(by configs.Provider, p llm.Params, want int) {
		t.Helper()
		if got := plan.Longest(by, p, 100); got != want {
			t.Errorf("%+v, %+v: %d, want %d", by, p, got, want)
		}
	}
	sent := configs.Provider{Answer: 7}
	check(sent, llm.Params{MaxTokens: 5, Reasoning: "40"}, 5)
	check(sent, llm.Params{}, 7)
	check(sent, llm.Params{Reasoning: "40"}, 47)
	check(configs.Provider{}, llm.Params{Reasoning: "40"}, 140)
	check(configs.Provider{}, llm.Params{Reasoning: "-1"}, 100)
	check(configs.Provider{}, llm.Params{Reasoning: "high"}, 100)
}
