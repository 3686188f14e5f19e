package cost

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
)

func openai(name string) configs.Model { return configs.Model{Provider: "openai", Name: name} }
func gemini(name string) configs.Model { return configs.Model{Provider: "gemini", Name: name} }

func TestTokensCountedByHand(t *testing.T) {
	check := func(m configs.Model, want int64, exact bool, messages ...Message) {
		t.Helper()
		c, err := NewCounter(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Prompt(messages); got != want || c.Exact() != exact {
			t.Errorf("%s: %d tokens (exact %v, %s); want %d (exact %v)", m.Name, got, c.Exact(), c.How(), want, exact)
		}
	}
	hello := Message{"user", "hello world"} // "hello", " world" in both vocabularies
	check(openai("gpt-4o-mini"), 3+1+2+3, true, hello)
	check(openai("gpt-4-0613"), 3+1+2+3, true, hello)
	check(openai("openai/gpt-4o"), 3+1+2+3, true, hello)
	check(openai("ft:gpt-4o-mini-2024-07-18:lab::1"), 3+1+2+3, true, hello)
	check(openai("gpt-4o"), 2*(3+1)+2+4+3, true, hello, Message{"system", "SELECT * FROM singer"}) // SELECT, *, FROM, singer
	check(openai("gpt-4o"), 3+1+3, true, Message{"user", ""})
	check(openai("llama-3.1-8b"), 3, false, hello) // 11 characters, at 4 a token
	check(gemini("gemini-2.5-flash"), 3, false, hello)
	check(gemini("gpt-4o"), 3, false, hello)                                    // the vocabulary is OpenAI's, the provider is not
	check(gemini("gemini-2.5-flash"), 3, false, Message{"user", "größte Über"}) // 11 characters in 14 bytes
	check(configs.Model{Provider: "openrouter", Name: "openai/gpt-4o"}, 3+1+2+3, true, hello)
	check(configs.Model{Provider: "azure", Name: "gpt-4o"}, 3, false, hello) // a deployment's name, whatever its model
	check(configs.Model{Provider: "baseline", Local: true}, 4, true, Message{"user", "größte Über"})
	check(configs.Model{Provider: "baseline", Local: true}, 3, true, Message{"system", "hello"}, Message{"user", " world"}) // of the sum
}

// TestVocabularies: counts of texts by both vocabularies, worked out from the lists of entries or had from another
// implementation of them (tiktoken-go/tokenizer v0.10.0, which alone parts the piece of white space).
func TestVocabularies(t *testing.T) {
	check := func(text string, o200k, cl100k int64) {
		t.Helper()
		for name, want := range map[string]int64{"gpt-4o": o200k, "gpt-4": cl100k} {
			c, err := NewCounter(openai(name))
			if err != nil {
				t.Fatal(err)
			}
			if got := c.text(text); got != want {
				t.Errorf("%s of %q: %d, want %d", name, text, got, want)
			}
		}
	}
	check("", 0, 0)
	check("1234567890", 4, 4)    // digits by threes
	check("\n\t\n9", 2, 2)       // entries 40612 and 18108, and a digit
	check("\xff", 1, 1)          // as U+FFFD, which is an entry
	check("<|endoftext|>", 7, 7) // a text, and no command
	check("### SQLite SQL tables, with their properties:\n#\n# singer (singer_id, name, country)\n#\n### Question:  How many singers do we have?\nSELECT", 34, 34)
	check("CREATE TABLE t (\n  a INT,\n  b TEXT\n);\n/*\n3 rows:\na\tb\n1\tx\n*/\n-- How many?\nSELECT count(*) FROM t WHERE b = 'größte Über'", 41, 43)
	check("日本語のテキスト 👩‍👩‍👧‍👦", 17, 25)
}

// FuzzLines: counting by lines is counting whole.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"a\nb", "# t (a, b)\n\n### Q:  x\nSELECT", "f(x);\n/* c */\n//d", "x \n y\n\n\n\tz", "\r\nA\r\n'B", "it\n's", "\xff\n\xfe,\n1234"} {
		f.Add(s)
	}
	var counters []*Counter
	for _, name := range []string{"gpt-4o", "gpt-4"} {
		c, err := NewCounter(openai(name))
		if err != nil {
			f.Fatal(err)
		}
		counters = append(counters, c)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 {
			return
		}
		for _, c := range counters {
			if got, whole := c.text(s), len(c.codec.EncodeOrdinary(s)); got != int64(whole) {
				t.Errorf("%s %q: %d by lines, %d whole", c.how, s, got, whole)
			}
		}
	})
}

