package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/plots/terminal"

	"github.com/spf13/cobra"
)

// verbCases are the verbs with arguments that make each do its work on the store and files of [verbFiles].
var verbCases = map[string]string{
	"batch cancel":           "b-x",
	"batch export":           "x.toml requests.jsonl",
	"batch import":           "answers.jsonl",
	"batch list":             "--all",
	"check-gold":             "--limit 5",
	"config check":           "x.toml",
	"config list":            "",
	"config reference":       "",
	"config show":            "x.toml",
	"demos apply":            "demos.toml --review review.csv --out reviewed.toml",
	"demos check":            "sample",
	"demos make":             "--out demos.toml",
	"demos review":           "demos.toml --out review.csv",
	"diff":                   "x x",
	"errors":                 "x",
	"eval":                   "--pred pred.sql",
	"eval-bird":              "--predicted_sql_path pred.json --ground_truth_path gold.sql --db_root_path databases --diff_json_path levels.jsonl",
	"eval-spider":            "--gold gold.sql --pred pred.sql --db databases",
	"explain":                "--db sample.sqlite 'SELECT 1'",
	"export selection-pairs": "x --format openai --out -",
	"import":                 "--pred pred.sql --name other",
	"man":                    "share",
	"rm":                     "x --dry-run",
	"init":                   "fresh --db sample.sqlite",
	"questions check":        "q.csv --db sample.sqlite",
	"ledger adopt":           "--provider baseline --model x",
	"ledger export":          "out.jsonl.zst",
	"ledger gc":              "--dry-run",
	"ledger import":          "ledger.jsonl.zst",
	"ledger stats":           "",
	"ledger verify":          "",
	"method check":           "standard",
	"method copy":            "standard mine",
	"method list":            "",
	"method new":             "fresh",
	"method show":            "standard",
	"open":                   "x --print",
	"plan":                   "x.toml",
	"power":                  "--items 1000",
	"prompt":                 "x.toml --arm a --item film_festival-001",
	"proxy":                  "x.toml",
	"recall":                 "sample --kinds columns,phrases --limit 20",
	"report":                 "x",
	"run":                    "x.toml",
	"runs":                   "",
	"show":                   "x film_festival-001",
	"serve":                  "",
	"site":                   "--out public",
	"stats":                  "",
	"suite build":            "--dataset sample --out suite --limit 20",
	"tokens":                 "x.toml",
	"tool":                   "--db sample.sqlite SearchColumn x",
	"values":                 "--db sample.sqlite who",
	"version":                "",
}

// leaves calls f with every verb that can be run, by its path without the program's name.
func leaves(c *cobra.Command, f func(path string)) {
	for _, s := range c.Commands() {
		leaves(s, f)
	}
	if c.Runnable() && !grouping(c) && c.HasParent() && c.Name() != "help" {
		f(strings.TrimPrefix(c.CommandPath(), "assay "))
	}
}

// A verb that is not in the list fails, as does one that works on after its context has ended.
func TestACancelledContextEndsEveryVerb(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	seen := map[string]bool{}
	leaves((&app{}).root(), func(path string) {
		seen[path] = true
		if _, ok := verbCases[path]; !ok {
			t.Errorf("no case for %q", path)
		}
	})
	t.Chdir(t.TempDir())
	for path, args := range verbCases {
		if !seen[path] {
			t.Errorf("there is no verb %q", path)
		}
		var out, errs bytes.Buffer
		a := &app{out: terminal.New(&out), err: terminal.New(&errs)}
		if code := a.execute(ctx, append(strings.Fields(path), fields(args)...)); code != exitFailed || !strings.Contains(errs.String(), "canceled") {
			t.Errorf("%s: %d %q", path, code, errs.String())
		}
		if files, _ := os.ReadDir("."); len(files) > 0 || out.Len() > 0 {
			t.Errorf("%s wrote %d files, and %q", path, len(files), out.String())
		}
	}
}

// fields splits a line; quotes keep spaces.
func fields(line string) (out []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

func TestWithin(t *testing.T) {
	running, ended := context.WithCancel(context.Background())
	check := func(what string, ctx context.Context, verb func() int, want int, wantLeft bool) {
		t.Helper()
		left := false
		if got := within(ctx, 0, verb, func() { left = true }); got != want || left != wantLeft {
			t.Errorf("%s: %d, left %v", what, got, left)
		}
	}
	check("a verb that ends", running, func() int { return exitRegression }, exitRegression, false)
	ended()
	hangs := make(chan int)
	check("one that does not, once it was told to", running, func() int { return <-hangs }, exitFailed, true)
	hangs <- 0
}

func TestABrokenPipeStops(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	p := piped(w, func() { closed++ })
	if _, err := fmt.Fprintln(p, "read"); err != nil || closed != 0 {
		t.Errorf("with a reader: %v, closed %d times", err, closed)
	}
	r.Close()
	if _, err := fmt.Fprintln(p, "not read"); err == nil || closed != 1 {
		t.Errorf("without a reader: %v, closed %d times", err, closed)
	}
}

var sendSignals = flag.Bool("signals", false, "TestSignals sends signals to every verb, and prints the table")

// TestSignals sends signals to every verb at several moments. It takes minutes, and is run by .ci/signals.
func TestSignals(t *testing.T) {
	if !*sendSignals {
		t.Skip("-signals is not given")
	}
	dir, s := t.TempDir(), newChatServer(t, 700*time.Millisecond)
	verbFiles(t, dir, s.URL)
	fmt.Println("| verb | signal | after ms | ms to end | exit | kept |\n|---|---|---|---|---|---|")
	leaves((&app{}).root(), func(path string) {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			for _, after := range []time.Duration{30, 300, 1500} {
				signalled(t, dir, path, sig, after*time.Millisecond)
			}
		}
	})
}

