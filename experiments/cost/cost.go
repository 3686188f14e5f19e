// Package cost computes the tokens and money of a run, before, during and after it.
//
// Before a run a [Counter] counts the tokens of prompts offline, [Prices] converts tokens to dollars, and a [Line]
// holds the cost of one stage of one arm: what is certain of it, what is likely, and the most. During the run a
// [Meter] keeps spending within a budget. After the run the same prices convert the tokens that providers counted.
//
// The package must never treat an unknown price as 0: it is missing, and reported as such. It makes no call.
package cost

import (
	"regexp"

	"assay/configs"
	"assay/metrics/stats"
)

// Money prints an amount of US dollars of which a part may have no known price: "1.23", "price unknown", or "1.23 and
// unknown".
func Money(usd float64, unknown bool) string {
	switch {
	case unknown && usd == 0:
		return "price unknown"
	case unknown:
		return Dollars(usd) + " and unknown"
	}
	return Dollars(usd)
}

// Dollars prints an amount with two decimals; below ten cents with as many as show two significant digits.
func Dollars(usd float64) string {
	decimals := 2
	for scale := 0.1; usd > 0 && usd < scale && decimals < 8; scale /= 10 {
		decimals++
	}
	return stats.Fixed(usd, decimals)
}

// Line is the cost of one stage of one arm at one sweep point, over all items and seeds.
type Line struct {
	Arm   string   `json:"arm"`
	Label string   `json:"label"`
	Point []string `json:"point,omitempty"` // one value per sweep axis
	Stage string   `json:"stage"`
	Model string   `json:"model"` // provider/name

	Items     int   `json:"items"`     // questions times seeds
	Calls     int64 `json:"calls"`     // completions needed, one row each in calls.csv
	Estimated int64 `json:"estimated"` // of Calls, those that depend on completions not known yet: counted on a sample, scaled up
	Ledger    int64 `json:"ledger"`    // of Calls, those that need no call: the ledger has them, or an equal call of the run

	Certain Bill   `json:"certain"` // the calls to ask that are certain, with their prompts and no output
	Likely  Bill   `json:"likely"`  // the calls to ask, those estimated included, with completions of a likely length
	Most    Bill   `json:"most"`    // the same calls, each with a prompt of its own and its longest completion
	Cached  Way    `json:"cached"`  // Likely, where the provider's prompt cache has every beginning of a prompt that was sent before
	Cold    Way    `json:"cold"`    // Likely, where it has none of calls that are under way together
	Batch   Way    `json:"batch"`   // Likely, in batches, in which nothing is cached and no samples share a prompt
	Source  string `json:"source"`  // whose completions gave Likely its lengths: "the baseline", "120 in the ledger"; empty in a total
	Exact   bool   `json:"exact"`   // prompt tokens are counted as the provider counts them, not estimated
	Unknown bool   `json:"unknown"` // a part has no known price; USD is that of the rest
}

// Way is what the likely calls cost where they are asked in another way than live and without a prompt cache.
type Way struct {
	USD    float64 `json:"usd"`
	Tokens int64   `json:"cached_tokens"` // of the prompts, those that the provider's prompt cache gives
	Known  bool    `json:"known"`         // the price list says what it costs; else USD is that of the parts of which it does
}

// Plus adds two ways.
func (w Way) Plus(v Way) Way {
	if !v.Known {
		v.USD, v.Tokens = 0, 0
	}
	return Way{w.USD + v.USD, w.Tokens + v.Tokens, w.Known && v.Known}
}

// String prints what is known of the dollars, see [Money].
func (w Way) String() string { return Money(w.USD, !w.Known) }

// Range prints the dollars of w and of a dearer way: "0.41 to 0.52", or one amount where they print alike.
func (w Way) Range(dearer Way) string {
	low, high := Dollars(w.USD), dearer.String()
	if !w.Known || low == high {
		return high
	}
	return low + " to " + high
}

// Bill is a number of calls with what they take.
type Bill struct {
	Ask    int64   `json:"ask"`
	Prompt int64   `json:"prompt"` // tokens
	Output int64   `json:"output"` // tokens
	USD    float64 `json:"usd"`
}

// Plus adds two bills.
func (b Bill) Plus(c Bill) Bill {
	return Bill{b.Ask + c.Ask, b.Prompt + c.Prompt, b.Output + c.Output, b.USD + c.USD}
}

// Total adds lines up; only the numbers of the result are set.
func Total(lines []Line) (t Line) {
	t.Exact = true
	t.Cached.Known, t.Cold.Known, t.Batch.Known = true, true, true
	for _, l := range lines {
		t.Exact, t.Unknown = t.Exact && l.Exact, t.Unknown || l.Unknown
		t.Calls, t.Estimated, t.Ledger = t.Calls+l.Calls, t.Estimated+l.Estimated, t.Ledger+l.Ledger
		t.Certain, t.Likely, t.Most = t.Certain.Plus(l.Certain), t.Likely.Plus(l.Likely), t.Most.Plus(l.Most)
		t.Cached, t.Cold, t.Batch = t.Cached.Plus(l.Cached), t.Cold.Plus(l.Cold), t.Batch.Plus(l.Batch)
	}
	return t
}

var numbered = regexp.MustCompile(` \d+$`)

// StageOf returns a call's stage without its number: "solve" for "solve 3".
func StageOf(stage string) string { return numbered.ReplaceAllString(stage, "") }

// EmbedStage is the stage of calls for vectors.
const EmbedStage = "embed"

// chooseStage is the stage of the calls that select among candidates.
const chooseStage = "choose"

// ModelOf returns the model that an arm calls in a stage, numbered or not: its selector in "choose", that of its vectors in
// "embed", its own in any other.
func ModelOf(arm configs.Arm, stage string) configs.Model {
	if stage == EmbedStage {
		return arm.Embeddings.Model()
	}
	if StageOf(stage) != chooseStage {
		return arm.Model
	}
	m, _ := arm.Selector()
	return m
}

// ModelsOf returns the models that an arm may call: its own, its selector if that is another, and that of its vectors if any.
func ModelsOf(arm configs.Arm) []configs.Model {
	out := []configs.Model{arm.Model}
	if m, own := arm.Selector(); own {
		out = append(out, m)
	}
	if arm.Embeddings.On() {
		out = append(out, arm.Embeddings.Model())
	}
	return out
}
