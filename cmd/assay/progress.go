package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
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
	now   func() time.Time
	stop  func()

	mu     sync.Mutex // a call is told of while an answer is
	seen   runner.Progress
	begun  time.Time // when the ledger's answers ended, which take no time: the pace is of those after them
	moved  time.Time // when a question was last done
	line   time.Time // when a line was last written
	failed bool      // a failure was told of
	again  int       // calls made again
	cause  string    // of the last of them
	told   []string  // causes that were told of
}

func newProgress(w io.Writer, quiet bool, now func() time.Time) *progress {
	at := now()
	return &progress{w: w, quiet: quiet, now: now, stop: func() {}, begun: at, moved: at, line: at}
}

// watch shows the progress every second also while no question is done, until done is called.
func (p *progress) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				p.tick()
			case <-ctx.Done():
				return
			}
		}
	}()
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
	p.seen, p.moved = s, p.now()
	if s.Asked == 0 {
		p.begun = p.moved
	}
	if p.quiet {
		return
	}
	p.noteFailure(s)
	p.show()
}

// tick shows how far the run was at its last update, and what it waits for.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.quiet && p.seen.Total > 0 {
		p.show()
	}
}

// lineEvery is how often a line is written where there is no bar, and how long nothing may be done without a word.
const lineEvery = 10 * time.Second

// show draws the bar, or writes a line where it is time to.
func (p *progress) show() {
	now := p.now()
	switch {
	case isTerminal(p.w):
		if p.bar == nil {
			p.bar = progressbar.NewOptions(p.seen.Total, progressbar.OptionSetWriter(p.w), progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(false), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20))
		}
		p.bar.Describe(p.status(now))
		_ = p.bar.Set(p.seen.Done) // a bar that cannot be drawn is no reason to stop
	case now.Sub(p.line) >= lineEvery:
		p.line = now
		fmt.Fprintf(p.w, "%d of %d: %s\n", p.seen.Done, p.seen.Total, p.status(now))
	}
}

// status is the pace of what is asked, what was done, and what is waited for.
func (p *progress) status(now time.Time) string {
	s := p.seen
	out := fmt.Sprintf("%d calls, %d cached, %d failed", s.Called, s.Cached, s.Failed)
	if took := now.Sub(p.begun); s.Asked > 0 && took > 0 {
		rate := float64(s.Asked) / took.Seconds()
		left := time.Duration(float64(s.Left) / rate * float64(time.Second)).Round(time.Second)
		out = fmt.Sprintf("%s, %s left; %s", pace(rate), left, out)
	}
	if quiet := now.Sub(p.moved); quiet >= lineEvery {
		out += fmt.Sprintf("; none done for %v", quiet.Round(time.Second))
	}
	if p.again > 0 {
		out += fmt.Sprintf("; %d tried again, the last after %s", p.again, p.cause)
	}
	return out
}

// pace prints a number a second, a minute or an hour: by the first that it is 1 of.
func pace(perSecond float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, "a second"}, {60, "a minute"}, {3600, "an hour"}} {
		n := perSecond * unit.seconds
		switch {
		case n >= 9.95:
			return fmt.Sprintf("%.0f %s", n, unit.name)
		case n >= 0.95 || unit.seconds == 3600:
			return fmt.Sprintf("%.1f %s", n, unit.name)
		}
	}
	return ""
}

// done takes the bar away.
func (p *progress) done() {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet = true // a tick may be under way
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// noteFailure says once why an answer failed: a run that waits for a server that is not there should not be silent.
func (p *progress) noteFailure(s runner.Progress) {
	if s.Why == "" || p.failed {
		return
	}
	p.failed = true
	p.print("warning: a call got no answer: %s", s.Why)
}

// retried says that a call is made again after a wait: in a line of its own where the cause is a new one, and in the
// progress.
func (p *progress) retried(cause, why string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again++
	p.cause = cause
	if p.quiet {
		return
	}
	if !slices.Contains(p.told, cause) {
		p.told = append(p.told, cause)
		p.print("a call failed and is tried again in %.1f s: %s", wait.Seconds(), why)
	}
	if p.bar != nil {
		p.show()
	}
}

// print writes a line in the bar's place.
func (p *progress) print(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}
