//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package ledger

import (
	"errors"
	"os"
	"syscall"
)

// staleAdvice is empty here, because the kernel releases the lock of a dead process.
const staleAdvice = ""

// tryLock opens the lock file and takes its flock, or returns errHeld. The lock needs a file other than the ledger:
// closing any descriptor of the ledger would release SQLite's own POSIX locks.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errHeld
	}
	return nil, err
}

// unlock empties the file and releases the lock. It does not remove the file: another process may have it open to lock
// it, and would then lock a file that no longer has a name.
func unlock(f *os.File) error { return errors.Join(f.Truncate(0), f.Close()) }
