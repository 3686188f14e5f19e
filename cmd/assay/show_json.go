package main

import (
	"encoding/json"

	"assay/experiments/record"
)

// The JSON of show. Its names are those of the columns in the run's files.
type (
	shownItem struct {
		Item       string        `json:"item"`
		DB         string        `json:"db"`
		Question   string        `json:"question"`
		Evidence   string        `json:"evidence,omitempty"`
		Gold       string        `json:"gold"`
		Hardness   string        `json:"hardness,omitempty"`
		Difficulty string        `json:"difficulty,omitempty"`
		Answers    []shownAnswer `json:"answers"`
	}
	shownAnswer struct {
		Arm        string             `json:"arm"`
		Point      map[string]string  `json:"point,omitempty"`
		Seed       int64              `json:"seed"`
		Status     string             `json:"status"`
		SQL        string             `json:"sql"`
		Scores     map[string]float64 `json:"scores"` // by metric id; a metric without a score is left out
		Choice     string             `json:"choice,omitempty"`
		Candidates []shownCandidate   `json:"candidates"`
		Dropped    []shownCandidate   `json:"dropped,omitempty"`
		Votes      int                `json:"votes,omitempty"`
		Steps      []shownStep        `json:"steps,omitempty"`
		Calls      []shownCall        `json:"calls,omitempty"`
	}
	shownCandidate struct {
		Sample    int    `json:"sample"`
		Generator string `json:"generator"`
		Status    string `json:"status"`
		SQL       string `json:"sql"`
		Digest    string `json:"digest,omitempty"`
		Chosen    bool   `json:"chosen,omitempty"`
		Rule      string `json:"rule,omitempty"`
		Why       string `json:"why,omitempty"`
		Trigger   string `json:"trigger,omitempty"`
		Tries     int    `json:"tries,omitempty"`
		Original  string `json:"original,omitempty"`
	}
	shownCall struct {
		Stage            string        `json:"stage"`
		Sample           int           `json:"sample"`
		Key              string        `json:"key"`
		PromptTokens     record.Count  `json:"prompt_tokens"` // null where they are unknown
		CompletionTokens record.Count  `json:"completion_tokens"`
		USD              *record.Value `json:"usd,omitempty"` // where the cost of the call is known
		CachedTokens     int           `json:"cached_tokens,omitempty"`
		ReasoningTokens  int           `json:"reasoning_tokens,omitempty"`
		Finish           string        `json:"finish,omitempty"`
		Note             string        `json:"note,omitempty"`
		Observation      string        `json:"observation,omitempty"`
		Failure          string        `json:"failure,omitempty"`
		Completion       string        `json:"completion,omitempty"` // where the ledger has it, and not under --brief
		Reasoning        string        `json:"reasoning,omitempty"`  // under the same conditions as Completion
	}
)

// printJSON prints the item as one JSON object.
func (s *story) printJSON() error {
	q := s.question
	out := shownItem{Item: q.Item, DB: q.DB, Question: q.Question, Evidence: q.Evidence, Gold: q.Gold, Hardness: q.Hardness, Difficulty: q.Difficulty}
	for _, own := range s.answers {
		it := own.Item
		a := shownAnswer{Arm: it.Arm, Seed: it.Seed, Status: string(it.Status), SQL: it.SQL, Scores: map[string]float64{}, Choice: it.Choice, Votes: len(own.Votes)}
		for i, axis := range s.run.Manifest.Axes {
			if a.Point == nil {
				a.Point = map[string]string{}
			}
			a.Point[axis] = it.Point[i]
		}
		for i, id := range s.run.Manifest.MetricIDs() {
			if it.Values[i].OK {
				a.Scores[id] = it.Values[i].V
			}
		}
		a.Candidates, a.Dropped, a.Steps = shownOf(own.Candidates), shownOf(own.Dropped), shownSteps(own.Steps)
		var err error
		if a.Calls, err = s.callsOf(own.Calls); err != nil {
			return err
		}
		out.Answers = append(out.Answers, a)
	}
	enc := json.NewEncoder(s.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// shownOf converts candidates to their JSON form.
func shownOf(pool []record.Candidate) (out []shownCandidate) {
	for _, c := range pool {
		out = append(out, shownCandidate{Sample: c.Sample, Generator: c.Generator, Status: string(c.Status), SQL: c.SQL, Digest: c.Digest,
			Chosen: c.Chosen == 1, Rule: c.Rule, Why: c.Why, Trigger: c.Trigger, Tries: c.Tries, Original: c.Original})
	}
	return out
}

// callsOf converts calls to their JSON form, with completions out of the ledger but without prompts: these would repeat a
// whole dialogue for every turn.
func (s *story) callsOf(calls []record.Call) (out []shownCall, err error) {
	for _, c := range calls {
		if !s.excerpt.keeps(c) {
			continue
		}
		x := shownCall{Stage: c.Stage, Sample: c.Sample, Key: c.Key, PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens,
			CachedTokens: c.CachedTokens.N, ReasoningTokens: c.ReasoningTokens.N, Finish: c.Finish,
			Note: c.Note, Observation: c.Observation, Failure: c.Failure}
		if c.USD.OK {
			x.USD = &c.USD
		}
		if s.ledger != nil && !s.brief && c.Failure == "" && c.Key != "" {
			got, ok, err := exchange(s.ctx, s.ledger, c.Key, false)
			if err != nil {
				return nil, err
			}
			if ok {
				x.Completion, x.Reasoning = got.Completion, got.Reasoning
			}
		}
		out = append(out, x)
	}
	return out, nil
}
