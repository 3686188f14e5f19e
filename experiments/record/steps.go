package record

import "assay/metrics"

// Step is one step of a decomposition that a completion states: a sub-question with what the model wrote under it, what
// became of its SQL, and how its columns compare with the gold query's. It stands in the order of the answer's calls.
//
// Columns are those that the step lists, or else those that its SQL reads, each counted once; a gold query that does not
// parse leaves the counts empty. See metrics/process for what an error is.
type Step struct {
	Item      string   `csv:"item"`
	Arm       string   `csv:"arm"`
	Point     []string `csv:"-"`
	Seed      int64    `csv:"seed"`
	Sample    int      `csv:"sample"`    // with Generator: the candidate that the steps lead to
	Generator string   `csv:"generator"` // empty where nothing says which of several it is
	Step      int      `csv:"step"`      // from 1, in order
	Label     string   `csv:"label"`     // as the completion numbers it
	Question  string   `csv:"question"`  // empty where the step is the question itself
	Columns   string   `csv:"columns"`   // as written
	SQL       string   `csv:"sql"`
	Final     int      `csv:"final"` // 1 where the step answers the question itself

	Status metrics.Status `csv:"status"` // of SQL: ran, empty, not-run, no-query, no-sql, sql-error, sql-timeout, rejected
	Rows   Count          `csv:"rows"`   // that it returned; empty where it returned no result

	Listed  int    `csv:"listed"`       // 1 where the step lists columns
	Named   Count  `csv:"named"`        // columns of the step
	Hit     Count  `csv:"hit"`          // those of them that the gold query uses
	Seen    Count  `csv:"named_so_far"` // Named of this step and all before it
	SeenHit Count  `csv:"hit_so_far"`   // Hit, likewise
	Gold    Count  `csv:"gold_columns"` // columns that the gold query uses
	Outside string `csv:"outside"`      // a Listing of [table, column]: those that the gold query does not use
	Missing string `csv:"missing"`      // of the last step that lists columns, likewise: the gold query's that no step lists
	Unknown string `csv:"unknown"`      // a Listing of [name]: what the database lacks
	Error   string `csv:"error"`        // fails, unknown, outside, lacking; empty for none
	Why     string `csv:"why"`          // why SQL fails, in one line

	// Against the steps that rules make of the gold query (experiments/decompose): another way to the answer, not the only one.
	RuleMade  string `csv:"rule_made"`       // yes where SQL returns what one of them does, no where none; empty where it cannot be told
	RuleStep  Count  `csv:"rule_made_step"`  // which, from 1
	RuleSteps Count  `csv:"rule_made_steps"` // how many there are, the question itself the last; empty where there is no such decomposition
}
