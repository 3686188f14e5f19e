// Package dataset loads Spider, BIRD, text2sql-data and the embedded sample into Examples, the only type that pairs a question
// with its gold query.
//
// A row of the table of kinds says where a dataset's questions, databases and schemas are. The questions are read and get
// ids, filters and the sample of strata choose among them, and each is joined with its database, schema and test suite. One
// bad row is a warning and never a silent loss; nothing here changes a question or a gold query; and no id or hash depends on
// where the files lie.
package dataset

import (
	"cmp"
	"fmt"

	"assay/metrics"
	"assay/prompting"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Example is one item: the question, which a method sees, and the gold query, which only metrics see.
type Example struct {
	Question   prompting.Question
	Gold       string
	Suite      []engine.DB // test-suite databases, Question.Database included, by source; see metrics.Case
	Hardness   string      // Spider's label of the gold query: easy, medium, hard, extra
	Difficulty string      // BIRD's label: simple, moderate, challenging; empty elsewhere
	// Schema has the names and keys that the data set states (tables.json), which exact match reads and which may differ
	// from those of the database file; where it states none, it is Question.Schema.
	Schema *schema.Database
	// Fault says why the item's database cannot be read; empty: it can, as far as is known. Question.Schema is then what the
	// data set states, and empty where it states nothing.
	Fault string
}

// Case returns what metrics need to score a prediction of the item; the caller fills in Predicted.
func (x Example) Case() metrics.Case {
	q := x.Question
	return metrics.Case{Item: q.ID, DB: q.DB, Question: q.Text, Evidence: q.Evidence, Database: q.Database, Suite: x.Suite, Gold: x.Gold, Schema: x.Schema}
}

// Set is a loaded dataset.
type Set struct {
	Name     string    // kind/split, the prefix of every item id
	Examples []Example // in the dataset's order
	Hash     string    // "sha256:..." over ids, questions, evidence, gold, the databases' files and those that describe them
	Warnings []Warning // problems that did not stop the load; every report shows them
}

// Warning is one problem of a dataset.
type Warning struct {
	File string // the file, from the dataset's folder on; empty for the dataset as a whole
	Item string // item id or position, where it concerns one
	Text string
}

// Describe prints warnings, equal texts once with their count and first place.
func Describe(ws []Warning) []string {
	count, first := map[string]int{}, map[string]Warning{}
	var order []string
	for _, w := range ws {
		if count[w.Text]++; count[w.Text] == 1 {
			first[w.Text] = w
			order = append(order, w.Text)
		}
	}
	out := make([]string, len(order))
	for i, text := range order {
		w := first[text]
		out[i] = cmp.Or(w.File, w.Item)
		if w.File != "" && w.Item != "" {
			out[i] += " (" + w.Item + ")"
		}
		if out[i] != "" {
			out[i] += ": "
		}
		out[i] += text
		if n := count[text]; n > 1 {
			out[i] += fmt.Sprintf(" (and %d more like it)", n-1)
		}
	}
	return out
}
