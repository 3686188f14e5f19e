package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Process is a program that runs. One goroutine at a time may use it.
type Process struct {
	pool     *Pool
	slot     int
	in       *os.File
	lines    <-chan line
	tail     *tail
	done     func()
	started  time.Time
	answered int
	greeting []byte // the line {"ready": true, ...} before the first answer; nil where none came so far
	ended    bool
	gone     <-chan struct{} // closed when the program has ended
	stop     func() string   // kills the group, frees everything, and says how the program ended
}

// line is a line that a program wrote, or why there are no more.
type line struct {
	text []byte
	why  Kind // empty: a line
}

// Slot is the number that Options.Setup was called with.
func (p *Process) Slot() int { return p.slot }

// Ask writes one value as a line of JSON and returns the object that the program answers with. An error other than ctx's is
// an [*Error]; the program has then been killed.
func (p *Process) Ask(ctx context.Context, in any) ([]byte, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("process: ask %q: %w", CommandLine(p.pool.o.Argv), err)
	}
	if p.ended {
		return nil, p.fail(Died, nil)
	}
	limit := p.pool.o.Timeout
	if p.answered == 0 && p.greeting == nil {
		limit += p.pool.o.Startup - time.Since(p.started)
	}
	if err := p.unasked(); err != nil {
		return nil, err
	}
	out, err := p.exchange(ctx, append(text, '\n'), limit)
	if err == nil {
		p.answered++
	}
	return out, err
}

// greeted waits for the greeting of a program that has just been started.
func (p *Process) greeted(ctx context.Context) error {
	timer := time.NewTimer(p.pool.o.Startup)
	defer timer.Stop()
	select {
	case l := <-p.lines:
		if l.why == "" && p.greets(l.text) {
			return nil
		}
		if l.why == "" {
			l.why = Unready
		}
		return p.fail(l.why, l.text)
	case <-timer.C:
		return p.fail(Unready, nil)
	case <-ctx.Done():
		p.end()
		return ctx.Err()
	}
}

// unasked takes what the program wrote since its last answer: its greeting, or nonsense.
func (p *Process) unasked() error {
	for {
		select {
		case l := <-p.lines:
			if l.why != "" {
				return p.fail(l.why, l.text)
			}
			if !p.greets(l.text) {
				return p.fail(Unasked, l.text)
			}
		default:
			return nil
		}
	}
}

// greets takes a line as the program's greeting, where it is one and comes before everything else.
func (p *Process) greets(text []byte) bool {
	var g struct{ Ready bool }
	if p.answered > 0 || p.greeting != nil || json.Unmarshal(text, &g) != nil || !g.Ready {
		return false
	}
	p.greeting = text
	return true
}

// exchange writes a line, whatever the program does meanwhile, and waits for the answer.
func (p *Process) exchange(ctx context.Context, text []byte, limit time.Duration) ([]byte, error) {
	sent := make(chan error, 1)
	go func() {
		_, err := p.in.Write(text)
		sent <- err
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var answer []byte
	for waiting := sent; answer == nil || waiting != nil; {
		select {
		case <-waiting: // a program that reads no more says why by how it ends
			waiting = nil
		case l := <-p.lines:
			switch {
			case l.why != "":
				return nil, p.fail(l.why, l.text)
			case answer == nil && p.greets(l.text):
				timer.Reset(p.pool.o.Timeout)
			case answer != nil:
				return nil, p.fail(Unasked, l.text)
			default:
				if ok, cause := object(l.text); !ok {
					return nil, p.Refuse(l.text, cause)
				}
				answer = l.text
				timer.Reset(4 * grace) // who answers has read the question
			}
		case <-timer.C:
			if answer != nil {
				return nil, p.fail(Unasked, answer)
			}
			return nil, p.fail(Late, nil)
		case <-ctx.Done():
			p.end()
			return nil, ctx.Err()
		}
	}
	return bytes.Clone(answer), nil
}

// Refuse kills the program for an answer that is an object and no answer to the question; cause says what is wrong with it.
func (p *Process) Refuse(answer []byte, cause string) error {
	err := p.fail(Nonsense, answer)
	err.Cause = cause
	return err
}

// fail kills the program and returns what there is to say of it.
func (p *Process) fail(k Kind, wrote []byte) *Error {
	if k == Died { // it may be on its way
		select {
		case <-p.gone:
		case <-time.After(grace):
		}
	}
	how := p.end()
	return &Error{Kind: k, Argv: p.pool.o.Argv, Dir: p.pool.o.Dir, Status: how, Stderr: p.tail.text(), Wrote: Line(string(wrote), clipBytes)}
}

// end kills the program and all of its group, and returns how it ended.
func (p *Process) end() string {
	p.ended = true
	return p.stop()
}
