//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package ledger

import (
	"errors"
	"io/fs"
	"os"
)

// staleAdvice is for the lock file of a process that was killed, which nobody removes here.
const staleAdvice = "; if it runs no more, delete that file"

// tryLock creates the lock file, or returns errHeld where it is there.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, errHeld
	}
	return f, err
}

// unlock removes the file.
func unlock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
