package starter

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// in writes a method of that name into a new folder, which the function may prepare.
func in(t *testing.T, name string, prepare func(dir string)) (dir string, files []string, err error) {
	t.Helper()
	dir = t.TempDir()
	if prepare != nil {
		prepare(dir)
	}
	files, err = Write(filepath.Join(dir, name))
	return dir, files, err
}

func TestWriteNamesEveryFile(t *testing.T) {
	dir, files, err := in(t, "mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		name, err := filepath.Rel(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(name))
		text, err := os.ReadFile(file)
		if err != nil || len(text) == 0 || strings.Contains(string(text), named) {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
	}
	if want := []string{"mine/README.md", "mine/draft.jinja", "mine/method.star", "mine/revise.jinja", "mine.toml"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	check := func(name, want string, prepare func(dir string)) {
		t.Helper()
		if _, _, err := in(t, name, prepare); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", name, want, err)
		}
	}
	file := func(name string) func(string) {
		return func(dir string) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("mine", "not empty", file("mine/x"))
	check("mine", "mine.toml is there already", file("mine.toml"))
	check("mine", "not a directory", file("mine"))
	check("a b", "letters, digits", nil)
	check(".hidden", "letters, digits", nil)
	check(strings.Repeat("x", 81), "letters, digits", nil)
	check("naïve", "letters, digits", nil)
}
