//go:build !unix

package cache

import "io/fs"

// own is true: the temporary folder is the user's own on such systems.
func own(fs.FileInfo) bool { return true }
