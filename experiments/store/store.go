// Package store finds and lists runs on disk: one folder holding a folder a run, and beside them the ledger.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/experiments/record"
	"assay/prompting/llm/ledger"

	"github.com/agnivade/levenshtein"
)

// LedgerFile is the ledger's name in the store's folder.
const LedgerFile = "ledger.db"

// Store is a folder of runs.
type Store struct{ dir string }

// Open returns the store at dir. Nothing is created before something is written.
func Open(dir string) Store { return Store{dir} }

// Dir returns the store's folder.
func (s Store) Dir() string { return s.dir }

// Ledger opens the store's ledger, creating it where there is none.
func (s Store) Ledger() (*ledger.Ledger, error) {
	return ledger.Open(filepath.Join(s.dir, LedgerFile))
}

// HasLedger reports whether the store has a ledger file.
func (s Store) HasLedger() bool {
	_, err := os.Stat(filepath.Join(s.dir, LedgerFile))
	return err == nil
}

// RunDir returns the folder of a run: <store>/<experiment>-<id>.
func (s Store) RunDir(experiment, id string) string {
	return filepath.Join(s.dir, experiment+"-"+id)
}

// Info is one run of a listing.
type Info struct {
	Name     string // the folder's name
	Dir      string
	Written  time.Time // when run.toml was last written
	Manifest record.Manifest
	Err      error // why the run cannot be read; the other fields but Name and Dir are then empty
}

// List returns the store's runs, the latest first. A folder with a damaged run.toml is listed with its error.
func (s Store) List() ([]Info, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: list %q: %w", s.dir, err)
	}
	var infos []Info
	for _, e := range entries {
		dir := filepath.Join(s.dir, e.Name())
		st, err := os.Stat(filepath.Join(dir, record.ManifestFile))
		if err != nil {
			continue // a folder of something else
		}
		info := Info{Name: e.Name(), Dir: dir, Written: st.ModTime()}
		info.Manifest, _, info.Err = record.ReadManifest(dir)
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Written.Compare(a.Written), strings.Compare(a.Name, b.Name))
	})
	return infos, nil
}

// Find returns the folder of a run given as a path, a folder name in the store, the start of one, or an experiment's
// name (its latest run).
func (s Store) Find(nameOrPath string) (string, error) {
	if _, err := os.Stat(filepath.Join(nameOrPath, record.ManifestFile)); err == nil {
		return nameOrPath, nil
	}
	infos, err := s.List()
	if err != nil {
		return "", err
	}
	for _, in := range infos {
		if in.Name == nameOrPath || in.Manifest.Experiment == nameOrPath {
			return in.Dir, nil
		}
	}
	var hits, names []string
	for _, in := range infos {
		names = append(names, in.Name)
		if strings.HasPrefix(in.Name, nameOrPath) {
			hits = append(hits, in.Dir)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		return "", fmt.Errorf("store: find %q: %d runs start so: %s", nameOrPath, len(hits), strings.Join(hits, ", "))
	case len(names) == 0:
		return "", fmt.Errorf("store: find %q: %q holds no runs: `assay run EXPERIMENT` makes one, --store names another folder", nameOrPath, s.dir)
	}
	return "", fmt.Errorf("store: find %q: neither a run folder nor a run in %q%s", nameOrPath, s.dir, holds(nameOrPath, infos))
}

// holds is the end of the error about a run that is not there: the nearest name, or some of those there are.
func holds(name string, infos []Info) string {
	best, at := "", max(2, len(name)/3)+1
	var first []string
	for i, in := range infos {
		for _, known := range []string{in.Manifest.Experiment, in.Name} {
			if d := levenshtein.ComputeDistance(name, known); d < at {
				best, at = known, d
			}
		}
		if i < 5 {
			first = append(first, in.Name)
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf(": did you mean %q?", best)
	case len(infos) > len(first):
		return fmt.Sprintf(", which holds %s and %d more (assay runs lists them)", strings.Join(first, ", "), len(infos)-len(first))
	}
	return ", which holds " + strings.Join(first, ", ")
}

// Read reads the run that Find finds.
func (s Store) Read(nameOrPath string) (*record.Run, error) {
	dir, err := s.Find(nameOrPath)
	if err != nil {
		return nil, err
	}
	return record.Read(dir)
}
