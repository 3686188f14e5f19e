package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"assay/prompting/sql/engine"

	"golang.org/x/sync/semaphore"
)

// Bounds on memory. heapOfAll is what SQLite may allocate in all workers together. Each of those that run at once may use
// its share of it, of a sixteenth or more; a statement that needs more runs again, alone, with all of it. So a verdict depends on heapOfAll only,
// not on what runs beside a statement. beside is the room for what is not SQLite's heap.
const (
	heapOfAll = 128 << 20
	beside    = 64 << 20
)

// The program's own questions about a database, which may be large, or made to hang: silence is how long no row may come,
// and patience how long all of them may take, with what the program does between them.
const (
	silence  = 20 * time.Second
	patience = 10 * time.Minute
)

// workers runs jobs on worker processes, which it starts when they are needed and keeps for the next job.
type workers struct {
	most  int64               // jobs at once
	turns *semaphore.Weighted // of most; a job that runs alone takes all
	mu    sync.Mutex
	idle  []*worker
}

// processes are those of this program. There is one set of them, because the bound on memory is one.
var processes = newWorkers(min(16, max(4, int64(runtime.NumCPU()))))

func newWorkers(most int64) *workers {
	return &workers{most: most, turns: semaphore.NewWeighted(most)}
}

// share returns the heap of a job that does not run alone.
func (p *workers) share() int64 { return heapOfAll / p.most }

// talk is a conversation with a worker that may use so much heap.
type talk func(w *worker, heap int64) error

// do lends a worker to f until f returns; spent is what an earlier try has taken of the limit. It kills the worker at the deadline, which starts when there is one, and when ctx
// ends; f then fails, and do returns an *engine.Error of kind Timeout or ctx.Err(). A job that runs out of memory, whose
// database is changed meanwhile, or whose worker dies by itself, is done again by a new worker within what is left of the
// time; again says, after f failed, whether f may be done twice. Other errors of f are returned as they are, and what is left
// of its answer is read and dropped.
func (p *workers) do(ctx context.Context, limit, spent time.Duration, again func() bool, f talk) error {
	if err := p.turns.Acquire(ctx, 1); err != nil {
		return err
	}
	begun := time.Now().Add(-spent)
	err := p.attempt(ctx, limit-spent, limit, p.share(), false, f)
	p.turns.Release(1)
	if !repeatable(err) || !again() {
		return err
	}
	left := limit - time.Since(begun)
	if err := p.turns.Acquire(ctx, p.most); err != nil {
		return err
	}
	defer p.turns.Release(p.most)
	p.drop() // for their memory
	err = p.attempt(ctx, left, limit, heapOfAll, true, f)
	if c, ok := errors.AsType[*crash](err); ok && !c.outside() {
		return &engine.Error{Kind: engine.SQL, Err: c}
	}
	return err
}

// crash is the death of a worker by itself, or by somebody else.
type crash struct{ state *os.ProcessState }

func (c *crash) Error() string {
	if c.outside() {
		return "sqlite: the process of a statement was killed from outside: is the machine out of memory?"
	}
	return fmt.Sprintf("SQLite crashed (%v)", c.state)
}

// outside reports whether the worker was killed, as the kernel does where memory is short: no statement is to blame.
func (c *crash) outside() bool {
	status, ok := c.state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// repeatable reports whether another attempt, alone, may end otherwise.
func repeatable(err error) bool {
	e, ok := errors.AsType[*engine.Error](err)
	return ok && e.Limit == engine.MemoryCap || errors.Is(err, errChanged) || errors.As(err, new(*crash))
}

// attempt lends one worker to f, a new one where fresh is set. left is what remains of the limit.
func (p *workers) attempt(ctx context.Context, left, limit time.Duration, heap int64, fresh bool, f talk) error {
	w, err := p.take(fresh)
	if err != nil {
		return err
	}
	w.silence = 0
	w.timer = time.AfterFunc(left, func() { w.late.Store(true); w.kill() })
	watch := context.AfterFunc(ctx, w.kill)
	err = f(w, heap)
	if !errors.Is(err, errGone) && !w.killed.Load() {
		w.rest()
	}
	running := w.timer.Stop() || w.silence > 0
	if watch() && running && !w.killed.Load() && w.ended && !fresh && !damaged(err) {
		p.put(w)
		return err
	}
	if errors.Is(err, errGone) && (ctx.Err() != nil || w.late.Load()) {
		go w.end() // the kernel may free large temporary files for long; it frees memory first
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &engine.Error{Kind: engine.Timeout, Limit: engine.Deadline, Err: fmt.Errorf("stopped after %s", limit)}
	}
	state := w.end()
	switch {
	case !errors.Is(err, errGone):
		return err
	case state != nil && state.ExitCode() == noMemory:
		return &engine.Error{Kind: engine.Timeout, Limit: engine.MemoryCap, Err: errors.New("out of memory")}
	}
	return &crash{state}
}

// noMemory is the exit code of a worker that could not allocate memory outside of SQLite.
const noMemory = 4

// damaged reports whether a worker should take no other statement: what it keeps of a database may be in disorder after
// the end of memory or disk, or hold much of them.
func damaged(err error) bool {
	e, ok := errors.AsType[*engine.Error](err)
	return ok && (e.Kind == engine.Unavailable || e.Limit == engine.MemoryCap || e.Limit == engine.DiskCap)
}

// always is for what may be done any number of times.
func always() bool { return true }

// take returns a worker at rest, or a new one.
func (p *workers) take(fresh bool) (*worker, error) {
	p.mu.Lock()
	var w *worker
	if n := len(p.idle); n > 0 && !fresh {
		w = p.idle[n-1]
		p.idle = p.idle[:n-1]
	}
	p.mu.Unlock()
	if w != nil {
		return w, nil
	}
	return start(heapOfAll + beside)
}

// put keeps a worker for the next job. There are never more than run at once.
func (p *workers) put(w *worker) {
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
}

// drop ends the workers at rest.
func (p *workers) drop() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, w := range idle {
		w.end()
	}
}

// Warm starts n processes while the program does something else, so that the first statements find them ready. One that
// cannot be started is tried again, and told of, when it is needed.
func Warm(n int) {
	for range n {
		go func() {
			if w, err := start(heapOfAll + beside); err == nil {
				processes.put(w)
			}
		}()
	}
}

// Close ends the processes that wait for a statement, as a program does before it ends itself: else the kernel ends them a
// moment later. The next statement would start new ones.
func Close() { processes.drop() }

// ask sends a request; columns and next then read its answer.
func (w *worker) ask(j job, heap int64) error {
	w.begin()
	return w.send(j.request(nil, heap))
}

// grace is how long a worker may take to stop a scan whose rows nobody wants. Past it, ending the worker is cheaper.
const grace = 20 * time.Millisecond

// rest brings a worker to the end of its answer, so that it can take the next request.
func (w *worker) rest() {
	if w.ended || w.from == nil {
		return
	}
	timer := time.AfterFunc(grace, w.kill)
	defer func() {
		if !timer.Stop() {
			w.ended = false // it was killed a moment too late to be of use again
		}
	}()
	if w.send(job{op: opStop}.request(nil, 0)) != nil {
		return
	}
	w.rows = 1 // no block of many rows for rows that are dropped
	for !w.ended {
		if _, err := w.next(); err != nil {
			return
		}
	}
}
