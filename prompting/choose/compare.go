package choose

import (
	"context"
	"errors"
	"fmt"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/sql/sandbox"
)

// Comparison builds the prompts of rule pairwise without asking: for training data of a model that is to select. It is
// safe for concurrent use.
type Comparison struct{ s setup }

// NewComparison makes the comparisons of an arm's schema settings; box runs the queries.
func NewComparison(box sandbox.Runner, arm configs.Arm) (*Comparison, error) {
	text, err := template.ParseFS(prompts, "prompts/pairwise.tmpl")
	if err == nil && box == nil {
		err = errors.New("no sandbox to run candidates in")
	}
	if err != nil {
		return nil, fmt.Errorf("choose: comparison of arm %q: %w", arm.Name, err)
	}
	return &Comparison{setup{rule: inPairs, box: box, text: text, arm: arm}}, nil
}

// Prompt returns the messages that rule pairwise sends of two queries, a shown first. Of queries that return the same it
// asks nothing: the messages are nil.
func (c *Comparison) Prompt(ctx context.Context, q prompting.Question, a, b string) ([]llm.Message, error) {
	messages, err := c.prompt(ctx, q, a, b)
	if err != nil {
		return nil, fmt.Errorf("choose: compare queries of %q: %w", q.ID, err)
	}
	return messages, nil
}

func (c *Comparison) prompt(ctx context.Context, q prompting.Question, a, b string) ([]llm.Message, error) {
	if q.Schema == nil {
		return nil, errors.New("the question has no schema")
	}
	first, err := c.s.entry(ctx, q, a)
	if err != nil {
		return nil, err
	}
	second, err := c.s.entry(ctx, q, b)
	if err != nil || first.result == second.result {
		return nil, err
	}
	return c.s.messages(q, []entry{first, second}, []string{"A", "B"})
}
