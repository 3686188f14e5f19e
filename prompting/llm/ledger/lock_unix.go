//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package ledger

import (
	"errors"
	"os"
	"syscall"
)

// staleAdvice is empty here: the kernel gives the lock of a dead process back.
const staleAdvice = ""

// tryLock opens the lock file and takes its flock, or returns errHeld. The ledger's own file will not do: closing any
// descriptor of it would drop SQLite's locks.
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

// unlock empties the file and gives the lock back. The file is not removed: another process may be about to lock it.
func unlock(f *os.File) error { return errors.Join(f.Truncate(0), f.Close()) }
