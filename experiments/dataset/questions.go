package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/configs/input"
)

// ErrNoQuestions says that the dataset's folder has no file of the split's questions.
var ErrNoQuestions = errors.New("no questions")

// split is one part of a dataset: where its questions are.
type split struct {
	name     string
	files    []string // tried in order, in the dataset's folder
	question string   // the member that holds the question; "question" if empty
}

// splitNames lists splits as documentation does.
func splitNames(all []split) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.name
	}
	return strings.Join(names, ", ")
}

// form names the members of a JSON record by what they hold; the first member that exists counts.
type form struct{ id, question, gold []string }

// splitFile finds the questions of the configured split, or of the split given: the file dataset.questions, or the
// first of the split's files that exists.
func (l *loader) splitFile(splits []split, name string, questions string) (split, string, error) {
	found := split{name: name}
	known := make([]string, len(splits))
	for i, s := range splits {
		if known[i] = s.name; s.name == name {
			found = s
		}
	}
	if questions != "" {
		if !filepath.IsAbs(questions) {
			questions = filepath.Join(l.cfg.Path, questions)
		}
		return found, questions, nil
	}
	if found.files == nil {
		return found, "", fmt.Errorf("unknown split %q: there are %s (or state dataset.questions)", name, strings.Join(known, ", "))
	}
	for _, f := range found.files {
		path := filepath.Join(l.cfg.Path, f)
		if _, err := os.Stat(path); err == nil {
			return found, path, nil
		}
	}
	return found, "", fmt.Errorf("%w: no %s in %q: state the dataset's folder with dataset.path or --data, or the file with dataset.questions",
		ErrNoQuestions, strings.Join(found.files, " or "), l.cfg.Path)
}

// readJSON reads a file without the byte order mark some begin with.
func readJSON(path string, most input.Bound) ([]byte, error) {
	b, err := input.Text(path, most)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, input.Cause(err))
	}
	return b, nil
}

// readQuestions reads a JSON array of records. Records that cannot be asked are warnings; it is an error where none is usable.
func (l *loader) readQuestions(path string, f form) ([]item, error) {
	b, err := readJSON(path, input.Questions)
	if err != nil {
		return nil, err
	}
	items, bad, err := parseQuestions(b, f)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	for _, w := range bad {
		l.warn(path, w.Item, "%s", w.Text)
	}
	if len(items) == 0 {
		why := "it is empty"
		if len(bad) > 0 {
			why = bad[0].Item + ": " + bad[0].Text
		}
		return nil, fmt.Errorf("read %q: no usable question: %s", path, why)
	}
	return items, nil
}

// Bounds of what a dataset's file describes, so that no file can fill the memory. The largest in public use have some ten
// thousand questions, and records of some hundred values.
const (
	mostRecords = 200_000 // questions of a file
	mostValues  = 2_000_000
	mostDepth   = 200
)

// parseQuestions reads the text of a question file. bad holds the records left out, by position.
func parseQuestions(b []byte, f form) (items []item, bad []Warning, err error) {
	n := 0
	add := func(have map[string]json.RawMessage) bool {
		if n++; n > mostRecords {
			return false
		}
		it, why := f.item(have)
		if why != "" {
			bad = append(bad, Warning{Item: "record " + strconv.Itoa(n), Text: "left out: " + why})
			return true
		}
		items = append(items, it)
		return true
	}
	if f.skim(b, add) {
		return items, bad, nil
	}
	if n <= mostRecords {
		n, items, bad = 0, nil, nil
		err = records(b, "questions", func(raw json.RawMessage) bool {
			var have map[string]json.RawMessage
			if input.Shape(raw, mostDepth, mostValues) != nil || json.Unmarshal(raw, &have) != nil {
				have = nil
			}
			return add(have)
		})
	}
	if n > mostRecords {
		err = fmt.Errorf("more than %d questions: split the file", mostRecords)
	}
	return items, bad, err
}

// records calls take with each value of a JSON array, until it returns false; of names what the array should hold.
func records(b []byte, of string, take func(json.RawMessage) bool) error {
	d := json.NewDecoder(bytes.NewReader(b))
	start, err := d.Token()
	if err == nil && start != json.Delim('[') {
		err = fmt.Errorf("it begins with %v", start)
	}
	for err == nil && d.More() {
		var raw json.RawMessage
		if err = d.Decode(&raw); err == nil && !take(raw) {
			return nil
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	if err == nil && d.More() {
		err = errors.New("something follows the array")
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends before the array does")
	}
	if err != nil {
		return fmt.Errorf("want a JSON array of %s: %w", of, err)
	}
	return nil
}

// skim calls add with the members of each record that the form reads, until it returns false; nil for a value that is no
// object.
func (f form) skim(b []byte, add func(map[string]json.RawMessage) bool) (ok bool) {
	have := make(map[string]json.RawMessage, 8)
	take := func(name, value []byte) {
		if n := string(name); f.reads(n) {
			have[n] = value
		}
	}
	return each(b, func(i int) int {
		if b[i] != '{' {
			if !add(nil) {
				return -1
			}
			return valueEnd(b, i)
		}
		clear(have)
		end := membersAt(b, i, take)
		if !add(have) {
			return -1
		}
		return end
	})
}

// item reads one record's members; why says what makes it unusable.
func (f form) item(have map[string]json.RawMessage) (it item, why string) {
	if have == nil {
		return it, "not an object"
	}
	take := func(read func(json.RawMessage) (string, bool), names ...string) string {
		for _, n := range names {
			if s, ok := read(have[n]); ok {
				return strings.TrimSpace(s)
			}
		}
		return ""
	}
	it = item{
		id: clean(take(textOrNumber, f.id...)), db: take(text, "db_id"), question: take(text, f.question...),
		gold: take(text, f.gold...), evidence: take(text, "evidence"), difficulty: take(text, "difficulty"),
	}
	switch {
	case it.db == "":
		return it, "no db_id, or not text"
	case it.question == "":
		return it, fmt.Sprintf("no %s, or not text", f.question[0])
	}
	return it, ""
}

func (f form) reads(member string) bool {
	switch member {
	case "db_id", "evidence", "difficulty":
		return true
	}
	return slices.Contains(f.question, member) || slices.Contains(f.gold, member) || slices.Contains(f.id, member)
}

// text reads a JSON string.
func text(raw json.RawMessage) (s string, ok bool) { return unquote(raw) }

// textOrNumber reads a JSON string, or a number as it is written.
func textOrNumber(raw json.RawMessage) (string, bool) {
	if s, ok := text(raw); ok {
		return s, true
	}
	var n json.Number
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil {
		return "", false
	}
	return n.String(), true
}

// clean makes a record's own id usable in dataset/split/id and in a CSV cell.
func clean(id string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r == 0x7f {
			return '_'
		}
		return r
	}, id)
}
