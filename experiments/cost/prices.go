package cost

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/experiments/record"

	"github.com/BurntSushi/toml"
)

//go:embed prices.toml
var shipped string

// Price is what tokens of some models cost: US dollars per million tokens, as the provider's public list states. What a list
// has no price of its own for (cached tokens, batches) costs as the rest, which is never less.
type Price struct {
	Provider string   `toml:"provider"` // as in model.provider; empty in a user's file: any provider
	Models   []string `toml:"models"`   // as in model.name
	Input    float64  `toml:"input"`    // per million prompt tokens
	Output   float64  `toml:"output"`   // per million completion tokens, hidden reasoning included

	Cached      *float64 `toml:"cached"`       // per million prompt tokens read from the provider's prompt cache; nil: Input
	CacheWrite  *float64 `toml:"cache_write"`  // per million prompt tokens written to it; nil: Input
	Batch       *float64 `toml:"batch"`        // factor on Input, CacheWrite and Output in a batch; nil: no discount is known
	BatchCached *float64 `toml:"batch_cached"` // per million cached prompt tokens of a batch; nil: they cost as the batch's others

	CacheLeast  int  `toml:"cache_least"`  // tokens of the shortest beginning of a prompt that is cached; 0: not known
	CacheStep   int  `toml:"cache_step"`   // cached tokens come in steps of so many; 0: the provider states none
	CacheKept   int  `toml:"cache_kept"`   // minutes that it is kept at least after its last use; 0: the provider states none
	CacheMarked bool `toml:"cache_marked"` // only whole prompts are cached, and only where model.extra.cache_control asks for it

	// Above is the longest prompt, in tokens, to which the prices above apply; the next four apply to longer ones. 0: they
	// apply to all.
	Above       int      `toml:"above"`
	AboveInput  float64  `toml:"above_input"`
	AboveOutput float64  `toml:"above_output"`
	AboveCached *float64 `toml:"above_cached"`      // nil: AboveInput
	AboveWrite  *float64 `toml:"above_cache_write"` // nil: AboveInput

	Date   string `toml:"date"`   // date of the list: 2026-03 or 2026-03-21
	Source string `toml:"source"` // the list's title

	own bool // from a user's file
}

// Usage is what calls took, in tokens.
type Usage struct {
	Prompt     int64 // whole prompts, cached and written tokens included
	Cached     int64 // of Prompt: read from the provider's prompt cache
	Written    int64 // of Prompt: written to it
	Completion int64 // reasoning included
	Batch      bool  // asked in a provider's batch
}

// Tokens returns the tokens that a budget counts.
func (u Usage) Tokens() int64 { return u.Prompt + u.Completion }

// Caches reports whether the provider's prompt cache holds a prompt whose request has these extra parameters.
func (p Price) Caches(extra map[string]any) bool {
	return !p.CacheMarked || extra["cache_control"] != nil
}

// above returns the prices of a prompt of that length.
func (p Price) above(longest int64) Price {
	if p.Above == 0 || longest <= int64(p.Above) {
		return p
	}
	p.Input, p.Output, p.Cached, p.CacheWrite, p.BatchCached = p.AboveInput, p.AboveOutput, p.AboveCached, p.AboveWrite, nil
	return p
}

// USD returns the price of one call.
func (p Price) USD(u Usage) float64 { return p.Sum(u.Prompt, u) }

// Sum returns the price of several calls together, none of which has a prompt longer than longest. It is the one place where
// tokens become dollars.
func (p Price) Sum(longest int64, u Usage) float64 {
	p = p.above(longest)
	cached, write, factor := or(p.Cached, p.Input), or(p.CacheWrite, p.Input), 1.0
	if u.Batch {
		factor = or(p.Batch, 1)
		cached = or(p.BatchCached, p.Input*factor)
	}
	read := min(max(u.Cached, 0), u.Prompt) // what a provider reports beyond the prompt is no discount
	written := min(max(u.Written, 0), u.Prompt-read)
	rest := float64(u.Prompt-read-written)*p.Input + float64(written)*write + float64(u.Completion)*p.Output
	return (float64(read)*cached + rest*factor) / 1e6
}

