package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/page"
	"assay/plots/style"
)

const hostile = `"><script>alert(1)</script>../../x`

// runOf is a run of one experiment and dataset.
func runOf(name, experiment string) Run {
	return Run{Name: name, Experiment: experiment, ID: "1", Dataset: "sample/dev", Items: 2, State: "complete", Written: time.Unix(1, 0), Arms: []string{"a"},
		Metric: "ex", Prints: map[string]string{"ex": "x"}, Scores: []Score{{Arm: "a", Mean: 0.5, Low: 0.1, High: 0.9, Scored: 2}}, Key: name}
}

// siteOf is a site whose larger pages are short.
func siteOf(runs ...Run) *Site {
	return &Site{Runs: runs, Store: "runs", Pairs: 10, From: From{
		Report: func(_ context.Context, r Run, links []style.Link, w io.Writer) error {
			_, err := io.WriteString(w, fmt.Sprint("page of ", r.Name, links))
			return err
		},
		Diff: func(_ context.Context, a, b Run, links []style.Link, w io.Writer) error {
			_, err := io.WriteString(w, fmt.Sprint(a.Name, " ", b.Name, " ", len(links)))
			return err
		},
		Sources: func(context.Context, Run) (Sources, error) {
			return Sources{Files: []File{{"method.star", []string{"a: method"}, hostile}}, Prompts: []Prompt{
				{"a", "1", "generate", []page.Message{{Role: "user", Text: "one\n" + hostile}}}, {"b", "1", "generate", []page.Message{{Role: "user", Text: "two\n" + hostile}}}}}, nil
		},
		Read: func(Run) (*record.Run, error) {
			return &record.Run{Questions: []record.Question{{Item: "s/1", Question: "Who " + hostile, Gold: "SELECT 1"}},
				Rows: record.Rows{Items: []record.Item{{Item: "s/1", Arm: "a", Status: metrics.Correct, SQL: "SELECT 1"}, {Item: "s/1", Arm: "b", Status: metrics.Correct, SQL: "SELECT 1"}}}}, nil
		}}}
}

// filesOf lists a folder's files, without the list.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(out, ListFile)
	return out
}

// build builds a site and checks what was done.
func build(t *testing.T, dir string, s *Site, made, kept, removed, failed int) {
	t.Helper()
	b, err := Build(t.Context(), dir, s.Pages(), Options{})
	if err != nil || b.Made != made || b.Kept != kept || b.Removed != removed || len(b.Failed) != failed {
		t.Errorf("%+v, %v, want %d made, %d kept, %d removed, %d failed", b, err, made, kept, removed, failed)
	}
}

func TestBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	a, b := runOf("x-2", "x"), runOf("x-1", "x")
	build(t, dir, siteOf(a, b), 13, 0, 0, 0)
	build(t, dir, siteOf(a, b), 0, 13, 0, 0)
	files := filesOf(t, dir)
	if got := files["diffs/x-1--x-2.html"]; got != "x-1 x-2 3" {
		t.Errorf("the earlier run is no baseline: %q", got)
	}
	a.Key = "changed"
	build(t, dir, siteOf(a, b), 0, 13, 0, 0) // made again, and the same
	if err := os.WriteFile(filepath.Join(dir, "runs/x-1/mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, dir, siteOf(a), 2, 6, 5, 0) // the index and the other run's first page change
	if _, there := filesOf(t, dir)["runs/x-1/mine.txt"]; !there || len(filesOf(t, dir)) != 9 {
		t.Errorf("a file that no site wrote is gone: %d files", len(filesOf(t, dir)))
	}
}

// TestABrokenPage says why, stops no other, and is made again.
func TestABrokenPage(t *testing.T) {
	dir := t.TempDir()
	s := siteOf(runOf("x-1", "x"))
	report := s.From.Report
	s.From.Report = func(context.Context, Run, []style.Link, io.Writer) error { return errors.New("torn " + hostile) }
	build(t, dir, s, 8, 0, 0, 1)
	if got := filesOf(t, dir)["runs/x-1/report.html"]; !strings.Contains(got, "torn &#34;&gt;") || strings.Contains(got, "<script>alert") {
		t.Error(got)
	}
	s.From.Report = report
	build(t, dir, s, 1, 7, 0, 0)
	damaged := runOf("y-1", "")
	damaged.State, damaged.Damaged = "damaged", "no rows "+hostile
	build(t, dir, siteOf(runOf("x-1", "x"), damaged), 2, 7, 0, 0)
	if got := filesOf(t, dir)["index.html"]; !strings.Contains(got, "no rows") || strings.Contains(got, "<script>alert") {
		t.Error(got)
	}
}

// TestForeignFiles: what no site wrote is neither replaced nor removed, whatever the list says.
func TestForeignFiles(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	s := siteOf(runOf("x-1", "x"))
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "index.html"), "mine")
	if _, err := Build(t.Context(), dir, s.Pages(), Options{}); err == nil || !strings.Contains(err.Error(), "index.html is there") {
		t.Error(err)
	}
	if got := filesOf(t, dir); len(got) != 1 || got["index.html"] != "mine" {
		t.Errorf("%v", got)
	}
	if err := os.Remove(filepath.Join(dir, "index.html")); err != nil {
		t.Fatal(err)
	}
	write(outside, "kept")
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, ListFile), `{"out/precious": "", "../precious": "", "`+outside+`": ""}`)
	if _, err := Build(t.Context(), dir, s.Pages(), Options{}); err == nil {
		t.Log("the list's strange names were passed over")
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	write(filepath.Join(dir, ListFile), "{")
	if _, err := Build(t.Context(), dir, s.Pages(), Options{}); err == nil || !strings.Contains(err.Error(), ListFile) {
		t.Error(err)
	}
}

