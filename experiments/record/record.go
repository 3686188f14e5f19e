// Package record is the format of a run on disk, the seam between running and reporting.
//
// A run is a folder:
//
//	run.toml        the resolved experiment and every identity the numbers depend on ([Manifest])
//	questions.csv   the items asked: question, evidence and gold ([Question])
//	items.csv       a row an item, arm, sweep point and seed: the chosen SQL and its scores ([Item])
//	candidates.csv  a row a candidate of those ([Candidate])
//	dropped.csv     a row a candidate that left its pool before one was chosen, with the same columns
//	votes.csv       one row per comparison of two candidates that selection made ([Vote])
//	results.csv     the beginning of every result that golds and candidates gave, by digest ([Result])
//	calls.csv       a row a model call, with the key of its completion in the ledger ([Call])
//	links.csv       a row a stage that looked values up or chose columns for an item ([Link])
//	columns.csv     a row a column of each database asked about ([Column])
//
// dropped.csv, votes.csv, results.csv, links.csv and columns.csv are missing in older runs, which reads as empty.
//
// A run is written row by row by a [Writer], read whole by [Read], and walked through its [Index]: by [Series], the answers
// under one [Cell], and by [Answer], an item under one cell and seed with all rows of the files that belong to it. No reader
// finds rows by names of its own making, and nothing here asks a model or judges a query.
//
// CSV columns are found by name when read, so other programs may add their own. A score is "1", "0", a decimal, or
// empty where the item has none; a count or a price that nobody measured is empty too. The same run gives the same bytes,
// but for the column cached.
package record

import (
	"strconv"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/goldcheck"
)

// Manifest is run.toml: what was run, and the identity of everything that the numbers depend on.
type Manifest struct {
	ID         string `toml:"id"`         // hash of everything below that decides the numbers
	Experiment string `toml:"experiment"` // the experiment's name
	Complete   bool   `toml:"complete"`   // false while under way, or stopped before the end

	Assay    string `toml:"assay"`    // module version
	Revision string `toml:"revision"` // VCS revision of the binary, "+dirty" appended where the tree was not clean
	SQLite   string `toml:"sqlite"`   // version of the SQLite library that ran the queries

	Dataset       string `toml:"dataset"` // kind/split
	DatasetHash   string `toml:"dataset_hash"`
	Items         int    `toml:"items"` // items of the run
	PromptHash    string `toml:"prompt_hash"`
	ExemplarsHash string `toml:"exemplars_hash"`

	Similarity []Similarity `toml:"similarity,omitempty"` // what told how near texts are, for each use that an arm makes of it

	Metrics  []Metric `toml:"metric"`   // in column order; the first is the headline
	Axes     []string `toml:"axes"`     // sweep keys, in column order
	Warnings []string `toml:"warnings"` // doubts about the data or the run, each counted and shown

	Answered []Answered `toml:"answered,omitempty"` // who gave the completions, in the order of their authors; empty in older runs
}

// Similarity is what told how near two texts are, for one use of it.
type Similarity struct {
	Use string `toml:"use"` // as configs.Arm.Similarities has it
	By  string `toml:"by"`  // what reports call it
}

// Metric is a metric id with what its verdicts depend on.
type Metric struct {
	ID          string `toml:"id"`
	Fingerprint string `toml:"fingerprint"`
	// NoSuite says of a metric over a test suite that AllItems or SomeItems have none, so that on those it is the same
	// comparator on the item's own database alone. Empty elsewhere, and in older runs.
	NoSuite string `toml:"no_suite,omitempty"`
}

// The values of Metric.NoSuite.
const (
	AllItems  = "all"
	SomeItems = "some"
)

// MetricIDs returns the metric ids in column order.
func (m Manifest) MetricIDs() []string {
	ids := make([]string, len(m.Metrics))
	for i, x := range m.Metrics {
		ids[i] = x.ID
	}
	return ids
}

// Run is a run read from disk.
type Run struct {
	Dir       string // the folder it was read from; of a joined run, its first one's
	Joined    bool   // made of several runs, so that no run.toml has its warnings
	Manifest  Manifest
	Config    map[string]any     // the resolved experiment, as TOML tables
	Resolved  configs.Experiment // the same, as a value
	Questions []Question
	Rows
}

