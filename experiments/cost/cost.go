// Package cost says what tokens and money a run takes, before and after.
//
// Before a run: a [Counter] counts the tokens of prompts offline, [Prices] turns tokens into dollars, and a [Line] holds
// what one stage of one arm takes, with what cannot be known as a [Range]. During a run: a [Meter] holds the spending to
// a budget. After a run the same prices turn the tokens that providers counted into dollars.
//
// A price that is not known is never 0: it is missing, and said to be.
package cost

import (
	"fmt"
	"regexp"
	"strconv"

	"assay/configs"
	"assay/metrics/stats"
)

// Range is a number known only to lie between two others, both included.
type Range struct {
	Low  int64 `json:"low"`
	High int64 `json:"high"`
}

// Exactly is the range of one number.
func Exactly(n int64) Range { return Range{n, n} }

// Plus adds two ranges end by end.
func (r Range) Plus(s Range) Range { return Range{r.Low + s.Low, r.High + s.High} }

// String is "12", or "12..60".
func (r Range) String() string {
	if r.Low == r.High {
		return strconv.FormatInt(r.Low, 10)
	}
	return fmt.Sprintf("%d..%d", r.Low, r.High)
}

// Money is an amount of US dollars known only to lie between two others. The zero is no money at all, not an unknown
// amount.
type Money struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Unknown says that part of what the amount is for has no price: then Low and High are of the rest.
	Unknown bool `json:"unknown,omitempty"`
}

// Plus adds two amounts end by end. What is unknown in either is unknown in the sum.
func (m Money) Plus(n Money) Money {
	return Money{m.Low + n.Low, m.High + n.High, m.Unknown || n.Unknown}
}

// String is "1.23", "0.10..1.23", "price unknown", or "1.23 and unknown" where only a part has a price.
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

// Dollars prints an amount with two decimals, and with as many as show two digits where it is below ten cents.
func Dollars(usd float64) string {
	decimals := 2
	for scale := 0.1; usd > 0 && usd < scale && decimals < 8; scale /= 10 {
		decimals++
	}
	return stats.Fixed(usd, decimals)
}

// Line is what one stage of one arm at one sweep point takes, over all items and seeds.
type Line struct {
	Arm   string   `json:"arm"`
	Label string   `json:"label"`
	Point []string `json:"point,omitempty"` // a value a sweep axis
	Stage string   `json:"stage"`
	Model string   `json:"model"` // provider/name

	Items  int    `json:"items"`             // questions times seeds
	Calls  Range  `json:"calls"`             // completions needed, a row each in calls.csv
	Ledger int64  `json:"ledger"`            // of those, at least so many are answered without a call: the ledger has them, or an equal call of the run
	Ask    Range  `json:"ask"`               // those asked
	Prompt Range  `json:"prompt"`            // prompt tokens of what is asked
	Output int64  `json:"output"`            // completion tokens of what is asked, at most
	USD    Money  `json:"usd"`               // Low: the prompts alone; High: every completion as long as it may be
	Exact  bool   `json:"exact"`             // a prompt's tokens are counted as the provider does, not estimated
	Why    string `json:"assumes,omitempty"` // what the ranges of calls rest on; empty where there are none

	Likely *Likely `json:"likely,omitempty"` // within the ranges; nil where nothing can be said
}

// Likely is an estimate of what a line takes, between its bounds.
type Likely struct {
	Ask    int64   `json:"ask"`    // calls asked
	Prompt int64   `json:"prompt"` // their prompt tokens
	Output int64   `json:"output"` // their completion tokens
	USD    float64 `json:"usd"`    // of what has a price
	// Unknown says that part of it has none, as in [Money].
	Unknown bool   `json:"unknown,omitempty"`
	Source  string `json:"source,omitempty"` // whose completions' lengths it has: "the baseline", "120 in the ledger"; empty for none, and in a total
}

// Expect sets what the line likely takes, held to its bounds, at so many dollars a token of a prompt and of a completion.
func (l *Line) Expect(e Likely, prompt, output float64) {
	e.Ask = min(max(e.Ask, l.Ask.Low), l.Ask.High)
	e.Prompt = min(max(e.Prompt, l.Prompt.Low), l.Prompt.High)
	e.Output = min(max(e.Output, 0), l.Output)
	e.USD = min(max(float64(e.Prompt)*prompt+float64(e.Output)*output, l.USD.Low), l.USD.High)
	e.Unknown = l.USD.Unknown
	l.Likely = &e
}

// Total adds lines up. Only its numbers mean something. What is likely in all is known where it is of every line.
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

// StageOf is a call's stage without its number: "solve" for "solve 3".
func StageOf(stage string) string { return numbered.ReplaceAllString(stage, "") }

// chooseStage is the stage of the calls that select among candidates.
const chooseStage = "choose"

// ModelOf is the model that an arm asks in a stage, numbered or not: its selector in "choose", its own in any other.
func ModelOf(arm configs.Arm, stage string) configs.Model {
	if StageOf(stage) != chooseStage {
		return arm.Model
	}
	m, _ := arm.Selector()
	return m
}

// ModelsOf are the models that an arm may ask: its own, and its selector where that is another.
func ModelsOf(arm configs.Arm) []configs.Model {
	out := []configs.Model{arm.Model}
	if m, own := arm.Selector(); own {
		out = append(out, m)
	}
	return out
}
