package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	none := func() (string, error) { return "", errors.New("neither is set") }
	in := func(dir string) func() (string, error) { return func() (string, error) { return dir, nil } }
	check := func(name string, user func() (string, error), temporary, want, warning, fails string) {
		t.Helper()
		got, doubt, err := choose(user, temporary)
		if fails != "" {
			if err == nil || !strings.Contains(err.Error(), fails) {
				t.Errorf("%s: %v, want %q", name, err, fails)
			}
			return
		}
		if err != nil || filepath.Dir(got) != want || !strings.Contains(doubt, warning) || (warning == "") != (doubt == "") {
			t.Errorf("%s: %q, %q, %v", name, got, doubt, err)
		}
	}
	check("a cache folder", in(filepath.Join(dir, "c")), file, filepath.Join(dir, "c"), "", "")
	check("none", none, dir, dir, "neither is set", "")
	check("one that cannot be made", in(file), dir, dir, "not a directory", "")
	check("no temporary folder either", none, file, "", "", "set XDG_CACHE_HOME")
	open := t.TempDir()
	if err := os.MkdirAll(filepath.Join(open, filepath.Base(mine(t, none, dir))), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(open, filepath.Base(mine(t, none, dir))), 0o777); err != nil {
		t.Fatal(err)
	}
	check("a temporary folder that others can write", none, open, "", "", "can be written by others")
}

// mine returns the temporary folder that is chosen below dir.
func mine(t *testing.T, none func() (string, error), dir string) string {
	got, _, err := choose(none, dir)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
