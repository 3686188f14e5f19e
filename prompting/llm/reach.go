package llm

import "context"

// Reacher is a Model whose server can be met without a request to it.
type Reacher interface {
	// Reach returns nil where the server answers, whatever it says, and else an error of the kinds that Generate has. A
	// server at work may take long to answer; the context bounds that.
	Reach(ctx context.Context) error
}
