// Package runner carries out a plan: it asks every arm every question, scores the candidates, and writes the run. It is the
// one place where predictions are scored, those of models and, under the method "imported", those of other programs.
//
// A job is one question under one cell and seed. Workers take jobs in order; a method answers the question through the
// ledger, whose misses go to the provider and are charged to the run's account; the candidates are scored; and the outcomes
// are put back into the order of the jobs before their rows are written. The order is the dataset's, then cell, then seed,
// so that a run stopped half-way has all arms on the same items. Rows are written as soon as they are next in order, so the
// number of workers must never show in a file, nor the length of a run in the memory it takes. Metrics that time statements
// are the exception: they run when everything else is done, one answer at a time, since other work would distort the times.
package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/batch/desk"
	"assay/prompting/llm/ledger"
	"assay/prompting/llm/retry"
)

// Options says how a plan is carried out.
type Options struct {
	Store   store.Store
	Offline bool // make no call: a request that the ledger cannot answer ends the run
	// RetryErrors makes the failed calls of a finished run again; without it a finished run keeps its model-errors.
	RetryErrors bool
	Wait        bool // wait for another process that makes calls on the same store; without it that is an error
	// Progress is called before the first job and after each finished one, from several goroutines; nil for none.
	Progress func(Progress)
	// Again is called before a failed call is made again, with the reason (in a few stable words, and in full) and the wait
	// until then; from several goroutines at once. Nil for none.
	Again func(cause, why string, wait time.Duration)
	// Checkpoint is how often an incomplete run's finished rows are written into its folder; 0: at the end alone. Writing
	// takes at most a twentieth of the time. Answers that wait for a timed metric are not written before that.
	Checkpoint time.Duration
	// Model opens a provider's model; nil is catalog.Model, with Again. Tests put their own here.
	Model func(context.Context, configs.Model, configs.Limits) (llm.Model, error)

	// Batch sends what the ledger lacks as providers' batches: a start of the run collects what has come, goes as far as that
	// carries it, sends what it needs next, and ends. Vectors alone are calls, as no prompt is known without them.
	Batch bool
	// Collected is called with every batch that a start with Batch asked about; nil for none.
	Collected func(desk.Report)
	// Batches opens a provider's batches; nil is catalog.Batches. Tests put their own here.
	Batches func(configs.Model, configs.Limits) (batch.Service, func(context.Context, func(context.Context) error) error, error)
	lines   bool // with Batch: requests are written to a file

	Scored func(Scored) // is called with every answer, in the order of work; nil for none

	leave   *retry.Leave // of the calls in flight when the run is cancelled
	endless bool         // no failure of calls is the end of all
}

// leave is how long calls in flight may go on after a run was cancelled. It leaves a command that must end within two seconds
// the time to write what is done.
const leave = 1200 * time.Millisecond

// withModel sets Model where it is not.
func (o Options) withModel() Options {
	o.leave = &retry.Leave{Wait: leave}
	if o.Model != nil {
		return o
	}
	again, left, endless := o.again(), o.leave, o.endless
	o.Model = func(ctx context.Context, m configs.Model, l configs.Limits) (llm.Model, error) {
		return catalog.Model(ctx, m, l, retry.Options{Again: again, Leave: left, Endless: endless})
	}
	return o
}

// again returns Again as providers call it.
func (o Options) again() func(*llm.Failure, time.Duration) {
	if o.Again == nil {
		return nil
	}
	return func(f *llm.Failure, wait time.Duration) { o.Again(f.Reason, f.Why(), wait) }
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total int // questions answered and scored, over all arms, sweep points and seeds
	ledger.Counts
	Asked  int    // finished questions that needed a call
	Left   int    // remaining questions expected to need one: those of the cells and seeds whose last question did
	Failed int    // questions whose answer is a model-error
	Why    string // the reason of the last failed call; empty where none failed
}

// StoppedError reports that a run stopped before its end. Its finished calls are in the ledger, so nothing is lost.
type StoppedError struct {
	Dir         string
	Done, Total int
	Cause       error // nil where the run was cancelled

	Flight retry.Flight // the calls that were in flight
}

