package predictions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/prompting"
	"assay/prompting/llm"
)

// Method answers with the candidates of a file, the first of which it chooses, and asks no model: the method "imported".
type Method struct {
	items   []string
	entries map[string]Entry
	author  llm.Author
	seed    int64
}

var _ prompting.Method = (*Method)(nil)

// NewMethod returns the method of these entries, one per example. The name is that of the system that made them, and the seed
// that of all entries.
func NewMethod(examples []dataset.Example, entries []Entry, name string, seed int64) *Method {
	m := &Method{entries: make(map[string]Entry, len(entries)), author: llm.Author{Provider: configs.Imported, Model: name}, seed: seed}
	for i, x := range examples {
		m.items = append(m.items, x.Question.ID)
		m.entries[x.Question.ID] = entries[i]
	}
	return m
}

// Answer implements prompting.Method. An entry without a candidate is an answer without one.
func (m *Method) Answer(_ context.Context, q prompting.Question) (a prompting.Answer, err error) {
	e, ok := m.entries[q.ID]
	if !ok {
		return a, fmt.Errorf("predictions: answer %q: the file has no entry for it", q.ID)
	}
	for i, c := range e.Candidates {
		a.Candidates = append(a.Candidates, prompting.Candidate{Sample: i, Generator: c.Source, SQL: c.SQL, Rule: configs.Imported})
	}
	return a, nil
}

// Took returns what an item's answer took as the file states it, in total and per call; stated is true where the file lists the
// calls, so that their number is known.
func (m *Method) Took(item string) (total Taken, calls []Call, stated bool) {
	e := m.entries[item]
	calls = slices.Clone(e.Calls())
	for i := range calls {
		if calls[i].Prompt != "" {
			calls[i].Key = m.exchange(e, i, calls[i].Taken).Request.Key()
		}
	}
	return e.Total(), calls, e.Made != nil
}

// Keys lists the completions in a ledger that the file names, in its order.
func (m *Method) Keys() (out []string) {
	for _, item := range m.items {
		for _, c := range m.entries[item].Made {
			if c.Key != "" && c.Failure == "" {
				out = append(out, c.Key)
			}
		}
	}
	return out
}

// Exchange is a prompt of the file with the SQL that it led to, as a ledger stores calls.
type Exchange struct {
	Request  llm.Request
	Response llm.Response
}

// Exchanges returns the exchanges of all items whose prompt the file has.
func (m *Method) Exchanges() (out []Exchange) {
	for _, item := range m.items {
		e := m.entries[item]
		for i, t := range e.Calls() {
			if t.Prompt != "" {
				out = append(out, m.exchange(e, i, t.Taken))
			}
		}
	}
	return out
}

// exchange returns the exchange of call n of an entry. The SQL is part of the request, so that two systems with the same
// prompt have two completions in the ledger.
func (m *Method) exchange(e Entry, n int, t Taken) Exchange {
	sql := ""
	if n < len(e.Candidates) {
		sql = e.Candidates[n].SQL
	}
	return Exchange{
		Request: llm.Request{Author: m.author, Sample: n, Params: llm.Params{Seed: &m.seed, Extra: map[string]any{"sql": sql}}, Messages: []llm.Message{{Role: llm.User, Text: t.Prompt}}},
		Response: llm.Response{Text: sql, Finish: configs.Imported,
			Usage: llm.Usage{PromptTokens: t.PromptTokens.N, CompletionTokens: t.CompletionTokens.N}},
	}
}

// Hash identifies the answers: the candidates, their generators and their cost, for every item. A file and the run that was
// imported from it have the same hash.
func (m *Method) Hash() (string, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, item := range m.items {
		sql := [][2]string{}
		for _, c := range m.entries[item].Candidates {
			sql = append(sql, [2]string{c.SQL, c.Source})
		}
		_, calls, stated := m.Took(item)
		var took []Taken
		for _, c := range calls {
			c.Prompt = "" // a run stores its key alone
			took = append(took, c.Taken)
		}
		all := []any{item, sql, took}
		if stated {
			all = []any{item, sql, calls}
		}
		if err := enc.Encode(all); err != nil {
			return "", fmt.Errorf("predictions: hash of %q: %w", item, err)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
