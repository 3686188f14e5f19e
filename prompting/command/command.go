// Package command answers questions by programs in any language.
//
// A [Host] keeps the programs of a run's arms. For each sample of a question its [Method] takes a free process of the arm's
// program ([assay/prompting/process]), opens an exchange for that question, arm and sample at an address on loopback
// ([assay/prompting/gateway]), sends the process the [Item] as a line of JSON, and reads its answer as another. What the
// process asked at the address is the trace; what it answered are the candidates.
//
// A program must never see a gold query, nor a key or another secret of the environment; it is started only where the user
// has allowed that; and what it makes of a completion that nobody has is never taken for an answer.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/gateway"
	"assay/prompting/process"
)

// Row is the method of arms whose candidates a program makes.
var Row = configs.Method{Choice: configs.Choice{ID: "command", Shows: "a program of one's own in any language, see `arm.command`"}, Program: true}

// Options say what a host may do.
type Options struct {
	Allowed bool // programs may be started; otherwise what needs one fails with an error that shows the command line
	Workers int  // processes of each arm at once; below 1: one
}

// Host keeps the programs of arms, by name: an arm's program is the same at every sweep point and seed. It starts nothing
// before it is asked. It is safe for concurrent use.
type Host struct {
	o Options

	mu       sync.Mutex
	server   *gateway.Server // nil until a program needs it
	programs map[string]*program
	warnings map[string]bool
}

// NewHost returns a host without programs. Close ends it.
func NewHost(o Options) *Host {
	return &Host{o: o, programs: map[string]*program{}, warnings: map[string]bool{}}
}

// Close ends every program and the address. The host starts no more.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.o.Allowed = false
	for _, p := range h.programs {
		p.pool.Close()
	}
	if h.server == nil {
		return nil
	}
	return h.server.Close()
}

// Refusal returns the error about an arm whose program is not allowed to run; nil where it is.
func (h *Host) Refusal(arm configs.Arm) error {
	if h.o.Allowed {
		return nil
	}
	return process.Refusal(arm.Program)
}

// Version starts the arm's program, where it says when it is ready, and returns the version that it declares; empty where it
// declares none.
func (h *Host) Version(ctx context.Context, arm configs.Arm) (version string, err error) {
	if arm.Startup == 0 {
		return "", nil
	}
	p, err := h.program(arm)
	if err != nil {
		return "", err
	}
	if version, err = p.pool.Version(ctx); err != nil {
		return "", fmt.Errorf("command: start: %w", err)
	}
	return version, nil
}

// LogTo passes on what the programs of the arms wrote to standard error, and what they will write; open is called with an
// arm's name once it writes something. The writers are the caller's to close, after Close.
func (h *Host) LogTo(arms []configs.Arm, open func(arm string) (writer, error)) error {
	for _, a := range arms {
		if !a.Row.Program {
			continue
		}
		p, err := h.program(a)
		if err != nil {
			return err
		}
		p.log.to(func() (writer, error) { return open(a.Name) })
	}
	return nil
}

// Warnings returns what was asked for and not done, each once, sorted.
func (h *Host) Warnings() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.warnings))
}

// warn adds warnings about an arm.
func (h *Host) warn(arm string, r gateway.Record) {
	if r.Offline {
		r.Warnings = append(slices.Clone(r.Warnings), "embeddings were asked for, and answered by the offline vectors")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range r.Warnings {
		h.warnings[fmt.Sprintf("arm %q: %s", arm, w)] = true
	}
}

// program is an arm's program with its processes.
type program struct {
	pool  *process.Pool
	log   *log
	doors sync.Map // slot -> *gateway.Door of the process there

	mu       sync.Mutex
	answered bool // a process has answered
	failed   int  // failures of processes since then
}

// mostFailed is how many times in a row the processes of a program may fail before the run stops.
const mostFailed = 10

// program returns the arm's program.
func (h *Host) program(arm configs.Arm) (*program, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.programs[arm.Name]; p != nil {
		return p, nil
	}
	if err := h.Refusal(arm); err != nil {
		return nil, err
	}
	if h.server == nil {
		var err error
		if h.server, err = gateway.Open(gateway.Options{}); err != nil {
			return nil, err
		}
	}
	p := &program{log: &log{}}
	server, o := h.server, process.Of(arm.Program)
	o.Stderr, o.Max = p.log, h.o.Workers
	o.Setup = func(slot int) ([]string, func(), error) {
		d := server.Door()
		p.doors.Store(slot, d)
		return variables(d), d.Close, nil
	}
	p.pool = process.New(o)
	h.programs[arm.Name] = p
	return p, nil
}

// variables are those by which the clients of OpenAI and Anthropic find a door.
func variables(d *gateway.Door) []string {
	return []string{"OPENAI_BASE_URL=" + d.BaseURL(), "OPENAI_API_BASE=" + d.BaseURL(), "OPENAI_API_KEY=" + d.Key(),
		"ANTHROPIC_BASE_URL=" + d.AnthropicURL(), "ANTHROPIC_API_KEY=" + d.Key()}
}

// door returns that of the process in a slot.
func (p *program) door(slot int) *gateway.Door {
	d, _ := p.doors.Load(slot)
	return d.(*gateway.Door)
}

// note counts what came of a question. It returns the error that ends the run: a program that cannot be started, or one that
// does nothing but fail.
func (p *program) note(err *process.Error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.answered, p.failed = true, 0
		return nil
	}
	p.failed++
	switch {
	case !p.answered && (err.Kind == process.Unstarted || err.Kind == process.Unready):
		return err
	case p.failed >= mostFailed:
		return fmt.Errorf("the program failed %d times in a row, the last time so: %w", p.failed, err)
	}
	return nil
}

// made is what one sample of a question came to.
type made struct {
	answer  answer
	trace   []prompting.Call
	failure string // why there is no answer; empty where there is
}

// size is what is kept of it, in bytes.
func (m made) size() int {
	n := len(m.failure) + len(m.answer.Note) + len(m.answer.Error)
	if m.answer.Candidates != nil {
		for _, c := range *m.answer.Candidates {
			n += len(c.SQL) + len(c.Source)
		}
	}
	return n
}

// ask puts an item to a free process of the program. The error is what ends the run, or prompting.ErrUnknown.
func (h *Host) ask(ctx context.Context, p *program, arm string, s gateway.Session, in Item) (m made, err error) {
	err = p.pool.Do(ctx, func(proc *process.Process) error {
		m = made{}
		x := h.server.Begin(ctx, p.door(proc.Slot()), s)
		in.BaseURL, in.AnthropicURL, in.Key = x.BaseURL(), x.AnthropicURL(), x.Key()
		line, failed := proc.Ask(ctx, in)
		if failed == nil {
			m.answer, failed = read(proc, line, in.ID)
		}
		record, ended := x.End()
		m.trace = record.Trace
		h.warn(arm, record)
		return cmp.Or(ended, failed)
	})
	failure, failed := errors.AsType[*process.Error](err)
	switch {
	case failed:
		m.failure = failure.Error()
		return m, p.note(failure)
	case err == nil:
		return m, p.note(nil)
	}
	return m, err
}