func or(v *float64, other float64) float64 {
	if v == nil {
		return other
	}
	return *v
}

// String returns "0.15 in, 0.075 cached, 0.60 out, batches at 0.5 (title, 2026-03)".
func (p Price) String() string {
	s := listed(p.Input, p.Cached, p.CacheWrite, p.Output)
	if p.Above > 0 {
		s += fmt.Sprintf(" up to %d prompt tokens, then %s", p.Above, listed(p.AboveInput, p.AboveCached, p.AboveWrite, p.AboveOutput))
	}
	if p.Batch != nil {
		s += ", batches at " + strconv.FormatFloat(*p.Batch, 'f', -1, 64)
	}
	if p.Source != "" || p.Date != "" {
		s += " (" + strings.Trim(p.Source+", "+p.Date, ", ") + ")"
	}
	return s
}

// listed prints the prices of one length of prompts.
func listed(in float64, cached, write *float64, out float64) string {
	s := Dollars(in) + " in, "
	if cached != nil {
		s += Dollars(*cached) + " cached, "
	}
	if write != nil {
		s += Dollars(*write) + " written to the cache, "
	}
	return s + Dollars(out) + " out"
}

// Prices is a list of prices; the first matching entry applies.
type Prices struct{ list []Price }

// LoadPrices returns the embedded prices, preceded by those of the file at path if path is not empty. The error names
// the file and its fault: an unknown key, a price below 0, an entry without models or without both prices.
func LoadPrices(path string) (Prices, error) {
	p, err := parsePrices(shipped, false)
	if err != nil {
		return Prices{}, fmt.Errorf("cost: load the shipped prices: %w", err)
	}
	if path == "" {
		return p, nil
	}
	text, err := input.Text(path, input.Prices)
	if err != nil {
		return Prices{}, fmt.Errorf("cost: load prices %q: %w", path, input.Cause(err))
	}
	own, err := parsePrices(string(text), true)
	if err != nil {
		return Prices{}, fmt.Errorf("cost: load prices %q: %w", path, err)
	}
	return Prices{append(own.list, p.list...)}, nil
}

// parsePrices parses and checks a price list; own marks a user's file.
func parsePrices(text string, own bool) (Prices, error) {
	var file struct {
		Price []Price `toml:"price"`
	}
	if err := input.TOML(text); err != nil {
		return Prices{}, err
	}
	md, err := toml.Decode(text, &file)
	if err != nil {
		return Prices{}, err
	}
	if extra := md.Undecoded(); len(extra) > 0 {
		return Prices{}, fmt.Errorf("unknown key %q", extra[0])
	}
	var stated []map[string]any
	var raw map[string]any
	if _, err := toml.Decode(text, &raw); err == nil {
		stated, _ = raw["price"].([]map[string]any)
	}
	for i := range file.Price {
		if err := file.Price[i].check(stated[i]); err != nil {
			return Prices{}, fmt.Errorf("price %d: %w", i+1, err)
		}
		file.Price[i].own = own
	}
	return Prices{file.Price}, nil
}