// Error says how far the run is and how to continue it.
func (e *StoppedError) Error() string {
	why := ""
	if e.Cause != nil {
		why = e.Cause.Error() + ": "
	}
	if f := e.Flight; f.Calls() > 0 {
		why += fmt.Sprintf("%d calls were in flight, %d arrived, %d are lost: ", f.Calls(), f.Arrived, f.Lost+f.Failed)
	}
	return fmt.Sprintf("runner: stopped at %d of %d: %severy finished call is in the ledger; run the same command again to go on (so far: %s)",
		e.Done, e.Total, why, e.Dir)
}

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Cause }

// Result is a finished run; record.Read reads its folder.
type Result struct {
	Dir      string
	Counts   ledger.Counts
	Spent    cost.Charge // the cost of this start's calls, and of the batches that it collected; what the ledger answered costs nothing
	All      cost.Charge // the cost of every start of the run
	Duration time.Duration
	Answers  int    // questions over all arms, sweep points and seeds
	Failed   int    // answers that are model-errors
	Failure  string // the reason of this start's first failed call, otherwise of the first model-error; empty where none failed
	// Pending is how many answers wait for batches: the run is then incomplete. Sent are the batches that this start sent. Open
	// is how many requests are under way in batches that a start of this run collects, Filed how many in exported files.
	Pending, Open, Filed int
	Sent                 []ledger.Batch

	Warnings []string // where providers did not do what the requests asked, such as honour a seed, and who answered
}

// job is one question under one cell and seed.
type job struct{ item, cell, seed int }

// execution is a run in progress.
type execution struct {
	plan    *plan.Plan
	opts    Options
	keeps   bool                             // a run is written; otherwise only the chosen candidates are scored
	exact   *exact.Metric                    // labels items with their hardness; nil where a run is written
	ledger  *ledger.Ledger                   // nil where no model is asked
	models  map[string]*ledger.Model         // by client, see clientOf
	methods map[[2]int]prompting.Method      // by cell and seed
	total   int                              // jobs
	order   *sequence                        // puts the outcomes in the order of the jobs
	known   map[string]string                // reasons of failed calls that are not made again, by request key
	inner   []llm.Model                      // the models behind the ledger; nil elements where calls are not allowed
	remote  int                              // how many of them are called over a network
	account *account                         // without limits or charges where no model is asked
	over    atomic.Pointer[cost.BudgetError] // the first call that the budget did not allow
	batches batching
	pending atomic.Int64 // jobs that wait for batches
	kept    kept
	vectors vectorNotes // by cell
	failed  atomic.Int64
	done    atomic.Int64
	mu      sync.Mutex // guards pace and the calls of Options.Progress
	pace    *pace
}

// Run carries out a plan and writes the run folder. Where it is cancelled, or cannot continue, it writes the finished part,
// marked incomplete, and returns a [*StoppedError]. Of imported predictions it then writes nothing: scoring them again is
// cheap.
func Run(ctx context.Context, p *plan.Plan, o Options) (Result, error) {
	start := time.Now()
	if err := p.Refusal(); err != nil {
		return Result{}, err
	}
	x := newExecution(p, o.withModel().withBatches())
	x.keeps = true
	dir := o.Store.RunDir(p.Experiment.Name, p.Manifest.ID)
	if p.Imported == nil {
		l, err := o.Store.Ledger()
		if err != nil {
			return Result{}, err
		}
		defer l.Close()
		if x.ledger, x.known = l, map[string]string{}; !o.RetryErrors {
			x.known = failures(dir)
		}
		if x.account, err = newAccount(ctx, p, dir, l); err != nil {
			return Result{}, err
		}
	}
	if err := x.open(ctx); err != nil {
		return Result{}, err
	}
	if err := x.begin(ctx); err != nil {
		return Result{}, err
	}
	x.kept.shown = time.Now()
	if m, _, err := record.ReadManifest(dir); err == nil && m.Complete {
		x.opts.Checkpoint = 0 // a checkpoint would replace the complete run by a part of it
	}
	w, err := record.Create(dir, p.Manifest)
	if err != nil {
		return Result{}, err
	}
	defer w.Abort()
	if err := p.Copies.Write(dir); err != nil {
		return Result{}, err
	}
	logs := &logs{dir: dir}
	defer logs.close()
	p.LogTo(logs.open)
	x.report()
	err = errors.Join(x.all(ctx, func(o *outcome) error { return x.keep(w, o) }), x.account.save())
	if err != nil {
		return Result{Dir: dir}, x.stopped(ctx, w, dir, err)
	}
	if x.pending.Load() > 0 {
		return x.waiting(ctx, w, dir)
	}
	warnings, err := x.warnings(ctx)
	if err != nil {
		return Result{}, err
	}
	w.SetVectors(x.vectors.rows(x.plan.Cells))
	if err := w.Commit(x.manifest(true), p.Config, x.questions()); err != nil {
		return Result{}, err
	}
	return Result{Dir: dir, Counts: x.counts(), Spent: x.account.spent(), All: x.account.meter.Spent(), Duration: time.Since(start), Answers: x.total,
		Failed: int(x.failed.Load()), Failure: x.firstFailure(), Warnings: warnings}, nil
}