// Rows are the rows of a run's files but for its questions, each in the order of the file.
type Rows struct {
	Items      []Item
	Candidates []Candidate
	Dropped    []Candidate
	Votes      []Vote
	Results    []Result
	Calls      []Call
	Links      []Link
	Columns    []Column
}

// Question is what was asked, with its gold.
type Question struct {
	Item       string `csv:"item"`
	DB         string `csv:"db"`
	Question   string `csv:"question"`
	Evidence   string `csv:"evidence"`
	Gold       string `csv:"gold"`
	Hardness   string `csv:"hardness"`
	Difficulty string `csv:"difficulty"`
	// Features is what the gold's SQL is made of: "joins=1 predicates=2", the counts of configs.Features that are not zero,
	// in that order; "none" where all are; empty where the gold does not parse, and in runs older than the column.
	Features   string `csv:"features"`
	GoldDigest string `csv:"gold_digest"` // of the gold's result, as Candidate.Digest; empty where it has none
	GivenGold  string `csv:"given_gold"`  // the dataset's own gold where an override corrects it; empty elsewhere
	Override   string `csv:"override"`    // the reason of the item's override, "exclude: " before it where it takes the item out; empty for none
	// Literals is the texts that the gold compares with, in runs with an arm that looks values up: a Listing of [text,
	// "stored"], or "absent" where no column that the gold uses holds it, or "unknown" where that could not be found out.
	Literals string `csv:"literals"`
}

// SetOverride notes a person's decision about the item's gold, given being the dataset's own; nil notes nothing.
func (q *Question) SetOverride(o *goldcheck.Override, given string) {
	switch {
	case o == nil:
	case o.Exclude:
		q.Override = "exclude: " + o.Reason
	default:
		q.GivenGold, q.Override = given, o.Reason
	}
}

// Item is one item under one arm, sweep point and seed.
type Item struct {
	Item             string         `csv:"item"`
	DB               string         `csv:"db"`
	Arm              string         `csv:"arm"`
	Point            []string       `csv:"-"` // a value a sweep key, in Manifest.Axes' order
	Seed             int64          `csv:"seed"`
	Hardness         string         `csv:"hardness"`
	Difficulty       string         `csv:"difficulty"`
	Status           metrics.Status `csv:"status"`        // under the headline metric
	SQL              string         `csv:"sql"`           // the chosen candidate's
	Values           []Value        `csv:"-"`             // a score a metric, in Manifest.Metrics' order
	PromptTokens     Count          `csv:"prompt_tokens"` // unknown, as the next four may be, of an imported answer
	CompletionTokens Count          `csv:"completion_tokens"`
	Calls            Count          `csv:"calls"`
	Cached           Count          `csv:"cached"` // calls that the ledger answered
	Choice           string         `csv:"choice"` // what the choice among candidates rested on; empty where there was none
	USD              Value          `csv:"usd"`    // what the answer cost, where who imported it says so; elsewhere tokens and prices tell
}

// Candidate is one SQL of an item's pool.
type Candidate struct {
	Item      string         `csv:"item"`
	Arm       string         `csv:"arm"`
	Point     []string       `csv:"-"`
	Seed      int64          `csv:"seed"`
	Sample    int            `csv:"sample"`
	Generator string         `csv:"generator"`
	Status    metrics.Status `csv:"status"`
	SQL       string         `csv:"sql"`
	Digest    string         `csv:"digest"` // of the result, regardless of row order: equal digests are one cluster; empty on error
	Chosen    int            `csv:"chosen"` // 1 for the candidate that became the item's answer
	Values    []Value        `csv:"-"`
	Rule      string         `csv:"rule"` // how the SQL was found in the completion
	Why       string         `csv:"why"`  // one line: the error, or the first difference from the gold's result

	// What the fixer did; empty and 0 where it did nothing.
	Trigger        string         `csv:"trigger"`         // why it was called: error, empty
	Tries          int            `csv:"tries"`           // completions asked for
	Fixed          int            `csv:"fixed"`           // 1 where SQL is the mended query
	Original       string         `csv:"original"`        // the query before; empty where SQL still is that
	OriginalStatus metrics.Status `csv:"original_status"` // of Original, under the headline metric; empty where Original is
}

