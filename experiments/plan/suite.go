package plan

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics/execution"
	"assay/metrics/goldcheck"
)

// suiteless returns the databases without a test suite, whose only database is the item's own, in the items' order. all is
// true where no item has a suite.
func suiteless(items []dataset.Example) (without []string, all bool) {
	all = true
	for _, x := range items {
		if len(x.Suite) > 1 {
			all = false
		} else if !slices.Contains(without, x.Question.DB) {
			without = append(without, x.Question.DB)
		}
	}
	return without, all
}

// suiteNotes warns of metrics over a test suite where items have none: on those items they are execution accuracy under
// another name, and comparing them with published suite accuracies would mislead.
func suiteNotes(metrics []string, items []dataset.Example) []string {
	over := slices.DeleteFunc(slices.Clone(metrics), func(id string) bool { return !execution.Suite(id) })
	without, all := suiteless(items)
	if len(over) == 0 || len(without) == 0 {
		return nil
	}
	var single []string
	for _, id := range over {
		single = append(single, execution.Single(id))
	}
	names := fmt.Sprintf("%s %s %s", strings.Join(over, ", "), map[bool]string{true: "is", false: "are"}[len(over) == 1], strings.Join(single, ", "))
	const remedy = ": name a folder of suites with dataset.suite (eval: --suite), or make one with `assay suite build` (one that holds the database alone is none)"
	if all {
		return []string{"no item has a test suite, so " + names + ", execution accuracy on the item's own database" + remedy}
	}
	return []string{fmt.Sprintf("%d databases have no test suite (%s): on their items %s%s", len(without), strings.Join(without, ", "), names, remedy)}
}

// withSuites marks the columns of metrics over a test suite where items have none, in NoSuite for tables and in the
// fingerprint for comparisons.
func withSuites(columns []record.Metric, items []dataset.Example) []record.Metric {
	without, all := suiteless(items)
	for i := range columns {
		switch c := &columns[i]; {
		case len(without) == 0 || !execution.Suite(strings.TrimSuffix(c.ID, goldcheck.GivenSuffix)):
		case all:
			c.NoSuite, c.Fingerprint = record.AllItems, c.Fingerprint+" without suites"
		default:
			c.NoSuite, c.Fingerprint = record.SomeItems, c.Fingerprint+" with suites for some databases"
		}
	}
	return columns
}
