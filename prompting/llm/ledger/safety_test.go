package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/openai"
)

func TestNoSecretReachesAnyFile(t *testing.T) {
	const secret = "sk-planted-0123456789"
	ctx := context.Background()
	seen := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = seen || r.Header.Get("Authorization") == "Bearer "+secret
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"1","object":"chat.completion","created":1,"model":"m-1","choices":[{"index":0,"finish_reason":"stop",
			"message":{"role":"assistant","content":"SELECT 1"}}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)
	}))
	defer srv.Close()
	client, err := openai.New(openai.Options{Key: secret, BaseURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l := openTest(t, filepath.Join(dir, "ledger.db"))
	if _, err := l.Wrap(client, Options{Hold: "run x"}).Generate(ctx, request("q", 0)); err != nil || !seen {
		t.Fatal(err, seen)
	}
	if _, err := l.write.Exec("PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	var lost *notStoredError
	for i := 1; lost == nil && i < 200; i++ {
		if _, err := l.Wrap(client, Options{}).Generate(ctx, request(noise(4000, uint64(i)), i)); err != nil && !errors.As(err, &lost) {
			t.Fatal(err)
		}
	}
	if lost == nil || bytes.Contains([]byte(lost.Error()), []byte(secret)) {
		t.Fatalf("lost = %v", lost)
	}
	for _, name := range []string{"out.jsonl", "out.jsonl.zst"} {
		if _, err := exportFile(l, ctx, filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "unpacked"), unpackFile(t, filepath.Join(dir, "out.jsonl.zst")), 0o666); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil || files < 7 { // ledger, -wal, -shm, lock, rescue, three exports
		t.Errorf("%d files, %v", files, err)
	}
}

// importEnv makes the test binary import the file that it names into the ledger of helperEnv's form.
const importEnv = "LEDGER_TEST_IMPORT"

// importElsewhere is what the process does that a test kills.
func importElsewhere(ledgerPath, file string) {
	l, err := Open(ledgerPath)
	if err == nil {
		fmt.Println("start")
		_, err = l.Import(context.Background(), file, ImportOptions{})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("done")
}

func TestAKilledImportLeavesTheLedgerAsItWas(t *testing.T) {
	const n = 1500
	dir := t.TempDir()
	file := filepath.Join(dir, "big.jsonl.zst")
	src, err := Open(filepath.Join(dir, "src.db"))
	if err != nil {
		t.Fatal(err)
	}
	fillWith(t, src, n)
	if _, err := exportFile(src, context.Background(), file, nil); err != nil {
		t.Fatal(err)
	}
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("dst%d.db", i))
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), helperEnv+"="+path, importEnv+"="+file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(10+30*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		l := openTest(t, path)
		got, err := l.Count(context.Background())
		if err != nil || got != 0 && got != n {
			t.Errorf("after a kill: %d completions, %v", got, err)
		}
		if got == 0 {
			killed++
		}
		whole(t, l, got)
		if out, err := l.Import(context.Background(), file, ImportOptions{}); err != nil || out.Completions+out.Present != n {
			t.Errorf("again: %+v, %v", out, err)
		}
	}
	if killed == 0 {
		t.Error("every import was done before it was killed: the test shows nothing")
	}
}

func TestACancelledImportImportsNothing(t *testing.T) {
	src := openTest(t, filepath.Join(t.TempDir(), "src.db"))
	fillWith(t, src, 50)
	file := export(t, src, "x.jsonl")
	l := openTest(t, filepath.Join(t.TempDir(), "dst.db"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Import(ctx, file, ImportOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	whole(t, l, 0)
}

// fillWith stores n completions, all in few transactions.
func fillWith(t testing.TB, l *Ledger, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		var all []*pending
		for i := from; i < min(from+1000, n); i++ {
			r := request(noise(300, uint64(i)), i)
			all = append(all, &pending{key: r.Key(), request: r, response: llm.Response{Text: "SELECT count(*) FROM singer", Finish: "stop"}})
		}
		if err := l.putAll(context.Background(), all); err != nil {
			t.Fatal(err)
		}
	}
}
