package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/prompting/llm"
)

// mount puts a small file system of its own under a test, which takes a privilege.
func mount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no small disk can be made here: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestAFullDiskLosesNothing(t *testing.T) {
	dir := mount(t, "2m")
	path := filepath.Join(dir, "ledger.db")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, lost := fillUp(t, l)
	t.Logf("%d completions fitted; then: %v", n, lost)
	if lost.Rescue == "" || n < 50 {
		t.Fatalf("after %d: %v", n, lost)
	}
	if !strings.HasPrefix(lost.Rescue, dir) { // the disk had no room for it either
		t.Cleanup(func() { os.Remove(lost.Rescue) })
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=20m"); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, path)
	whole(t, l, n)
	if out, err := l.Import(context.Background(), lost.Rescue, ImportOptions{}); err != nil || out.Completions != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	whole(t, l, n+1)
}

func TestALedgerOnAReadOnlyDiskOpensForReading(t *testing.T) {
	ctx := context.Background()
	dir := mount(t, "4m")
	path := filepath.Join(dir, "ledger.db")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Put(ctx, request("q", 0), llm.Response{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, path)
	if l.ReadOnly() == nil {
		t.Error("it does not know that it cannot be written")
	}
	inner := &llm.Scripted{}
	if resp, err := l.Wrap(inner, Options{}).Generate(ctx, request("q", 0)); err != nil || resp.Text != "x" {
		t.Errorf("what it holds: %+v, %v", resp, err)
	}
	var no *readOnlyError
	if _, err := l.Wrap(inner, Options{}).Generate(ctx, request("q", 1)); !errors.As(err, &no) || len(inner.Asked()) != 0 {
		t.Errorf("a new request: %v", err)
	}
	whole(t, l, 1)
	if _, err := exportFile(l, ctx, filepath.Join(t.TempDir(), "out.jsonl.zst"), nil); err != nil {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "new", "ledger.db")); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a new ledger there: %v", err)
	}
}
