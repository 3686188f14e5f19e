// Package record is the format of a run on disk, the seam between running and reporting.
//
// A run is a folder:
//
//	run.toml        the resolved experiment and every identity the numbers depend on ([Manifest])
//	questions.csv   the items: question, evidence and gold query ([Question])
//	items.csv       one row per item, arm, sweep point and seed: the chosen SQL and its scores ([Item])
//	candidates.csv  one row per candidate of those answers ([Candidate])
//	dropped.csv     one row per candidate that left its pool before the choice, with the same columns
//	votes.csv       one row per comparison of two candidates that selection made ([Vote])
//	results.csv     the beginning of every result of gold queries and candidates, by digest ([Result])
//	calls.csv       one row per model call, with the key of its completion in the ledger ([Call])
//	links.csv       one row per stage that looked values up or chose columns for an item ([Link])
//	steps.csv       one row per step of a decomposition that a completion states ([Step]); only where one does
//	components.csv  one row per answer whose parts exact set match compared ([Component]); only in runs with the metric em
//	demonstrations.csv  one row per answer whose prompts show demonstrations: their ids ([Shown])
//	columns.csv     one row per column of each database of the items ([Column])
//	vectors.csv     one row per text whose vector an arm used at a sweep point, with the vector's key in the ledger ([Vector]);
//	                only where an arm states [embeddings]
//	methods/        the sources of the methods and parts that the arms use, and the files of replaced blocks ([Copies])
//	sources/        the files of metrics that are programs, in a folder for each, metric.ID, and
//	                the sources of the arms' programs, in a folder for each arm ([Copies])
//	stderr/         the beginning of what each arm's program wrote to standard error, in the last start of the run ([Log])
//
// dropped.csv, votes.csv, results.csv, links.csv, demonstrations.csv, steps.csv, components.csv and columns.csv are missing in older runs and then read as empty. run.toml names
// users' folders by their copies in methods/, so that a run can be run again from its folder alone ([Again]); nothing is read
// from methods/ but by the methods' own package, and a run without it is read all the same.
//
// A run is written row by row by a [Writer], read whole by [Read], and walked through its [Index]: by [Series], the answers
// under one [Cell], and by [Answer], an item under one cell and seed with all rows of the files that belong to it. Readers must
// not build keys of their own, and nothing here asks a model or scores a query.
//
// CSV columns are found by name when read, so other programs may add their own. A score is "1", "0", a decimal, or
// empty where the item has none; a count or a price that nobody measured is empty too. The same run gives the same bytes
// except in the column cached, which says what the ledger answered this time.
package record

import (
	"path/filepath"
	"strconv"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/goldcheck"
)

// Manifest is run.toml: what was run, and the identity of everything that the numbers depend on.
type Manifest struct {
	ID         string `toml:"id"`         // hash of everything below that decides the numbers
	Experiment string `toml:"experiment"` // the experiment's name
	Complete   bool   `toml:"complete"`   // false of a run in progress, or stopped before the end

	Assay    string `toml:"assay"`    // module version
	Revision string `toml:"revision"` // VCS revision of the binary, "+dirty" appended where the tree was not clean
	SQLite   string `toml:"sqlite"`   // version of the SQLite library that ran the queries

	Dataset       string `toml:"dataset"` // kind/split
	DatasetHash   string `toml:"dataset_hash"`
	Items         int    `toml:"items"` // items of the run
	PromptHash    string `toml:"prompt_hash"`
	ExemplarsHash string `toml:"exemplars_hash"`

	Similarity []Similarity `toml:"similarity,omitempty"` // the measure of similarity of texts, per use that an arm makes of one

	Metrics  []Metric `toml:"metric"`   // in column order; the first is the headline
	Axes     []string `toml:"axes"`     // sweep keys, in column order
	Warnings []string `toml:"warnings"` // about the data or the run; every report shows them

	Programs []Program `toml:"program,omitempty" json:",omitempty"` // of the arms with a command, in their order

	Demonstrations []Pool `toml:"demonstrations,omitempty" json:",omitempty"` // what prompts can show, by source; empty in older runs

	Answered []Answered `toml:"answered,omitempty"` // who gave the completions, in the order of their authors; empty in older runs
}

