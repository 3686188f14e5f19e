package llm

import "context"

// Reacher is a Model that can check whether its server is there, without a request that costs anything.
type Reacher interface {
	// Reach returns nil if the server answers, whatever it says, and else an error of the same kinds as Generate's. A
	// busy server may take long to answer; the context bounds the wait.
	Reach(ctx context.Context) error
}
