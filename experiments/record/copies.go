package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/configs"
	"assay/configs/input"
	"assay/configs/output"
)

// Copies are the sources of the methods and parts that a run's arms use, by their place in the run folder, with slashes:
// "methods/mine/method.star", "methods/blocks/rules.txt", "sources/mine/mine.py".
type Copies map[string][]byte

// Write makes the folder dir hold these copies and no others. Files that are the same already are left alone, because a run
// that is run again from its own folder reads them there.
func (c Copies) Write(dir string) error {
	for name, text := range c {
		if err := writeCopy(filepath.Join(dir, filepath.FromSlash(name)), text); err != nil {
			return fmt.Errorf("record: copy %q into %q: %w", name, dir, err)
		}
	}
	for _, kind := range []string{configs.SourcesDir, ProgramsDir} {
		if err := c.sweep(dir, kind); err != nil {
			return fmt.Errorf("record: remove old copies in %q: %w", dir, err)
		}
	}
	return nil
}

// writeCopy writes one file, whole or not at all.
func writeCopy(path string, text []byte) error {
	if old, err := input.Read(path, input.Copies); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return output.File(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// sweep removes the files of dir's copies of a kind that are not in c.
func (c Copies) sweep(dir, kind string) error {
	err := filepath.WalkDir(filepath.Join(dir, kind), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if _, kept := c[filepath.ToSlash(name)]; kept || err != nil {
			return err
		}
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
