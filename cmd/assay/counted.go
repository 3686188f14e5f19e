package main

import (
	"context"

	"assay/configs"
	"assay/experiments/census"
	"assay/experiments/cost"
	"assay/experiments/makeup"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/plots/paper"
)

// countedItems is how many items' prompts are counted part by part, spread evenly over the dataset.
const countedItems = 40

// countInto counts what the experiment's report shows beside answers, as tokens and stats do, and writes it into the run's
// folder: a report needs no dataset.
func (a *app) countInto(ctx context.Context, p *plan.Plan, dir string) error {
	want := paper.CountingOf(p.Experiment.Report.Tables)
	if want.Parts && len(prompted(p)) > 0 {
		parts, err := countParts(p, &counts{items: countedItems})
		if err != nil {
			return err
		}
		if err := makeup.Write(dir, parts); err != nil {
			return err
		}
	}
	if !want.Statistics {
		return nil
	}
	c, err := census.Take(ctx, p.Set, census.Options{Schema: configs.Schema{Format: "createtable"}, Model: cost.Tokenizer(census.Tokenizer)})
	if err != nil {
		return err
	}
	return record.WriteStatistics(dir, statistics(c))
}

// statistics are the numbers of the three tables, without those that a dataset has not.
func statistics(c *census.Census) (out []record.Statistic) {
	for _, k := range statKinds {
		own, _ := k.rows(census.Printed{}, c)
		for _, r := range own {
			for i, v := range r.values {
				if v != nil {
					out = append(out, record.Statistic{Dataset: c.Name, Table: k.id[len("stats/"):], Counted: r.text, Name: k.columns[i].Name, Value: *v})
				}
			}
		}
	}
	return out
}
