package cost

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Charge is an amount spent.
type Charge struct {
	USD    float64 `toml:"usd" json:"usd"`
	Tokens int64   `toml:"tokens" json:"tokens"`
	Calls  int64   `toml:"calls" json:"calls"`

	Unpriced int64 `toml:"unpriced" json:"unpriced"`               // of Calls, those of unknown price, which USD does not include
	Batch    int64 `toml:"batch,omitempty" json:"batch,omitempty"` // of Calls, those of a provider's batches
}

// Plus adds two charges.
func (c Charge) Plus(d Charge) Charge {
	return Charge{c.USD + d.USD, c.Tokens + d.Tokens, c.Calls + d.Calls, c.Unpriced + d.Unpriced, c.Batch + d.Batch}
}

// Times returns the sum of n equal charges.
func (c Charge) Times(n int64) Charge {
	return Charge{c.USD * float64(n), c.Tokens * n, c.Calls * n, c.Unpriced * n, c.Batch * n}
}

// Minus subtracts a charge.
func (c Charge) Minus(d Charge) Charge {
	return Charge{c.USD - d.USD, c.Tokens - d.Tokens, c.Calls - d.Calls, c.Unpriced - d.Unpriced, c.Batch - d.Batch}
}

// String returns "0.12 USD, 3400 tokens", followed by the numbers of calls of unknown price and of batches if there are any.
func (c Charge) String() string {
	s := fmt.Sprintf("%s USD, %d tokens", Dollars(c.USD), c.Tokens)
	switch {
	case c.Unpriced > 0 && c.Unpriced == c.Calls:
		s = fmt.Sprintf("price unknown, %d tokens", c.Tokens)
	case c.Unpriced > 0:
		s += fmt.Sprintf(", and %d calls of unknown price", c.Unpriced)
	}
	if c.Batch > 0 {
		s += fmt.Sprintf(", %d of %d calls in batches", c.Batch, c.Calls)
	}
	return s
}

// Limits bound spending. A zero field bounds nothing.
type Limits struct {
	USD    float64
	Tokens int64
}

// allow reports whether c is within the limits. It tolerates a billionth of a dollar, the rounding error of sums.
func (l Limits) allow(c Charge) bool {
	return (l.USD == 0 || c.USD <= l.USD+1e-9) && (l.Tokens == 0 || c.Tokens <= l.Tokens)
}

// BudgetError is a call that was not made because it could exceed the budget.
type BudgetError struct {
	Limits Limits
	Spent  Charge // by all calls so far, and what Sent may be
	Sent   Charge // what batches under way may cost at most
	Want   Charge // by this call, at most
}

// Error says what is spent, what the next call may cost, and how to raise the limit.
func (e *BudgetError) Error() string {
	var parts []string
	are := "are spent"
	if e.Sent != (Charge{}) {
		are += ", or may be by the batches under way"
	}
	if e.Limits.USD > 0 && !(Limits{USD: e.Limits.USD}).allow(e.Spent.Plus(e.Want)) {
		parts = append(parts, fmt.Sprintf("%s of %s USD %s, and the next call may take %s: raise --budget or budget.usd to go on",
			Dollars(e.Spent.USD), Dollars(e.Limits.USD), are, Dollars(e.Want.USD)))
	}
	if e.Limits.Tokens > 0 && !(Limits{Tokens: e.Limits.Tokens}).allow(e.Spent.Plus(e.Want)) {
		parts = append(parts, fmt.Sprintf("%d of %d tokens %s, and the next call may take %d: raise --token-budget or budget.tokens to go on",
			e.Spent.Tokens, e.Limits.Tokens, are, e.Want.Tokens))
	}
	return "cost: the budget is used up: " + strings.Join(parts, "; ")
}

// Meter keeps spending within its limits. It is safe for concurrent use.
//
// A call reserves the most that it may cost, and returns the rest once its cost is known, so spending exceeds a limit
// only if a call costs more than it reserved. A call that would fit without the reservations of others waits for them.
// After the first call that does not fit the meter is shut: no further call is allowed, so that the run stops as a
// whole and not with whichever items happen to be cheap.
type Meter struct {
	limits Limits

	mu       sync.Mutex
	spent    Charge
	sent     Charge // the most that batches under way may cost
	reserved Charge
	shut     *BudgetError
	change   chan struct{} // closed and replaced when a reservation ends
}

// NewMeter returns a meter that starts from what was spent before.
func NewMeter(l Limits, spent Charge) *Meter {
	return &Meter{limits: l, spent: spent, change: make(chan struct{})}
}

// Spent returns what all calls cost so far, including the amount that the meter started from.
func (m *Meter) Spent() Charge {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

// Shut returns the [*BudgetError] of the first call that did not fit, nil if there is none.
func (m *Meter) Shut() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shut == nil {
		return nil
	}
	return m.shut
}

// Reserve reserves want, the most that a call may cost. The error is a [*BudgetError], or ctx's. Each Reserve that
// succeeds must be followed by a Settle with the same want.
func (m *Meter) Reserve(ctx context.Context, want Charge) error {
	for {
		m.mu.Lock()
		gone := m.spent.Plus(m.sent)
		if m.shut == nil && !m.limits.allow(gone.Plus(want)) {
			m.shut = &BudgetError{Limits: m.limits, Spent: gone, Sent: m.sent, Want: want}
		}
		if m.shut != nil {
			defer m.mu.Unlock()
			return m.shut
		}
		if m.limits.allow(gone.Plus(m.reserved).Plus(want)) {
			m.reserved = m.reserved.Plus(want)
			m.mu.Unlock()
			return nil
		}
		change := m.change
		m.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Send adds what a request in a batch may cost at most. It counts against the limits until the meter is gone: what it did cost
// is known once the batch has been collected, by another start of the run.
func (m *Meter) Send(most Charge) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = m.sent.Plus(most)
}

// Settle ends a reservation with the actual cost.
func (m *Meter) Settle(want, actual Charge) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved = m.reserved.Minus(want)
	m.spent = m.spent.Plus(actual)
	close(m.change)
	m.change = make(chan struct{})
}
