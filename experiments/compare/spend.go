package compare

import (
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

// spending adds up one side of the units, B's where second is true.
func spending(of *answers, units []*unit, second bool) Spending {
	none := record.CountOf(0)
	s := Spending{Calls: none, Cached: none, Prompt: none, Completion: none, USD: record.Value{OK: true}}
	longest := 0
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
			longest = max(longest, it.PromptTokens.N/max(1, it.Calls.N))
		}
	}
	if s.Calls == none || s.USD.OK {
		s.USD.OK = true
		return s
	}
	s.USD, s.Unpriced, s.Model = priced(of, s, int64(longest))
	return s
}

// priced returns the price of a spending's tokens, or why it is unknown.
func priced(of *answers, s Spending, longest int64) (usd record.Value, why, model string) {
	a := of.Config
	if !of.Known {
		return usd, "the arm is not in the run's experiment", ""
	}
	model = cost.ModelName(a.Model)
	if _, own := a.Selector(); own {
		return usd, "the arm has two models: the report's table cost lists them separately", model
	}
	prices, err := cost.LoadPrices(of.run.Resolved.Budget.Prices)
	if err != nil {
		prices, err = cost.LoadPrices("")
	}
	p, known := prices.Find(a.Model)
	switch {
	case a.Row.Imported && !known:
		return usd, "the file that " + a.Name + " was imported from does not say what its answers cost", model
	case err != nil || !known:
		return usd, "no price of " + model, model
	case !s.Prompt.OK || !s.Completion.OK:
		return usd, "the tokens of " + model + " were not counted", model
	}
	return record.Value{V: p.Sum(longest, int64(s.Prompt.N), int64(s.Completion.N)), OK: true}, "", model
}