// Check refuses what Run refuses before its first call: models without a key, methods that do not fit their arm, budgets
// without a price. It makes no call, and reads and writes no store.
func Check(ctx context.Context, p *plan.Plan, o Options) error {
	if _, err := pricesOf(p); err != nil {
		return err
	}
	return newExecution(p, o.withModel()).open(ctx)
}

func newExecution(p *plan.Plan, o Options) *execution {
	x := &execution{plan: p, opts: o, models: map[string]*ledger.Model{}, methods: map[[2]int]prompting.Method{},
		kept:    kept{doubts: map[metrics.Doubt]int{}, last: map[metrics.Doubt]string{}, goldDigests: map[string]string{}, literals: map[string]string{}, dbs: map[string]bool{}},
		account: &account{meter: cost.NewMeter(cost.Limits{}, cost.Charge{})}}
	x.total = len(p.Set.Examples) * len(p.Cells) * len(p.Experiment.Seeds)
	x.pace = newPace(len(p.Set.Examples), len(p.Cells)*len(p.Experiment.Seeds))
	return x
}

// firstFailure returns the reason of the first failed call of this start, otherwise of the first model-error that was written.
func (x *execution) firstFailure() string {
	if why := x.account.first.Load(); why != nil {
		return *why
	}
	return x.kept.failure
}

// failures returns the reasons of the calls that a finished run got no completion for, by request key. A stopped run has
// none: the cause that stopped it may be the cause of the failures.
func failures(dir string) map[string]string {
	known := map[string]string{}
	if m, _, err := record.ReadManifest(dir); err != nil || !m.Complete {
		return known
	}
	old, err := record.Read(dir, catalog.Known)
	if err != nil {
		return known // the damaged run is written again
	}
	for _, c := range old.Calls {
		if c.Failure != "" {
			known[c.Key] = c.Failure
		}
	}
	for _, v := range old.Vectors {
		if v.Failure != "" {
			known[v.Key] = v.Failure
		}
	}
	return known
}

// stopped writes what is done, unless nothing is or the folder already holds the complete run, and returns the error of Run.
func (x *execution) stopped(ctx context.Context, w *record.Writer, dir string, cause error) error {
	if x.plan.Imported != nil || ctx.Err() == nil && x.done.Load() == 0 {
		return cause
	}
	e := &StoppedError{Dir: dir, Done: int(x.done.Load()), Total: x.total, Cause: cause, Flight: x.opts.leave.Flight()}
	if ctx.Err() != nil {
		e.Cause = nil
	}
	if m, _, err := record.ReadManifest(dir); err == nil && m.Complete {
		return e
	}
	w.SetVectors(x.vectors.rows(x.plan.Cells))
	return errors.Join(e, w.Commit(x.manifest(false), x.plan.Config, x.questions()))
}

