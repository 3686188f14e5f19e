package predictions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/record"
)

// Taken is what a file says that an answer or a candidate of it took. What it does not say is unknown.
type Taken struct {
	PromptTokens     record.Count
	CompletionTokens record.Count
	USD              record.Value // US dollars
	Prompt           string       // its text
	Key              string       // under which a ledger has it; of a stored run, whose prompts stand in no file
}

// Said reports whether the file says anything of it.
func (t Taken) Said() bool { return t != Taken{} }

// measured reports whether it says more than a prompt.
func (t Taken) measured() bool {
	return Taken{PromptTokens: t.PromptTokens, CompletionTokens: t.CompletionTokens, USD: t.USD}.Said()
}

// Plus adds what two took; it has no prompt.
func (t Taken) Plus(u Taken) Taken {
	return Taken{PromptTokens: t.PromptTokens.Plus(u.PromptTokens), CompletionTokens: t.CompletionTokens.Plus(u.CompletionTokens), USD: t.USD.Plus(u.USD)}
}

// Calls are the calls that the file tells of: one of each candidate where one of them says anything, else one of the
// entry where that does. The number of a call is that of its candidate, whose prompt is the entry's where it has none of
// its own.
func (e Entry) Calls() (out []Taken) {
	if slices.ContainsFunc(e.Candidates, func(c Candidate) bool { return c.Said() }) {
		for _, c := range e.Candidates {
			c.Prompt = cmp.Or(c.Prompt, e.Prompt)
			out = append(out, c.Taken)
		}
		return out
	}
	if e.Said() {
		out = []Taken{e.Taken}
	}
	return out
}

// Total is what the whole answer took.
func (e Entry) Total() (t Taken) {
	for i, c := range e.Calls() {
		if i == 0 {
			t = Taken{PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens, USD: c.USD}
			continue
		}
		t = t.Plus(c)
	}
	return t
}

// takenFields are the members of an object that say what it took.
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

// Field is a member of a file's objects that is not taken, with how many objects have it.
type Field struct {
	Name    string
	Objects int
}

// The members of entries and candidates that are taken, in lower case; JSON's names are matched so.
var (
	ofTaken     = []string{"prompt_tokens", "completion_tokens", "cost_usd", "prompt"}
	ofEntry     = append([]string{"id", "db_id", "sql", "candidates", "seed"}, ofTaken...)
	ofCandidate = append([]string{"sql", "source"}, ofTaken...)
)

// untaken counts the members of an object that are not among those known, "candidates." before those of a candidate.
func (f *File) untaken(object json.RawMessage, prefix string, known []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return // no object: a candidate that is its SQL alone
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

// Doubts names the fields that are not taken, in one sentence; nil where there are none.
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
	return []string{fmt.Sprintf("the predictions have fields that are not taken, and nothing of them is in the run: %s; taken are %s",
		strings.Join(names, ", "), strings.Join(ofEntry, ", "))}
}

// Seed is the one seed that all entries of the file have, nil where none has one. A file of several is an error: a run of
// others' predictions has one answer an item.
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
