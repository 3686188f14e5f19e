package pipeline

import (
	"context"
	"errors"
	"fmt"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/script"
	"assay/prompting/sql/sandbox"
)

// Comparison builds the prompts of rule pairwise without asking: for training data of a model that is to select. It is
// safe for concurrent use.
type Comparison struct{ part *script.Part }

// NewComparison makes the comparisons of an arm's schema settings; box runs the queries.
func NewComparison(box sandbox.Runner, arm configs.Arm) (*Comparison, error) {
	arm.Selection.Directions = 1 // the comparison in the other order would be asked at the same time
	part, err := Part(script.Choose, "pairwise", script.Setup{Deps: prompting.Deps{Model: noting{}, Box: box}, Arm: arm})
	if err != nil {
		return nil, fmt.Errorf("pipeline: comparison of arm %q: %w", arm.Name, err)
	}
	return &Comparison{part}, nil
}

// noting is a model that answers nothing: it notes the first request of a context.
type noting struct{}

type notedKey struct{}

// Generate notes the request's messages.
func (noting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if to, ok := ctx.Value(notedKey{}).(*[]llm.Message); ok && *to == nil {
		*to = r.Messages
	}
	return llm.Response{}, prompting.ErrUnknown
}

// Prompt returns the messages that rule pairwise sends of two queries, a shown first. Of queries that return the same it
// asks nothing: the messages are nil.
func (c *Comparison) Prompt(ctx context.Context, q prompting.Question, a, b string) (messages []llm.Message, err error) {
	_, err = c.part.Choose(context.WithValue(ctx, notedKey{}, &messages), q, []prompting.Candidate{{SQL: a}, {SQL: b}})
	if err != nil && !errors.Is(err, prompting.ErrUnknown) {
		return nil, fmt.Errorf("pipeline: compare queries of %q: %w", q.ID, err)
	}
	return messages, nil
}
