// Package runner does what a plan says: asks every arm every question, scores the candidates, and writes the run. It is the
// one place where predictions are scored, be they models' or, under the method "imported", other people's.
//
// The order of work is the dataset's, then cell, then seed, so that a run stopped half-way has all arms on the same
// items. Results are written in that order as soon as they are: the number of workers never shows in a
// file, and the length of a run not in the memory it takes. Metrics that time statements are the exception: they come when
// all else is done, one answer at a time, since what runs beside them would be in their values.
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
	"assay/prompting/llm/ledger"

	"golang.org/x/sync/errgroup"
)

// Options says how a plan is carried out.
type Options struct {
	Store   store.Store
	Offline bool // a call that the ledger cannot answer ends the run
	// RetryErrors asks again what a finished run could not get; without it a finished run keeps its model-errors.
	RetryErrors bool
	Wait        bool // for another process that makes calls on the same store; without it that is an error
	// Progress is called before the first job and after each finished one, from several goroutines; nil for none.
	Progress func(Progress)
	// Again is told why a call failed that is made again (in a few stable words, and in full), and how long it waits,
	// before that wait; from several goroutines at once. Nil for none.
	Again func(cause, why string, wait time.Duration)
	// Checkpoint is how often the folder of a run that is not complete shows what is done; 0: at the end alone. Writing it
	// takes at most a twentieth of the time. What is to be timed is not shown before it is.
	Checkpoint time.Duration
	// Model opens a provider's model; nil is catalog.Model, with Again. Tests put their own here.
	Model func(context.Context, configs.Model, configs.Limits) (llm.Model, error)

	Scored func(Scored) // is told of every answer, in the order of work; nil for none
}

// withModel sets Model where it is not.
func (o Options) withModel() Options {
	if o.Model != nil {
		return o
	}
	var again func(*llm.Failure, time.Duration)
	if tell := o.Again; tell != nil {
		again = func(f *llm.Failure, wait time.Duration) { tell(f.Reason, f.Why(), wait) }
	}
	o.Model = func(ctx context.Context, m configs.Model, l configs.Limits) (llm.Model, error) {
		return catalog.Model(ctx, m, l, again)
	}
	return o
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total int // questions answered and scored, over all arms, sweep points and seeds
	ledger.Counts
	Asked  int    // of those done, the ones that needed a call
	Left   int    // of the others, those expected to need one: of the cells and seeds whose last question did
	Failed int    // jobs whose answer is a model-error
	Why    string // why the last call that failed did; empty where none did
}

// StoppedError says that a run was stopped before its end, and that nothing of it is lost.
type StoppedError struct {
	Dir         string
	Done, Total int
	Cause       error // why, where it was not by cancellation
}

