package retry

import (
	"context"
	"fmt"
	"sync"

	"assay/prompting/llm"
)

// OpenError ends a run whose provider fails one request after another.
type OpenError struct {
	Failures int          // in a row
	Last     *llm.Failure // the last of them
}

// Error tells what happened and what to do.
func (e *OpenError) Error() string {
	last := e.Last.Reason
	if e.Last.Err != nil {
		last += ": " + e.Last.Err.Error()
	}
	return fmt.Sprintf("retry: %d requests in a row failed, the last with %s: the run stops here; nothing that was answered is lost, and the same command goes on from here when the provider answers again", e.Failures, last)
}

// circuit counts requests that failed in a row, and opens for good at a number of them.
type circuit struct {
	most   int // never opens if negative
	ctx    context.Context
	opened <-chan struct{}
	cancel context.CancelFunc

	mu    sync.Mutex
	row   int
	cause *OpenError
}

func newCircuit(most int) *circuit {
	ctx, cancel := context.WithCancel(context.Background())
	return &circuit{most: most, ctx: ctx, opened: ctx.Done(), cancel: cancel}
}

func (c *circuit) success() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row = 0
}

// failure counts one, and returns the error that ends the run if it opens the circuit or finds it open.
func (c *circuit) failure(f *llm.Failure) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row++
	if c.cause == nil && c.most > 0 && c.row >= c.most {
		c.cause = &OpenError{c.row, f}
		c.cancel()
	}
	if c.cause != nil {
		return c.cause
	}
	return nil
}

// err returns the error that ends the run, nil while it goes on.
func (c *circuit) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return nil
	}
	return c.cause
}
