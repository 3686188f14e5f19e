package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"assay/experiments/runner"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a run is: a bar on a terminal, a line every ten seconds elsewhere. It is safe for concurrent use.
type progress struct {
	w     io.Writer
	quiet bool
	bar   *progressbar.ProgressBar
	last  time.Time
	start time.Time

	mu     sync.Mutex // a call is told of while an answer is
	failed bool       // a failure was told of
	waited bool       // a wait was told of
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, quiet: quiet, start: time.Now(), last: time.Now()}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// update shows how far the run is now.
func (p *progress) update(s runner.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.quiet {
		p.noteFailure(s)
	}
	switch {
	case p.quiet:
	case isTerminal(p.w):
		if p.bar == nil {
			p.bar = progressbar.NewOptions(s.Total, progressbar.OptionSetWriter(p.w), progressbar.OptionShowCount(),
				progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20))
		}
		p.bar.Describe(tally(s))
		_ = p.bar.Set(s.Done) // a bar that cannot be drawn is no reason to stop
	case time.Since(p.last) >= 10*time.Second:
		p.last = time.Now()
		rate := float64(s.Done) / time.Since(p.start).Seconds()
		left := time.Duration(float64(s.Total-s.Done) / rate * float64(time.Second)).Round(time.Second)
		fmt.Fprintf(p.w, "%d of %d, %.0f a second, %s left; %s\n", s.Done, s.Total, rate, left, tally(s))
	}
}

// done takes the bar away.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

func tally(s runner.Progress) string {
	return fmt.Sprintf("%d calls, %d cached, %d failed", s.Called, s.Cached, s.Failed)
}

// noteFailure says once why an answer failed: a run that waits for a server that is not there should not be silent.
func (p *progress) noteFailure(s runner.Progress) {
	if s.Why == "" || p.failed {
		return
	}
	p.failed = true
	p.line("warning: a call got no answer: %s", s.Why)
}

// again says once that a call is made again after a wait, so that the first wait is no silence.
func (p *progress) again(why string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet || p.waited {
		return
	}
	p.waited = true
	p.line("a call failed and is tried again in %.1f s: %s", wait.Seconds(), why)
}

// line prints a line in the bar's place.
func (p *progress) line(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}
