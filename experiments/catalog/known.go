package catalog

import (
	"slices"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting/command"
	"assay/prompting/exemplar"
	"assay/prompting/methods"
	"assay/prompting/pipeline"
	"assay/prompting/render"
)

// Known is what an experiment may name: the rows of every table, gathered for package configs, in the order in
// which documentation prints them.
var Known = configs.Known{
	Kinds:      dataset.Kinds(),
	Providers:  providerRows(),
	Methods:    methodRows(),
	Headings:   headings(),
	Parts:      methods.Parts(),
	Folder:     methods.Folder,
	Files:      methods.Files,
	Strategies: exemplar.Strategies(),
	Presets:    exemplar.Presets,
	Sources:    methods.Sources,
	Lists: map[string]configs.Choices{
		"metrics":            metricRows(),
		"splitters":          dataset.Cuts,
		"annotations":        dataset.Annotations,
		"formats":            render.Formats(),
		"value columns":      methods.ValueColumns,
		"keywords":           methods.Keywords,
		"value examples":     methods.ValueExamples,
		"column filters":     methods.Filters,
		"unfixed":            methods.Unfixed,
		"triggers":           methods.Triggers,
		"selection rules":    methods.Rules(),
		"ties":               methods.Ties,
		"agent tools":        methods.AgentTools,
		"agent observations": methods.AgentObservations,
		"agent answers":      methods.AgentAnswers,
		"agent dialogues":    methods.AgentDialogues,
		"agent layouts":      methods.AgentLayouts,
	},
}

// methodRows are the methods: assay's folders, and those that are none.
func methodRows() []configs.Method {
	return append(methods.Methods(), pipeline.Pool, command.Row, importedRow)
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
	for _, r := range everyMetric() {
		out = append(out, configs.Choice{ID: r.ID, Shows: r.Shows})
	}
	return out
}

func everyMetric() []metrics.Row { return slices.Insert(execution.Rows(), 2, exact.Row) }

// headings are the metrics by what tables and figures call them.
func headings() map[string]string {
	out := map[string]string{}
	for _, r := range everyMetric() {
		out[r.ID] = r.Name
	}
	return out
}
