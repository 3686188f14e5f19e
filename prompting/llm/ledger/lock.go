package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// LockSuffix is what the lock file's name adds to the ledger's. The file stays when the lock is given back, empty.
const LockSuffix = ".lock"

// lockPoll is how often a waiting process looks again.
const lockPoll = 100 * time.Millisecond

// errHeld is tryLock's: another open file has the lock.
var errHeld = errors.New("held")

// Holder is who has the lock, as it says in the lock file.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host,omitempty"`
	Since time.Time `json:"since"`
	What  string    `json:"what"` // what it runs
}

// HeldError says that another process makes calls on the same ledger.
type HeldError struct {
	Path   string // the lock file
	Holder Holder // the zero value where the file does not tell
}

// Error names the holder and the remedies.
func (e *HeldError) Error() string {
	who := "another process"
	if h := e.Holder; h.PID != 0 {
		who = fmt.Sprintf("process %d on %s, since %s, running %q,", h.PID, h.Host, h.Since.Format(time.RFC3339), h.What)
	}
	return fmt.Sprintf("ledger: acquire %q: %s writes to this store: wait for it to end, or use another --store%s", e.Path, who, staleAdvice)
}

// holding is the lock as a Ledger has it: taken once, counted, given back with the last release.
type holding struct {
	sync.Mutex
	count int
	file  *os.File
}

// Acquire takes the lock of the one process that makes calls and stores their answers. While another process has it,
// Acquire fails with a [*HeldError], or waits until it is free or ctx is done. what says what this process runs, for
// others to read: it must hold no secret. A Ledger that has the lock may acquire it again; it is given back when every
// release has been called, or by Close, or by the kernel when the process dies.
//
// Reading, and runs that the ledger answers whole, need no lock.
func (l *Ledger) Acquire(ctx context.Context, what string, wait bool) (release func(), err error) {
	if l.write == nil {
		return nil, &ReadOnlyError{l.path, l.why}
	}
	for {
		err := l.lock.take(l.path+LockSuffix, what)
		if err == nil {
			return sync.OnceFunc(l.lock.give), nil
		}
		var held *HeldError
		if !errors.As(err, &held) {
			return nil, fmt.Errorf("ledger: acquire %q: %w", l.path+LockSuffix, err)
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
	host, _ := os.Hostname() // a name is only a help
	who, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second), What: what})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(who, 0)
	}
	if err != nil { // a full disk: better no run than one that cannot store
		return errors.Join(err, unlock(f))
	}
	h.file, h.count = f, 1
	return nil
}

func (h *holding) give() {
	h.Lock()
	defer h.Unlock()
	if h.count--; h.count == 0 {
		unlock(h.file) // the lock goes with the descriptor, whatever the error
	}
}

// drop gives the lock back whatever the count.
func (h *holding) drop() {
	h.Lock()
	defer h.Unlock()
	if h.count > 0 {
		unlock(h.file)
	}
	h.count = 0
}

// holderOf reads who has the lock. The holder may be writing it just now: what cannot be read is nobody in particular.
func holderOf(path string) (h Holder) {
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &h) != nil {
		return Holder{}
	}
	return h
}
