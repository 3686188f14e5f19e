package plan

import (
	"context"
	"fmt"
	"path/filepath"

	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/goldcheck"
)

// Overrides are what a file of corrected golds says of a dataset's items. The zero says nothing.
type Overrides struct {
	byItem map[string]goldcheck.Override
	hash   string
	notes  []string
}

// NewOverrides reads the file of overrides of a dataset's items; an empty path is none.
func NewOverrides(path string, items []dataset.Example) (o Overrides, err error) {
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

// Of is the override of an item, nil where its gold stands as it is.
func (o Overrides) Of(item string) *goldcheck.Override {
	if one, ok := o.byItem[item]; ok {
		return &one
	}
	return nil
}

// Len is the number of items that have one.
func (o Overrides) Len() int { return len(o.byItem) }

// Notes are the doubts about the file.
func (o Overrides) Notes() []string { return o.notes }

// Columns are the score columns of a run over these items: the metrics, and with overrides the same again by the golds as
// given.
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

// Score judges a case by every metric, in the order of Columns.
func (o Overrides) Score(ctx context.Context, ms []metrics.Metric, c metrics.Case) ([]metrics.Score, error) {
	var out []metrics.Score
	over := o.Of(c.Item)
	for _, m := range ms {
		s, err := over.Score(ctx, m, c)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	for i := 0; i < len(ms) && o.Len() > 0; i++ {
		s := out[i]
		if over != nil {
			var err error
			if s, err = ms[i].Score(ctx, c); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// override reads the experiment's file of corrected golds.
func (p *Plan) override() (err error) {
	if p.Overrides, err = NewOverrides(p.Experiment.Dataset.Overrides, p.Set.Examples); err != nil {
		return fmt.Errorf("plan: experiment %q: %w", p.Experiment.Name, err)
	}
	return nil
}
