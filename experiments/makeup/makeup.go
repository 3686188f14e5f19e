// Package makeup counts the composition of an arm's first prompt: its tokens, part by part.
//
// The caller supplies a function that builds an item's prompt with some parts left out. Parts are removed one after the
// other, each loss is that part's tokens, and the means over the items are written to a run's folder, from which
// reports read them. The package must never change a prompt that is sent.
package makeup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"assay/configs/input"
	"assay/configs/output"
	"assay/experiments/cost"
	"assay/metrics/spreadsheet"

	"github.com/gocarina/gocsv"
)

// file is the name of the file of parts in a run's folder.
const file = "parts.csv"

// The parts of a prompt, in the order of tables. Instruction is what is left when all others are removed.
const (
	Instruction    = "instruction"
	Tools          = "tools"
	Demonstrations = "demonstrations"
	Schema         = "schema"
	Question       = "question"
	Evidence       = "evidence"
)

// Names lists all parts.
var Names = []string{Instruction, Tools, Demonstrations, Schema, Question, Evidence}

// Short has the names of parts for where there is little room, of those that have one.
var Short = map[string]string{Instruction: "instr.", Demonstrations: "demos"}

// removal is the order in which parts are removed. A demonstration is removed before the parts on which it depends.
var removal = []string{Demonstrations, Evidence, Question, Schema, Tools}

// Part is one part of an arm's first prompt, averaged over some items.
type Part struct {
	Arm    string  `csv:"arm"`
	Point  string  `csv:"point"` // the sweep's values, by record.Listing; empty without a sweep
	Name   string  `csv:"part"`
	Tokens float64 `csv:"tokens"` // mean over the items
	Low    int64   `csv:"low"`
	High   int64   `csv:"high"`
	Items  int     `csv:"items"`
	How    string  `csv:"how"` // how tokens are counted
}

// Prompt returns the first prompt of the i-th item without the named parts.
type Prompt func(i int, without []string) ([]cost.Message, error)

// Count removes the parts one after the other, each together with those before it, so that they add up to the whole
// prompt. A part that no item has is left out.
func Count(items int, prompt Prompt, counter *cost.Counter) ([]Part, error) {
	out := make([]Part, len(Names))
	for k, name := range Names {
		out[k] = Part{Name: name, Items: items, How: counter.How()}
	}
	for i := range items {
		tokens, err := count(i, prompt, counter)
		if err != nil {
			return nil, fmt.Errorf("makeup: count: %w", err)
		}
		for k := range out {
			p := &out[k]
			p.Tokens += float64(tokens[k]) / float64(items)
			if p.High = max(p.High, tokens[k]); i == 0 || tokens[k] < p.Low {
				p.Low = tokens[k]
			}
		}
	}
	return slices.DeleteFunc(out, func(p Part) bool { return p.Low == 0 && p.High == 0 }), nil
}

// count returns the tokens of each part of one item's prompt, in the order of Names.
func count(i int, prompt Prompt, counter *cost.Counter) ([]int64, error) {
	out := make([]int64, len(Names))
	whole, err := size(i, prompt, nil, counter)
	for n, name := range removal {
		if err != nil {
			return nil, err
		}
		var rest int64
		rest, err = size(i, prompt, removal[:n+1], counter)
		out[slices.Index(Names, name)] = whole - rest
		whole = rest
	}
	out[0] = whole
	return out, err
}

// size returns the tokens of the i-th item's prompt without the named parts.
func size(i int, prompt Prompt, without []string, counter *cost.Counter) (int64, error) {
	messages, err := prompt(i, without)
	if err != nil {
		return 0, err
	}
	return counter.Prompt(messages), nil
}

// Write writes the parts into a run's folder.
func Write(dir string, parts []Part) error {
	err := output.File(filepath.Join(dir, file), func(w io.Writer) error { return gocsv.MarshalCSV(parts, spreadsheet.NewWriter(w)) })
	if err != nil {
		return fmt.Errorf("makeup: write into %q: %w", dir, err)
	}
	return nil
}

// Read returns the parts in a run's folder, nil if they were not counted.
func Read(dir string) (parts []Part, err error) {
	f, err := input.Open(filepath.Join(dir, file), input.Rows)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer f.Close()
		err = gocsv.UnmarshalCSV(spreadsheet.NewReader(f), &parts)
	}
	if err != nil {
		return nil, fmt.Errorf("makeup: read %q: %w", filepath.Join(dir, file), err)
	}
	return parts, nil
}