func TestLinesOfBothVocabularies(t *testing.T) {
	texts := []string{"a\nb", "CREATE TABLE t (\n  a INT,\n  b TEXT\n);\n/*\n3 rows:\na\tb\n*/\n-- Q\nSELECT", "x);\n\n\n# y\n'z", strings.Repeat("é\nA", 50)}
	for _, name := range []string{"gpt-4o", "gpt-3.5-turbo-0125"} {
		c, err := NewCounter(openai(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range texts {
			if got, whole := c.text(s), len(c.codec.EncodeOrdinary(s)); got != int64(whole) {
				t.Errorf("%s %q: %d by lines, %d whole", name, s, got, whole)
			}
		}
	}
}

func TestCountersAreShared(t *testing.T) {
	c, err := NewCounter(openai("gpt-4o"))
	if err != nil {
		t.Fatal(err)
	}
	m := []Message{{"user", strings.Repeat("# singer (id, name)\n", 40)}}
	want := c.Prompt(m)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := c.Prompt(m); got != want {
					t.Errorf("%d; want %d", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestPricesWorkedByHand(t *testing.T) {
	p, err := LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	check := func(m configs.Model, prompt, completion int64, want float64) {
		t.Helper()
		x, ok := p.Find(m)
		if got := x.USD(Usage{Prompt: prompt, Completion: completion}); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, %v; want %v", m.Name, got, ok, want)
		}
	}
	check(openai("gpt-4o-mini"), 1_000_000, 1_000_000, 0.75)     // 0.15 + 0.60
	check(openai("gpt-4o-2024-05-13"), 4634, 0, 0.02317)         // 4634 x 5 / 10^6
	check(openai("gpt-4o-2024-08-06"), 1000, 200, 0.0045)        // 0.0025 + 0.0020
	check(gemini("gemini-2.5-pro"), 200_000, 1000, 0.26)         // 0.25 + 0.01
	check(gemini("gemini-2.5-pro"), 200_001, 1000, 0.5150025)    // 0.5000025 + 0.015
	check(gemini("models/gemini-2.5-flash"), 1000, 1000, 0.0028) // 0.0003 + 0.0025
	check(configs.Model{Provider: "baseline", Local: true}, 1e9, 1e9, 0)

	unknown := func(m configs.Model) {
		t.Helper()
		if x, ok := p.Find(m); ok {
			t.Errorf("%+v has the price %v", m, x)
		}
	}
	unknown(openai("gpt-4o-mini-2099-01-01"))
	unknown(openai("gemini-2.5-pro"))
	unknown(gemini("tunedModels/selector"))
	local := openai("gpt-4o")
	local.BaseURL = "http://localhost:11434/v1"
	unknown(local)
	unknown(configs.Model{Provider: configs.Imported, Name: "gpt-4o"})

	cells := []configs.Cell{{Arm: configs.Arm{Model: local}}, {Arm: configs.Arm{Model: openai("gpt-4o-mini")}}, {Arm: configs.Arm{Model: local}}}
	if got := strings.Join(p.Lacking(cells), " "); got != "openai/gpt-4o" {
		t.Errorf("lacking %q", got)
	}
}

// TestDiscountsWorkedByHand: what the provider's cache gave and took, and what a batch answered, has a price of its own; what a
// list has none for costs as the rest.
func TestDiscountsWorkedByHand(t *testing.T) {
	text := `
[[price]]
models = ["all"]
input = 10
output = 20
cached = 1
cache_write = 12.5
batch = 0.5
batch_cached = 0.25
above = 1000000
above_input = 100
above_output = 200
above_cached = 30
[[price]]
models = ["none"]
input = 10
output = 20
[[price]]
models = ["no stack"]
input = 10
output = 20
cached = 1
batch = 0.5
`
	p, err := parsePrices(text, true)
	if err != nil {
		t.Fatal(err)
	}
	check := func(model string, u Usage, want float64) {
		t.Helper()
		x, _ := p.Find(openai(model))
		if got := x.USD(u); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s, %+v: %v, want %v", model, u, got, want)
		}
	}
	const m = 1_000_000
	check("all", Usage{Prompt: m, Completion: m}, 30)                                                  // 10 + 20
	check("all", Usage{Prompt: m, Cached: m / 2}, 5.5)                                                 // 5 + 0.5
	check("all", Usage{Prompt: m, Cached: m / 2, Written: m / 4}, 6.125)                               // 2.5 + 0.5 + 3.125
	check("all", Usage{Prompt: m, Completion: m, Batch: true}, 15)                                     // half of 30
	check("all", Usage{Prompt: m, Cached: m / 2, Written: m / 4, Completion: m, Batch: true}, 12.9375) // 1.25 + 0.125 + 1.5625 + 10
	check("all", Usage{Prompt: m, Cached: 2 * m}, 1)                                                   // no more is cached than was sent
	check("all", Usage{Prompt: m, Cached: m, Written: m}, 1)                                           //
	check("all", Usage{Cached: 5, Written: 5}, 0)                                                      //
	check("all", Usage{Prompt: 2 * m, Cached: m, Completion: m}, 330)                                  // 100 + 30 + 200
	check("all", Usage{Prompt: 2 * m, Cached: m, Completion: m, Batch: true}, 200)                     // half of 100 + 100 + 200
	check("none", Usage{Prompt: m, Cached: m / 2, Written: m / 4, Completion: m}, 30)                  //
	check("none", Usage{Prompt: m, Cached: m / 2, Completion: m, Batch: true}, 30)                     //
	check("no stack", Usage{Prompt: m, Cached: m / 2, Completion: m, Batch: true}, 15)                 //
	check("no stack", Usage{Prompt: m, Cached: -5, Written: -7, Completion: m}, 30)                    //
	shipped, err := LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	own := func(m configs.Model, u Usage, want float64) {
		t.Helper()
		x, _ := shipped.Find(m)
		if got := x.USD(u); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s, %+v: %v, want %v", m.Name, u, got, want)
		}
	}
	own(openai("gpt-4o-mini"), Usage{Prompt: 2006, Cached: 1920, Completion: 300}, 0.0003369)               // 86 x 0.15 + 1920 x 0.075 + 300 x 0.60
	own(openai("gpt-4o-mini"), Usage{Prompt: 2006, Cached: 1920, Completion: 300, Batch: true}, 0.00024045) // half of 2006 x 0.15 + 300 x 0.60
	own(openai("gpt-5"), Usage{Prompt: m, Cached: m / 2, Batch: true}, 0.34375)                             // 0.5 x 0.625 + 0.5 x 0.0625
	claude := configs.Model{Provider: "anthropic", Name: "claude-sonnet-4-5"}
	own(claude, Usage{Prompt: m, Cached: m / 2, Written: m / 4, Completion: m}, 16.8375)              // 0.25 x 3 + 0.5 x 0.30 + 0.25 x 3.75 + 15
	own(claude, Usage{Prompt: m, Cached: m / 2, Written: m / 4, Completion: m, Batch: true}, 8.41875) // half of it: the discounts stack
	own(gemini("gemini-2.5-pro"), Usage{Prompt: 300_000, Cached: 100_000}, 0.525)                     // 0.2 x 2.50 + 0.1 x 0.25
}

// TestShippedPricesAreSourced: every embedded price states its source and date, and names a provider.
func TestShippedPricesAreSourced(t *testing.T) {
	p, err := LoadPrices("")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, x := range p.list {
		if _, err := time.Parse("2006-01", x.Date[:7]); err != nil || x.Source == "" || catalog.Known.Provider(x.Provider).ID == "" {
			t.Errorf("%+v", x)
		}
		if cheaper := x.Cached; cheaper != nil && *cheaper >= x.Input || or(x.CacheWrite, x.Input) < x.Input || or(x.Batch, 1) > 1 || or(x.BatchCached, 0) > or(x.Cached, 0) {
			t.Errorf("%s: a discount that is none: %v", x.Models[0], x)
		}
		if x.CacheLeast > 0 && x.Cached == nil || (x.CacheWrite != nil) != (x.Provider == "anthropic") || x.CacheMarked != (x.Provider == "anthropic") || x.Above > 0 && x.Cached != nil && x.AboveCached == nil {
			t.Errorf("%s: half of a rule: %+v", x.Models[0], x)
		}
		for _, m := range x.Models {
			if seen[x.Provider+m] {
				t.Errorf("%s stands twice", m)
			}
			seen[x.Provider+m] = true
		}
	}
	if len(p.list) < 10 {
		t.Errorf("%d prices", len(p.list))
	}
}

func TestOwnPricesGoFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("[[price]]\nmodels = [\"gpt-4o\"]\ninput = 1\noutput = 0\n")
	p, err := LoadPrices(path)
	if err != nil {
		t.Fatal(err)
	}
	local := openai("gpt-4o")
	local.BaseURL = "http://localhost:1/v1"
	for _, m := range []configs.Model{openai("gpt-4o"), local, gemini("gpt-4o")} {
		if x, ok := p.Find(m); !ok || x.USD(Usage{Prompt: 1e6, Completion: 1e6}) != 1 {
			t.Errorf("%+v: %v, %v", m, x, ok)
		}
	}
	if x, _ := p.Find(openai("gpt-4o-mini")); x.USD(Usage{Prompt: 1e6}) != 0.15 {
		t.Errorf("the shipped price is gone: %v", x)
	}
	refused := func(text, want string) {
		t.Helper()
		write(text)
		if _, err := LoadPrices(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	refused("[[price]]\nmodels = [\"m\"]\ninput = 1\n", "m: no output")
	refused("[[price]]\nmodels = [\"m\"]\ninput = 1\noutput = 1\nabove = 5\nabove_input = 2\n", "m: no above_output")
	refused("[[price]]\ninput = 1\noutput = 1\n", "no models")
	refused("[[price]]\nmodels = [\"m\"]\ninput = -1\noutput = 1\n", "-1 is not a price")
	refused("[[price]]\nmodels = [\"m\"]\ninput = nan\noutput = 1\n", "not a price")
	refused("[[price]]\nmodels = [\"m\"]\ninput = 1\noutput = 1\ncache = 3\n", "unknown key")
	for _, c := range [][2]string{{"cached = -1", "-1 is not a price"}, {"cache_write = inf", "not a price"}, {"batch = 2", "at most 1"}, {"batch = nan", "not a price"},
		{"cache_least = -1", "-1 is no number"}, {"cache_least = 1024", "cache_least without cached"}, {"batch_cached = 1", "without batch"}, {"above_cached = 1", "without above"}, {"above_cache_write = 1", "without above"}, {"cache_least = 1.5", "incompatible types"}} {
		refused("[[price]]\nmodels = [\"m\"]\ninput = 1\noutput = 1\n"+c[0]+"\n", c[1])
	}
	refused("[[price]\n", "toml")
	if _, err := LoadPrices(path + ".none"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestHowAmountsPrint(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(Dollars(0), "0.00")
	check(Dollars(12.345), "12.35")
	check(Dollars(0.0751), "0.075")
	check(Dollars(0.00042), "0.00042")
	check(Money(0, false), "0.00")
	check(Money(2.5, false), "2.50")
	check(Money(0, true), "price unknown")
	check(Money(1, true), "1.00 and unknown")
}

// TestTotal: a total adds every number, and is exact and priced where every line is.
func TestTotal(t *testing.T) {
	bill := Bill{Ask: 1, Prompt: 2, Output: 3, USD: 4}
	l := Line{Arm: "a", Calls: 9, Estimated: 3, Ledger: 2, Certain: bill, Likely: bill.Plus(bill), Most: bill, Cached: Way{3, 1, true}, Cold: Way{4, 1, true}, Batch: Way{2, 0, true}, Source: "x", Exact: true}
	other := Line{Calls: 1, Cached: Way{3, 1, true}, Batch: Way{USD: 7}, Unknown: true}
	want := Line{Calls: 10, Estimated: 3, Ledger: 2, Certain: bill, Likely: Bill{2, 4, 6, 8}, Most: bill, Unknown: true,
		Cached: Way{6, 2, true}, Cold: Way{4, 1, false}, Batch: Way{2, 0, false}}
	if got := Total([]Line{l, other}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	nothing := Way{Known: true}
	if got := Total(nil); !reflect.DeepEqual(got, Line{Exact: true, Cached: nothing, Cold: nothing, Batch: nothing}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestABudgetStopsBeforeItIsOver(t *testing.T) {
	ctx := context.Background()
	call := Charge{USD: 0.4, Tokens: 10, Calls: 1}
	m := NewMeter(Limits{USD: 1}, Charge{})
	for range 2 {
		if err := m.Reserve(ctx, call); err != nil {
			t.Fatal(err)
		}
		m.Settle(call, call)
	}
	var over *BudgetError
	if err := m.Reserve(ctx, call); !errors.As(err, &over) || !strings.Contains(err.Error(), "0.80 of 1.00 USD are spent") || !strings.Contains(err.Error(), "--budget") {
		t.Fatalf("a third call of 0.4 within 1: %v", err)
	}
	if err := m.Reserve(ctx, Charge{USD: 0.1}); !errors.As(err, &over) {
		t.Errorf("the meter opened again: %v", err)
	}
	if got := m.Spent(); math.Abs(got.USD-0.8) > 1e-12 || got.Tokens != 20 || got.Calls != 2 {
		t.Errorf("spent %+v", got)
	}
	again := NewMeter(Limits{USD: 1.2}, m.Spent())
	if err := again.Reserve(ctx, call); err != nil {
		t.Errorf("raised to 1.2: %v", err)
	}
	tokens := NewMeter(Limits{Tokens: 19}, Charge{Tokens: 10})
	if err := tokens.Reserve(ctx, call); err == nil || !strings.Contains(err.Error(), "10 of 19 tokens are spent, and the next call may take 10") {
		t.Errorf("tokens: %v", err)
	}
}

// TestReservationsAreWaitedFor: a call that does not fit during another call may fit after it.
func TestReservationsAreWaitedFor(t *testing.T) {
	ctx := context.Background()
	most, really := Charge{Tokens: 60}, Charge{Tokens: 5}
	m := NewMeter(Limits{Tokens: 100}, Charge{})
	if err := m.Reserve(ctx, most); err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() { got <- m.Reserve(ctx, most) }()
	select {
	case err := <-got:
		t.Fatalf("two calls of 60 at once within 100: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	m.Settle(most, really)
	if err := <-got; err != nil {
		t.Errorf("after the first took 5: %v", err)
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	if err := m.Reserve(short, most); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSpentIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if c, err := ReadSpent(dir); err != nil || c != (Charge{}) {
		t.Errorf("no folder: %+v, %v", c, err)
	}
	want := Charge{USD: 0.123456789, Tokens: 77, Calls: 3}
	if err := WriteSpent(dir, want, 1.5); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadSeconds(dir); err != nil || s != 1.5 {
		t.Errorf("%v seconds, %v", s, err)
	}
	if c, err := ReadSpent(dir); err != nil || c != want {
		t.Errorf("%+v, %v", c, err)
	}
	if err := os.WriteFile(filepath.Join(dir, SpentFile), []byte("usd = x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSpent(dir); err == nil || !strings.Contains(err.Error(), SpentFile) {
		t.Errorf("damaged: %v", err)
	}
}

func BenchmarkPrompt(b *testing.B) {
	c, err := NewCounter(openai("gpt-4o"))
	if err != nil {
		b.Fatal(err)
	}
	m := []Message{{"user", strings.Repeat("# singer (singer_id, name, country)\n### Question: how many singers are there?\nSELECT count(*) FROM singer\n", 80)}}
	b.SetBytes(int64(len(m[0].Text)))
	for b.Loop() {
		c.Prompt(m)
	}
}
