// Package cache says where the program keeps what it can make again: the sample's databases, indexes of values, hashes of files.
//
// That is the folder assay in the user's cache folder or, where there is none that can be written, one in the system's temporary
// folder that this user alone can write. The choice is made once in a process. The package must never take a temporary folder that
// another user made.
package cache

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
)

// doubt is what Doubt returns.
var doubt atomic.Pointer[string]

// Dir returns the folder, which exists and can be written.
var Dir = sync.OnceValues(func() (string, error) {
	dir, why, err := choose(os.UserCacheDir, os.TempDir())
	if err != nil {
		return "", fmt.Errorf("cache: find a folder: %w", err)
	}
	if why != "" {
		doubt.Store(&why)
	}
	return dir, nil
})

// Doubt returns a warning where Dir chose the temporary folder; else, and before Dir was asked, it is empty.
func Doubt() string {
	if w := doubt.Load(); w != nil {
		return *w
	}
	return ""
}

// choose returns the folder, and a warning where it is below temporary.
func choose(user func() (string, error), temporary string) (dir, warning string, err error) {
	parent, why := user()
	if why == nil {
		dir = filepath.Join(parent, "assay")
		if why = writable(dir, 0o755); why == nil {
			return dir, "", nil
		}
	}
	dir = filepath.Join(temporary, "assay-"+strconv.Itoa(os.Getuid()))
	if err := writable(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("%w, nor can the temporary folder be used: %w: set XDG_CACHE_HOME to a folder that can be written", why, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !own(info) {
		return "", "", fmt.Errorf("%w, and %s can be written by others: set XDG_CACHE_HOME to a folder of yours", why, dir)
	}
	return dir, fmt.Sprintf("no cache folder (%v): what can be made again is kept in %s: set XDG_CACHE_HOME to keep it elsewhere", why, dir), nil
}

// writable makes the folder where it is missing, and tries to write there.
func writable(dir string, mode fs.FileMode) error {
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	try, err := os.MkdirTemp(dir, ".try-*")
	if err != nil {
		return err
	}
	return os.Remove(try)
}
