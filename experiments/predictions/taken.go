package predictions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/record"
)

// Taken is the cost of an answer or a candidate as a file states it. What the file does not state is unknown.
type Taken struct {
	PromptTokens     record.Count
	CompletionTokens record.Count
	USD              record.Value // US dollars
	Prompt           string       // the prompt's text
	Key              string       // the completion's key in a ledger: of a call, or of a stored run, which has no prompts
}

// Stated reports whether the file states anything.
func (t Taken) Stated() bool { return t != Taken{} }

// measured reports whether the file states more than a prompt.
func (t Taken) measured() bool {
	return Taken{PromptTokens: t.PromptTokens, CompletionTokens: t.CompletionTokens, USD: t.USD}.Stated()
}

// Plus adds two costs; the sum has no prompt.
func (t Taken) Plus(u Taken) Taken {
	return Taken{PromptTokens: t.PromptTokens.Plus(u.PromptTokens), CompletionTokens: t.CompletionTokens.Plus(u.CompletionTokens), USD: t.USD.Plus(u.USD)}
}

// takenFields are the members of an object that state its cost.
type takenFields struct {
	PromptTokens     json.RawMessage `json:"prompt_tokens"`
	CompletionTokens json.RawMessage `json:"completion_tokens"`
	CostUSD          json.RawMessage `json:"cost_usd"`
	Prompt           *string         `json:"prompt"`
}

func (f takenFields) taken() (t Taken, err error) {
	var errs [3]error
	t.PromptTokens, errs[0] = tokens("prompt_tokens", f.PromptTokens)
	t.CompletionTokens, errs[1] = tokens("completion_tokens", f.CompletionTokens)
	t.USD, errs[2] = amount("cost_usd", f.CostUSD)
	if f.Prompt != nil {
		t.Prompt = *f.Prompt
	}
	return t, errors.Join(errs[:]...)
}

// amount reads a number that is not below 0; null stands for none.
func amount(name string, raw json.RawMessage) (v record.Value, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return v, nil
	}
	v.V, err = strconv.ParseFloat(string(raw), 64)
	if err != nil || v.V < 0 || math.IsInf(v.V, 0) || math.IsNaN(v.V) {
		return record.Value{}, fmt.Errorf("%s is %s: want a number from 0 on, or null", name, clip(raw))
	}
	v.OK = true
	return v, nil
}

// mostTokens bounds a count, so that sums of counts stay exact.
const mostTokens = 1 << 40

// tokens reads a whole number from 0 on, also written as 12.0; null stands for none.
func tokens(name string, raw json.RawMessage) (record.Count, error) {
	v, err := amount(name, raw)
	if err != nil || !v.OK {
		return record.Count{}, err
	}
	if v.V != math.Trunc(v.V) || v.V > mostTokens {
		return record.Count{}, fmt.Errorf("%s is %s: want a whole number of tokens", name, clip(raw))
	}
	return record.CountOf(int(v.V)), nil
}

func clip(raw json.RawMessage) string {
	const most = 40
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "..."
	}
	return string(raw)
}

// seed reads the seed of an answer, nil for none.
func seed(raw json.RawMessage) (*int64, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil {
		return nil, fmt.Errorf("seed is %s: want a whole number", clip(raw))
	}
	return &n, nil
}

// Field is a member of a file's objects that is not read, with the number of objects that have it.
type Field struct {
	Name    string
	Objects int
}

// The members of entries and candidates that are read, in lower case, as encoding/json ignores letter case.
var (
	ofCost      = []string{"prompt_tokens", "completion_tokens", "cost_usd"}
	ofTaken     = append([]string{"prompt"}, ofCost...)
	ofEntry     = append([]string{"id", "db_id", "sql", "candidates", "seed", "calls"}, ofTaken...)
	ofCandidate = append([]string{"sql", "source"}, ofTaken...)
)

// untaken counts the members of an object that are not known, with the prefix "candidates." for those of a candidate.
func (f *File) untaken(object json.RawMessage, prefix string, known []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return // a candidate that is a text, its SQL
	}
	for name := range members {
		if slices.Contains(known, strings.ToLower(name)) {
			continue
		}
		i, found := slices.BinarySearchFunc(f.Untaken, prefix+name, func(x Field, name string) int { return strings.Compare(x.Name, name) })
		if !found {
			f.Untaken = slices.Insert(f.Untaken, i, Field{Name: prefix + name})
		}
		f.Untaken[i].Objects++
	}
}

// Doubts returns a warning that names the fields that are not read; nil where there are none.
func (f *File) Doubts() []string {
	if len(f.Untaken) == 0 {
		return nil
	}
	const shown = 12
	var names []string
	for i, x := range f.Untaken {
		if i == shown {
			names = append(names, fmt.Sprintf("and %d more", len(f.Untaken)-shown))
			break
		}
		names = append(names, fmt.Sprintf("%q (%d)", x.Name, x.Objects))
	}
	return []string{fmt.Sprintf("the predictions have fields that are not read, so the run has nothing of them: %s; the fields read are %s",
		strings.Join(names, ", "), strings.Join(ofEntry, ", "))}
}

// Seed returns the seed that all entries of the file have, nil where none has one. A file with several seeds is an error, as
// an imported run has one answer per item.
func (f *File) Seed() (*int64, error) {
	for _, e := range f.Entries {
		first := f.Entries[0]
		switch {
		case e.Seed == nil && first.Seed == nil:
		case e.Seed == nil || first.Seed == nil:
			return nil, fmt.Errorf("predictions: %q: of the entries on line %d and line %d only one has a seed: give all or none one", f.Path, first.Line, e.Line)
		case *e.Seed != *first.Seed:
			return nil, fmt.Errorf("predictions: %q: line %d has seed %d, and line %d seed %d: import a file of each seed, under a name of its own",
				f.Path, first.Line, *first.Seed, e.Line, *e.Seed)
		}
	}
	if len(f.Entries) == 0 {
		return nil, nil
	}
	return f.Entries[0].Seed, nil
}
