package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/experiments/record"
)

// Removal is a run's folder that may be removed, and what goes with it.
type Removal struct {
	Name  string `json:"run"`
	Dir   string `json:"dir"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// Removal measures the folder of a run. It refuses what is no run folder of this store, what is reached through a symbolic
// link, and a run that is being written.
func (s Store) Removal(dir string) (Removal, error) {
	r, err := s.removal(dir)
	if err != nil {
		return Removal{}, fmt.Errorf("store: remove %q: %w", dir, err)
	}
	return r, nil
}

func (s Store) removal(dir string) (Removal, error) {
	r := Removal{Name: filepath.Base(dir), Dir: dir}
	own, err := os.Stat(s.dir)
	if err != nil {
		return r, err
	}
	parent, err := os.Stat(filepath.Dir(filepath.Clean(dir)))
	if err != nil || !os.SameFile(own, parent) {
		return r, fmt.Errorf("it is not in the store %q: name its folder with --store", s.dir)
	}
	info, err := os.Lstat(filepath.Clean(dir))
	switch {
	case err != nil:
		return r, err
	case info.Mode()&fs.ModeSymlink != 0:
		return r, errors.New("it is a symbolic link: remove the link, or the run where it lies")
	case !info.IsDir():
		return r, errors.New("it is no folder")
	}
	if info, err := os.Lstat(filepath.Join(dir, record.ManifestFile)); err != nil || !info.Mode().IsRegular() {
		return r, fmt.Errorf("it is no run folder: it has no %s", record.ManifestFile)
	}
	if record.InProgress(dir) {
		return r, errors.New("a run is being written into it: wait for its end, or stop it")
	}
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			r.Files, r.Bytes = r.Files+1, r.Bytes+info.Size()
		}
		return err
	})
	return r, err
}

// Remove removes the folder. Its manifest goes first, so that what is left of a removal that was stopped is no run. Nothing
// outside of the folder changes: links in it are removed and not followed, and the ledger keeps every completion.
func (r Removal) Remove() error {
	root, err := os.OpenRoot(filepath.Dir(r.Dir))
	if err != nil {
		return fmt.Errorf("store: remove %q: %w", r.Dir, err)
	}
	defer root.Close()
	if err = root.Remove(filepath.Join(r.Name, record.ManifestFile)); err == nil {
		err = root.RemoveAll(r.Name)
	}
	if err != nil {
		return fmt.Errorf("store: remove %q: %w", r.Dir, err)
	}
	return nil
}
