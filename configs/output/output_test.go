package output_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/configs/output"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// holds fails unless the folder has these files alone, and the first has this text.
func holds(t *testing.T, dir, text string, names ...string) {
	t.Helper()
	entries, _ := os.ReadDir(dir)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	if strings.Join(there, " ") != strings.Join(names, " ") {
		t.Errorf("the folder holds %q, want %q", there, names)
	}
	if b, err := os.ReadFile(filepath.Join(dir, names[0])); err != nil || string(b) != text {
		t.Errorf("%s is %q, %v, want %q", names[0], b, err, text)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) error {
		return output.Write(t.Context(), filepath.Join(dir, name), nil, say(text))
	}
	must(put("a", "one"))
	holds(t, dir, "one", "a")
	must(os.Chmod(path, 0o600))
	must(put("a", "two"))
	holds(t, dir, "two", "a")
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
		t.Errorf("the mode of a replaced file is %v", st.Mode())
	}
	failed := errors.New("failed")
	err := output.Write(t.Context(), path, nil, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return failed })
	if !errors.Is(err, failed) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	holds(t, dir, "two", "a")
	must(os.Symlink("a", filepath.Join(dir, "b")))
	must(os.Symlink("c", filepath.Join(dir, "d")))
	must(put("b", "through"))
	must(put("d", "made"))
	holds(t, dir, "through", "a", "b", "c", "d")
	for _, link := range []string{"b", "d"} {
		if _, err := os.Readlink(filepath.Join(dir, link)); err != nil {
			t.Errorf("the link is gone: %v", err)
		}
	}
	must(os.WriteFile(filepath.Join(dir, ".a.part-7"), nil, 0o666)) // of a process that was killed
	must(put("a", "last"))
	holds(t, dir, "last", "a", "b", "c", "d")
	ctx, stop := context.WithCancel(t.Context())
	if err := output.Write(ctx, path, nil, func(w io.Writer) error { stop(); return say("cut")(w) }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	holds(t, dir, "last", "a", "b", "c", "d")
	if err := put("", "x"); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	if err := put("none/x", "x"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

func TestStandardOutput(t *testing.T) {
	var b bytes.Buffer
	if err := output.Write(t.Context(), "-", &b, say("text")); err != nil || b.String() != "text" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if !output.IsStandard("-") || output.IsStandard("none") || output.IsStandard(os.DevNull) {
		t.Error("what is the standard output")
	}
	if err := output.Write(t.Context(), os.DevNull, nil, say("gone")); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		t.Fatal("the null device was replaced")
	}
}

func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip("no FIFOs here:", err)
	}
	if err := output.File(path, say("x")); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := output.Write(ctx, path, nil, say("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("a FIFO that nobody reads: %v", err)
	}
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(path)
		got <- string(b)
	}()
	if err := output.Write(t.Context(), path, nil, say("text")); err != nil {
		t.Error(err)
	}
	if s := <-got; s != "text" {
		t.Errorf("the reader got %q", s)
	}
	if st, err := os.Stat(path); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Error("the FIFO was replaced")
	}
}
