package runner

import (
	"context"
	"errors"
	"fmt"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/prompting"
	"assay/prompting/command"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
	"assay/prompting/methods"
	"assay/prompting/script"
)

// Asking makes the requests of one arm as a run does, by the ledger and under the experiment's limits and budget, without a run:
// nothing is scored, and no folder is written. What it spends is counted on its own, over every time it is opened. It is safe
// for concurrent use.
type Asking struct {
	// Method says what a program is told of an item, and what its requests about it are recorded under. Whatever the arm's own
	// method is, nothing of it is started.
	Method *command.Method

	// Model is the arm's own, behind the ledger, the limits and the budget.
	Model llm.Model

	cell configs.Cell
	x    *execution
}

// Ask opens the models of a cell. It refuses what [Run] refuses before its first call, and the caller closes it.
func Ask(ctx context.Context, p *plan.Plan, c configs.Cell, seed int64, o Options) (*Asking, error) {
	own := *p
	own.Manifest.ID = "proxy-" + p.Experiment.Name
	o.endless = true // it waits for the next request, and a provider that comes back answers that
	x := newExecution(&own, o.withModel())
	l, err := o.Store.Ledger()
	if err != nil {
		return nil, err
	}
	x.ledger = l
	a := &Asking{cell: c, x: x}
	if err := a.open(ctx, seed); err != nil {
		return nil, errors.Join(fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err), l.Close())
	}
	return a, nil
}

func (a *Asking) open(ctx context.Context, seed int64) (err error) {
	p, c := a.x.plan, a.cell
	if a.x.account, err = newAccount(ctx, p, a.x.opts.Store.RunDir(p.Experiment.Name, p.Manifest.ID), a.x.ledger); err != nil {
		return err
	}
	m, err := a.x.asking(ctx, 0, c.Arm)
	if err != nil {
		return err
	}
	a.Model = m.Model
	d, err := p.Deps(c, m)
	if err != nil {
		return err
	}
	a.Method, err = p.Programs.Method(script.Setup{Deps: d, Arm: c.Arm, Seed: seed, Open: methods.Open})
	return err
}

// Also opens another model behind the same ledger, limits and budget; the plan's experiment must have an arm with it, so that its
// price is known.
func (a *Asking) Also(ctx context.Context, m configs.Model) (llm.Model, error) {
	other, err := a.x.model(ctx, m, false)
	if err != nil {
		return nil, fmt.Errorf("runner: model %q: %w", m.Name, err)
	}
	return other, nil
}

// Counts returns how many completions were given so far, and by whom.
func (a *Asking) Counts() ledger.Counts { return a.x.counts() }

// Spent returns the cost of the calls made since Ask.
func (a *Asking) Spent() cost.Charge { return a.x.account.spent() }

// Price returns the price of a call of the arm's own model in US dollars; ok is false where the model has none, and where the
// call may be another model's.
func (a *Asking) Price(c prompting.Call) (usd float64, ok bool) {
	if len(a.cell.Arm.Models) > 0 {
		return 0, false
	}
	price := a.x.account.price(a.cell.Arm.Model, UsageOf(c.Usage, c.Tier))
	return price.USD, price.Unpriced == 0
}

// Warnings returns what the models did otherwise than they were asked, and who answered, each once.
func (a *Asking) Warnings(ctx context.Context) ([]string, error) { return a.x.warnings(ctx) }

// Close releases the ledger. Calls must be over.
func (a *Asking) Close() error { return a.x.ledger.Close() }
