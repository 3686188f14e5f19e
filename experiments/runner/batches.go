package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/batch/desk"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/retry"

	"golang.org/x/sync/errgroup"
)

// Settle is how long a provider's list of batches may lag behind a batch that was sent.
const Settle = 5 * time.Second

// batching is what a run whose calls are batches has in place of models.
type batching struct {
	desks     []*counter
	gatherers []*desk.Gatherer
}

// counter is the batches of one client.
type counter struct {
	desk.Desk
	model  configs.Model
	author llm.Author
}

// serves reports whether a batch goes through this desk.
func (d *counter) serves(b ledger.Batch) bool {
	return b.Author.Provider == d.author.Provider && b.Author.Server == d.author.Server
}

// deskOf returns the number of the desk that a batch goes through; -1 for an exported file, and one of another client.
func (x *execution) deskOf(b ledger.Batch) int {
	return slices.IndexFunc(x.batches.desks, func(d *counter) bool { return b.Service == "" && d.serves(b) })
}

// gathering returns the model that notes the requests of a client.
func (x *execution) gathering(m configs.Model) (llm.Model, error) {
	if x.opts.lines {
		f, err := catalog.Lines(m.Provider)
		if err != nil {
			return nil, err
		}
		return x.gatherer(f), nil
	}
	d, err := x.desk(m)
	if err != nil {
		return nil, err
	}
	x.batches.desks = append(x.batches.desks, d)
	return x.gatherer(d.Service), nil
}

func (x *execution) gatherer(f batch.Format) llm.Model {
	g := desk.NewGatherer(x.ledger, f)
	x.batches.gatherers = append(x.batches.gatherers, g)
	return g
}

// desk opens the batches of a model's client.
func (x *execution) desk(m configs.Model) (*counter, error) {
	limits := x.plan.Experiment.Limits
	service, again, err := x.opts.Batches(m, limits)
	if err != nil {
		return nil, err
	}
	author, err := catalog.Author(m)
	pays := &metered{account: x.account, model: m}
	d := &counter{model: m, author: author, Desk: desk.Desk{Ledger: x.ledger, Service: service, Again: again, Attempts: cmp.Or(limits.Attempts, retry.Attempts), Settle: Settle,
		Used: func(r llm.Request, f *llm.Failure) llm.Usage { return pays.used(r, nil, f) }}}
	d.Serves = d.serves
	return d, err
}

// withBatches sets Batches where it is not.
func (o Options) withBatches() Options {
	if o.Batches == nil {
		again := o.again()
		o.Batches = func(m configs.Model, l configs.Limits) (batch.Service, func(context.Context, func(context.Context) error) error, error) {
			return catalog.Batches(m, l, retry.Options{Again: again})
		}
	}
	return o
}

// begin collects what batches have answered, where the run's calls are batches.
func (x *execution) begin(ctx context.Context) error {
	if !x.opts.Batch || x.ledger == nil {
		return nil
	}
	if _, err := x.ledger.Acquire(ctx, "run "+x.plan.Experiment.Name, x.opts.Wait); err != nil { // released by Close
		return err
	}
	if err := x.collect(ctx); err != nil {
		return err
	}
	return x.failedBefore(ctx)
}

