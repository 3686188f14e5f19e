// Package runner does what a plan says: asks every arm every question, scores the candidates, and writes the run.
//
// The order of work is the dataset's, then cell, then seed, so that a run stopped half-way has all arms on the same
// items. Results land in slots by position: the number of workers never shows in a file.
package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/store"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"

	"golang.org/x/sync/errgroup"
)

// Options says how a plan is carried out.
type Options struct {
	Store   store.Store
	Offline bool // a call that the ledger cannot answer ends the run
	// Progress is called after each finished job, from several goroutines; nil for none.
	Progress func(Progress)
	// Model opens a provider's model; nil is catalog.Model. Tests put their own here.
	Model func(context.Context, configs.Model, configs.Limits) (llm.Model, error)
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total int // questions answered and scored, over all arms, sweep points and seeds
	ledger.Counts
	Failed int // jobs whose answer is a model-error
}

// StoppedError says that a run was stopped before its end, and that nothing of it is lost.
type StoppedError struct {
	Dir         string
	Done, Total int
}

// Error tells how to go on.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("runner: stopped at %d of %d: every finished call is in the ledger; run the same command again to go on (so far: %s)",
		e.Done, e.Total, e.Dir)
}

// Result is a finished run.
type Result struct {
	Dir      string
	Run      *record.Run
	Counts   ledger.Counts
	Duration time.Duration
}

// job is one question under one cell and seed.
type job struct{ item, cell, seed int }

// execution is a run under way.
type execution struct {
	plan    *plan.Plan
	opts    Options
	ledger  *ledger.Ledger
	models  map[string]*ledger.Model    // by provider, base URL and key variable
	methods map[[2]int]prompting.Method // by cell and seed
	slots   []*outcome                  // by position; nil where not done
	failed  atomic.Int64
	done    atomic.Int64
}

// Run carries out a plan and writes the run folder. Where ctx is cancelled the part that is done is written, marked
// incomplete, and the error is a [*StoppedError].
func Run(ctx context.Context, p *plan.Plan, o Options) (Result, error) {
	start := time.Now()
	if o.Model == nil {
		o.Model = catalog.Model
	}
	l, err := o.Store.Ledger()
	if err != nil {
		return Result{}, err
	}
	defer l.Close()
	x := &execution{plan: p, opts: o, ledger: l, models: map[string]*ledger.Model{}, methods: map[[2]int]prompting.Method{}}
	if err := x.open(ctx); err != nil {
		return Result{}, err
	}
	err = x.work(ctx)
	if err != nil && ctx.Err() == nil {
		return Result{}, err
	}
	run := x.collect()
	run.Dir = o.Store.RunDir(p.Experiment.Name, p.Manifest.ID)
	if err != nil {
		return Result{Dir: run.Dir}, x.stopped(run)
	}
	run.Manifest.Complete = true
	if err := record.Write(run.Dir, run); err != nil {
		return Result{}, err
	}
	return Result{Dir: run.Dir, Run: run, Counts: x.counts(), Duration: time.Since(start)}, nil
}

// stopped writes what is done, unless the folder already holds the whole run.
func (x *execution) stopped(run *record.Run) error {
	e := &StoppedError{Dir: run.Dir, Done: int(x.done.Load()), Total: len(x.slots)}
	if m, _, err := record.ReadManifest(run.Dir); err == nil && m.Complete {
		return e
	}
	return errors.Join(e, record.Write(run.Dir, run))
}

// open constructs every model and method before the first call, so that what is wrong with an arm is known at once.
func (x *execution) open(ctx context.Context) error {
	for ci, c := range x.plan.Cells {
		m, err := x.model(ctx, c.Arm.Model)
		if err != nil {
			return fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err)
		}
		for si, seed := range x.plan.Experiment.Seeds {
			if x.methods[[2]int{ci, si}], err = x.plan.Method(c, m, seed); err != nil {
				return fmt.Errorf("runner: arm %q: %w", c.Arm.Name, err)
			}
		}
	}
	return nil
}

// model returns the ledgered model of a configuration, one a provider and address: generation parameters travel in
// the request.
func (x *execution) model(ctx context.Context, m configs.Model) (*ledger.Model, error) {
	key := fmt.Sprintf("%q %q %q %q", m.Provider, m.BaseURL, m.KeyEnv, m.KeyFile)
	if got, ok := x.models[key]; ok {
		return got, nil
	}
	var inner llm.Model
	if !x.opts.Offline || m.Provider == "baseline" {
		var err error
		if inner, err = x.opts.Model(ctx, m, x.plan.Experiment.Limits); err != nil {
			return nil, err
		}
	}
	x.models[key] = x.ledger.Wrap(inner, ledger.Options{Offline: x.opts.Offline})
	return x.models[key], nil
}

// work does the jobs in order, as many at once as the experiment says, until all are done or one fails.
func (x *execution) work(ctx context.Context) error {
	cells, seeds := len(x.plan.Cells), len(x.plan.Experiment.Seeds)
	x.slots = make([]*outcome, len(x.plan.Set.Examples)*cells*seeds)
	workers := x.plan.Experiment.Workers
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	var mu sync.Mutex
	for range workers {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(x.slots) {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				out, err := x.do(ctx, job{i / (cells * seeds), i / seeds % cells, i % seeds})
				if err != nil {
					return err
				}
				x.slots[i] = out
				x.done.Add(1)
				mu.Lock()
				x.report()
				mu.Unlock()
			}
		})
	}
	return g.Wait()
}

func (x *execution) report() {
	if x.opts.Progress != nil {
		x.opts.Progress(Progress{Done: int(x.done.Load()), Total: len(x.slots), Counts: x.counts(), Failed: int(x.failed.Load())})
	}
}

func (x *execution) counts() (c ledger.Counts) {
	for _, m := range x.models {
		n := m.Counts()
		c.Cached, c.Called, c.Failed = c.Cached+n.Cached, c.Called+n.Called, c.Failed+n.Failed
	}
	return c
}
