package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/experiments/runner"
	"assay/plots/terminal"

	"github.com/schollz/progressbar/v3"
)

// progress shows the progress of a run: a bar on a terminal, elsewhere a line every ten seconds. It is safe for concurrent
// use.
type progress struct {
	w     *terminal.Writer
	quiet bool
	bar   *progressbar.ProgressBar
	now   func() time.Time
	stop  func()

	mu     sync.Mutex // retries, updates and ticks come from different goroutines
	seen   runner.Progress
	begun  time.Time // when the first answers from the ledger ended: they take no time, and would spoil the rate
	moved  time.Time // when a question was last done
	line   time.Time // when a line was last written
	failed bool      // a failure was reported
	again  int       // retries so far
	cause  string    // of the last retry
	causes []string  // causes that were reported
}

func newProgress(w *terminal.Writer, quiet bool, now func() time.Time) *progress {
	at := now()
	return &progress{w: w, quiet: quiet, now: now, stop: func() {}, begun: at, moved: at, line: at}
}

// watch shows the progress every second until done is called, so that a person sees a run wait for a slow server.
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

// update records the progress of the run and shows it.
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

// tick shows the progress of the last update, and how long the run has waited since.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.quiet && p.seen.Total > 0 {
		p.show()
	}
}

// lineEvery is the time between lines where there is no bar, and the wait after which the status mentions it.
const lineEvery = 10 * time.Second

// show draws the bar, or writes a line where the last one is old enough. The caller holds mu.
func (p *progress) show() {
	now := p.now()
	_, live := p.w.Terminal()
	switch {
	case live:
		if p.bar == nil {
			p.bar = progressbar.NewOptions(p.seen.Total, progressbar.OptionSetWriter(p.w.Bar()), progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(false), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20))
		}
		p.bar.Describe(terminal.Line(p.status(now)))
		_ = p.bar.Set(p.seen.Done) // a bar that cannot be drawn is no reason to stop
	case now.Sub(p.line) >= lineEvery:
		p.line = now
		fmt.Fprintf(p.w, "%d of %d: %s\n", p.seen.Done, p.seen.Total, p.status(now))
	}
}

// status returns the rate of model answers with the time left, the counts of calls, and what the run waits for.
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

// pace prints a rate per second, minute or hour: the first unit in which it is at least 1.
func pace(perSecond float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, "per second"}, {60, "per minute"}, {3600, "per hour"}} {
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

// done removes the bar.
func (p *progress) done() {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet = true // a tick that waits for mu must not draw the bar again
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// noteFailure reports the first failure and its cause. Without it a run that waits for an unreachable server would be
// silent.
func (p *progress) noteFailure(s runner.Progress) {
	if s.Why == "" || p.failed {
		return
	}
	p.failed = true
	p.print("warning: a call got no answer: %s", s.Why)
}

// retried reports that a call is retried after a wait. A new cause gets a line of its own; the status counts all retries.
func (p *progress) retried(cause, why string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again++
	p.cause = cause
	if p.quiet {
		return
	}
	if !slices.Contains(p.causes, cause) {
		p.causes = append(p.causes, cause)
		p.print("a call failed and is tried again in %.1f s: %s", wait.Seconds(), why)
	}
	if p.bar != nil {
		p.show()
	}
}

// print clears the bar and writes a line, because both share the terminal's last line.
func (p *progress) print(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}
