package plan

import (
	"context"
	"fmt"
	"path/filepath"

	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/metrics/goldcheck"
)

// Overrides are the corrections of gold queries that a file gives for a dataset's items. The zero value has none.
type Overrides struct {
	byItem map[string]goldcheck.Override
	hash   string
	notes  []string
}

// newOverrides reads a file of overrides and keeps those of the dataset's items; an empty path gives none.
func newOverrides(path string, items []dataset.Example) (o Overrides, err error) {
	if path == "" {
		return o, nil
	}
	all, err := goldcheck.ReadOverrides(path)
	if err != nil {
		return o, err
	}
	o = Overrides{byItem: map[string]goldcheck.Override{}, hash: all.Hash}
	for _, x := range items {
		if one, ok := all.Find(x.Question.ID); ok {
			o.byItem[x.Question.ID] = one
		}
	}
	if n := len(all.List) - len(o.byItem); n > 0 {
		o.notes = append(o.notes, fmt.Sprintf("%s: %d of %d overrides are of items that are not scored here", filepath.Base(path), n, len(all.List)))
	}
	return o, nil
}

// Of returns the override of an item, nil where it has none.
func (o Overrides) Of(item string) *goldcheck.Override {
	if one, ok := o.byItem[item]; ok {
		return &one
	}
	return nil
}

// Len returns the number of items that have one.
func (o Overrides) Len() int { return len(o.byItem) }

// Columns returns the score columns of a run over these items: one per metric and, with overrides, a second one per metric
// for the gold queries as given. The fingerprint of a corrected column names the overrides, so that runs with different
// corrections are not compared.
func (o Overrides) Columns(ms []metrics.Metric, items []dataset.Example) (out []record.Metric) {
	for _, m := range ms {
		c := record.Metric{ID: m.ID(), Fingerprint: m.Fingerprint()}
		if o.Len() > 0 {
			c.Fingerprint += " golds corrected by " + o.hash
		}
		out = append(out, c)
	}
	for _, m := range ms {
		if o.Len() > 0 {
			out = append(out, record.Metric{ID: m.ID() + goldcheck.GivenSuffix, Fingerprint: m.Fingerprint()})
		}
	}
	return withSuites(out, items)
}

// Score scores a case by the advisory metrics, or by the others, and fills in their scores, in the order of Columns. An item
// without a gold query has a gold-error under every metric, unless an override gives it one.
func (o Overrides) Score(ctx context.Context, ms []metrics.Metric, c metrics.Case, advisory bool, scores []metrics.Score) error {
	over := o.Of(c.Item)
	for i, m := range ms {
		if execution.Advisory(m.ID()) != advisory {
			continue
		}
		var err error
		if scores[i], err = score(ctx, over, m, c); err != nil {
			return err
		}
		if o.Len() == 0 {
			continue
		}
		given := &scores[len(ms)+i]
		if *given = scores[i]; over == nil {
			continue
		}
		if *given, err = score(ctx, nil, m, c); err != nil {
			return err
		}
	}
	return nil
}

// score scores a case by one metric under an override, nil for none.
func score(ctx context.Context, over *goldcheck.Override, m metrics.Metric, c metrics.Case) (metrics.Score, error) {
	if c.Gold == "" && over == nil {
		return metrics.Score{Status: metrics.GoldError, Why: "the item has no gold query"}, nil
	}
	return over.Score(ctx, m, c)
}