// open constructs every model and method before the first call, so that a mistake in any arm is reported before money is
// spent on another.
func (x *execution) open(ctx context.Context) error {
	for ci, c := range x.plan.Cells {
		var m plan.Models
		var err error
		if x.plan.Imported == nil {
			if m, err = x.asking(ctx, ci, c.Arm); err != nil {
				return fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err)
			}
		}
		for si, seed := range x.plan.Experiment.Seeds {
			if x.methods[[2]int{ci, si}], err = x.plan.MethodWith(c, m, seed); err != nil {
				return fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err)
			}
		}
	}
	return nil
}

// asking returns the models of a cell's arm.
func (x *execution) asking(ctx context.Context, cell int, arm configs.Arm) (m plan.Models, err error) {
	if m.Model, err = x.model(ctx, arm.Model, x.opts.Batch); err != nil {
		return m, err
	}
	m.Selector = m.Model
	if own, ok := arm.Selector(); ok {
		if m.Selector, err = x.model(ctx, own, x.opts.Batch); err != nil {
			return m, fmt.Errorf("selection: %w", err)
		}
	}
	if e := arm.Embeddings; e.On() {
		all, err := x.model(ctx, e.Model(), false)
		if err != nil {
			return m, fmt.Errorf("embeddings: %w", err)
		}
		m.Vectors = x.vectors.of(cell, all)
	}
	return m, nil
}

// clientOf names the client of a model: one per provider, address (however it is spelled) and key. Arms that share a client
// share its limits.
func clientOf(m configs.Model) (string, error) {
	a, err := catalog.Author(m)
	return fmt.Sprintf("%q %q %q %q", a.Provider, a.Server, m.KeyEnv, m.KeyFile), err
}

// model returns a configuration's model behind the ledger, one per client. Model name and generation parameters are part of
// each request, so arms that differ in those alone share it. batch says that its calls are batches, which vectors never are.
func (x *execution) model(ctx context.Context, m configs.Model, batch bool) (*ledger.Model, error) {
	key, err := clientOf(m)
	if err != nil {
		return nil, err
	}
	batched := batch && !m.Local
	key = fmt.Sprintf("%s %t", key, batched)
	if got, ok := x.models[key]; ok {
		return got, nil
	}
	var inner llm.Model
	if batched {
		if inner, err = x.gathering(m); err != nil {
			return nil, err
		}
	} else if !x.opts.Offline || m.Local {
		if inner, err = x.opts.Model(ctx, m, x.plan.Experiment.Limits); err != nil {
			return nil, err
		}
		inner = x.account.wrap(inner, m)
		if !m.Local {
			x.remote++
		}
	}
	x.inner = append(x.inner, inner)
	x.models[key] = x.ledger.Wrap(inner, ledger.Options{Offline: x.opts.Offline, Known: x.known, Run: x.plan.Manifest.ID,
		Hold: "run " + x.plan.Experiment.Name, Wait: x.opts.Wait, Gathers: batched})
	return x.models[key], nil
}

// report calls Options.Progress. Callers hold mu once workers run, so that one call is made at a time.
func (x *execution) report() {
	if x.opts.Progress != nil {
		p := Progress{Done: int(x.done.Load()), Total: x.total, Counts: x.counts(), Asked: x.pace.asked, Left: x.pace.left(), Failed: int(x.failed.Load())}
		if why := x.account.failure.Load(); why != nil {
			p.Why = *why
		}
		x.opts.Progress(p)
	}
}

// warnings returns the warnings of the models and those about who answered, each once.
func (x *execution) warnings(ctx context.Context) (out []string, err error) {
	if out, err = x.changed(ctx); err != nil {
		return nil, err
	}
	out = append(out, record.Doubts(x.manifest(true).Answered)...)
	for _, m := range x.inner {
		if w, ok := m.(llm.Warner); ok {
			out = append(out, w.Warnings()...)
		}
	}
	out = append(out, x.plan.Programs.Warnings()...)
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (x *execution) counts() (c ledger.Counts) {
	for _, m := range x.models {
		c = c.Plus(m.Counts())
	}
	return c
}
