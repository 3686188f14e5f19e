// Package cost computes the tokens and money of a run, before, during and after it.
//
// Before a run a [Counter] counts the tokens of prompts offline, [Prices] converts tokens to dollars, and a [Line]
// holds the cost of one stage of one arm, in which a [Range] stands for what cannot be known yet. During the run a
// [Meter] keeps spending within a budget. After the run the same prices convert the tokens that providers counted.
//
// The package must never treat an unknown price as 0: it is missing, and reported as such. It makes no call.
package cost

import (
	"fmt"
	"regexp"
	"strconv"

	"assay/configs"
	"assay/metrics/stats"
)

// Range is a number known only to lie between two bounds, both included.
type Range struct {
	Low  int64 `json:"low"`
	High int64 `json:"high"`
}

// Exactly returns the range of one number.
func Exactly(n int64) Range { return Range{n, n} }

// Plus adds two ranges, bound by bound.
func (r Range) Plus(s Range) Range { return Range{r.Low + s.Low, r.High + s.High} }

// String returns "12" or "12..60".
func (r Range) String() string {
	if r.Low == r.High {
		return strconv.FormatInt(r.Low, 10)
	}
	return fmt.Sprintf("%d..%d", r.Low, r.High)
}

// Money is an amount of US dollars known only to lie between two bounds. The zero value is no money, not an unknown
// amount.
type Money struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Unknown says that a part has no known price; Low and High are then the bounds of the rest.
	Unknown bool `json:"unknown,omitempty"`
}

// Plus adds two amounts, bound by bound. The sum is unknown if either is.
func (m Money) Plus(n Money) Money {
	return Money{m.Low + n.Low, m.High + n.High, m.Unknown || n.Unknown}
}

// String returns "1.23", "0.10..1.23", "price unknown", or "1.23 and unknown" if only a part has a price.
func (m Money) String() string {
	s := Dollars(m.High)
	if low := Dollars(m.Low); low != s {
		s = low + ".." + s
	}
	switch {
	case m.Unknown && m.High == 0:
		return "price unknown"
	case m.Unknown:
		return s + " and unknown"
	}
	return s
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

	Items  int    `json:"items"`             // questions times seeds
	Calls  Range  `json:"calls"`             // completions needed, one row each in calls.csv
	Ledger int64  `json:"ledger"`            // of Calls, at least this many need no call: the ledger has them, or an equal call of the run
	Ask    Range  `json:"ask"`               // of Calls, those that need a call
	Prompt Range  `json:"prompt"`            // prompt tokens of those calls
	Output int64  `json:"output"`            // completion tokens of those calls, at most
	USD    Money  `json:"usd"`               // Low: the prompts alone; High: every completion at its greatest length
	Exact  bool   `json:"exact"`             // prompt tokens are counted as the provider counts them, not estimated
	Why    string `json:"assumes,omitempty"` // what the ranges of calls are based on; empty if they are single numbers

	Likely *Likely `json:"likely,omitempty"` // an estimate within the ranges; nil if there is none
}

// Likely is an estimate of a line's cost, between its bounds.
type Likely struct {
	Ask    int64   `json:"ask"`    // calls
	Prompt int64   `json:"prompt"` // their prompt tokens
	Output int64   `json:"output"` // their completion tokens
	USD    float64 `json:"usd"`    // of the part that has a price
	// Unknown says that a part has no known price, as in [Money].
	Unknown bool   `json:"unknown,omitempty"`
	Source  string `json:"source,omitempty"` // whose completions gave the lengths: "the baseline", "120 in the ledger"; empty for none, and in a total
}

// Expect sets the line's estimate, limited to its bounds, at the given dollars per prompt token and per completion
// token.
func (l *Line) Expect(e Likely, prompt, output float64) {
	e.Ask = min(max(e.Ask, l.Ask.Low), l.Ask.High)
	e.Prompt = min(max(e.Prompt, l.Prompt.Low), l.Prompt.High)
	e.Output = min(max(e.Output, 0), l.Output)
	e.USD = min(max(float64(e.Prompt)*prompt+float64(e.Output)*output, l.USD.Low), l.USD.High)
	e.Unknown = l.USD.Unknown
	l.Likely = &e
}

// Total adds lines up; only the numbers of the result are set. It has an estimate if every line has one.
func Total(lines []Line) (t Line) {
	t.Exact, t.Likely = true, &Likely{}
	for _, l := range lines {
		if l.Likely == nil || t.Likely == nil {
			t.Likely = nil
		} else {
			e := t.Likely
			e.Ask, e.Prompt, e.Output = e.Ask+l.Likely.Ask, e.Prompt+l.Likely.Prompt, e.Output+l.Likely.Output
			e.USD, e.Unknown = e.USD+l.Likely.USD, e.Unknown || l.Likely.Unknown
		}
		t.Exact = t.Exact && l.Exact
		t.Calls, t.Ledger, t.Ask = t.Calls.Plus(l.Calls), t.Ledger+l.Ledger, t.Ask.Plus(l.Ask)
		t.Prompt, t.Output, t.USD = t.Prompt.Plus(l.Prompt), t.Output+l.Output, t.USD.Plus(l.USD)
	}
	return t
}

var numbered = regexp.MustCompile(` \d+$`)

// StageOf returns a call's stage without its number: "solve" for "solve 3".
func StageOf(stage string) string { return numbered.ReplaceAllString(stage, "") }

// chooseStage is the stage of the calls that select among candidates.
const chooseStage = "choose"

// ModelOf returns the model that an arm calls in a stage, numbered or not: its selector in "choose", its own in any
// other.
func ModelOf(arm configs.Arm, stage string) configs.Model {
	if StageOf(stage) != chooseStage {
		return arm.Model
	}
	m, _ := arm.Selector()
	return m
}

// ModelsOf returns the models that an arm may call: its own, and its selector if that is another.
func ModelsOf(arm configs.Arm) []configs.Model {
	out := []configs.Model{arm.Model}
	if m, own := arm.Selector(); own {
		out = append(out, m)
	}
	return out
}
