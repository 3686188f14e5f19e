package record

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ProgramsDir is the folder of a run folder that holds the copies of what the arms' programs are made of, and logDir that of
// what they wrote to standard error.
const (
	ProgramsDir = "sources"
	logDir      = "stderr"
)

// SourcesOf is the folder with the copies of what an arm's program is made of, absolute if the run's folder is.
func SourcesOf(dir, arm string) string { return filepath.Join(dir, ProgramsDir, arm) }

// Log opens the file for what an arm's program writes to standard error, and empties it. The caller closes it.
func Log(dir, arm string) (io.WriteCloser, error) {
	path := filepath.Join(dir, logDir, arm+".log")
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.Remove(path) // a name that leads elsewhere must not be followed
	}
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("record: log %q: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("record: log %q: %w", path, err)
	}
	return f, nil
}