// Pool is the demonstrations of one source, exemplars.file.
type Pool struct {
	File   string         `toml:"file"` // exemplars.file, a path without its folder
	Name   string         `toml:"name"` // what that stands for: File, or what the dataset's kind ships with where it is empty
	Size   int            `toml:"size"`
	Levels map[string]int `toml:"levels"` // by hardness

	// By counts, by annotation and by who made it (exemplar.Provenance), the demonstrations that have it; nil in older runs.
	By map[string]map[string]int `toml:"by,omitempty" json:",omitempty"`
}

// PoolFile is a source of demonstrations without the folder of a path.
func PoolFile(file string) string {
	if file == "" {
		return ""
	}
	return filepath.Base(file)
}

// Similarity is the measure of how similar two texts are, for one use.
type Similarity struct {
	Use string `toml:"use"` // as configs.Arm.Similarities has it
	By  string `toml:"by"`  // the measure's name
}

// Metric is a metric id with the fingerprint of everything that its verdicts depend on.
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

// Rows holds the rows of a run's files except its questions, in the order of each file.
type Rows struct {
	Items      []Item
	Candidates []Candidate
	Dropped    []Candidate
	Votes      []Vote
	Results    []Result
	Calls      []Call
	Links      []Link
	Steps      []Step
	Components []Component
	Shown      []Shown
	Columns    []Column
	Vectors    []Vector
}

// Question is an item's question, with its gold query.
type Question struct {
	Item       string `csv:"item"`
	DB         string `csv:"db"`
	Question   string `csv:"question"`
	Evidence   string `csv:"evidence"`
	Gold       string `csv:"gold"`
	Hardness   string `csv:"hardness"`
	Difficulty string `csv:"difficulty"`
	// Features is the composition of the gold query: "joins=1 predicates=2", the counts of configs.Features that are not zero,
	// in that order; "none" where all are; empty where the gold query does not parse, and in runs older than the column.
	Features   string `csv:"features"`
	GoldDigest string `csv:"gold_digest"` // of the gold result, as Candidate.Digest; empty where there is none
	GivenGold  string `csv:"given_gold"`  // the dataset's own gold query where an override corrects it; empty elsewhere
	Override   string `csv:"override"`    // the reason of the item's override, with the prefix "exclude: " where it excludes the item; empty for none
	// Literals lists the texts that the gold query compares with, in runs with an arm that looks values up: a Listing of
	// [text, "stored"], with "absent" where no column of the query holds it, and "unknown" where the lookup failed.
	Literals string `csv:"literals"`
}

// SetOverride records an override of the item's gold query; given is the dataset's own. A nil override changes nothing.
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
	Point            []string       `csv:"-"` // one value per sweep key, in the order of Manifest.Axes
	Seed             int64          `csv:"seed"`
	Hardness         string         `csv:"hardness"`
	Difficulty       string         `csv:"difficulty"`
	Status           metrics.Status `csv:"status"`        // under the headline metric
	SQL              string         `csv:"sql"`           // the chosen candidate's
	Values           []Value        `csv:"-"`             // one score per metric, in the order of Manifest.Metrics
	PromptTokens     Count          `csv:"prompt_tokens"` // may be unknown, as the next three, of an imported answer
	CompletionTokens Count          `csv:"completion_tokens"`
	Calls            Count          `csv:"calls"`
	Cached           Count          `csv:"cached"` // calls that the ledger answered
	Choice           string         `csv:"choice"` // why this candidate was chosen; empty where there was no choice
	USD              Value          `csv:"usd"`    // the price that an imported file states; of other answers it follows from tokens and prices
}

