package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"assay/configs/input"
)

// lockSuffix is appended to the ledger's name to name the lock file. The released file stays, empty.
const lockSuffix = ".lock"

// lockPoll is how often a waiting process tries again. flock has no wait that a context could cancel.
const lockPoll = 100 * time.Millisecond

// errHeld is returned by tryLock if another open file has the lock.
var errHeld = errors.New("held")

// Holder identifies the process that has the lock, as the lock file states it.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
	What  string    `json:"what"` // the command it runs
}

// HeldError says that another process makes calls on the same ledger.
type HeldError struct {
	Path   string // the lock file
	Holder Holder // the zero value if the lock file cannot be parsed
}

// Error names the holder and the remedies.
func (e *HeldError) Error() string {
	who := "another process"
	if h := e.Holder; h.PID != 0 {
		who = fmt.Sprintf("process %d on %s, since %s, running %q,", h.PID, h.Host, h.Since.Format(time.RFC3339), h.What)
	}
	return fmt.Sprintf("ledger: acquire %q: %s writes to this store: wait for it to end, or use another --store%s", e.Path, who, staleAdvice)
}

// holding counts the acquisitions of the lock within one Ledger: the first takes it, the last release gives it back.
type holding struct {
	sync.Mutex
	count int
	file  *os.File
}

// Acquire takes the lock of the one process that may make calls and store their answers. While another process has it,
// Acquire fails with a [*HeldError] or, with wait, waits until it is free or ctx is done. what describes what this
// process runs, for the users of other processes to read: it must hold no secret. A Ledger that has the lock may
// acquire it again. The lock is released when every release has been called, by Close, or by the kernel when the
// process dies.
//
// Reading needs no lock, and neither does a run whose completions are all in the ledger.
func (l *Ledger) Acquire(ctx context.Context, what string, wait bool) (release func(), err error) {
	if l.write == nil {
		return nil, &readOnlyError{l.path, l.why}
	}
	for {
		err := l.lock.take(l.path+lockSuffix, what)
		if err == nil {
			return sync.OnceFunc(l.lock.give), nil
		}
		var held *HeldError
		if !errors.As(err, &held) {
			return nil, fmt.Errorf("ledger: acquire %q: %w", l.path+lockSuffix, err)
		}
		if !wait {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w (%v)", ctx.Err(), err)
		case <-time.After(lockPoll):
		}
	}
}

// take acquires the lock, or counts one more acquisition if this Ledger has it already.
func (h *holding) take(path, what string) error {
	h.Lock()
	defer h.Unlock()
	if h.count > 0 {
		h.count++
		return nil
	}
	f, err := tryLock(path)
	if errors.Is(err, errHeld) {
		return &HeldError{Path: path, Holder: holderOf(path)}
	}
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // only informs the reader, so an error is no reason to fail
	who, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second), What: what})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(who, 0)
	}
	if err != nil { // a full disk: refuse the run before it pays for completions that cannot be stored
		return errors.Join(err, unlock(f))
	}
	h.file, h.count = f, 1
	return nil
}

// give counts one release, and releases the lock with the last one.
func (h *holding) give() {
	h.Lock()
	defer h.Unlock()
	if h.count--; h.count == 0 {
		unlock(h.file) // closing the descriptor releases the lock even if unlock fails
	}
}

// drop releases the lock whatever the count.
func (h *holding) drop() {
	h.Lock()
	defer h.Unlock()
	if h.count > 0 {
		unlock(h.file)
	}
	h.count = 0
}

// holderOf returns who has the lock, or the zero Holder if the file cannot be parsed: its holder may be writing it now.
func holderOf(path string) (h Holder) {
	b, err := input.Read(path, input.Own)
	if err != nil || json.Unmarshal(b, &h) != nil {
		return Holder{}
	}
	return h
}
