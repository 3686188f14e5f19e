package ledger

import (
	"context"
	"fmt"
	"sync/atomic"

	"assay/prompting/llm"

	"golang.org/x/sync/singleflight"
)

// Model is a model with a ledger around it: a request that the ledger holds is answered from it, any other is asked,
// stored, and only then returned.
type Model struct {
	ledger  *Ledger
	inner   llm.Model
	offline bool
	group   singleflight.Group

	cached, called, failed atomic.Int64
}

var _ llm.Model = (*Model)(nil)

// Wrap puts the ledger around inner. Offline, inner is never asked (and may be nil): a request the ledger does not
// hold is a [*MissError].
func (l *Ledger) Wrap(inner llm.Model, offline bool) *Model {
	return &Model{ledger: l, inner: inner, offline: offline}
}

// MissError is a request that the ledger does not hold, asked offline.
type MissError struct {
	Request llm.Request
	Path    string // the ledger's file
}

// Error names the request by provider, model, key and the start of its last message, and tells the remedies.
func (e *MissError) Error() string {
	last := ""
	if n := len(e.Request.Messages); n > 0 {
		last = e.Request.Messages[n-1].Text
	}
	const show = 120
	if len(last) > show {
		last = "..." + last[len(last)-show:]
	}
	return fmt.Sprintf("ledger: offline: %q has no completion for %s/%s sample %d (%s), a prompt that ends in %q: run without --offline, or import the ledger that has it",
		e.Path, e.Request.Provider, e.Request.Model, e.Request.Sample, e.Request.Key(), last)
}

// Generate answers from the ledger, or asks and stores. Equal requests in flight at once are asked once.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	key := r.Key()
	resp, ok, err := m.ledger.Get(ctx, key)
	if err != nil {
		return llm.Response{}, err
	}
	if ok {
		m.cached.Add(1)
		return resp, nil
	}
	if m.offline {
		return llm.Response{}, &MissError{r, m.ledger.path}
	}
	v, err, _ := m.group.Do(key, func() (any, error) { return m.ask(ctx, r) })
	if err != nil {
		return llm.Response{}, err
	}
	return v.(llm.Response), nil
}

func (m *Model) ask(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, err := m.inner.Generate(ctx, r)
	if err != nil {
		m.failed.Add(1)
		return llm.Response{}, err
	}
	m.called.Add(1)
	resp.Cached = false
	return resp, m.ledger.Put(ctx, r, resp)
}

// Counts says what a Model did so far.
type Counts struct {
	Cached int64 // answered by the ledger
	Called int64 // asked and answered
	Failed int64 // asked, and no completion came
}

// Counts returns what the model did so far.
func (m *Model) Counts() Counts {
	return Counts{m.cached.Load(), m.called.Load(), m.failed.Load()}
}
