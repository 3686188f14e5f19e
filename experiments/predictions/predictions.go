// Package predictions reads predictions that other programs made.
//
// A file is in one of three forms, recognised by its first character that is no blank:
//
//	lines  one query per line; a tab and the database's id may follow
//	bird   one JSON object of BIRD's: {"0": "SQL\t----- bird -----\tdatabase", ...}
//	jsonl  one JSON object per line: {"id": ..., "candidates": [{"sql": ..., "source": ...}, ...]}
//
// JSONL may state the cost of an answer, on the entry or on each of its candidates: prompt_tokens, completion_tokens, cost_usd,
// prompt; or on the entry a list of the calls that were made for it, each with its stage and its key in a ledger; and on the
// entry its seed. Members with other names are counted in File.Untaken.
//
// The same forms hold gold queries. Read parses a file; Fit matches its entries with the items of a dataset, in one way
// or not at all: a file that is too short, too long or over other databases is an error that says where. LoadWith loads the
// dataset too, and a Method answers its questions from the entries, which package runner scores as it scores the answers of
// models. Stored returns the predictions that a run was imported from. Nothing here may look at a gold query to change,
// choose or leave out a prediction.
package predictions

import (
	"bytes"
	"fmt"

	"assay/configs/input"
)

// Form is how a file holds its predictions.
type Form string

// The forms.
const (
	Lines Form = "lines"
	BIRD  Form = "bird"
	JSONL Form = "jsonl"
)

// Candidate is one SQL predicted for an item.
type Candidate struct {
	SQL    string // without blanks around it; empty: nothing was predicted
	Source string // what generated it, where the file says so
	Taken
}

// Entry is what a file predicts for one item.
type Entry struct {
	Line       int    // where it begins in the file, from 1
	ID         string // BIRD's key or JSONL's id; empty where the form has none
	DB         string // database id, where the entry names one
	Candidates []Candidate
	Seed       *int64 // nil where the entry has none
	Taken             // of the whole answer, where its candidates state nothing of their own
	Made       []Call // the calls that the answer took, where the file lists them; nil where it does not
	blank      bool   // a blank line
}

// First returns the SQL of the first candidate, the one that is scored; empty where there is none.
func (e Entry) First() string {
	if len(e.Candidates) == 0 {
		return ""
	}
	return e.Candidates[0].SQL
}

// File is a file of predictions or gold queries as written.
type File struct {
	Path    string
	Flag    string // by which it was given, which errors name; empty: not named
	Form    Form
	Entries []Entry // in the file's order; of Lines blank ones too
	Untaken []Field // members of JSONL's objects that are not read, by name
}

// Read reads a file. The error names the file, and the line where it is malformed.
func Read(path string) (*File, error) {
	b, err := input.Text(path, input.Predictions)
	if err != nil {
		return nil, fmt.Errorf("predictions: read %q: %w", path, input.Cause(err))
	}
	return Parse(path, b)
}

// Parse reads the text of a file; path becomes File.Path, which errors name.
func Parse(path string, b []byte) (*File, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	f := &File{Path: path, Form: Lines}
	var err error
	if looksJSON(b) {
		err = f.parseJSON(b)
	} else {
		f.Entries, err = parseLines(b)
	}
	if err != nil {
		return nil, fmt.Errorf("predictions: read %q: %w", path, err)
	}
	return f, nil
}

// Bounds of what a file says, so that none can fill the memory. A pool of 21 candidates for each of BIRD's 9,428 training
// questions has 197,988 of them.
const (
	mostEntries    = 200_000
	mostCandidates = 600_000
	mostValues     = 500_000 // JSON values of one entry
	mostDepth      = 200
)

// errMany says that a file is beyond the bounds.
var errMany = fmt.Errorf("more than %d entries or %d candidates: split the file", mostEntries, mostCandidates)

// looksJSON reports whether the text begins as a JSON object does: a brace, then a string or the other brace. No SQL does.
func looksJSON(b []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}
