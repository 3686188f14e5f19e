package catalog

import (
	"slices"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting/agent"
	"assay/prompting/choose"
	"assay/prompting/columns"
	"assay/prompting/exemplar"
	"assay/prompting/fix"
	"assay/prompting/iterate"
	"assay/prompting/pipeline"
	"assay/prompting/render"
	"assay/prompting/single"
)

// Known is what an experiment may name: the rows of every table, gathered for package configs, in the order in
// which documentation prints them.
var Known = configs.Known{
	Kinds:      dataset.Kinds(),
	Providers:  providerRows(),
	Methods:    methodRows(),
	Parts:      partRows(),
	Strategies: exemplar.Strategies(),
	Sources:    single.Sources,
	Lists: map[string]configs.Choices{
		"metrics":         metricRows(),
		"splitters":       dataset.Cuts,
		"annotations":     dataset.Annotations,
		"formats":         render.Formats(),
		"presets":         configs.ChoicesOf(exemplar.Presets),
		"value columns":   pipeline.ValueColumns,
		"keywords":        pipeline.Keywords,
		"value examples":  pipeline.ValueExamples,
		"column filters":  columns.Filters,
		"unfixed":         fix.Unfixed,
		"triggers":        fix.Triggers,
		"selection rules": choose.Rules(),
		"ties":            choose.Ties,
		"agent tools":     agent.Tools,
		"agent answers":   agent.Answers,
		"agent dialogues": agent.Families,
		"agent layouts":   agent.Layouts,
	},
}

// methodRows are the methods: those of Tai et al. (2023), then those of CHASE-SQL (Pourreza et al. 2025), then the rest.
func methodRows() []configs.Method {
	chain := single.Methods()
	return slices.Concat(chain[:2], iterate.Methods, chain[2:], agent.Methods, []configs.Method{pipeline.Pool, importedRow})
}

// partRows are the parts around generators: those before them, the fixer, and the selection rules.
func partRows() []configs.Method {
	row := func(id, shows, part string) configs.Method {
		return configs.Method{Choice: configs.Choice{ID: id, Shows: shows}, Parts: []string{part}}
	}
	out := []configs.Method{
		row("values", "database values that the question mentions, as [values] says", "link"),
		row("columns", "the columns that later prompts show, as [columns] says", "link"),
		row("fixer", "queries that fail are fixed, as [fixer] says", "fix"),
	}
	for _, r := range choose.Rules() {
		out = append(out, row(r.ID, r.Shows, "choose"))
	}
	return out
}

func providerRows() []configs.Provider {
	out := make([]configs.Provider, len(providers))
	for i, p := range providers {
		out[i] = p.Provider
	}
	return out
}

// metricRows are the metrics: exact match comes after the test-suite metric and its single-database form, as Spider's
// evaluator prints them.
func metricRows() (out configs.Choices) {
	for _, r := range slices.Insert(execution.Rows(), 2, exact.Row) {
		out = append(out, configs.Choice(r))
	}
	return out
}