// collect takes the answers of every batch of the run's clients that has ended, whichever run sent it, and then counts what
// the run has spent anew. The error is what would also meet the next batch, so that none is sent.
func (x *execution) collect(ctx context.Context) error {
	if err := errors.Join(x.ledger.Ungather(ctx), desk.Release(ctx, x.ledger)); err != nil {
		return err
	}
	open, err := x.ledger.Batches(ctx, true)
	if err != nil {
		return err
	}
	var all error
	for _, b := range open {
		if at := x.deskOf(b); at >= 0 {
			rep, err := x.batches.desks[at].Collect(ctx, b)
			if x.opts.Collected != nil && err == nil {
				x.opts.Collected(rep)
			}
			all = errors.Join(all, rep.Err, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if all != nil {
		return all
	}
	if err := x.account.recount(ctx); err != nil {
		return err
	}
	return x.outstanding(ctx)
}

// recount adds to the account what the ledger has more than before.
func (p *account) recount(ctx context.Context) error {
	now, err := p.paid(ctx)
	if err == nil {
		p.meter.Settle(cost.Charge{}, now.Minus(p.meter.Spent()))
	}
	return err
}

// failedBefore adds the requests that failed in batches of the run to those that are not made again, and takes out those that
// are under way.
func (x *execution) failedBefore(ctx context.Context) error {
	if !x.opts.RetryErrors {
		failed, err := x.ledger.BatchFailures(ctx, x.plan.Manifest.ID)
		if err != nil {
			return err
		}
		for key, why := range failed {
			if x.known[key] == "" {
				x.known[key] = why
			}
		}
	}
	for key := range x.known {
		if _, open, err := x.ledger.Awaited(ctx, key); err != nil {
			return err
		} else if open {
			delete(x.known, key)
		}
	}
	return nil
}

// send sends what was gathered. The error is a [*cost.BudgetError] where not all may be sent.
func (x *execution) send(ctx context.Context) (sent []ledger.Batch, err error) {
	for _, g := range x.batches.gatherers {
		if err := g.Flush(ctx); err != nil {
			return nil, err
		}
	}
	for _, d := range x.batches.desks {
		more, err := d.Send(ctx, x.plan.Manifest.ID, x.reserve(ctx, d.model))
		if sent = append(sent, more...); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// reserve returns the function that reserves the most that a request may cost. Nothing is given back before its batch has
// been collected.
func (x *execution) reserve(ctx context.Context, m configs.Model) func(llm.Request) error {
	meter := x.account.meter
	return func(r llm.Request) error {
		err := x.account.bounded(m, r)
		if err != nil {
			return err
		}
		most, err := x.account.most(m, r, 1, true)
		if err == nil {
			err = meter.Reserve(ctx, most)
		}
		if err == nil {
			meter.Settle(most, cost.Charge{})
			meter.Send(most)
		}
		return err
	}
}

// outstanding counts the most that the run's batches under way may cost against its budget.
func (x *execution) outstanding(ctx context.Context) error {
	open, err := x.ledger.Batches(ctx, true)
	if err != nil || x.account.limits == (cost.Limits{}) {
		return err
	}
	for _, b := range open {
		at := x.deskOf(b)
		if at < 0 || b.Run != x.plan.Manifest.ID {
			continue
		}
		for r, err := range x.ledger.OpenRequests(ctx, b.ID) {
			if err != nil {
				return err
			}
			most, err := x.account.most(x.batches.desks[at].model, r, 1, true)
			if err != nil {
				return err
			}
			x.account.meter.Send(most)
		}
	}
	return nil
}

// waiting ends a start of the run whose answers are not all there: it sends what the run needs next, and writes what is done,
// even if that is nothing: the folder says that the run needs completions which it does not name yet.
func (x *execution) waiting(ctx context.Context, w *record.Writer, dir string) (Result, error) {
	sent, err := x.send(ctx)
	res := Result{Dir: dir, Counts: x.counts(), Spent: x.account.spent(), All: x.account.meter.Spent(), Answers: x.total, Failed: int(x.failed.Load()), Pending: int(x.pending.Load()), Sent: sent}
	open, more := x.ledger.Batches(context.WithoutCancel(ctx), true)
	for _, b := range open {
		switch {
		case b.Service == ledger.FileService:
			res.Filed += b.Open
		case x.deskOf(b) >= 0:
			res.Open += b.Open
		}
	}
	if err = errors.Join(err, more); err != nil {
		return res, x.stopped(ctx, w, dir, err)
	}
	if m, _, err := record.ReadManifest(dir); err == nil && m.Complete {
		return res, nil
	}
	return res, w.Commit(x.manifest(false), x.plan.Config, x.questions())
}

// The waits between two questions about batches under way: they begin short, for those that are done at once.
const (
	firstPoll = time.Second
	lastPoll  = 2 * time.Minute
)

// Await waits until a batch of the plan's clients has ended, or one of which it is not known whether the provider has it can
// be looked for again. seen is called with every state that it sees. It returns at once where no such batch is under way: another
// process has collected it.
func Await(ctx context.Context, p *plan.Plan, o Options, seen func(desk.Report)) (err error) {
	o.Batch = true
	x := newExecution(p, o.withModel().withBatches())
	l, err := o.Store.Ledger()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	x.ledger = l
	if err := x.open(ctx); err != nil {
		return err
	}
	for wait := firstPoll; ; wait = min(2*wait, lastPoll) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		if moved, err := x.moved(ctx, seen); err != nil || moved {
			return err
		}
	}
}

// moved asks about every batch under way, and reports whether one can be collected, or there is none to wait for.
func (x *execution) moved(ctx context.Context, seen func(desk.Report)) (moved bool, err error) {
	open, err := x.ledger.Batches(ctx, true)
	if err != nil {
		return false, err
	}
	waits := false
	for _, b := range open {
		at := x.deskOf(b)
		if at < 0 {
			continue
		}
		rep, err := x.batches.desks[at].Look(ctx, b)
		if err != nil {
			return false, err
		}
		seen(rep)
		waits = true
		moved = moved || rep.Status.Ended || b.State == ledger.BatchSending && rep.Unsure == ""
	}
	return moved || !waits, nil
}

// Export writes what a run needs next, and what is in no batch under way, in OpenAI's format of batches, for others to answer.
// name is how the file is called in messages. It calls nobody but models of vectors, scores nothing and writes no run.
func Export(ctx context.Context, p *plan.Plan, o Options, name string, w io.Writer) (out []ledger.Batch, err error) {
	o.Batch, o.lines = true, true
	x := newExecution(p, o.withModel())
	l, err := o.Store.Ledger()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err = l.Acquire(ctx, "batch export", o.Wait); err != nil { // released by Close
		return nil, err
	}
	dir := o.Store.RunDir(p.Experiment.Name, p.Manifest.ID)
	if x.ledger, x.known = l, map[string]string{}; !o.RetryErrors {
		x.known = failures(dir)
	}
	if x.account, err = newAccount(ctx, p, dir, l); err != nil {
		return nil, err
	}
	if err := errors.Join(x.open(ctx), l.Ungather(ctx), desk.Release(ctx, l)); err != nil {
		return nil, err
	}
	if err := x.failedBefore(ctx); err != nil {
		return nil, err
	}
	if err := x.ask(ctx); err != nil {
		return nil, err
	}
	for _, g := range x.batches.gatherers {
		if err := g.Flush(ctx); err != nil {
			return nil, err
		}
	}
	return desk.Export(ctx, l, p.Manifest.ID, name, func(b ledger.Batch) (batch.Format, error) { return catalog.Lines(b.Author.Provider) }, w)
}

// ask lets every method ask what it can, and scores nothing.
func (x *execution) ask(ctx context.Context) error {
	cells, seeds := len(x.plan.Cells), len(x.plan.Experiment.Seeds)
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(x.width())
	for i := range x.total {
		if within.Err() != nil {
			break
		}
		ex := x.plan.Set.Examples[i/(cells*seeds)]
		if ex.Fault != "" {
			continue
		}
		g.Go(func() error {
			_, err := x.methods[[2]int{i / seeds % cells, i % seeds}].Answer(within, ex.Question)
			if errors.Is(err, prompting.ErrUnknown) {
				return within.Err()
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("runner: ask: %w", err)
	}
	return ctx.Err()
}
