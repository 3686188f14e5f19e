//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// own reports whether the file belongs to this user.
func own(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