// Vote is one comparison of two candidates of an item's pool.
type Vote struct {
	Item      string   `csv:"item"`
	Arm       string   `csv:"arm"`
	Point     []string `csv:"-"`
	Seed      int64    `csv:"seed"`
	A         int      `csv:"a"`             // 0-based position among the item's rows of candidates.csv; shown first
	B         int      `csv:"b"`             // shown second
	Order     string   `csv:"order"`         // forward: A stands before B in the pool; reverse: after it
	Winner    int      `csv:"winner"`        // A or B; -1 where no answer could be read
	DecidedBy string   `csv:"decided_by,by"` // execution: equal results, A wins; model: a call decided; reused: the call about an equal pair before did
	Key       string   `csv:"key"`           // of the request that decided; empty where none did
}

// Result is the beginning of one result that an item's gold or candidates gave.
type Result struct {
	Item    string `csv:"item"`
	Digest  string `csv:"digest"`  // as Candidate.Digest
	Rows    int    `csv:"rows"`    // how many it has in all
	Preview string `csv:"preview"` // JSON: a list of lists of texts, the names of its columns and then its first rows; see Preview
}

// Call is one model call of an item's trace; of an imported answer, in the stage configs.Imported, whatever calls made one
// of its candidates, or all of them.
type Call struct {
	Item             string   `csv:"item"`
	Arm              string   `csv:"arm"`
	Point            []string `csv:"-"`
	Seed             int64    `csv:"seed"`
	Sample           int      `csv:"sample"`
	Stage            string   `csv:"stage"`
	Key              string   `csv:"key"`           // of the completion in the ledger
	PromptTokens     Count    `csv:"prompt_tokens"` // unknown, as the next may be, of what was imported
	CompletionTokens Count    `csv:"completion_tokens"`
	Note             string   `csv:"note"`
	Failure          string   `csv:"failure"`     // why no completion came; empty where one did
	Observation      string   `csv:"observation"` // what a tool answered to the completion; empty where none was called

	Finish          string `csv:"finish"`           // why the completion ended: "stop", "length", "tool_calls", the provider's word; empty where that is not known
	CachedTokens    Count  `csv:"cached_tokens"`    // of PromptTokens: read from the provider's own cache
	ReasoningTokens Count  `csv:"reasoning_tokens"` // of CompletionTokens: written before the answer
	USD             Value  `csv:"usd"`              // as Item.USD
}

// Count is how many calls a row stands for: one, and an unknown number where it was imported.
func (c Call) Count() Count {
	if c.Stage == configs.Imported {
		return Count{}
	}
	return CountOf(1)
}

// Link is what one stage of an item's answer found of the database, for the question.
type Link struct {
	Item   string   `csv:"item"`
	Arm    string   `csv:"arm"`
	Point  []string `csv:"-"`
	Seed   int64    `csv:"seed"`
	Stage  string   `csv:"stage"`  // values; columns; os: columns: see prompting.Linked
	Values string   `csv:"values"` // stage values: JSON, a list of [table, column, value], the likeliest first
	Chosen string   `csv:"chosen"` // a choice of columns: JSON, a list of [table, column], what the model named
	Shown  string   `csv:"shown"`  // as chosen, with the keys that go with those; every column where none is named
}

// Column is one column of a database.
type Column struct {
	DB     string `csv:"db"`
	Table  string `csv:"table"`
	Column string `csv:"column"`
}

// Value is a number that may be missing: model-error and gold-error have no score, most answers have no price of their own.
type Value struct {
	V  float64
	OK bool
}

// ValueOf returns the score as a value, missing where its status is not scored.
func ValueOf(s metrics.Score) Value {
	if !s.Status.Scored() {
		return Value{}
	}
	return Value{s.Value, true}
}

// String prints the value as the CSV files hold it: "1", "0", a decimal, or nothing.
func (v Value) String() string {
	if !v.OK {
		return ""
	}
	return strconv.FormatFloat(v.V, 'f', -1, 64)
}
