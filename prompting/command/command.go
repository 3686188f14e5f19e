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
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/gateway"
	"assay/prompting/llm"
	"assay/prompting/process"
)

// Row is the method of arms whose candidates a program makes.
var Row = configs.Method{Choice: configs.Choice{ID: "command", Shows: "a program of one's own in any language, see `arm.command`"}, Program: true}

// Options say what a host may do.
type Options struct {
	Allowed bool // programs may be started; otherwise what needs one fails with an error that shows the command line
	Workers int  // processes of each arm at once; below 1: one
}

// Host keeps the programs of arms: an arm's program is the same at every sweep point and seed, unless the point has vectors of
// its own, which a process may ask for as it starts. It starts nothing before it is asked. It is safe for concurrent use.
type Host struct {
	o Options

	mu       sync.Mutex
	server   *gateway.Server // nil until a program needs it
	programs map[use]*program
	logs     map[string]*process.Log // by arm
	offline  map[string]bool         // by arm
	warnings map[string]bool
}

// use is what the processes of a program have in common.
type use struct {
	arm     string
	vectors llm.Embedder // nil: the offline vectors; two that are equal have the same vectors
}

// NewHost returns a host without programs. Close ends it.
func NewHost(o Options) *Host {
	return &Host{o: o, programs: map[use]*program{}, logs: map[string]*process.Log{}, offline: map[string]bool{}, warnings: map[string]bool{}}
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
// declares none. A program that may ask for a model's vectors as it starts is ended again: it got none.
func (h *Host) Version(ctx context.Context, arm configs.Arm) (version string, err error) {
	if arm.Startup == 0 {
		return "", nil
	}
	p, err := h.program(arm, gateway.Session{})
	if err != nil {
		return "", err
	}
	if arm.Embeddings.On() {
		defer h.drop(use{arm: arm.Name})
	}
	if version, err = p.pool.Version(ctx); err != nil {
		return "", fmt.Errorf("command: start: %w", err)
	}
	return version, nil
}

// drop ends a program.
func (h *Host) drop(u use) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.programs[u].pool.Close()
	delete(h.programs, u)
}

// LogTo passes on what the programs of the arms wrote to standard error, and what they will write; open is called with an
// arm's name once it writes something. The writers are the caller's to close, after Close.
func (h *Host) LogTo(arms []configs.Arm, open func(arm string) (io.Writer, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range arms {
		if a.Row.Program {
			h.log(a.Name).To(func() (io.Writer, error) { return open(a.Name) })
		}
	}
}

// log returns the log of an arm's programs.
func (h *Host) log(arm string) *process.Log {
	if h.logs[arm] == nil {
		h.logs[arm] = &process.Log{}
	}
	return h.logs[arm]
}

// Offline lists the arms whose programs asked for embeddings and got the offline vectors, sorted.
func (h *Host) Offline() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.offline))
}

// Warnings returns what was asked for and not done, each once, sorted.
func (h *Host) Warnings() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.warnings))
}

// warn adds warnings about an arm.
func (h *Host) warn(arm string, r gateway.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Offline {
		h.offline[arm] = true
	}
	for _, w := range r.Warnings {
		h.warnings[fmt.Sprintf("arm %q: %s", arm, w)] = true
	}
}

// program is an arm's program with its processes.
type program struct {
	pool  *process.Pool
	doors sync.Map // slot -> *gateway.Door of the process there

	mu       sync.Mutex
	early    error // what ended a process's start in place of the program: see gateway.Door.Err
	answered bool  // a process has answered
	failed   int   // failures of processes since then
}

// mostFailed is how many times in a row the processes of a program may fail before the run stops.
const mostFailed = 10

// program returns the arm's program. Of the session it takes what a process may ask as it starts: embeddings.
func (h *Host) program(arm configs.Arm, s gateway.Session) (*program, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := use{arm.Name, s.Embed}
	if p := h.programs[u]; p != nil {
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
	p := &program{}
	server, o := h.server, process.Of(arm.Program)
	o.Stderr, o.Max = h.log(arm.Name), h.o.Workers
	o.Setup = func(ctx context.Context, slot int) ([]string, func(), error) {
		d := server.Door()
		d.Outside(context.WithoutCancel(ctx), gateway.Session{Author: s.Author, Names: s.Names, Embed: s.Embed, EmbedName: s.EmbedName})
		p.doors.Store(slot, d)
		return variables(d, arm.Env), func() { p.closed(d) }, nil
	}
	p.pool = process.New(o)
	h.programs[u] = p
	return p, nil
}

// local are the hosts that a client asks without a proxy, which an arm's env may name.
const local = "127.0.0.1,localhost"

// variables are those by which the clients of OpenAI and Anthropic find a door.
func variables(d *gateway.Door, own map[string]string) []string {
	without := strings.Join(slices.DeleteFunc([]string{local, own["NO_PROXY"], own["no_proxy"]}, func(s string) bool { return s == "" }), ",")
	return []string{"OPENAI_BASE_URL=" + d.BaseURL(), "OPENAI_API_BASE=" + d.BaseURL(), "OPENAI_API_KEY=" + d.Key(),
		"ANTHROPIC_BASE_URL=" + d.AnthropicURL(), "ANTHROPIC_API_KEY=" + d.Key(),
		"NO_PROXY=" + without, "no_proxy=" + without}
}

// door returns that of the process in a slot.
func (p *program) door(slot int) *gateway.Door {
	d, _ := p.doors.Load(slot)
	return d.(*gateway.Door)
}

// closed closes the door of a process that has ended.
func (p *program) closed(d *gateway.Door) {
	d.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early = d.Err()
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
	if p.early != nil && (err.Kind == process.Unready || err.Kind == process.Died) {
		return p.early
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
