//go:build !linux

package output

import (
	"errors"
	"os"
	"time"
)

// unnamed makes a file without a name, which only Linux can.
func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// link gives an open file a name, which only Linux can.
func link(*os.File, string) error { return errors.ErrUnsupported }

// Hold does nothing: a file's age says whether it is being written.
func Hold(*os.File) {}

// Abandoned reports whether no process has written the file for a day.
func Abandoned(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) > 24*time.Hour
}
