package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/experiments/record"
)

// TestWhichRunANameMeans: complete runs go before later ones that are not, and a note names the choice.
func TestWhichRunANameMeans(t *testing.T) {
	s := Open(t.TempDir())
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(experiment, id string, complete bool) {
		t.Helper()
		dir := s.RunDir(experiment, id)
		if err := record.Write(dir, &record.Run{Manifest: record.Manifest{Experiment: experiment, ID: id, Complete: complete}}); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour) // each is later than the one before
		if err := os.Chtimes(filepath.Join(dir, record.ManifestFile), at, at); err != nil {
			t.Fatal(err)
		}
	}
	check := func(find func(string) (Found, error), name, dir string, notes ...string) {
		t.Helper()
		got, err := find(name)
		if err != nil || filepath.Base(got.Dir) != dir || (len(notes) == 0) != (got.Note == "") {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, dir)
		}
		for _, n := range notes {
			if !strings.Contains(got.Note, n) {
				t.Errorf("%s: note %q, want %q", name, got.Note, n)
			}
		}
	}
	write("a", "1", true)
	check(s.Find, "a", "a-1")
	write("a", "2", true)
	check(s.Find, "a", "a-2", "taken is a-2, the latest of its 2 runs, complete")
	write("a", "3", false)
	check(s.Find, "a", "a-2", "taken is a-2, the latest complete of its 3 runs", "a-3, is incomplete")
	check(s.Newest, "a", "a-3", "taken is a-3, the latest of its 3 runs, incomplete")
	check(s.Find, "a-3", "a-3")
	check(s.Find, filepath.Join(s.dir, "a-3"), "a-3")

	write("b", "1", false)
	check(s.Find, "b", "b-1", "taken is b-1, its only run, incomplete")
	write("b", "2", false)
	check(s.Find, "b", "b-2", "the latest of its 2 runs, incomplete")
	write("long", "1234", true)
	check(s.Find, "long-12", "long-1234")
	write("a-1", "x", true) // an experiment with the name of a run
	check(s.Find, "a-1", "a-1")
	if err := os.WriteFile(filepath.Join(s.RunDir("a", "2"), record.ManifestFile), []byte("["), 0o666); err != nil {
		t.Fatal(err)
	}
	check(s.Find, "a", "a-1", "the latest complete of its 2 runs") // a damaged run is none of an experiment's
	refused := func(name, want string) {
		t.Helper()
		if got, err := s.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, want)
		}
	}
	check(s.Find, "lon", "long-1234") // the start of an experiment's name
	check(s.Find, "1234", "long-1234")
	write("longer", "99aabb", true)
	check(s.Find, "99aa", "longer-99aabb") // the start of an id
	check(s.Find, "longe", "longer-99aabb")
	write("longer", "99aacc", true)
	check(s.Find, "longe", "longer-99aacc", "the latest of its 2 runs")
	refused("99aa", "2 runs start so: longer-99aacc, longer-99aabb")
	refused("99a", "neither")
	refused("lon", "3 runs start so: longer-99aacc, longer-99aabb, long-1234")
	refused("", "neither")
	refused("b-", "2 runs start so")
	refused("logn", `did you mean "long"`)
}
