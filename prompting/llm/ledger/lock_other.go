//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package ledger

import (
	"errors"
	"io/fs"
	"os"
)

// staleAdvice names the remedy for the lock file of a killed process, which remains because no kernel lock backs it
// here.
const staleAdvice = "; if that process no longer runs, delete that file"

// tryLock creates the lock file, or returns errHeld if it exists.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, errHeld
	}
	return f, err
}

// unlock removes the file.
func unlock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
