// Package dataset loads Spider, BIRD, text2sql-data and the embedded sample into Examples, the only type that pairs
// a question with its gold.
package dataset

import (
	"cmp"
	"fmt"

	"assay/metrics"
	"assay/prompting"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Example is one item: the question a method sees, and the gold only metrics see.
type Example struct {
	Question   prompting.Question
	Gold       string
	Suite      []engine.DB // test-suite databases, Question.Database included, by source; see metrics.Case
	Hardness   string      // Spider's label of the gold: easy, medium, hard, extra
	Difficulty string      // BIRD's label: simple, moderate, challenging; empty elsewhere
	// Schema has the names and keys that the data set states (tables.json), which exact match reads and which may differ
	// from those of the database file; where it states none, it is Question.Schema.
	Schema *schema.Database
}

// Case is what metrics judge a prediction of the item by; Predicted is to be filled in.
func (x Example) Case() metrics.Case {
	q := x.Question
	return metrics.Case{Item: q.ID, DB: q.DB, Database: q.Database, Suite: x.Suite, Gold: x.Gold, Schema: x.Schema}
}

// Set is a loaded dataset.
type Set struct {
	Name     string    // kind/split, the prefix of every item id
	Examples []Example // in the dataset's order
	Hash     string    // "sha256:..." over ids, questions, evidence, gold, the databases' files and those that describe them
	Warnings []Warning // what was found wrong and survived: counted, shown, never silent
}

// Warning names one thing wrong with a dataset.
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
