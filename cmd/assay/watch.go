package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"assay/experiments/catalog"
	"assay/experiments/record"
)

// watchEvery is the time between looks at the run's folder. Polling works on every file system, shared ones included.
const watchEvery = 2 * time.Second

// watch reports a run whenever its folder changes, until the run is complete or the context is done. It waits for a run that
// does not exist yet, so that it can be started first.
func (a *app) watch(ctx context.Context, run string, report func(*record.Run) error) error {
	var seen time.Time
	waiting := false
	for {
		found, err := a.store().Newest(run) // not Find: the run may be incomplete
		if err != nil && !waiting {
			a.note("waiting for the run %q to appear in %s (stop with Ctrl-C)", run, a.storeDir)
			waiting = true
		}
		if err == nil {
			done, err := a.reportChanged(found.Dir, &seen, report)
			if done || err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil // stopping is the normal end of watching, and no error
		case <-time.After(watchEvery):
		}
	}
}

// reportChanged reports the run where its manifest is newer than seen, and returns whether the run is complete.
func (a *app) reportChanged(dir string, seen *time.Time, report func(*record.Run) error) (done bool, err error) {
	st, err := os.Stat(filepath.Join(dir, record.ManifestFile))
	if err != nil || st.ModTime().Equal(*seen) {
		return false, nil // the runner is replacing the file, or nothing has changed
	}
	r, err := record.Read(dir, catalog.Known)
	if err != nil {
		return false, err
	}
	*seen = st.ModTime()
	if err := a.out.Clear(); err != nil { // so that the tables stay in place
		return false, err
	}
	a.note("%s: %d answers%s", filepath.Base(dir), len(r.Items), map[bool]string{true: ", complete"}[r.Manifest.Complete])
	if len(r.Items) == 0 {
		return r.Manifest.Complete, nil
	}
	return r.Manifest.Complete, report(r)
}
