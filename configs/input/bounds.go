package input

import "fmt"

// Bound is the length that a kind of file may have.
type Bound struct {
	What   string // the kind, with its article, as errors name it
	Most   int64  // bytes
	Remedy string // what to do about a longer one
}

// over returns the error about a file that is too long; size is 0 where only the bound is known to be passed.
func (b Bound) over(size int64) error {
	has := "is longer than the"
	if size > 0 {
		has = fmt.Sprintf("has %d bytes, more than the", size)
	}
	return fmt.Errorf("%s %d bytes that %s may have: %s", has, b.Most, b.What, b.Remedy)
}

const (
	kb = 1 << 10
	mb = 1 << 20

	another = "is it another kind of file?"
	parts   = "split it, and use the parts one by one"
)

// The bounds of every kind of file that the program reads. The largest files in public use that the bounds must let through:
// questions 25 MB (Spider's training split, with its parse trees), schemas 2 MB, predictions some 10 MB.
var (
	Experiment  = Bound{"an experiment", 64 * kb, another}
	Block       = Bound{"the text of a block", mb, another}
	Method      = Bound{"a method's file", 4 * mb, another}
	Program     = Bound{"a program's source", 4 * mb, "leave it out of sources: those are the files that a program is written in"}
	Questions   = Bound{"a file of questions", 64 * mb, parts}
	Schemas     = Bound{"a file of schemas", 32 * mb, "leave out the databases that are not asked about"}
	Description = Bound{"a table's description", 4 * mb, another}
	Exemplars   = Bound{"a file of demonstrations", 64 * mb, "leave out demonstrations"}
	Prices      = Bound{"a file of prices", mb, another}
	Predictions = Bound{"a file of predictions or gold queries", 64 * mb, parts}
	Overrides   = Bound{"a file of overrides", 16 * mb, another}
	Judged      = Bound{"a file of judged errors", 64 * mb, parts}
	Manifest    = Bound{"a run's run.toml", 8 * mb, "it was changed: run the experiment again to restore it"}
	Rows        = Bound{"a file of a run's rows", 1 << 30, "cut the run into several with dataset.filter"}
	Copies      = Bound{"a copy in a run's folder", 4 * mb, "it was changed: run the experiment again to restore it"}
	Suite       = Bound{"a suite's manifest", 16 * mb, "build the suite again"}
	Database    = Bound{"a database", 1 << 45, another}
	Exchange    = Bound{"an exchange file", 64 << 30, "export the runs one by one"}
	Key         = Bound{"a file of an API key", 64 * kb, another}
	Recording   = Bound{"a recording of a test server", 64 * mb, another}
	Scores      = Bound{"a file of remembered scores", 256 * mb, "remove it: it is made again"}
	Own         = Bound{"a file of the program's own notes", mb, "remove it: it is made again"}
	Site        = Bound{"a file of a site", 256 * mb, "remove it: it is made again"}
)
