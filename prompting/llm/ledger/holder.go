package ledger

import (
	"fmt"
	"os"
	"path/filepath"
)

// Holding returns the process of this machine and user that has the lock of the ledger at path. ok is false where nobody has it,
// and where that cannot be told: what the lock file says is believed only of a process that has the file open, which /proc
// shows on Linux. It takes no lock, so that it stands in nobody's way.
func Holding(path string) (h Holder, ok bool) {
	lock := path + lockSuffix
	file, err := os.Stat(lock)
	if err != nil {
		return Holder{}, false
	}
	h = holderOf(lock)
	host, _ := os.Hostname() // an unknown one is no other's
	if h.PID <= 0 || h.Host != host {
		return Holder{}, false
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", h.PID))
	if err != nil {
		return Holder{}, false
	}
	for _, fd := range open {
		if st, err := os.Stat(fd); err == nil && os.SameFile(st, file) {
			return h, true
		}
	}
	return Holder{}, false
}
