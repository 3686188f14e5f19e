// Package record is the format of a run on disk, the seam between running and reporting.
//
// A run is a folder:
//
//	run.toml        the resolved experiment and every identity the numbers depend on ([Manifest])
//	questions.csv   the items asked: question, evidence and gold ([Question])
//	items.csv       a row an item, arm, sweep point and seed: the chosen SQL and its scores ([Item])
//	candidates.csv  a row a candidate of those ([Candidate])
//	calls.csv       a row a model call, with the key of its completion in the ledger ([Call])
//
// CSV columns are found by name when read, so other programs may add their own. A score is "1", "0", a decimal, or
// empty where the item has none. The same run gives the same bytes, but for the column cached.
package record

import (
	"strconv"

	"assay/configs"
	"assay/metrics"
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

	Metrics  []Metric `toml:"metric"`   // in column order; the first is the headline
	Axes     []string `toml:"axes"`     // sweep keys, in column order
	Warnings []string `toml:"warnings"` // doubts about the data or the run, each counted and shown
}

// Metric is a metric id with what its verdicts depend on.
type Metric struct {
	ID          string `toml:"id"`
	Fingerprint string `toml:"fingerprint"`
}

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
	Dir        string // the folder it was read from
	Manifest   Manifest
	Config     map[string]any     // the resolved experiment, as TOML tables
	Resolved   configs.Experiment // the same, as a value
	Questions  []Question
	Items      []Item
	Candidates []Candidate
	Calls      []Call
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
	Features string `csv:"features"`
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
	Status           metrics.Status `csv:"status"` // under the headline metric
	SQL              string         `csv:"sql"`    // the chosen candidate's
	Values           []Value        `csv:"-"`      // a score a metric, in Manifest.Metrics' order
	PromptTokens     int            `csv:"prompt_tokens"`
	CompletionTokens int            `csv:"completion_tokens"`
	Calls            int            `csv:"calls"`
	Cached           int            `csv:"cached"` // calls that the ledger answered
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
}

// Call is one model call of an item's trace.
type Call struct {
	Item             string   `csv:"item"`
	Arm              string   `csv:"arm"`
	Point            []string `csv:"-"`
	Seed             int64    `csv:"seed"`
	Sample           int      `csv:"sample"`
	Stage            string   `csv:"stage"`
	Key              string   `csv:"key"` // of the completion in the ledger
	PromptTokens     int      `csv:"prompt_tokens"`
	CompletionTokens int      `csv:"completion_tokens"`
	Note             string   `csv:"note"`
	Failure          string   `csv:"failure"` // why no completion came; empty where one did
}

// Value is a score that may be missing: model-error and gold-error have none.
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