// Error tells how to go on.
func (e *StoppedError) Error() string {
	why := ""
	if e.Cause != nil {
		why = e.Cause.Error() + ": "
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
	Spent    cost.Charge // by the calls of this start; what the ledger answered is not in it
	Duration time.Duration
	Answers  int      // questions over all arms, sweep points and seeds
	Failed   int      // of them those whose answer is a model-error
	Failure  string   // why the first call that failed at this start did, or else the first of Failed; empty where none did
	Warnings []string // what the providers did that the requests did not ask for, such as ignoring a seed
}

// job is one question under one cell and seed.
type job struct{ item, cell, seed int }

// execution is a run under way.
type execution struct {
	plan    *plan.Plan
	opts    Options
	keeps   bool                             // a run is written; else only the chosen candidates are scored
	exact   *exact.Metric                    // labels items with their hardness; nil where a run is written
	ledger  *ledger.Ledger                   // nil where nobody is asked
	models  map[string]*ledger.Model         // by where they are asked, clientOf
	methods map[[2]int]prompting.Method      // by cell and seed
	total   int                              // jobs
	order   *sequence                        // puts the outcomes in the order of the jobs
	known   map[string]string                // failures that are not tried again, by request key
	asked   []llm.Model                      // the models below the ledger
	remote  int                              // of them those that are asked over a network
	purse   *purse                           // an idle one where nobody is asked
	over    atomic.Pointer[cost.BudgetError] // the first call that the budget did not allow
	keeping keeping
	failed  atomic.Int64
	done    atomic.Int64
	mu      sync.Mutex // of what follows
	tally   *tally
}

// Run carries out a plan and writes the run folder. Where it is cancelled, or cannot go on, the part that is done is
// written, marked incomplete, and the error is a [*StoppedError]; of predictions, which are scored anew in no time, nothing
// is.
func Run(ctx context.Context, p *plan.Plan, o Options) (Result, error) {
	start := time.Now()
	x := newExecution(p, o.withModel())
	x.keeps = true
	dir := o.Store.RunDir(p.Experiment.Name, p.Manifest.ID)
	if p.Imported == nil {
		l, err := o.Store.Ledger()
		if err != nil {
			return Result{}, err
		}
		defer l.Close()
		if x.ledger = l; !o.RetryErrors {
			x.known = failures(dir)
		}
		if x.purse, err = newPurse(ctx, p, dir, l); err != nil {
			return Result{}, err
		}
	}
	if err := x.open(ctx); err != nil {
		return Result{}, err
	}
	x.keeping.shown = time.Now()
	if m, _, err := record.ReadManifest(dir); err == nil && m.Complete {
		x.opts.Checkpoint = 0 // the whole run is there
	}
	w, err := record.Create(dir, p.Manifest)
	if err != nil {
		return Result{}, err
	}
	defer w.Abort()
	x.report()
	err = errors.Join(x.all(ctx, func(o *outcome) error { return x.keep(w, o) }), x.purse.save())
	if err != nil {
		return Result{Dir: dir}, x.stopped(ctx, w, dir, err)
	}
	warnings, err := x.warnings(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := w.Commit(x.manifest(true), p.Config, x.questions()); err != nil {
		return Result{}, err
	}
	return Result{Dir: dir, Counts: x.counts(), Spent: x.purse.spent(), Duration: time.Since(start), Answers: x.total,
		Failed: int(x.failed.Load()), Failure: x.firstFailure(), Warnings: warnings}, nil
}

func newExecution(p *plan.Plan, o Options) *execution {
	x := &execution{plan: p, opts: o, models: map[string]*ledger.Model{}, methods: map[[2]int]prompting.Method{},
		keeping: keeping{doubts: map[metrics.Doubt]int{}, last: map[metrics.Doubt]string{}, golds: map[string]string{}, literals: map[string]string{}, dbs: map[string]bool{}},
		purse:   &purse{meter: cost.NewMeter(cost.Limits{}, cost.Charge{})}}
	x.total = len(p.Set.Examples) * len(p.Cells) * len(p.Experiment.Seeds)
	x.tally = newTally(len(p.Set.Examples), len(p.Cells)*len(p.Experiment.Seeds))
	return x
}

// firstFailure is why the first call that failed did: in full where it was made at this start.
func (x *execution) firstFailure() string {
	if why := x.purse.first.Load(); why != nil {
		return *why
	}
	return x.keeping.failure
}

// window is how many jobs may be ahead of the slowest one, besides those under way.
const window = 4096

// failures are the calls that a finished run got no completion for. One that was stopped has none to keep: what stopped
// it may be what made them fail.
func failures(dir string) map[string]string {
	if m, _, err := record.ReadManifest(dir); err != nil || !m.Complete {
		return nil
	}
	old, err := record.Read(dir, catalog.Known)
	if err != nil {
		return nil // it will be written anew
	}
	known := map[string]string{}
	for _, c := range old.Calls {
		if c.Failure != "" {
			known[c.Key] = c.Failure
		}
	}
	return known
}

// stopped keeps what is done, unless nothing is or the folder already holds the whole run.
func (x *execution) stopped(ctx context.Context, w *record.Writer, dir string, cause error) error {
	if x.plan.Imported != nil || ctx.Err() == nil && x.done.Load() == 0 {
		return cause
	}
	e := &StoppedError{Dir: dir, Done: int(x.done.Load()), Total: x.total, Cause: cause}
	if ctx.Err() != nil {
		e.Cause = nil
	}
	if m, _, err := record.ReadManifest(dir); err == nil && m.Complete {
		return e
	}
	return errors.Join(e, w.Commit(x.manifest(false), x.plan.Config, x.questions()))
}

// open constructs every model and method before the first call, so that what is wrong with an arm is known at once.
func (x *execution) open(ctx context.Context) error {
	for ci, c := range x.plan.Cells {
		var m, selector llm.Model
		var err error
		if x.plan.Imported == nil {
			if m, selector, err = x.asking(ctx, c.Arm); err != nil {
				return fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err)
			}
		}
		for si, seed := range x.plan.Experiment.Seeds {
			if x.methods[[2]int{ci, si}], err = x.plan.MethodWith(c, m, selector, seed); err != nil {
				return fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err)
			}
		}
	}
	return nil
}

// asking are the models of an arm: who generates, and who selects.
func (x *execution) asking(ctx context.Context, arm configs.Arm) (m, selector llm.Model, err error) {
	if m, err = x.model(ctx, arm.Model); err != nil {
		return nil, nil, err
	}
	own, ok := arm.Selector()
	if !ok {
		return m, m, nil
	}
	if selector, err = x.model(ctx, own); err != nil {
		return nil, nil, fmt.Errorf("selection: %w", err)
	}
	return m, selector, nil
}

// clientOf names the client of a model: one for each provider, address however it is spelled, and key.
func clientOf(m configs.Model) (string, error) {
	a, err := catalog.Author(m)
	return fmt.Sprintf("%q %q %q %q", a.Provider, a.Server, m.KeyEnv, m.KeyFile), err
}

