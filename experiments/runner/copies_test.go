package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
)

// TestSourcesAreInTheRunFolder: a run writes the copies of its plan, and a second start leaves those that are the same alone.
func TestSourcesAreInTheRunFolder(t *testing.T) {
	s := store.Open(t.TempDir())
	start := func() os.FileInfo {
		t.Helper()
		p := makePlan(t, t.TempDir(), "dataset.limit=1")
		p.Copies = record.Copies{"methods/mine/lib/a.star": []byte("a = 1\n")}
		res, err := runner.Run(context.Background(), p, runner.Options{Store: s})
		if err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(filepath.Join(res.Dir, "methods", "mine", "lib", "a.star"))
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	if first, second := start(), start(); !os.SameFile(first, second) {
		t.Error("the same copy was written again")
	}
}
