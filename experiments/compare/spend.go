package compare

import (
	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/record"
)

// Spending is what the compared rows of one side took, whoever paid: answers of the ledger count in full.
type Spending struct {
	Calls      int     `json:"calls"`
	Cached     int     `json:"cached"` // of Calls, those that the ledger answered
	Prompt     int64   `json:"prompt_tokens"`
	Completion int64   `json:"completion_tokens"`
	USD        float64 `json:"usd"`
	Unpriced   string  `json:"unpriced,omitempty"` // why USD is not known; empty where it is
	Model      string  `json:"model,omitempty"`
}

// spending adds up one side of the units: B's where second says so.
func spending(r *record.Run, arm string, point []string, units []*unit, second bool) (s Spending) {
	longest := 0
	for _, u := range units {
		rows := u.a
		if second {
			rows = u.b
		}
		for _, it := range rows {
			s.Calls += it.Calls
			s.Cached += it.Cached
			s.Prompt += int64(it.PromptTokens)
			s.Completion += int64(it.CompletionTokens)
			if it.Calls > 0 {
				longest = max(longest, it.PromptTokens/it.Calls)
			}
		}
	}
	if s.Calls == 0 {
		return s
	}
	a, ok := armAt(r.Resolved, arm, point)
	if !ok {
		s.Unpriced = "the arm is not in the run's experiment"
		return s
	}
	s.Model = cost.ModelName(a.Model)
	if _, own := a.Selector(); own {
		s.Unpriced = "the arm has two models: the report's table cost tells them apart"
		return s
	}
	prices, err := cost.LoadPrices(r.Resolved.Budget.Prices)
	if err != nil {
		prices, err = cost.LoadPrices("")
	}
	p, known := prices.Find(a.Model)
	if err != nil || !known {
		s.Unpriced = "no price of " + s.Model
		return s
	}
	s.USD = p.Sum(int64(longest), s.Prompt, s.Completion)
	return s
}

// armAt is the arm as it ran, the sweep applied.
func armAt(e configs.Experiment, arm string, point []string) (configs.Arm, bool) {
	for _, c := range e.Cells() {
		same := c.Arm.Name == arm && len(c.Point) == len(point)
		for i := 0; same && i < len(point); i++ {
			same = c.Point[i].Value == point[i]
		}
		if same {
			return c.Arm, true
		}
	}
	return configs.Arm{}, false
}
