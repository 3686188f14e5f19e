// Package process keeps programs of the user's running, and asks each one JSON line at a time.
//
// A [Pool] starts a program when [Pool.Do] needs one more, up to a limit; Do hands a free one to its caller, who asks it
// with [Process.Ask]: one JSON object a line goes to its standard input, and one comes back from its standard output. A program
// that dies, is late, or writes anything else is killed with all of its process group and, on Linux, with what left that, and the next Do starts another. The
// package must never hand a program a secret of the environment, leave one behind, or take an answer for that of another
// question.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"assay/configs"
)

// Options say what is started, and within which bounds.
type Options struct {
	Argv    []string      // the program and its arguments; not empty
	Dir     string        // its working directory; empty: the current one
	Env     []string      // "NAME=value", after what [Environment] hands on
	Greets  bool          // the first line is {"ready": true, ...}, and nothing is asked before it
	Startup time.Duration // from the start to the first line; 0: [DefaultStartup]
	Timeout time.Duration // of an answer, which a first answer without a greeting has beyond Startup; 0: [DefaultTimeout]
	Stderr  io.Writer     // all that the programs write to standard error, one write at a time; nil: only the tail is kept
	Limit   int           // bytes of a line out; 0: [DefaultLimit]
	Max     int           // how many run at once; below 1: one

	// Setup returns what a program's environment has besides, and what is called when the program has ended. slot is below
	// Max, and no two programs that run have the same; ctx is that of the Do that starts it. nil: nothing.
	Setup func(ctx context.Context, slot int) (env []string, done func(), err error)
}

// Of returns the options of a program that an experiment states.
func Of(p configs.Program) Options {
	return Options{Argv: p.Command, Dir: p.Dir, Env: p.Environ(), Greets: p.Startup > 0,
		Startup: time.Duration(p.Startup), Timeout: time.Duration(p.Timeout)}
}

// What holds where Options say nothing.
const (
	DefaultStartup = time.Minute
	DefaultTimeout = 10 * time.Minute
	DefaultLimit   = 8 << 20
)

// Pool is programs of one kind. It is safe for concurrent use.
type Pool struct {
	o      Options
	stderr *shared
	turns  chan struct{} // one token per program that may run

	mu     sync.Mutex
	slots  []int // free slots, the one used last at the end
	idle   map[int]*Process
	closed bool
}

// New returns a pool that has started nothing yet.
func New(o Options) *Pool {
	o.Max = max(o.Max, 1)
	set(&o.Startup, DefaultStartup)
	set(&o.Timeout, DefaultTimeout)
	set(&o.Limit, DefaultLimit)
	p := &Pool{o: o, stderr: &shared{to: o.Stderr}, turns: make(chan struct{}, o.Max), idle: map[int]*Process{}}
	for n := range o.Max {
		p.slots = append(p.slots, o.Max-1-n)
	}
	return p
}

// set gives a setting that says nothing its default.
func set[T int | time.Duration](setting *T, usual T) {
	if *setting <= 0 {
		*setting = usual
	}
}

// Do calls f with a program that nobody else uses meanwhile, and returns its error. Where the program died before it
// answered, and had answered others, f is called a second time with a new one: what ends of old age has lost no question.
// Errors about the program are of type [*Error].
func (p *Pool) Do(ctx context.Context, f func(*Process) error) error {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turns }()
	again, err := p.once(ctx, f)
	if again {
		_, err = p.once(ctx, f)
	}
	return err
}

// mostVersion bounds the version that a program declares, in bytes.
const mostVersion = 200

// Version returns the version that the program declares in its greeting: empty where it declares none, or does not greet.
func (p *Pool) Version(ctx context.Context) (version string, err error) {
	if !p.o.Greets {
		return "", nil
	}
	err = p.Do(ctx, func(proc *Process) error {
		var g struct{ Version string }
		if err := json.Unmarshal(proc.greeting, &g); err != nil || len(g.Version) > mostVersion {
			return fmt.Errorf("process: run %q: its first line is %q: the version is a text of at most %d bytes",
				CommandLine(p.o.Argv), Line(string(proc.greeting), clipBytes), mostVersion)
		}
		version = g.Version
		return nil
	})
	return version, err
}

// once calls f with the program of a free slot; again reports that it died of old age.
func (p *Pool) once(ctx context.Context, f func(*Process) error) (again bool, err error) {
	proc, err := p.take(ctx)
	if err != nil {
		return false, err
	}
	defer p.put(proc)
	before := proc.answered
	err = f(proc)
	if ctx.Err() != nil {
		proc.end()
		return false, err
	}
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == Died && before > 0 && proc.answered == before, err
}

// take returns the program of the slot used last, started where none runs there.
func (p *Pool) take(ctx context.Context) (*Process, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, fmt.Errorf("process: run %q: the pool is closed", CommandLine(p.o.Argv))
	}
	slot := p.slots[len(p.slots)-1]
	p.slots = p.slots[:len(p.slots)-1]
	proc := p.idle[slot]
	delete(p.idle, slot)
	p.mu.Unlock()
	if proc != nil {
		return proc, nil
	}
	proc, err := p.start(ctx, slot)
	if err == nil && p.o.Greets {
		err = proc.greeted(ctx)
	}
	if err != nil {
		p.free(slot)
		return nil, err
	}
	return proc, nil
}

// put makes a program's slot free again, and keeps the program for the next Do where it lives.
func (p *Pool) put(proc *Process) {
	p.mu.Lock()
	keep := !p.closed && !proc.ended
	if keep {
		p.idle[proc.slot] = proc
	}
	p.mu.Unlock()
	if !keep {
		proc.end()
	}
	p.free(proc.slot)
}

func (p *Pool) free(slot int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots = append(p.slots, slot)
}

// Close ends the programs at rest at once, and those in use when their Do returns. The pool starts no more.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = map[int]*Process{}
	p.mu.Unlock()
	for _, proc := range idle {
		proc.end()
	}
}
