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

// Forecaster is a Chooser that calls the model, and can bound the number of its calls.
type Forecaster interface {
	Chooser

	// Forecast bounds the calls of a choice among n candidates, which the completion of the request keyed after
	// decides. It makes no call and runs no query.
	Forecast(q prompting.Question, n int, after string) ([]prompting.Open, error)
}

var (
	_ Forecaster = (*pairwise)(nil)
	_ Forecaster = (*ranker)(nil)
)

// Forecast returns at most one call per ordered pair, and one more per pair that needs a reminder.
func (p *pairwise) Forecast(q prompting.Question, n int, after string) ([]prompting.Open, error) {
	pairs := n * (n - 1)
	if p.arm.Selection.Directions == 1 {
		pairs /= 2
	}
	why := fmt.Sprintf("0 to %d pairs of candidates with different results a question", pairs)
	return p.forecast(q, min(n, 2), pairs, after, why)
}

// Forecast returns one call at most, and one more where that needs a reminder.
func (r *ranker) Forecast(q prompting.Question, n int, after string) ([]prompting.Open, error) {
	return r.forecast(q, n, 1, after, "0 or 1 ranking a question, none where all candidates read the same")
}

// forecast bounds calls whose prompts show that many candidates: the whole text, results as long as they are printed,
// queries no longer than a completion.
func (s *setup) forecast(q prompting.Question, shown, calls int, after, why string) ([]prompting.Open, error) {
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
