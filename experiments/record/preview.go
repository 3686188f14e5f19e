package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"assay/prompting/sql/engine"
)

// Bounds on what a Result stores, which keep results.csv small for queries without a LIMIT.
const (
	PreviewRows    = 10 // rows
	PreviewColumns = 20 // values per row
	PreviewCell    = 80 // characters of a value or a column's name
)

// ResultOf returns what a run stores of a query's result: its digest, its number of rows, and the first rows. NULL is printed
// as the word, a blob as its length; a truncated text ends in "...".
func ResultOf(item string, r *engine.Result) Result {
	lines := [][]string{clipped(r.Columns)}
	for _, row := range r.Rows[:min(len(r.Rows), PreviewRows)] {
		cells := make([]string, min(len(row), PreviewColumns))
		for i := range cells {
			cells[i] = preview(row[i])
		}
		lines = append(lines, cells)
	}
	b, err := json.Marshal(lines)
	if err != nil { // texts always encode
		b = nil
	}
	return Result{Item: item, Digest: Digest(r), Rows: len(r.Rows), Preview: string(b)}
}

// Digest names a result in a run. Results that differ only in the order of their rows have the same digest.
func Digest(r *engine.Result) string { return r.MultisetDigest()[:16] }

// Lines decodes a Preview: the names of the columns, then the rows; nil where it is empty or malformed.
func (r Result) Lines() (lines [][]string) {
	if json.Unmarshal([]byte(r.Preview), &lines) != nil {
		return nil
	}
	return lines
}

// clipped returns the first texts, each truncated.
func clipped(texts []string) []string {
	out := make([]string, min(len(texts), PreviewColumns))
	for i := range out {
		out[i] = clip(texts[i])
	}
	return out
}

// preview prints a value as a person reads it.
func preview(v engine.Value) string {
	switch v.Kind() {
	case engine.Null:
		return "NULL"
	case engine.Blob:
		return fmt.Sprintf("(blob of %d bytes)", len(v.Bytes()))
	}
	return clip(v.String())
}

// clip keeps the first characters of a text, valid UTF-8.
func clip(s string) string {
	if len(s) > PreviewCell && utf8.RuneCountInString(s) > PreviewCell {
		s = string([]rune(s)[:PreviewCell]) + "..."
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
