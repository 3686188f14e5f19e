package cost

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/input"
	"assay/experiments/record"

	"github.com/BurntSushi/toml"
)

//go:embed prices.toml
var shipped string

// Price is what tokens of some models cost: US dollars per million tokens, as the provider's public list states.
type Price struct {
	Provider string   `toml:"provider"` // as in model.provider; empty in a user's file: any provider
	Models   []string `toml:"models"`   // as in model.name
	Input    float64  `toml:"input"`    // per million prompt tokens
	Output   float64  `toml:"output"`   // per million completion tokens, hidden reasoning included

	// Above is the longest prompt, in tokens, to which Input and Output apply; the next two prices apply to longer
	// ones. 0: they apply to all.
	Above       int     `toml:"above"`
	AboveInput  float64 `toml:"above_input"`
	AboveOutput float64 `toml:"above_output"`

	Date   string `toml:"date"`   // date of the list: 2026-03 or 2026-03-21
	Source string `toml:"source"` // the list's title

	own bool // from a user's file
}

// USD returns the price of one call.
func (p Price) USD(prompt, completion int64) float64 { return p.Sum(prompt, prompt, completion) }

// Sum returns the price of several calls together, none of which has a prompt longer than longest.
func (p Price) Sum(longest, prompt, completion int64) float64 {
	in, out := p.Input, p.Output
	if p.Above > 0 && longest > int64(p.Above) {
		in, out = p.AboveInput, p.AboveOutput
	}
	return (float64(prompt)*in + float64(completion)*out) / 1e6
}

// String returns "0.15 in, 0.60 out (title, 2026-03)".
func (p Price) String() string {
	s := fmt.Sprintf("%s in, %s out", Dollars(p.Input), Dollars(p.Output))
	if p.Above > 0 {
		s += fmt.Sprintf(" up to %d prompt tokens, then %s in, %s out", p.Above, Dollars(p.AboveInput), Dollars(p.AboveOutput))
	}
	if p.Source != "" || p.Date != "" {
		s += " (" + strings.Trim(p.Source+", "+p.Date, ", ") + ")"
	}
	return s
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
	for _, v := range []float64{p.Input, p.Output, p.AboveInput, p.AboveOutput, float64(p.Above)} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: %v is not a price", p.Models[0], v)
		}
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

// Of returns what a call of a model cost: the cost that the call states, or else its tokens at the model's price. It is
// missing if tokens or price are unknown.
func (p Prices) Of(m configs.Model, c record.Call) record.Value {
	price, ok := p.Find(m)
	switch {
	case c.USD.OK:
		return c.USD
	case !ok || !c.PromptTokens.OK || !c.CompletionTokens.OK:
		return record.Value{}
	}
	return record.Value{V: price.USD(int64(c.PromptTokens.N), int64(c.CompletionTokens.N)), OK: true}
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
