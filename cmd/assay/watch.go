package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/experiments/catalog"
	"assay/experiments/record"
)

// watchEvery is how often watch looks at the run's folder.
const watchEvery = 2 * time.Second

// watch reports a run again whenever its folder changes, until it is complete or the context is done. A run that is
// begun after it is waited for.
func (a *app) watch(ctx context.Context, run string, report func(*record.Run) error) error {
	var seen time.Time
	waiting := false
	for {
		found, err := a.store().Newest(run) // it may be under way
		if err != nil && !waiting {
			a.note("waiting for the run %q to appear in %s (stop with Ctrl-C)", run, a.storeDir)
			waiting = true
		}
		if err == nil {
			done, err := a.watched(found.Dir, &seen, report)
			if done || err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil // a person stopped watching
		case <-time.After(watchEvery):
		}
	}
}

// watched reports the run where it has changed since seen, and tells whether it is complete.
func (a *app) watched(dir string, seen *time.Time, report func(*record.Run) error) (done bool, err error) {
	st, err := os.Stat(filepath.Join(dir, record.ManifestFile))
	if err != nil || st.ModTime().Equal(*seen) {
		return false, nil // being replaced, or as before
	}
	r, err := record.Read(dir, catalog.Known)
	if err != nil {
		return false, err
	}
	*seen = st.ModTime()
	if f, ok := a.out.(*os.File); ok && isTerminal(f) {
		fmt.Fprint(a.out, "\x1b[H\x1b[2J") // the tables stand in one place
	}
	a.note("%s: %d answers%s", filepath.Base(dir), len(r.Items), map[bool]string{true: ", complete"}[r.Manifest.Complete])
	if len(r.Items) == 0 {
		return r.Manifest.Complete, nil
	}
	return r.Manifest.Complete, report(r)
}
