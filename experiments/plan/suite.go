package plan

import (
	"slices"
	"strings"

	"assay/experiments/dataset"
	"assay/metrics/execution"
)

// SuiteNotes doubts metrics over a test suite where no item has one: they are then execution accuracy by another name.
func SuiteNotes(metrics []string, items []dataset.Example) []string {
	over := slices.DeleteFunc(slices.Clone(metrics), func(id string) bool { return !execution.Suite(id) })
	if len(over) == 0 || slices.ContainsFunc(items, func(x dataset.Example) bool { return len(x.Suite) > 1 }) {
		return nil
	}
	verb := " is "
	if len(over) > 1 {
		verb = " are "
	}
	return []string{"no item has a test suite, so " + strings.Join(over, ", ") + verb +
		"execution accuracy on the item's own database: name a folder of suites with dataset.suite (eval: --suite), or make one with `assay suite build`"}
}
