package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"assay/experiments/store"
	"assay/plots/live"
	"assay/plots/site"
	"assay/plots/terminal"
	"assay/prompting/llm/ledger"

	"github.com/spf13/cobra"
)

// mostServed bounds the pairs of runs that can be compared on the pages: each is made when it is asked for.
const mostServed = 20_000

func (a *app) serveCmd() *cobra.Command {
	o := siteFlags{pairs: mostServed}
	var port int
	var show bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show the store's runs in the browser, live while a run goes on",
		Long: `Serve the pages of "assay site" on 127.0.0.1 until it is interrupted. Each page is made when it is asked for, and again once
its run has changed. A run that is under way shows its progress, cost, failures and newest answers as its folder is written,
every ten seconds.

The pages can do two things. To stop a run asks the process that makes its calls to end as Ctrl-C does, where that is on
this machine and is this user's own (by /proc, on Linux; elsewhere press Ctrl-C where it runs). To go on starts "assay run" with
the stored run; a run that was started so ends with the server, and goes on the next time. Both need the token in the
address that is printed: whoever reads the pages without it can do neither. Every user of this machine can read the pages. The
browser of --open is given an address that works once, since others can read its command line.

A run whose methods are programs goes on only under --allow-commands.`,
		Example: "  assay serve --open\n  assay serve --port 8123 --store elsewhere",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if port < 0 || port > 65535 {
				return usageError{fmt.Errorf("--port %d: want 1 to 65535, or 0 for a free one", port)}
			}
			return a.serve(cmd.Context(), &o, port, show)
		},
	}
	o.register(c)
	a.allows(c)
	c.Flags().IntVar(&port, "port", 0, "port of the address (0: a free one)")
	c.Flags().BoolVar(&show, "open", false, "open the address in the browser, as assay open does")
	return c
}

// serve serves until ctx ends.
func (a *app) serve(ctx context.Context, o *siteFlags, port int, show bool) error {
	if _, err := a.siteOf(o); err != nil {
		return err // a store that cannot be read is seen before anybody asks
	}
	k := &keeping{app: a, by: map[string]*child{}}
	s, err := live.Open(live.Options{Port: port, Site: func() (*site.Site, error) { return a.siteOf(o) }, Stop: k.stop, GoOn: k.goOn, Told: k.told, Makers: k.makers})
	if err != nil {
		return err
	}
	defer k.end()
	if _, err := fmt.Fprintln(a.out, s.URL()); err != nil {
		return errors.Join(err, s.Close())
	}
	a.flush()
	a.note("serving the runs of %q on this machine; Ctrl-C ends it", a.storeDir)
	if show {
		if err := browse(s.Ticket()); err != nil {
			a.note("warning: %v: open the address in a browser, or set BROWSER", err)
		}
	}
	<-ctx.Done()
	return s.Close()
}

// keeping is the processes that make runs: those that this one started, and the one that holds the store.
type keeping struct {
	*app
	mu sync.Mutex
	by map[string]*child // by the run's name
}

// child is a process that goes on with a run.
type child struct {
	*exec.Cmd
	said  tail
	ended chan struct{}
}

// running reports whether the child has not ended yet.
func (c *child) running() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// holder returns the process that makes calls on the store.
func (k *keeping) holder() (ledger.Holder, bool) {
	return ledger.Holding(filepath.Join(k.storeDir, store.LedgerFile))
}

// makers says which of the runs a process makes that can be stopped. The holder names an experiment: of several runs of it,
// the one that was written last is meant. runs has the latest first.
func (k *keeping) makers(runs []site.Run) map[string]bool {
	out := map[string]bool{}
	k.mu.Lock()
	for name, c := range k.by {
		out[name] = c.running()
	}
	k.mu.Unlock()
	if h, held := k.holder(); held && !k.own(h.PID) {
		for _, r := range runs {
			if h.What == "run "+r.Experiment {
				out[r.Name] = true
				break
			}
		}
	}
	return out
}

// own reports whether a process is one that this one started.
func (k *keeping) own(pid int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.by {
		if c.Process.Pid == pid {
			return true
		}
	}
	return false
}

// stop interrupts the process that makes a run.
func (k *keeping) stop(r site.Run) error {
	k.mu.Lock()
	c := k.by[r.Name]
	k.mu.Unlock()
	if c.running() {
		return c.Process.Signal(os.Interrupt)
	}
	h, held := k.holder()
	if !held || h.What != "run "+r.Experiment || k.own(h.PID) {
		return fmt.Errorf("no process of this machine is known to make calls for %s: press Ctrl-C where it runs", r.Name)
	}
	p, err := os.FindProcess(h.PID)
	if err != nil {
		return err
	}
	return p.Signal(os.Interrupt)
}

// goOn starts a run again, as a person would by its folder.
func (k *keeping) goOn(r site.Run) error {
	if r.State == "complete" {
		return fmt.Errorf("%s is complete", r.Name)
	}
	if k.makers([]site.Run{r})[r.Name] {
		return fmt.Errorf("%s is being made", r.Name)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	line := []string{"run", r.Dir, "--store", k.storeDir}
	if k.commands {
		line = append(line, "--allow-commands")
	}
	c := &child{Cmd: exec.Command(program, line...), ended: make(chan struct{})}
	c.Stdout, c.Stderr = &c.said, &c.said
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by[r.Name].running() {
		return fmt.Errorf("%s is being made", r.Name)
	}
	if err := c.Start(); err != nil {
		return err
	}
	k.by[r.Name] = c
	go func() {
		_ = c.Wait() // what went wrong is in what it said
		close(c.ended)
	}()
	return nil
}

// told is the end of what the process that goes on with a run has said.
func (k *keeping) told(r site.Run) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c := k.by[r.Name]; c != nil {
		return c.said.text()
	}
	return ""
}

// end stops the processes that were started here, and waits a little for what they keep.
func (k *keeping) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.by {
		if c.running() {
			_ = c.Process.Signal(os.Interrupt)
		}
	}
	limit := time.After(patience / 3)
	for _, c := range k.by {
		select {
		case <-c.ended:
		case <-limit:
			return
		}
	}
}

// mostSaid bounds what is kept of a process's words, in bytes.
const mostSaid = 2 << 10

// tail keeps the end of what is written. It is safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	end []byte
}

// Write keeps the end.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	t.end = bytes.Clone(t.end[max(0, len(t.end)-mostSaid):])
	return len(b), nil
}

// text is the end, as text that shows all that is in it.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return terminal.Visible(strings.ToValidUTF8(string(t.end), "?"))
}
