package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"assay/plots/terminal"
)

// patience is how long a verb may take to end once it was told to: to keep what is done, which runner.Options says for calls
// in flight. A verb that computes on, or waits for a file that does not answer, is left there: what it wrote is on disk, and
// no store depends on how a process ends.
const patience = 1800 * time.Millisecond

// exitPipe is the code of a program that wrote to a closed pipe, as shells report it.
const exitPipe = 128 + int(syscall.SIGPIPE)

// errPipe is why a context ends whose output nobody reads any more.
var errPipe = errors.New("the output is closed")

// stopping returns a context that the first SIGINT, SIGTERM or SIGHUP ends, so that a verb can keep what it has; a second
// one ends the process, because it meets the default handler. SIGHUP stays ignored where it is, as under nohup. close ends
// the context too, with errPipe: a closed pipe must not kill a process whose calls are paid for.
func stopping() (ctx context.Context, stop func(), closed func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	told := make(chan os.Signal, 1)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(told, signals...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writing is then an error; see pipe
	go func() {
		select {
		case <-told:
			signal.Reset(signals...)
			cancel(context.Canceled)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(told); cancel(nil) }, func() { cancel(errPipe) }
}

// pipe calls closed when a write fails because nobody reads.
type pipe struct {
	io.Writer
	closed func()
}

func (p pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.closed()
	}
	return n, err
}

// piped wraps a writer that may be a pipe; a terminal is left as it is, whose width is asked for.
func piped(w io.Writer, closed func()) io.Writer {
	if _, is := terminal.New(w).Terminal(); is {
		return w
	}
	return pipe{w, closed}
}

// within returns the code of a verb, or exitFailed where ctx has ended and the verb has not within the wait: left is then
// called.
func within(ctx context.Context, wait time.Duration, verb func() int, left func()) int {
	done := make(chan int, 1)
	go func() { done <- verb() }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case code := <-done:
		return code
	case <-t.C:
		left()
		return exitFailed
	}
}