// TestFolder: whatever a run is called, its folder is one plain name of its own.
func TestFolder(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"x-1", "a b", "a/b", "..", "", ".", "-x", hostile, strings.Repeat("n", 300), "ä", "CON.", "a&b", "x.html"} {
		got := Run{Name: name}.Folder()
		if !plain.MatchString(got) || seen[got] != "" {
			t.Errorf("%q is at %q, as %q is", name, got, seen[got])
		}
		seen[got] = name
	}
}

// TestPairs: runs of one experiment come first, and what cannot be compared has no page.
func TestPairs(t *testing.T) {
	other, metric, alone := runOf("z-1", "z"), runOf("m-1", "m"), runOf("n-1", "n")
	other.Dataset, metric.Prints, alone.Arms = "bird/dev", map[string]string{"ex": "other"}, []string{"b", "c"}
	s := siteOf(runOf("x-2", "x"), runOf("y-1", "y"), other, metric, alone, runOf("x-1", "x"))
	check := func(bound, more int, want ...string) {
		t.Helper()
		s.Pairs = bound
		got, left := s.pairs()
		var names []string
		for _, p := range got {
			names = append(names, p.name())
		}
		if strings.Join(names, " ") != strings.Join(want, " ") || left != more {
			t.Errorf("%v and %d more, want %v and %d", names, left, want, more)
		}
	}
	check(10, 0, "x-1--x-2", "y-1--x-2", "x-1--y-1")
	check(1, 2, "x-1--x-2")
	check(0, 3)
}

// TestPages: every page has a policy, escapes what it shows, and links to what is there.
func TestPages(t *testing.T) {
	odd := runOf(hostile, hostile)
	odd.Models, odd.Arms, odd.Differs, odd.Paid = []string{hostile}, []string{"a", hostile}, []Setting{{hostile, hostile}}, hostile
	dir := t.TempDir()
	build(t, dir, siteOf(odd, runOf("x-1", "x")), 13, 0, 0, 0)
	files := filesOf(t, dir)
	for name, text := range files {
		if !strings.HasSuffix(name, ".html") || !strings.HasPrefix(text, "<!DOCTYPE") {
			continue
		}
		if !strings.Contains(text, `content="default-src 'none'; style-src 'self'; script-src 'self'`) || strings.Contains(text, "<script>") {
			t.Errorf("%s: %.400s", name, text)
		}
		for _, part := range strings.Split(text, "href=\"")[1:] {
			to, _, _ := strings.Cut(part, "\"")
			if to = filepath.ToSlash(filepath.Join(filepath.Dir(name), strings.Split(to, "#")[0])); files[to] == "" && !strings.Contains(part[:1], "#") {
				t.Errorf("%s leads to %s, which is not there", name, to)
			}
		}
	}
}

// TestFolderOfPairs: no two pairs of runs have one page, whatever hyphens their names hold.
func TestFolderOfPairs(t *testing.T) {
	check := func(name string, same bool) {
		t.Helper()
		got := Run{Name: name}.Folder()
		if (got == name) != same || strings.Contains(got, "--") || strings.HasSuffix(got, "-") || len(got) > longest {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	check("quickstart-23e65efee8", true)
	check("my_run-1", true)
	check("a--b", false)
	check("a-", false)
	check("-a", false)
	check("a.b", false)
	check("../../x", false)
	check("", false)
	check(strings.Repeat("a", 101), false)
	check(strings.Repeat("a-", 40)+"-b", false)
}

func TestSearchIndex(t *testing.T) {
	s := siteOf(runOf("x-1", "x"))
	var b strings.Builder
	if err := s.search(&b, s.Runs[0]); err != nil {
		t.Fatal(err)
	}
	want := `assaySearch({"run":"x-1","arms":["a","b"],"items":[{"i":"s/1","q":"Who \"\u003e\u003cscript\u003ealert(1)\u003c/script\u003e../../x","g":"SELECT 1","a":[{"s":"SELECT 1","a":[0,1],"t":"correct"}]}],"left":0});` + "\n"
	if b.String() != want {
		t.Errorf("%s\nwant %s", b.String(), want)
	}
	long := record.Question{Item: "1", Question: strings.Repeat("q", mostSearch/2)}
	if f := indexOf(s.Runs[0], &record.Run{Questions: []record.Question{long, long, long}}); len(f.Items) != 1 || f.Left != 2 {
		t.Errorf("%d items, %d left out", len(f.Items), f.Left)
	}
}
