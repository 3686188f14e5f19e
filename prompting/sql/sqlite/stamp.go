package sqlite

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/prompting/sql/engine"
)

// Stamp implements engine.Engine. Pending means that a write-ahead log or a rollback journal next to the file has content;
// both lie beside the file itself where the path is a symbolic link.
func (Engine) Stamp(path string) (engine.Stamp, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return engine.Stamp{}, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return engine.Stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return engine.Stamp{}, fmt.Errorf("%s is not a regular file", abs)
	}
	s := engine.Stamp{Size: info.Size(), Changed: info.ModTime()}
	for _, suffix := range []string{"-wal", "-journal"} {
		if side, err := os.Stat(abs + suffix); err == nil && side.Size() > 0 {
			s.Pending = true
		}
	}
	return s, nil
}
