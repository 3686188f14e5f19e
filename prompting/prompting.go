// Package prompting turns a question into SQL and never sees gold.
//
// How an answer comes about:
//
//  1. A [Question] arrives with its database's description ([assay/prompting/sql/schema]).
//  2. A [Method] renders the schema ([assay/prompting/render]), chooses demonstrations
//     ([assay/prompting/exemplar]) and fills its prompt template.
//  3. The model answers ([assay/prompting/llm]); the ledger remembers every completion.
//  4. The SQL is found in the completion ([assay/prompting/extract]).
//  5. Methods that look at results run SQL in the [assay/prompting/sql/sandbox] and ask again.
//  6. The [Answer] carries every candidate, which one was chosen, and the trace of every call.
//
// The methods are in [assay/prompting/single] (one call a sample), [assay/prompting/iterate] (several) and
// [assay/prompting/agent] (a dialogue in which the model uses [assay/prompting/tools]). They are constructed from [Deps],
// share a [Kit], and are held to their contract by [assay/prompting/methodtest].
// [assay/prompting/pipeline] puts value retrieval, column selection, several generators, a fixer and a selection around
// them.
package prompting

import (
	"context"

	"assay/prompting/llm"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Question is what a method may know of an item. It has no gold field, on purpose.
type Question struct {
	ID       string // dataset/split/id
	DB       string // database id
	Text     string
	Evidence string           // BIRD's external knowledge; empty where the dataset has none
	Schema   *schema.Database // never nil
	Database engine.DB        // none where the dataset has no database for the item

	// Whole is the schema before columns were chosen for the question; nil where Schema is all of it.
	Whole *schema.Database
}

// Method answers questions. Implementations are safe for concurrent use.
//
// A completion that the model would not give is a candidate with Failure set. The error is for what ends the run: a
// cancelled context, a call the offline ledger cannot answer.
type Method interface {
	Answer(ctx context.Context, q Question) (Answer, error)
	// Prompts returns the first messages that Answer would send for sample 0, without a call.
	Prompts(q Question) ([]llm.Message, error)
}

// Candidate is one SQL proposed for a question.
type Candidate struct {
	Sample    int    // 0-based
	Generator string // the method (or generator within it) that made it
	SQL       string // empty where none was found
	Rule      string // the extraction rule that found it; why not, where SQL is empty
	Failure   string // the model's failure reason; empty where it answered
	Silence   string // why there is nothing in the completion, as llm.Response tells it; empty where there is something

	// What the fixer did with it; zero where there is none.
	Trigger  string // why the query was to be mended, "error" or "empty"; empty where it was not
	Tries    int    // completions asked for to mend it
	Fixed    bool   // one of them no longer fails: SQL is that one
	Original string // the query before; empty where SQL still is that, and where there was none
}

// Answer is a method's result for one question.
type Answer struct {
	Candidates []Candidate // never empty but where others predicted nothing: at least one, possibly without SQL
	Chosen     int         // index into Candidates
	Trace      []Call      // every call, in the order made (by sample, then by turn)

	Why     string      // what the choice rested on; empty where nothing was chosen between
	Votes   []Vote      // comparisons that selection made, in order; nil where it made none
	Dropped []Candidate // those that the fixer could not mend and took out of the pool
	Linked  []Linked    // what was found of the database for the question, in the order of the stages; nil where nothing looked
}

// Linked is what one stage found of the database for a question.
type Linked struct {
	// Stage is "values" where values were looked up; "columns" where columns were chosen, as the prompts after it show
	// them; "os: columns" where method os chose columns to have examples written over.
	Stage  string
	Values []LinkedValue       // stage values: the likeliest first
	Chosen []schema.ColumnName // a choice of columns: those that the model named (and the question, where such are kept); empty where it named none
	Shown  []schema.ColumnName // those and the keys that go with them; all columns where it named none
}

// LinkedValue is a value of the database that the question seems to mention.
type LinkedValue struct {
	schema.ColumnName
	Value string
}

// Vote is one comparison of two candidates.
type Vote struct {
	A, B   int    // indices into Candidates; A is shown first
	Order  string // "forward": A comes before B in the pool; "reverse": after it
	Winner int    // A or B; -1 where no answer could be read
	By     string // "execution": both returned the same and A wins; "asked"; "remembered": the model was asked the same before
	Key    string // of the request whose answer decided; empty where none did
}

// Call is one model call of a trace. Its request and completion can be read from the ledger under Key.
type Call struct {
	Stage  string // "generate", "reduce", "solve 1", ...
	Sample int
	Key    string // llm.Request.Key
	Usage  llm.Usage
	Cached bool
	Note   string // an intermediate result, such as the sub-questions found; empty for none

	Failure string // why no completion came; empty where one did
	Finish  string // why the completion ended: llm.Response.Finish

	// Observation is what a tool answered to the completion, as the model reads it; empty where none was called.
	Observation string
}
