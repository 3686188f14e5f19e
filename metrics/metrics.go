// Package metrics defines how a prediction is judged against its gold query.
//
// A [Case] holds the prediction, the gold query and the databases; a [Metric] returns a [Score] with a [Status]. The
// metrics are in the packages below: exact (clauses), execution (results), pool (candidates of one question); suite
// makes the databases of test-suite accuracy, and goldcheck tests the gold queries. A metric must never see a prompt or
// a model, nor which arm a prediction comes from: equal cases get equal scores.
package metrics

import (
	"context"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Status is the outcome of an item. Failures of the model, of the gold query and of the prediction have statuses of
// their own, so that none is counted as another.
type Status string

// The statuses. The first six are scored (1 or 0); ModelError and GoldError are counted apart, and not scored.
const (
	Correct    Status = "correct"
	Wrong      Status = "wrong"
	NoSQL      Status = "no-sql"      // no SQL found in the completion
	SQLError   Status = "sql-error"   // SQLite refused or failed
	SQLTimeout Status = "sql-timeout" // stopped at the deadline or a resource cap
	Rejected   Status = "rejected"    // the sandbox refused it: it would write, attach, or read what it may not
	ModelError Status = "model-error" // no completion after retries, or blocked
	GoldError  Status = "gold-error"  // the gold query itself fails
)

// Scored reports whether items of this status count in a denominator.
func (s Status) Scored() bool { return s != ModelError && s != GoldError }

// Incorrect reports whether an item has a score, and it is 0.
func (s Status) Incorrect() bool { return s.Scored() && s != Correct }

// Statuses are all that an item can have, in the order of print: those with a score first.
var Statuses = []Status{Correct, Wrong, NoSQL, SQLError, SQLTimeout, Rejected, ModelError, GoldError}

// Case is one prediction with its gold query, and the databases to judge it on.
type Case struct {
	Item      string // dataset/split/id
	DB        string // database id
	Question  string // the question's text, and below BIRD's evidence, as the dataset has them, whatever an arm showed of them
	Evidence  string
	Database  engine.DB   // the original
	Suite     []engine.DB // every database of the test suite, Database included, by source; Database alone where there is no suite
	Gold      string
	Predicted string           // empty: no SQL was found
	Schema    *schema.Database // for metrics that read SQL as a tree; nil where unknown
}

// Databases returns the original, then the others of the suite.
func (c Case) Databases() []engine.DB {
	all := []engine.DB{c.Database}
	for _, db := range c.Suite {
		if db != c.Database {
			all = append(all, db)
		}
	}
	return all
}

// Score is a metric's verdict on one case.
type Score struct {
	Value    float64  // 0 to 1; meaningless unless Status.Scored()
	Status   Status   // of the prediction under this metric
	Why      string   // one line for a person: the error, the first difference
	Warnings []string // reasons to doubt the value, which they do not change
}

// Row describes a metric in the table of the package that makes it.
type Row struct {
	ID    string
	Shows string // one line of help
	Name  string // as tables and figures head it: "EX (BIRD)"
}

// Metric judges cases. Implementations are safe for concurrent use and deterministic.
type Metric interface {
	// ID is the column name in items.csv: "ex", "ts", "em", ...
	ID() string
	// Fingerprint names everything besides the case on which the verdict depends: comparator, flags, versions.
	Fingerprint() string
	// Score judges one case. The error is for a failure to judge at all (a cancelled context, an unreadable
	// original database); whatever is wrong with the prediction or the gold query is a Status.
	Score(ctx context.Context, c Case) (Score, error)
}
