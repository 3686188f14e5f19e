package input_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/configs/input"
)

func TestGlob(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"a[b]*?", `back\slash`, "plain"} {
		dir := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Join(dir, "below"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"x.sqlite", "y.txt", "below/z.sqlite"} {
			if err := os.WriteFile(filepath.Join(dir, f), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		check := func(want string, pattern ...string) {
			t.Helper()
			got, err := input.Glob(dir, pattern...)
			if err != nil || !slices.Equal(got, []string{filepath.Join(dir, want)}) {
				t.Errorf("%q %q: %q, %v", name, pattern, got, err)
			}
		}
		check("x.sqlite", "*.sqlite")
		check("below/z.sqlite", "*", "*.sqlite")
	}
	if _, err := input.Glob(top, "["); err == nil {
		t.Error("a bad pattern is no error")
	}
}
