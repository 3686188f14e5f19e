package plan

import (
	"context"
	"slices"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/experiments/predictions"
	"assay/metrics"
)

// GoldQueries returns the gold queries of an experiment's dataset, or of Options.Gold, as cases without predictions, in the
// dataset's order. It leaves out items without a gold query and items that an override excludes; other overrides replace
// the gold queries that they correct. The notes are warnings about the files.
func GoldQueries(ctx context.Context, e configs.Experiment, o Options) (cases []metrics.Case, notes []string, err error) {
	set, err := predictions.LoadGold(ctx, e.Dataset, o.Gold, dataset.Options{Cache: o.Cache, Names: true})
	if err != nil {
		return nil, nil, err
	}
	overrides, err := newOverrides(e.Dataset.Overrides, set.Examples)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range set.Examples {
		c, over := x.Case(), overrides.Of(x.Question.ID)
		if c.Gold == "" || over != nil && over.Exclude {
			continue
		}
		c.Gold = over.Gold(c.Gold)
		cases = append(cases, c)
	}
	return cases, slices.Concat(overrides.notes, dataset.Describe(set.Warnings)), nil
}