// Candidate is one query of an item's pool.
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
	Why       string         `csv:"why"`  // one line: the error, or the first difference from the gold result

	// What the fixer did; empty and 0 where it did nothing.
	Trigger        string         `csv:"trigger"`         // why the fixer was called: error, empty
	Tries          int            `csv:"tries"`           // completions requested
	Fixed          int            `csv:"fixed"`           // 1 where SQL is the repaired query
	Original       string         `csv:"original"`        // the query before the fixer; empty where SQL is unchanged
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
	Order     string   `csv:"order"`         // forward: A comes before B in the pool; reverse: after it
	Winner    int      `csv:"winner"`        // A or B; -1 where no answer could be read
	DecidedBy string   `csv:"decided_by,by"` // execution: equal results, A wins; model: a call decided; reused: the call about an equal pair before did
	Key       string   `csv:"key"`           // of the request that decided; empty where none did
}

// Result is the beginning of one result of an item's gold query or candidates.
type Result struct {
	Item    string `csv:"item"`
	Digest  string `csv:"digest"`  // as Candidate.Digest
	Rows    int    `csv:"rows"`    // how many the whole result has
	Preview string `csv:"preview"` // JSON: a list of lists of texts, the names of its columns and then its first rows; see Preview
}

// Batch is the Tier of a call that a provider's batch answered.
const Batch = "batch"

// Call is one model call of an item's trace. An imported answer, whose calls are unknown, has one row per candidate, or one
// for all of them, in the stage configs.Imported.
type Call struct {
	Item             string   `csv:"item"`
	Arm              string   `csv:"arm"`
	Point            []string `csv:"-"`
	Seed             int64    `csv:"seed"`
	Sample           int      `csv:"sample"`
	Stage            string   `csv:"stage"`
	Key              string   `csv:"key"`           // of the completion in the ledger
	PromptTokens     Count    `csv:"prompt_tokens"` // may be unknown, as the next, of an imported answer
	CompletionTokens Count    `csv:"completion_tokens"`
	Note             string   `csv:"note"`
	Failure          string   `csv:"failure"`     // why there is no completion; empty where there is one
	Observation      string   `csv:"observation"` // what a tool returned for the completion; empty where it called none

	Finish           string `csv:"finish"`             // why the completion ended: "stop", "length", "tool_calls" or the provider's word; empty where unknown
	CachedTokens     Count  `csv:"cached_tokens"`      // of PromptTokens: read from the provider's own cache
	ReasoningTokens  Count  `csv:"reasoning_tokens"`   // of CompletionTokens: written before the answer
	CacheWriteTokens Count  `csv:"cache_write_tokens"` // of PromptTokens: written to the provider's own cache
	Tier             string `csv:"tier"`               // the service whose price the call had, Batch, or empty for the standard price
	USD              Value  `csv:"usd"`                // as Item.USD
}

// Count returns how many calls the row stands for: one, or an unknown number for an imported answer.
func (c Call) Count() Count {
	if c.Stage == configs.Imported {
		return Count{}
	}
	return CountOf(1)
}

// Link is what one stage of an item's answer found in the database for the question.
type Link struct {
	Item   string   `csv:"item"`
	Arm    string   `csv:"arm"`
	Point  []string `csv:"-"`
	Seed   int64    `csv:"seed"`
	Stage  string   `csv:"stage"`  // values; columns; os: columns: see prompting.Linked
	Values string   `csv:"values"` // stage values: JSON, a list of [table, column, value], the likeliest first
	Chosen string   `csv:"chosen"` // a choice of columns: JSON, a list of [table, column], those that the model named
	Shown  string   `csv:"shown"`  // as chosen, and the keys added to them; every column where none is named
}

// Shown is the demonstrations of an item's prompts.
type Shown struct {
	Item  string   `csv:"item"`
	Arm   string   `csv:"arm"`
	Point []string `csv:"-"`
	Seed  int64    `csv:"seed"`
	IDs   string   `csv:"ids"` // JSON: a list for each prompt that shows others, of ids in the order of the prompt
}

// Column is one column of a database.
type Column struct {
	DB     string `csv:"db"`
	Table  string `csv:"table"`
	Column string `csv:"column"`
}

// Value is a number that may be missing: answers with model-error or gold-error have no score, and most answers no stated
// price.
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
