package compare

import (
	"strings"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/record"
)

// Spending is what the compared rows of one side cost, whoever paid: completions from the ledger count in full, as otherwise
// the run made second would look cheap. What was not measured for every row, as often of imported answers, is unknown.
type Spending struct {
	Answers    int          `json:"answers"` // the rows, whose number may differ by side where the seeds do
	Calls      record.Count `json:"calls"`
	Cached     record.Count `json:"cached"` // of Calls, those that the ledger answered
	Prompt     record.Count `json:"prompt_tokens"`
	Completion record.Count `json:"completion_tokens"`
	USD        record.Value `json:"usd"`
	Unpriced   string       `json:"unpriced,omitempty"` // why USD is not known; empty where it is
	Model      string       `json:"model,omitempty"`
}

// spending adds up one side of the units, B's where second is true. The rows are priced, see [cost.PriceItems].
func spending(of *answers, units []*unit, second bool) Spending {
	none := record.CountOf(0)
	s := Spending{Calls: none, Cached: none, Prompt: none, Completion: none, USD: record.Value{OK: true}}
	for _, u := range units {
		rows := u.a
		if second {
			rows = u.b
		}
		s.Answers += len(rows)
		for _, it := range rows {
			s.Calls, s.Cached = s.Calls.Plus(it.Calls), s.Cached.Plus(it.Cached)
			s.Prompt, s.Completion = s.Prompt.Plus(it.PromptTokens), s.Completion.Plus(it.CompletionTokens)
			s.USD = s.USD.Plus(it.USD)
		}
	}
	if s.Calls == none {
		s.USD.OK = true
		return s
	}
	if of.Known {
		s.Model = modelsOf(of.Config)
	}
	if !s.USD.OK {
		s.Unpriced = unpriced(of, s)
	}
	return s
}

// modelsOf names the models of an arm.
func modelsOf(a configs.Arm) string {
	var names []string
	for _, m := range cost.ModelsOf(a) {
		names = append(names, cost.ModelName(m))
	}
	return strings.Join(names, " and ")
}

// unpriced returns why it is not known what a side cost.
func unpriced(of *answers, s Spending) string {
	a := of.Config
	if !of.Known {
		return "the arm is not in the run's experiment"
	}
	prices, _, err := cost.PricesOf(of.run)
	lacking := prices.Lacking([]configs.Cell{{Arm: a}})
	switch {
	case a.Row.Imported && len(lacking) > 0:
		return "the file that " + a.Name + " was imported from does not say what its answers cost"
	case err != nil || len(lacking) > 0:
		return "no price of " + strings.Join(lacking, " and ")
	case !s.Prompt.OK || !s.Completion.OK:
		return "the tokens of " + s.Model + " were not counted"
	}
	return "the run's calls cannot be read"
}