// check refuses an entry with a missing price, which would otherwise count as 0.
func (p Price) check(stated map[string]any) error {
	if len(p.Models) == 0 {
		return fmt.Errorf("no models")
	}
	needed := []string{"input", "output"}
	if p.Above != 0 {
		needed = append(needed, "above_input", "above_output")
	}
	for _, key := range needed {
		if stated[key] == nil {
			return fmt.Errorf("%s: no %s", p.Models[0], key)
		}
	}
	for _, v := range []float64{p.Input, p.Output, p.AboveInput, p.AboveOutput, or(p.Cached, 0), or(p.CacheWrite, 0), or(p.Batch, 0), or(p.BatchCached, 0), or(p.AboveCached, 0), or(p.AboveWrite, 0)} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: %v is not a price", p.Models[0], v)
		}
	}
	for _, n := range []int{p.Above, p.CacheLeast, p.CacheStep, p.CacheKept} {
		if n < 0 {
			return fmt.Errorf("%s: %d is no number of tokens or minutes", p.Models[0], n)
		}
	}
	switch {
	case or(p.Batch, 0) > 1:
		return fmt.Errorf("%s: batch = %v: the factor on the other prices, 0.5 for half, is at most 1", p.Models[0], *p.Batch)
	case p.BatchCached != nil && p.Batch == nil:
		return fmt.Errorf("%s: batch_cached without batch", p.Models[0])
	case p.CacheLeast > 0 && p.Cached == nil:
		return fmt.Errorf("%s: cache_least without cached", p.Models[0])
	case p.Above == 0 && (p.AboveCached != nil || p.AboveWrite != nil):
		return fmt.Errorf("%s: above_cached or above_cache_write without above", p.Models[0])
	}
	return nil
}

// Find returns the price of a model; ok is false if none is known.
//
// The embedded baseline costs nothing. The embedded prices are those of the providers' own services: they do not apply
// to a model behind another address (model.base_url), for which only a user's file can give a price. "models/NAME"
// means NAME.
func (p Prices) Find(m configs.Model) (price Price, ok bool) {
	if m.Local {
		return Price{Provider: m.Provider, Models: []string{m.Name}, Source: "runs here", own: true}, true
	}
	name := strings.TrimPrefix(m.Name, "models/")
	for _, x := range p.list {
		if !x.own && m.BaseURL != "" || x.Provider != "" && x.Provider != m.Provider {
			continue
		}
		if slices.Contains(x.Models, name) || slices.Contains(x.Models, m.Name) {
			return x, true
		}
	}
	return Price{}, false
}

// Series prices the calls of answers, in the order in which a run has them. Its zero value has no prices.
type Series struct {
	Prices
	call   record.Call // the last one that has prompt tokens
	prompt int64       // these
}

// Of returns what a call of a model cost: the cost that the call states, or else its tokens at the model's price. It is
// missing if tokens or price are unknown. A further sample of a call has no prompt tokens of its own, and the price that goes
// with those of the sample before it.
func (s *Series) Of(m configs.Model, c record.Call) record.Value {
	last := s.call
	if c.PromptTokens.N > 0 || c.Stage != last.Stage || c.Seed != last.Seed || c.Item != last.Item || c.Arm != last.Arm || !slices.Equal(c.Point, last.Point) {
		s.call, s.prompt = c, int64(c.PromptTokens.N)
	}
	return s.of(m, c, s.prompt)
}

// of prices a call that had so many prompt tokens.
func (p Prices) of(m configs.Model, c record.Call, prompt int64) record.Value {
	price, ok := p.Find(m)
	switch {
	case c.USD.OK:
		return c.USD
	case !ok || !c.PromptTokens.OK || !c.CompletionTokens.OK:
		return record.Value{}
	}
	return record.Value{V: price.Sum(prompt, CallUsage(c)), OK: true}
}

// CallUsage returns what a recorded call took. Cached tokens that it does not state are none.
func CallUsage(c record.Call) Usage {
	return Usage{Prompt: int64(c.PromptTokens.N), Cached: int64(c.CachedTokens.N), Written: int64(c.CacheWriteTokens.N), Completion: int64(c.CompletionTokens.N),
		Batch: c.Tier == record.Batch}
}

// Lacking lists the models of the cells that have no price, each once: "provider/name".
func (p Prices) Lacking(cells []configs.Cell) (models []string) {
	for _, c := range cells {
		for _, m := range ModelsOf(c.Arm) {
			if _, ok := p.Find(m); !ok && !slices.Contains(models, ModelName(m)) {
				models = append(models, ModelName(m))
			}
		}
	}
	return models
}

// ModelName returns a model's readable name: "provider/name", with the author's name if the experiment gives one, or
// "baseline".
func ModelName(m configs.Model) string {
	if m.Local {
		return m.Provider
	}
	return m.Provider + "/" + cmp.Or(m.As, m.Name)
}
