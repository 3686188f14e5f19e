package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/prompting/llm"
)

// noise is text that does not compress.
func noise(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(' ' + rng.IntN(95))
	}
	return string(b)
}

// fillUp stores until the ledger has no room, and returns how many completions it took and the error.
func fillUp(t *testing.T, l *Ledger) (int, *notStoredError) {
	t.Helper()
	for i := range 5000 {
		err := l.Put(context.Background(), request(noise(4000, uint64(i)), i), llm.Response{Text: fmt.Sprint("answer ", i)})
		if err == nil {
			continue
		}
		var lost *notStoredError
		if !errors.As(err, &lost) {
			t.Fatalf("not a NotStoredError: %v", err)
		}
		return i, lost
	}
	t.Fatal("it never filled up")
	return 0, nil
}

// whole fails unless the ledger verifies and holds want completions.
func whole(t *testing.T, l *Ledger, want int) {
	t.Helper()
	v, err := l.Verify(context.Background(), func(b Bad) { t.Error(b) })
	if err != nil || v.Completions != want {
		t.Errorf("%d completions verified, want %d, %v", v.Completions, want, err)
	}
}

func TestAFullDatabaseLosesNothing(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	l := openTest(t, path)
	if _, err := l.write.Exec("PRAGMA max_page_count = 100"); err != nil { // SQLite then says what a full disk makes it say
		t.Fatal(err)
	}
	n, lost := fillUp(t, l)
	want := filepath.Join(dir, "ledger.rescue.jsonl")
	if lost.Rescue != want || lost.Response.Text != fmt.Sprint("answer ", n) || lost.Request.Sample != n {
		t.Errorf("%+v", lost)
	}
	for _, part := range []string{"the disk is full", "not stored", "assay ledger import " + want} {
		if !strings.Contains(lost.Error(), part) {
			t.Errorf("%q lacks %q", lost, part)
		}
	}
	if err := l.Put(ctx, request(noise(9000, 7), -0), llm.Response{Text: "\xff no UTF-8"}); err == nil {
		t.Error("a second completion was stored")
	}
	whole(t, l, n)

	if _, err := l.write.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	out, err := l.Import(ctx, want, ImportOptions{})
	if err != nil || out != (Imported{Completions: 2}) {
		t.Fatalf("%+v, %v", out, err)
	}
	whole(t, l, n+2)
	if resp, ok, err := l.Get(ctx, request(noise(9000, 7), 0).Key()); err != nil || !ok || resp.Text != "\xff no UTF-8" {
		t.Errorf("the rescued completion: %+v, %v, %v", resp, ok, err)
	}
}

func TestOneCompletionTooManyTakesNoOtherDown(t *testing.T) {
	l := openTest(t, filepath.Join(t.TempDir(), "ledger.db"))
	if _, err := l.write.Exec("PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	all := []*pending{}
	for i, size := range []int{100, 400_000, 100} {
		r := request("q", i)
		all = append(all, &pending{key: r.Key(), request: r, response: llm.Response{Text: noise(size, uint64(i))}})
	}
	var lost *notStoredError
	if err := l.putAll(context.Background(), all); !errors.As(err, &lost) || lost.Request.Sample != 1 {
		t.Fatalf("err = %v", err)
	}
	whole(t, l, 2)
}

func TestAReadOnlyLedgerAnswersAndMakesNoCall(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openTest(t, path)
	if err := l.Put(ctx, request("q", 0), llm.Response{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	ro, err := OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	inner := &llm.Scripted{}
	m := ro.Wrap(inner, Options{})
	if resp, err := m.Generate(ctx, request("q", 0)); err != nil || resp.Text != "x" {
		t.Errorf("what it holds: %+v, %v", resp, err)
	}
	var no *readOnlyError
	if _, err := m.Generate(ctx, request("q", 1)); !errors.As(err, &no) || isFailure(err) || len(inner.Asked()) != 0 {
		t.Errorf("a new request: %v after %d calls", err, len(inner.Asked()))
	}
	if _, err := ro.Acquire(ctx, "x", false); !errors.As(err, &no) {
		t.Errorf("Acquire: %v", err)
	}
	if _, err := ro.Collect(ctx, nothing, false); !errors.As(err, &no) {
		t.Errorf("Collect: %v", err)
	}
	var lost *notStoredError
	if err := ro.Put(ctx, request("q", 2), llm.Response{Text: "y"}); !errors.As(err, &lost) || lost.Rescue == "" {
		t.Errorf("Put: %v", err)
	}
	if _, err := OpenRead(path + "x"); err == nil || !strings.Contains(err.Error(), "no such ledger") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Stat(path + "x"); err == nil {
		t.Error("OpenRead made a file")
	}
}

func nothing(func(string, error) bool) {}

func TestADamagedLedgerNamesTheRemedy(t *testing.T) {
	ctx := context.Background()
	make := func(harm func([]byte)) string {
		path := filepath.Join(t.TempDir(), "ledger.db")
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			if err := l.Put(ctx, request(noise(2000, uint64(i)), i), llm.Response{Text: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		harm(b)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(what string, harm func([]byte), use func(*Ledger) error) {
		t.Helper()
		path := make(harm)
		l, err := Open(path)
		if err == nil {
			err = use(l)
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), ".recover") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	}
	export := func(l *Ledger) error {
		_, err := exportFile(l, ctx, filepath.Join(t.TempDir(), "x"), nil)
		return err
	}
	check("the start", func(b []byte) { copy(b, "0123456789") }, func(*Ledger) error { return nil })
	check("the schema", func(b []byte) { clear(b[100:4096]) }, func(*Ledger) error { return nil })
	check("the middle", func(b []byte) { clear(b[4096 : len(b)-4096]) }, export)

	path := make(func(b []byte) { clear(b[4096 : len(b)-4096]) })
	l := openTest(t, path)
	bad := 0
	if v, err := l.Verify(ctx, func(Bad) { bad++ }); err != nil || bad == 0 || v.Bad != bad {
		t.Errorf("verify of a damaged file: %+v, %d told, %v", v, bad, err)
	}
}
