package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/experiments/record"
)

// A run's folder goes, and nothing beside it; what is no run, a link, or being written is refused.
func TestRemoval(t *testing.T) {
	s := Open(t.TempDir())
	dir := s.RunDir("a", "1")
	m := record.Manifest{Experiment: "a", ID: "1"}
	if err := record.Write(dir, &record.Run{Manifest: m}); err != nil {
		t.Fatal(err)
	}
	refused := func(dir, want string) {
		t.Helper()
		if _, err := s.Removal(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", dir, err, want)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(s.dir, "other")
	do(os.Mkdir(other, 0o777))
	do(os.WriteFile(filepath.Join(other, "kept"), []byte("x"), 0o666))
	refused(other, "it has no run.toml")
	do(os.Symlink(dir, filepath.Join(s.dir, "link")))
	refused(filepath.Join(s.dir, "link"), "symbolic link")
	refused(filepath.Join(s.dir, "link", "."), "symbolic link")
	refused(s.dir, "not in the store")
	refused(filepath.Join(s.dir, "none"), "no such file")

	w, err := record.Create(dir, m)
	do(err)
	refused(dir, "a run is being written into it")
	w.Abort()
	do(os.Symlink(other, filepath.Join(dir, "out")))
	r, err := s.Removal(dir)
	do(err)
	if r.Name != "a-1" || r.Files < 9 || r.Bytes < 100 {
		t.Errorf("%+v", r)
	}
	do(r.Remove())
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(other, "kept")); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}

// What cannot be undone takes no name that several runs share.
func TestOne(t *testing.T) {
	s := Open(t.TempDir())
	for _, id := range []string{"1111a", "1111b"} {
		if err := record.Write(s.RunDir("a", id), &record.Run{Manifest: record.Manifest{Experiment: "a", ID: id, Complete: true}}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name, want string) {
		t.Helper()
		dir, err := s.One(name)
		if err != nil {
			dir = err.Error()
		}
		if !strings.Contains(dir, want) {
			t.Errorf("%s: %s, want %s", name, dir, want)
		}
	}
	check("a", "2 runs start so: a-1111")
	check("a-1111a", filepath.Join(s.dir, "a-1111a"))
	check("1111b", "a-1111b")
	check("1111", "2 runs start so")
	check("", "neither")
	check("b", "neither")
}
