// Package exemplar holds annotated demonstrations and the selectors that choose among them.
package exemplar

import "assay/prompting/schema"

// Demo is one demonstration: a solved question with the annotations that the prompting methods print.
type Demo struct {
	ID       string
	DB       string
	Question string
	SQL      string
	Evidence string
	CoT      string // the SQL told clause by clause in execution order, one line; empty where not annotated
	Steps    []Step // decomposition; the last step is the question itself
	Hardness string // easy, medium, hard, extra: set by whoever can compute it from the SQL
	Derived  bool   // CoT or a step's columns were derived from the SQL, not written by a person

	Schema *schema.Database // the demonstration's own database
}

// Step is one sub-question of a decomposition.
type Step struct {
	Question string
	Columns  string // newly needed columns, "table (col, col), table2 (col)"; empty where nothing is new
	SQL      string // the SQL that answers this sub-question; empty where not annotated
}
