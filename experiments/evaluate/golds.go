package evaluate

import (
	"context"
	"fmt"
	"reflect"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/metrics"
	"assay/metrics/goldcheck"
)

// Golds are the golds of a dataset, or of Options.Gold, as cases without predictions, in the dataset's order. Items
// without a gold are left out, and so are those that an override excludes; other overrides take the gold's place. The
// notes are doubts about the files.
func Golds(ctx context.Context, o Options) (cases []metrics.Case, notes []string, err error) {
	if cases, notes, err = golds(ctx, o); err != nil {
		return nil, nil, fmt.Errorf("evaluate: %w", err)
	}
	return cases, notes, nil
}

func golds(ctx context.Context, o Options) (cases []metrics.Case, notes []string, err error) {
	e := &Evaluation{Experiment: o.Experiment}
	if err := e.load(ctx, o); err != nil {
		return nil, nil, err
	}
	if cfg := o.Experiment.Dataset; !reflect.DeepEqual(cfg.Filter, configs.Filter{}) || cfg.Limit > 0 {
		if e.Set, err = e.narrow(ctx, o); err != nil {
			return nil, nil, err
		}
	}
	for _, x := range e.Set.Examples {
		e.Rows = append(e.Rows, Row{Example: x})
	}
	if err := e.override(o.Overrides); err != nil {
		return nil, nil, err
	}
	s := scorer{e: e}
	for i := range e.Rows {
		r := &e.Rows[i]
		if r.Example.Gold == "" || (r.Override != nil && r.Override.Exclude) {
			continue
		}
		c := s.caseOf(r)
		if r.Override != nil {
			c.Gold = r.Override.SQL
		}
		cases = append(cases, c)
	}
	return cases, append(e.Notes, dataset.Describe(e.Set.Warnings)...), nil
}

// RuleCount is how often a rule of package goldcheck found something.
type RuleCount struct {
	goldcheck.Rule
	Findings int               `json:"findings"`
	Items    int               `json:"items"`
	First    goldcheck.Finding `json:"first"` // zero where there is none
}

// ByRule counts findings, in the order of the rules.
func ByRule(findings []goldcheck.Finding) []RuleCount {
	var out []RuleCount
	for _, rule := range goldcheck.Rules() {
		c := RuleCount{Rule: rule}
		items := map[string]bool{}
		for _, f := range findings {
			if f.Rule != rule.ID {
				continue
			}
			if c.Findings++; c.Findings == 1 {
				c.First = f
			}
			items[f.Item] = true
		}
		c.Items = len(items)
		out = append(out, c)
	}
	return out
}
