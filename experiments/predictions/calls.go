package predictions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"assay/configs"
	"assay/experiments/record"
)

// Call is a call that an answer took.
type Call struct {
	Taken
	Stage  string // configs.Imported where the file states a cost, and no calls
	Sample int    // where it states no calls: the candidate's number

	// What only a file with calls states.
	CachedTokens    record.Count
	ReasoningTokens record.Count
	Finish          string // why the completion ended
	Note            string
	Failure         string // why there is no completion; empty where there is one
}

// Calls returns the calls that the file states. Where it states costs alone, there is one per candidate if any of them
// states something, otherwise one for the entry if that does. Such a call has the entry's prompt where the candidate
// has none.
func (e Entry) Calls() (out []Call) {
	if e.Made != nil {
		return e.Made
	}
	if slices.ContainsFunc(e.Candidates, func(c Candidate) bool { return c.Stated() }) {
		for i, c := range e.Candidates {
			c.Prompt = cmp.Or(c.Prompt, e.Prompt)
			out = append(out, Call{Taken: c.Taken, Stage: configs.Imported, Sample: i})
		}
		return out
	}
	if e.Stated() {
		out = []Call{{Taken: e.Taken, Stage: configs.Imported}}
	}
	return out
}

// Total returns the cost of the whole answer.
func (e Entry) Total() (t Taken) {
	if e.Made != nil && len(e.Made) == 0 { // it is known that there was no call
		return Taken{PromptTokens: record.CountOf(0), CompletionTokens: record.CountOf(0)}
	}
	for i, c := range e.Calls() {
		if i == 0 {
			t = Taken{PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens, USD: c.USD}
			continue
		}
		t = t.Plus(c.Taken)
	}
	return t
}

// callFields are the members of a call.
type callFields struct {
	Stage   string          `json:"stage"`
	Sample  int             `json:"sample"`
	Key     string          `json:"key"`
	Cached  json.RawMessage `json:"cached_tokens"`
	Reason  json.RawMessage `json:"reasoning_tokens"`
	Finish  string          `json:"finish"`
	Note    string          `json:"note"`
	Failure string          `json:"failure"`
	takenFields
}

// ofCall are the members of a call that are read.
var ofCall = append([]string{"stage", "sample", "key", "cached_tokens", "reasoning_tokens", "finish", "note", "failure"}, ofCost...)

// keyForm is how a ledger names completions.
var keyForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// call reads a call.
func call(raw json.RawMessage) (c Call, err error) {
	var f callFields
	if err := json.Unmarshal(raw, &f); err != nil {
		return c, err
	}
	c = Call{Stage: f.Stage, Sample: f.Sample, Finish: f.Finish, Note: f.Note, Failure: f.Failure}
	switch {
	case f.Stage == "" || f.Stage == configs.Imported:
		return c, fmt.Errorf("want a stage, such as \"generate\"")
	case f.Sample < 0:
		return c, fmt.Errorf("sample is %d: want a number from 0 on", f.Sample)
	case f.Key != "" && !keyForm.MatchString(f.Key):
		return c, errors.New("key is not sha256: and 64 hexadecimal digits, as a ledger names completions")
	case f.Prompt != nil:
		return c, errors.New("a call has the key of its completion in place of a prompt")
	}
	var errs [3]error
	c.Taken, errs[0] = f.taken()
	c.CachedTokens, errs[1] = tokens("cached_tokens", f.Cached)
	c.ReasoningTokens, errs[2] = tokens("reasoning_tokens", f.Reason)
	c.Key = f.Key
	return c, errors.Join(errs[:]...)
}

// made reads the calls of an entry; nil where it states none.
func (r line) made() (out []Call, err error) {
	if r.Calls == nil {
		return nil, nil
	}
	out = []Call{}
	for i, raw := range r.Calls {
		c, err := call(raw)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}
