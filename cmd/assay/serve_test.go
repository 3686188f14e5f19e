package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/plots/site"
	"assay/plots/terminal"
)

// TestServe: the pages are those of a site, until the verb is told to end.
func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	a := &app{out: terminal.New(&bytes.Buffer{}), err: terminal.New(&bytes.Buffer{})}
	if code := a.execute(t.Context(), []string{"run", "quickstart", "--limit", "2", "--quiet"}); code != exitDone {
		t.Fatal(code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	t.Setenv("BROWSER", browser(t))
	var out, errs shared
	a = &app{out: terminal.New(&out), err: terminal.New(&errs)}
	done := make(chan int, 1)
	go func() { done <- a.execute(ctx, []string{"serve", "--open"}) }()
	for !strings.Contains(errs.String(), "Ctrl-C ends it") {
		select {
		case code := <-done:
			t.Fatalf("ended with %d: %s", code, errs.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	url, token, _ := strings.Cut(strings.TrimSpace(out.String()), "#token=")
	opened := ""
	for !strings.HasSuffix(opened, "\n") {
		b, _ := os.ReadFile("opened") // the browser is another process, which may not have begun
		opened = string(b)
		time.Sleep(5 * time.Millisecond)
	}
	if !strings.HasPrefix(opened, url+"#ticket=") || strings.Contains(opened, token) {
		t.Errorf("the browser is given %q", opened)
	}
	for path, want := range map[string]int{"": 200, "live.json": 200, "live.js": 200, "runs": 404} {
		got, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("%q: %d, want %d", path, got.StatusCode, want)
		}
	}
	cancel()
	if code := <-done; code != exitDone {
		t.Errorf("ended with %d: %s", code, errs.String())
	}
}

// browser is a program that writes into the file "opened" what it is to open.
func browser(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$1\" > opened\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKeeping: nobody is stopped who is not known to make the run, and what is complete does not go on.
func TestKeeping(t *testing.T) {
	a := &app{out: terminal.New(&bytes.Buffer{}), err: terminal.New(&bytes.Buffer{}), storeDir: filepath.Join(t.TempDir(), "none")}
	k := &keeping{app: a, by: map[string]*child{}}
	r := site.Run{Name: "x-1", Experiment: "x", State: "complete"}
	if err := k.stop(r); err == nil || !strings.Contains(err.Error(), "press Ctrl-C where it runs") {
		t.Error(err)
	}
	if err := k.goOn(r); err == nil || !strings.Contains(err.Error(), "is complete") {
		t.Error(err)
	}
	if k.makers([]site.Run{r})["x-1"] || k.told(r) != "" {
		t.Error("somebody makes it")
	}
	k.end()
}

func TestTail(t *testing.T) {
	var said tail
	for range 3 {
		if n, err := said.Write(bytes.Repeat([]byte("é"), mostSaid)); n != 2*mostSaid || err != nil {
			t.Error(n, err)
		}
	}
	if _, err := said.Write([]byte("end\x1b[2J\xff")); err != nil {
		t.Error(err)
	}
	if got := said.text(); len(got) > 2*mostSaid || !strings.Contains(got, "ééend") || strings.Contains(got, "\x1b") {
		t.Errorf("%d bytes: %q", len(got), got[max(0, len(got)-30):])
	}
}
