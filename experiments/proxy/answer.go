package proxy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/prompting"
	"assay/prompting/command"
)

// Entry is an answer as a file of predictions holds it, one per line.
type Entry struct {
	ID         string              `json:"id"`
	DB         string              `json:"db_id"`
	Candidates []command.Candidate `json:"candidates"` // the chosen one first
	Seed       int64               `json:"seed"`       // of the run that the answers may become
	Calls      []Call              `json:"calls"`
}

// Call is a call that an answer took.
type Call struct {
	Stage            string   `json:"stage"`
	Sample           int      `json:"sample"` // of the item
	Key              string   `json:"key"`    // of the completion in the ledger
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	CachedTokens     int      `json:"cached_tokens"`
	ReasoningTokens  int      `json:"reasoning_tokens"`
	USD              *float64 `json:"cost_usd"` // nil where the price is not known
	Finish           string   `json:"finish,omitempty"`
	Note             string   `json:"note,omitempty"`
	Failure          string   `json:"failure,omitempty"`
}

// answer is what a program posted for a sample of an item, with the calls before it.
type answer struct {
	candidates []command.Candidate
	calls      []Call
}

// read reads an answer. The chosen candidate comes first.
func read(body []byte) ([]command.Candidate, error) {
	var in struct {
		SQL        *string             `json:"sql"`
		Candidates []command.Candidate `json:"candidates"`
		Chosen     int                 `json:"chosen"`
	}
	err := command.Decode(body, &in)
	switch {
	case err != nil:
		return nil, fmt.Errorf(`proxy: the answer cannot be read: %w: want {"sql": "..."}, or {"candidates": [...], "chosen": 0}`, err)
	case (in.SQL == nil) == (in.Candidates == nil):
		return nil, errors.New("proxy: an answer has either sql or candidates")
	case in.SQL != nil:
		in.Candidates = []command.Candidate{{SQL: *in.SQL}}
	}
	n := len(in.Candidates)
	if why := command.Misfit(n, in.Chosen); why != "" {
		return nil, fmt.Errorf("proxy: the answer cannot be taken: %s", why)
	}
	for i := range in.Candidates {
		in.Candidates[i].SQL = strings.TrimSpace(in.Candidates[i].SQL)
	}
	if n == 0 {
		return []command.Candidate{}, nil
	}
	chosen := in.Candidates[in.Chosen]
	return append([]command.Candidate{chosen}, slices.Delete(in.Candidates, in.Chosen, in.Chosen+1)...), nil
}

// settle answers POST item/ID/answer: the exchange ends, and the item's entry has what it took.
func (p *Proxy) settle(q *request) error {
	at := q.to.at()
	candidates, err := read(q.body)
	if err != nil {
		return err
	}
	rec, err := p.end(at)
	if err != nil {
		return fmt.Errorf("proxy: the answer does not count: %w", err)
	}
	a := answer{candidates: candidates, calls: []Call{}}
	for _, c := range rec.Trace {
		a.calls = append(a.calls, p.priced(c, at.sample))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers[at.item] == nil {
		p.answers[at.item] = map[int]answer{}
	}
	p.answers[at.item][at.sample] = a
	if err := p.o.Answered(p.entry(q.to.question)); err != nil {
		return fmt.Errorf("proxy: the answer is not kept: %w", err)
	}
	return q.send(map[string]any{"id": at.item, "calls": len(a.calls)})
}

// priced returns a call of the trace as the file has it. Its sample is that of the answer, as in the runs of programs.
func (p *Proxy) priced(c prompting.Call, sample int) Call {
	out := Call{Stage: c.Stage, Sample: sample, Key: c.Key, PromptTokens: c.Usage.PromptTokens, CompletionTokens: c.Usage.CompletionTokens,
		CachedTokens: c.Usage.CachedTokens, ReasoningTokens: c.Usage.ReasoningTokens, Finish: c.Finish, Note: c.Note, Failure: c.Failure}
	if usd, ok := p.o.Price(c); ok {
		out.USD = &usd
	}
	return out
}

// entry returns an item's answer over all its samples, in their order.
func (p *Proxy) entry(q prompting.Question) Entry {
	e := Entry{ID: q.ID, DB: q.DB, Candidates: []command.Candidate{}, Seed: p.o.Seed, Calls: []Call{}}
	for _, sample := range slices.Sorted(maps.Keys(p.answers[q.ID])) {
		a := p.answers[q.ID][sample]
		e.Candidates, e.Calls = append(e.Candidates, a.candidates...), append(e.Calls, a.calls...)
	}
	return e
}
