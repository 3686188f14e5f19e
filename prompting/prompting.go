// Package prompting turns a question into SQL. It must never see a gold query or a gold result.
//
// How an answer comes about:
//
//  1. A [Question] arrives with its database's description ([assay/prompting/sql/schema]).
//  2. A [Method] is a folder of Starlark and Jinja ([assay/prompting/methods], [assay/prompting/script]): it chooses
//     demonstrations ([assay/prompting/exemplar]), renders the schema ([assay/prompting/render]) and fills its templates.
//  3. The model answers ([assay/prompting/llm]); the ledger stores every completion.
//  4. The SQL is found in the completion ([assay/prompting/extract]).
//  5. Methods that look at results run SQL in the [assay/prompting/sql/sandbox] and ask again.
//  6. The [Answer] carries every candidate, which one was chosen, and the trace of every call.
//
// [assay/prompting/pipeline] puts the parts of an arm together: what is linked before the generators, the generators, the
// fixer and the selection.
package prompting

import (
	"context"

	"assay/prompting/llm"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Question is what a method may know about an item. It has no field for the gold query, so that no method can use one.
type Question struct {
	ID       string // dataset/split/id
	DB       string // database id
	Text     string
	Evidence string           // BIRD's external knowledge; empty where the dataset has none
	Schema   *schema.Database // never nil
	Database engine.DB        // none where the dataset has no database for the item

	// Apart are labels of what must not be shown with the question: a demonstration with one of them asks for the same query
	// in other words, or is tested with it. They tell nothing of the query.
	Apart []string

	// Whole is the schema before columns were chosen for the question; nil where Schema is all of it.
	Whole *schema.Database
}

// Method answers questions. Implementations are safe for concurrent use.
//
// A completion that the model would not give is a candidate with Failure set. The error is for what ends the run: a
// cancelled context, a call the offline ledger cannot answer.
type Method interface {
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Candidate is one SQL proposed for a question.
type Candidate struct {
	Sample    int    // 0-based
	Generator string // the method (or generator within it) that made it
	SQL       string // empty where none was found
	Rule      string // the extraction rule that found it; why not, where SQL is empty
	Failure   string // the model's failure reason; empty where it answered
	Silence   string // why the completion is empty, as in llm.Response; empty where the completion is not

	// What the fixer did with the query; zero without a fixer.
	Trigger  string // why the query needed a repair, "error" or "empty"; empty where it needed none
	Tries    int    // number of completions requested to repair it
	Fixed    bool   // one of them no longer fails, and SQL is that one
	Original string // the query before the repair; empty where SQL is unchanged, and where there was no query
}

// Answer is a method's result for one question.
type Answer struct {
	Candidates []Candidate // at least one, possibly without SQL; empty only where imported predictions lack the item
	Chosen     int         // index into Candidates
	Trace      []Call      // every call, in the order made (by sample, then by turn)

	Why     string      // the reason for the choice; empty where there was only one candidate
	Votes   []Vote      // comparisons that the selection made, in order; nil where it made none
	Dropped []Candidate // candidates that the fixer could not repair and removed from the pool
	Linked  []Linked    // the parts of the schema linked to the question, in stage order; nil without a linking stage
	Shown   [][]string  // the ids of the demonstrations that prompts show, in their order, each list once; nil for none
}

// Linked is the part of the database that one stage linked to a question: values, or columns.
type Linked struct {
	// Stage is "values" where values were looked up; "columns" where columns were chosen, as the prompts after it show
	// them; "os: columns" where method os chose columns to have examples written over.
	Stage  string
	Values []LinkedValue       // stage values: the likeliest first
	Chosen []schema.ColumnName // stage columns: those that the model named, and the question if such are kept; empty where none was named
	Shown  []schema.ColumnName // Chosen with the keys that join them; all columns where Chosen is empty
}

// LinkedValue is a value of the database that the question seems to mention.
type LinkedValue struct {
	schema.ColumnName
	Value string
}

// Vote is one comparison of two candidates.
type Vote struct {
	A, B      int    // indices into Candidates; A is shown first
	Order     string // "forward": A comes before B in the pool; "reverse": after it
	Winner    int    // A or B; -1 where no answer could be read
	DecidedBy string // "execution": both returned the same, so A wins without a call; "model": a call decided; "reused": the call about an equal pair before did
	Key       string // of the request whose answer decided; empty where none did
}

// Call is one model call of a trace. Its request and completion can be read from the ledger under Key.
type Call struct {
	Stage  string // "generate", "reduce", "solve 1", ...
	Sample int
	Key    string // llm.Request.Key
	Usage  llm.Usage
	Tier   string // llm.Response.Tier
	Cached bool
	Note   string // an intermediate result, such as the sub-questions found; empty for none

	Failure string // why no completion came; empty where one did
	Finish  string // why the completion ended: llm.Response.Finish

	// Observation is what a tool answered to the completion, as the model reads it; empty where none was called.
	Observation string

	// Steps are those that the completion works through, in its order; nil for a completion that states none.
	Steps []Step
}

// Step is one step of a decomposition, as a completion has it.
type Step struct {
	Label    string // its number: "1", "2", "1.1"; "main" for the question itself, where it is assembled from parts
	Question string // the sub-question; empty where the completion answers one that an earlier one stated
	Columns  string // what stands after "SQL table (column):" under it; empty where nothing does
	SQL      string // the query that answers it; empty where the completion has none
	Solved   bool   // the completion was asked for the step's query, so that none is a failure
	Final    bool   // the step is the question itself, answered by SQL
}