// signalled runs a verb, sends it a signal, and prints the line of the table.
func signalled(t *testing.T, dir, path string, sig syscall.Signal, after time.Duration) {
	before := completions(t, dir)
	c := assayIn(t, dir, append(strings.Fields(path), fields(verbCases[path])...)...)
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done:
		fmt.Printf("| %s | %v | %d | done before | %d | |\n", path, sig, after.Milliseconds(), c.ProcessState.ExitCode())
		return
	case <-time.After(after):
	}
	begun := time.Now()
	_ = c.Process.Signal(sig)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = c.Process.Kill()
		<-done
	}
	took := time.Since(begun)
	kept := ""
	if path == "run" {
		kept = fmt.Sprintf("%d completions; %s", completions(t, dir)-before, flightOf(errs.String()))
	}
	fmt.Printf("| %s | %v | %d | %d | %d | %s |\n", path, sig, after.Milliseconds(), took.Milliseconds(), c.ProcessState.ExitCode(), kept)
	if took > 2*time.Second { // an exit code of -1 is a signal that came before main did
		t.Errorf("%s: %v after %v: ended after %v with %v\n%s", path, sig, after, took, c.ProcessState, errs.String())
	}
}

// flightOf returns what a message says of the calls that were in flight.
func flightOf(message string) string {
	for _, part := range strings.Split(message, ": ") {
		if strings.Contains(part, "in flight") {
			return part
		}
	}
	return "none in flight"
}

// assayIn returns the command with arguments, in a folder.
func assayIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), mainEnv+"=1", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "OPENAI_API_KEY=fake")
	return c
}

// completions counts those in the ledger of a folder's store.
func completions(t *testing.T, dir string) int {
	out, err := assayIn(t, dir, "ledger", "stats", "--json").Output()
	if err != nil {
		return 0
	}
	var s struct{ Completions int }
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatal(err)
	}
	return s.Completions
}

// verbFiles fills a folder with what verbCases name: a run x of the baseline, an experiment x.toml that asks a slow server,
// predictions, a database, and an exported ledger.
func verbFiles(t *testing.T, dir, url string) {
	do := func(args string) []byte {
		out, err := assayIn(t, dir, fields(args)...).Output()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		return out
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	experiment := "name = \"x\"\n[dataset]\nkind = \"sample\"\n[exemplars]\nk = 0\n[limits]\nconcurrency = 8\n%s\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"
	write("x.toml", fmt.Sprintf(experiment, ""))
	do("run x.toml --quiet")
	do("ledger export ledger.jsonl.zst")
	write("q.csv", "question,gold\nWhat is one?,SELECT 1\n")
	do("demos make --what cot --out demos.toml --review review.csv --quiet")
	write("pred.sql", strings.Repeat("SELECT 1\n", 290))
	dbs, _ := filepath.Glob(filepath.Join(dir, "cache", "assay", "*", "*", "*.sqlite"))
	more, _ := filepath.Glob(filepath.Join(dir, "cache", "assay", "*", "*", "*", "*.sqlite"))
	if dbs = append(dbs, more...); len(dbs) == 0 {
		t.Fatal("no database was built")
	}
	db, err := os.ReadFile(dbs[0])
	if err != nil {
		t.Fatal(err)
	}
	write("sample.sqlite", string(db))
	if err := os.MkdirAll(filepath.Join(dir, "databases", "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("databases/d/d.sqlite", string(db))
	write("gold.sql", strings.Repeat("SELECT 1\td\n", 290))
	write("levels.jsonl", strings.Repeat("{\"difficulty\": \"simple\"}\n", 290))
	var answers []string
	for i := range 290 {
		answers = append(answers, fmt.Sprintf("\"%d\": \"SELECT 1\"", i))
	}
	write("pred.json", "{"+strings.Join(answers, ",")+"}")
	write("x.toml", fmt.Sprintf(experiment, "[model]\nprovider = \"openai\"\nname = \"m\"\nbase_url = \""+url+"\""))
}
