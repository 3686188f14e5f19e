// Package store finds and lists runs on disk: a store is a folder with one folder per run, and the ledger next to them.
//
// A name that a person types is resolved to a run's folder, whose run.toml alone is read. The store never writes a run, and
// never guesses without saying so: where a name left a choice, Found says which run was taken.
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

	"assay/configs"
	"assay/experiments/record"
	"assay/prompting/llm/ledger"
)

// LedgerFile is the ledger's name in the store's folder.
const LedgerFile = "ledger.db"

// Store is a folder of runs.
type Store struct{ dir string }

// Open returns the store at dir. Nothing is created before something is written.
func Open(dir string) Store { return Store{dir} }

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
			continue // some other folder
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

// Found is the result of looking for a run.
type Found struct {
	Dir  string
	Note string // which run was taken, where a name left a choice or the run is incomplete; otherwise empty
}

// Find returns the run given as a path, a folder name in the store, an experiment's name or the start of one experiment's
// name: its latest complete run or, where none is complete, its latest; or as the start of one folder's name or of one run's
// id, of which four characters are enough. Where several runs start so, the error lists them.
func (s Store) Find(nameOrPath string) (Found, error) {
	return s.find(nameOrPath, func(in Info) bool { return in.Err == nil && in.Manifest.Complete })
}

// Newest is Find, but of an experiment's runs it returns the latest, complete or not: it finds a run in progress.
func (s Store) Newest(nameOrPath string) (Found, error) {
	return s.find(nameOrPath, func(Info) bool { return true })
}

// One is Find for what cannot be undone: a name that several runs share is an error that lists them, and a path that ends in a
// separator is that of the folder.
func (s Store) One(nameOrPath string) (dir string, err error) {
	if _, err := os.Stat(filepath.Join(nameOrPath, record.ManifestFile)); err == nil && nameOrPath != "" {
		return filepath.Clean(nameOrPath), nil
	}
	infos, err := s.List()
	if err != nil {
		return "", err
	}
	var fit []Info
	for _, in := range infos {
		if in.Name == nameOrPath {
			return in.Dir, nil
		}
		if in.startsWith(nameOrPath) {
			fit = append(fit, in)
		}
	}
	switch len(fit) {
	case 0:
		return "", fmt.Errorf("store: find %q: neither a run folder nor a run in %q%s", nameOrPath, s.dir, holds(nameOrPath, infos))
	case 1:
		return fit[0].Dir, nil
	}
	return "", fmt.Errorf("store: find %q: %d runs start so: %s", nameOrPath, len(fit), candidates(fit))
}

// find looks for a run; of an experiment's runs it takes the first preferred one.
func (s Store) find(nameOrPath string, prefer func(Info) bool) (Found, error) {
	if _, err := os.Stat(filepath.Join(nameOrPath, record.ManifestFile)); err == nil {
		return Found{Dir: nameOrPath}, nil
	}
	infos, err := s.List()
	if err != nil {
		return Found{}, err
	}
	var named, starting []Info
	for _, in := range infos {
		switch {
		case in.Name == nameOrPath:
			return Found{Dir: in.Dir}, nil
		case in.Err == nil && in.Manifest.Experiment == nameOrPath:
			named = append(named, in)
		case in.startsWith(nameOrPath):
			starting = append(starting, in)
		}
	}
	if len(named) == 0 && ofOne(nameOrPath, starting) {
		named = starting
	}
	switch {
	case len(named) > 0:
		return choice(nameOrPath, named, named[max(0, slices.IndexFunc(named, prefer))]), nil
	case len(starting) == 1:
		return Found{Dir: starting[0].Dir}, nil
	case len(starting) > 1:
		return Found{}, fmt.Errorf("store: find %q: %d runs start so: %s", nameOrPath, len(starting), candidates(starting))
	case len(infos) == 0:
		return Found{}, fmt.Errorf("store: find %q: %q holds no runs: `assay run EXPERIMENT` makes one, --store names another folder", nameOrPath, s.dir)
	}
	return Found{}, fmt.Errorf("store: find %q: neither a run folder nor a run in %q%s", nameOrPath, s.dir, holds(nameOrPath, infos))
}

// shortest is how many characters of a run's id stand for the run, at the least.
const shortest = 4

// startsWith reports whether a text is the start of the folder's name, or of the run's id.
func (in Info) startsWith(text string) bool {
	return text != "" && strings.HasPrefix(in.Name, text) || len(text) >= shortest && in.Err == nil && strings.HasPrefix(in.Manifest.ID, text)
}

// ofOne reports whether all runs are of one experiment, whose name begins with the text: then its latest is meant.
func ofOne(text string, runs []Info) bool {
	return len(runs) > 0 && !slices.ContainsFunc(runs, func(in Info) bool {
		return in.Err != nil || in.Manifest.Experiment != runs[0].Manifest.Experiment || !strings.HasPrefix(in.Manifest.Experiment, text)
	})
}

// candidates lists some of the runs that a text may mean.
func candidates(runs []Info) string {
	const most = 10
	var names []string
	for _, in := range runs[:min(len(runs), most)] {
		names = append(names, in.Name)
	}
	s := strings.Join(names, ", ")
	if len(runs) > most {
		s += fmt.Sprintf(" and %d more", len(runs)-most)
	}
	return s
}

// choice says which of an experiment's runs, the latest first, was taken.
func choice(name string, named []Info, taken Info) Found {
	f := Found{Dir: taken.Dir}
	state := "complete"
	if !taken.Manifest.Complete {
		state = "incomplete"
	}
	switch {
	case len(named) > 1 && taken.Name != named[0].Name:
		f.Note = fmt.Sprintf("%s: taken is %s, the latest complete of its %d runs; the latest, %s, is incomplete", name, taken.Name, len(named), named[0].Name)
	case len(named) > 1:
		f.Note = fmt.Sprintf("%s: taken is %s, the latest of its %d runs, %s", name, taken.Name, len(named), state)
	case !taken.Manifest.Complete:
		f.Note = fmt.Sprintf("%s: taken is %s, its only run, incomplete", name, taken.Name)
	}
	return f
}

// holds returns the end of the error about a missing run: the nearest name, or some of the existing names.
func holds(name string, infos []Info) string {
	if len(infos) == 0 {
		return ", which holds none"
	}
	var known, first []string
	for i, in := range infos {
		known = append(known, in.Manifest.Experiment, in.Name)
		if i < 5 {
			first = append(first, in.Name)
		}
	}
	best := configs.Nearest(name, known)
	switch {
	case best != "":
		return fmt.Sprintf(": did you mean %q?", best)
	case len(infos) > len(first):
		return fmt.Sprintf(", which holds %s and %d more (assay runs lists them)", strings.Join(first, ", "), len(infos)-len(first))
	}
	return ", which holds " + strings.Join(first, ", ")
}