// model returns the ledgered model of a configuration, one for each client: generation parameters travel in the
// request.
func (x *execution) model(ctx context.Context, m configs.Model) (*ledger.Model, error) {
	key, err := clientOf(m)
	if err != nil {
		return nil, err
	}
	if got, ok := x.models[key]; ok {
		return got, nil
	}
	var inner llm.Model
	if !x.opts.Offline || m.Local {
		if inner, err = x.opts.Model(ctx, m, x.plan.Experiment.Limits); err != nil {
			return nil, err
		}
		inner = x.purse.wrap(inner, m)
		if !m.Local {
			x.remote++
		}
	}
	x.asked = append(x.asked, inner)
	x.models[key] = x.ledger.Wrap(inner, ledger.Options{Offline: x.opts.Offline, Known: x.known, Run: x.plan.Manifest.ID,
		Hold: "run " + x.plan.Experiment.Name, Wait: x.opts.Wait})
	return x.models[key], nil
}

// width is how many jobs are under way at once: those that compute, and those that wait for as many calls as may be in
// flight.
func (x *execution) width() int {
	return x.plan.Workers() + x.remote*x.plan.Experiment.Limits.InFlight()
}

// all does all jobs and hands their outcomes on in order. Metrics that measure the machine too come last, one outcome at a
// time, while nothing else runs: until then the outcomes are in memory, and where the run is stopped they are lost, though
// the ledger has their completions.
func (x *execution) all(ctx context.Context, next func(*outcome) error) error {
	var untimed []*outcome
	put := next
	if x.plan.Advisory() {
		put = func(o *outcome) error { untimed = append(untimed, o); return nil }
	}
	x.order = newSequence(window+x.width(), put)
	err := errors.Join(x.work(ctx), x.order.rest(x.total))
	for _, o := range untimed {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if bad := x.judge(ctx, o, true); bad != nil {
			return errors.Join(err, bad)
		}
		if bad := next(o); bad != nil {
			return errors.Join(err, bad)
		}
	}
	return err
}

// stretch is how many jobs in a row one worker takes where nobody is asked: neighbours often share a gold query, and two
// workers would wait for it.
const stretch = 8

// work does the jobs in order, width at once, until all are done or one fails. A job that needs a
// call beyond the budget is passed over, and those after it are tried: what the ledger answers whole is done. So a run
// that is stopped holds every job it can without another call, and started again, at that budget or a lower one, never
// fewer than before.
func (x *execution) work(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	step := 1
	if x.plan.Imported != nil {
		step = stretch
	}
	for range x.width() {
		g.Go(func() error {
			for {
				from := int(next.Add(int64(step))) - step
				if from >= x.total {
					return nil
				}
				for i := from; i < min(from+step, x.total); i++ {
					if err := x.one(ctx, i); err != nil {
						return err
					}
				}
			}
		})
	}
	err := g.Wait()
	if over := x.over.Load(); err == nil && over != nil {
		return over
	}
	return err
}

// one does job i once it is not too far ahead.
func (x *execution) one(ctx context.Context, i int) error {
	if err := x.order.admit(ctx, i); err != nil {
		return err
	}
	cells, seeds := len(x.plan.Cells), len(x.plan.Experiment.Seeds)
	out, err := x.do(ctx, job{i / (cells * seeds), i / seeds % cells, i % seeds})
	var over *cost.BudgetError
	if errors.As(err, &over) {
		x.over.CompareAndSwap(nil, over)
		out, err = nil, nil // passed over: the jobs that the ledger answers whole are still done
	}
	if err != nil {
		return err
	}
	asked := out != nil && out.asked()
	if err := x.order.put(i, out); err != nil || out == nil {
		return err
	}
	x.done.Add(1)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tally.note(i, asked)
	x.report()
	return nil
}

// report tells how far the run is; one call at a time.
func (x *execution) report() {
	if x.opts.Progress != nil {
		p := Progress{Done: int(x.done.Load()), Total: x.total, Counts: x.counts(), Asked: x.tally.asked, Left: x.tally.left(), Failed: int(x.failed.Load())}
		if why := x.purse.failure.Load(); why != nil {
			p.Why = *why
		}
		x.opts.Progress(p)
	}
}

// warnings are the doubts of the models and of who answered, each once.
func (x *execution) warnings(ctx context.Context) (out []string, err error) {
	if out, err = x.changed(ctx); err != nil {
		return nil, err
	}
	out = append(out, record.Doubts(x.manifest(true).Answered)...)
	for _, m := range x.asked {
		if w, ok := m.(llm.Warner); ok {
			out = append(out, w.Warnings()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (x *execution) counts() (c ledger.Counts) {
	for _, m := range x.models {
		n := m.Counts()
		c.Cached, c.Called, c.Failed, c.Known = c.Cached+n.Cached, c.Called+n.Called, c.Failed+n.Failed, c.Known+n.Known
	}
	return c
}
