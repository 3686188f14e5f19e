package runner_test

import (
	"context"
	"testing"
	"time"

	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
)

// TestFolderShowsARunUnderWay: with checkpoints a reader sees whole, growing runs, and the end is the same.
func TestFolderShowsARunUnderWay(t *testing.T) {
	plain, shown := store.Open(t.TempDir()), store.Open(t.TempDir())
	p := makePlan(t, t.TempDir(), "workers=1")
	want, err := runner.Run(context.Background(), p, runner.Options{Store: plain})
	if err != nil {
		t.Fatal(err)
	}
	dir := shown.RunDir(p.Experiment.Name, p.Manifest.ID)
	var seen []int
	var start time.Time
	look := func(pr runner.Progress) {
		r, err := record.Read(dir, catalog.Known)
		if err != nil {
			return // nothing written yet
		}
		if r.Manifest.Complete || len(r.Candidates) < len(r.Items) || len(r.Questions) != 5 {
			t.Errorf("after %d jobs: complete %t, %d items, %d candidates, %d questions", pr.Done, r.Manifest.Complete, len(r.Items), len(r.Candidates), len(r.Questions))
		}
		if seen = append(seen, len(r.Items)); len(seen) == 1 { // the next is due, however long the first took
			time.Sleep(20 * time.Since(start))
		}
	}
	start = time.Now()
	got, err := runner.Run(context.Background(), p, runner.Options{Store: shown, Checkpoint: 1, Progress: look})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 || seen[len(seen)-1] <= 1 {
		t.Errorf("items seen on the way: %v", seen)
	}
	same(t, want.Dir, got.Dir)

	// A complete run stays whole while it is run again.
	whole := func(runner.Progress) {
		if r, err := record.Read(dir, catalog.Known); err != nil || !r.Manifest.Complete {
			t.Errorf("a complete run is shown as incomplete: %v", err)
		}
	}
	if _, err := runner.Run(context.Background(), p, runner.Options{Store: shown, Checkpoint: 1, Progress: whole}); err != nil {
		t.Fatal(err)
	}
}
