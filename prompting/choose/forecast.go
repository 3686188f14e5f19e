package choose

import (
	"fmt"
	"strconv"
	"strings"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/outcome"
	"assay/prompting/render"
	"assay/prompting/sql/schema"
)

// Foreseer is a Chooser that asks the model, and can tell how often at most.
type Foreseer interface {
	Chooser

	// Foresee bounds the calls of choosing among n candidates that hang on the completion of the request keyed after.
	// Nothing is asked and nothing is run.
	Foresee(q prompting.Question, n int, after string) ([]prompting.Open, error)
}

var (
	_ Foreseer = (*pairwise)(nil)
	_ Foreseer = (*ranker)(nil)
)

// Foresee is one call an ordered pair at most, and one more a pair that needs a reminder.
func (p *pairwise) Foresee(q prompting.Question, n int, after string) ([]prompting.Open, error) {
	pairs := n * (n - 1)
	if p.arm.Selection.Directions == 1 {
		pairs /= 2
	}
	why := fmt.Sprintf("0 to %d pairs of candidates with different results a question", pairs)
	return p.foresee(q, min(n, 2), pairs, after, why)
}

// Foresee is one call at most, and one more where that needs a reminder.
func (r *ranker) Foresee(q prompting.Question, n int, after string) ([]prompting.Open, error) {
	return r.foresee(q, n, 1, after, "0 or 1 ranking a question, none where all candidates read the same")
}

// foresee bounds calls whose prompts show so many candidates: the whole text, results as long as they are printed,
// queries no longer than a completion.
func (s *setup) foresee(q prompting.Question, shown, calls int, after, why string) ([]prompting.Open, error) {
	if shown < 2 {
		return nil, nil
	}
	text, err := render.Schema(union(q.Schema, everything(q)), s.arm.Schema)
	if err != nil {
		return nil, fmt.Errorf("choose: forecast %q: %w", q.ID, err)
	}
	views := make([]view, shown)
	for i := range views {
		views[i] = view{Name: strconv.Itoa(i + 1), Result: longest}
	}
	first, err := s.prompt(q, text, views)
	if err != nil {
		return nil, fmt.Errorf("choose: forecast %q: %w", q.ID, err)
	}
	again, err := s.reminded(first, strings.Repeat("1 > ", maxEcho/4+1))
	if err != nil {
		return nil, fmt.Errorf("choose: forecast %q: %w", q.ID, err)
	}
	open := func(least []llm.Message, why string) prompting.Open {
		return prompting.Open{Stage: "choose", After: after, High: calls, Least: [][]llm.Message{least}, Echoes: shown * calls, Why: why}
	}
	return []prompting.Open{open(first, why), open(again, "a reminder for each answer that cannot be read")}, nil
}

// longest is as long as an outcome is printed at most.
var longest = strings.Repeat("1234 | ", (outcome.MaxText+100)/7)

// everything uses all of a question's schema.
func everything(q prompting.Question) []schema.ColumnName {
	all := q.Schema.Columns()
	for _, t := range q.Schema.Tables {
		all = append(all, schema.ColumnName{Table: t.Name})
	}
	return all
}
