package main

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// floors is the order in which data flows: a folder imports only itself and the folders before it.
var floors = []string{"configs", "prompting", "metrics", "experiments", "plots", "cmd"}

// allowed is the prefix of what metrics may import of prompting: the packages that know SQL and its engines.
const allowed = "assay/prompting/sql/"

// imports returns the module's packages with what they import, test files left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "assay/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string][]string{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p.Imports
	}
}

// floor returns the position of a package's folder in floors; -1 for a folder that is not in it.
func floor(pkg string) int {
	return slices.Index(floors, strings.Split(pkg, "/")[1])
}

func TestImportsGoDown(t *testing.T) {
	all := imports(t)
	if len(all) < 10 {
		t.Fatalf("go list found %d packages that import of the module", len(all))
	}
	for pkg, deps := range all {
		if floor(pkg) < 0 {
			t.Errorf("%s is in no folder of the layout", pkg)
		}
		for _, d := range deps {
			if strings.HasPrefix(d, "assay/") && floor(d) > floor(pkg) {
				t.Errorf("%s imports %s, which is above it", pkg, d)
			}
		}
	}
}

// TestGoldCannotLeak checks that a method never sees the gold query: prompting imports neither metrics nor experiments,
// and metrics import no prompts and no models.
func TestGoldCannotLeak(t *testing.T) {
	for pkg, deps := range imports(t) {
		for _, d := range deps {
			if strings.HasPrefix(pkg, "assay/prompting") && (strings.HasPrefix(d, "assay/metrics") || strings.HasPrefix(d, "assay/experiments")) {
				t.Errorf("%s imports %s", pkg, d)
			}
			if strings.HasPrefix(pkg, "assay/metrics") && strings.HasPrefix(d, "assay/prompting") && !strings.HasPrefix(d, allowed) {
				t.Errorf("%s imports %s", pkg, d)
			}
		}
	}
}

// TestReportsReadRuns checks that reports are made from what a run stores: no package of plots imports prompting itself.
func TestReportsReadRuns(t *testing.T) {
	for pkg, deps := range imports(t) {
		for _, d := range deps {
			if strings.HasPrefix(pkg, "assay/plots") && strings.HasPrefix(d, "assay/prompting") {
				t.Errorf("%s imports %s", pkg, d)
			}
		}
	}
}

// TestReportsNeedNoModel checks that report and diff work from stored runs alone, through every import.
func TestReportsNeedNoModel(t *testing.T) {
	all := imports(t)
	var walk func(pkg string, seen map[string]bool)
	walk = func(pkg string, seen map[string]bool) {
		if !seen[pkg] {
			seen[pkg] = true
			for _, d := range all[pkg] {
				walk(d, seen)
			}
		}
	}
	for pkg := range all {
		if !strings.HasPrefix(pkg, "assay/plots") && pkg != "assay/experiments/compare" && pkg != "assay/experiments/record" {
			continue
		}
		seen := map[string]bool{}
		walk(pkg, seen)
		for d := range seen {
			if strings.HasPrefix(d, "assay/prompting/llm") || d == "assay/experiments/runner" || d == "assay/experiments/catalog" {
				t.Errorf("%s reaches %s", pkg, d)
			}
		}
	}
}

// TestOneFolderKnowsSQL checks that only prompting/sql knows an engine and parses SQL. Other packages that import the
// driver, the engine or the parser are listed here with the reason.
func TestOneFolderKnowsSQL(t *testing.T) {
	others := map[string][]string{
		"github.com/mattn/go-sqlite3": {
			"assay/prompting/llm/ledger", // the ledger is a SQLite file
			"assay/prompting/values",     // the index of values is one
		},
		"assay/prompting/sql/sqlite": {
			"assay/cmd/assay", "assay/experiments/dataset", // where a file becomes a handle
			"assay/experiments/plan", "assay/metrics/execution", // results depend on its version, which they record
			"assay/metrics/suite",     // makes SQLite files
			"assay/metrics/goldcheck", // compares literals by SQLite's affinities
		},
		"github.com/sqlc-dev/meyer/": nil, // no package outside imports the parser
	}
	for pkg, deps := range imports(t) {
		for _, d := range deps {
			for library, named := range others {
				if strings.HasPrefix(d, library) && !strings.HasPrefix(pkg, allowed) && !slices.Contains(named, pkg) {
					t.Errorf("%s imports %s", pkg, d)
				}
			}
		}
	}
}

// TestAllCSVIsGuarded checks that no package but one can write CSV: a cell of any other file might be a formula.
func TestAllCSVIsGuarded(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "../../.") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "metrics/spreadsheet/") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, other := range []string{"csv.NewWriter(", "gocsv.Marshal(", "gocsv.MarshalBytes(", "gocsv.MarshalString(", "gocsv.MarshalFile(", "gocsv.DefaultCSVWriter(", "gocsv.NewSafeCSVWriter("} {
			if strings.Contains(string(b), other) {
				t.Errorf("%s: %s) in place of spreadsheet.NewWriter", path, other)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStreamsAreWrapped checks that main alone names the streams of the process, and hands them to run, which wraps them. The
// tool that packages are made with is another program.
func TestStreamsAreWrapped(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "../../.") || strings.HasSuffix(path, "_test.go") || path == "../../cmd/assay/main.go" {
			return err
		}
		b, err := os.ReadFile(path)
		for _, other := range []string{"os.Stdout", "os.Stderr", "fmt.Print(", "fmt.Println(", "fmt.Printf("} {
			for line := range strings.Lines(string(b)) {
				code, _, _ := strings.Cut(line, "//")
				if strings.Contains(strings.ReplaceAll(code, "os.Stdout.Stat()", ""), other) { // which writes nothing
					t.Errorf("%s: %s writes past plots/terminal", path, other)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writers are the files that write in another way than by configs/output, each with the reason.
var writers = map[string]string{
	"configs/output/":                     "the one way",
	"experiments/record/writer.go":        "a run's files, which are put in place together",
	"experiments/record/log.go":           "what programs say, for as long as they run",
	"experiments/dataset/sample.go":       "the embedded sample in its cache, whose folder is put in place as a whole",
	"experiments/dataset/sample_suite.go": "the same, for its suite",
	"metrics/suite/try.go":                "a database on trial, in a temporary folder",
	"prompting/goldentest/goldentest.go":  "golden files of tests",
	"prompting/llm/ledger/trouble.go":     "completions that the database could not take, appended",
	"prompting/llm/ledger/lock_unix.go":   "a lock, which is never replaced",
	"prompting/llm/ledger/lock_other.go":  "a lock, which is made by one alone",
	"prompting/values/":                   "indexes in the cache, and what sorts them",
	"configs/input/input.go":              "opens to read",
}

// TestOneWayToWrite checks that files are written by configs/output, so that none is left half written or replaces what is
// no regular file.
func TestOneWayToWrite(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "../../.") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		for _, call := range []string{"os.WriteFile(", "os.Create(", "os.OpenFile(", "os.CreateTemp(", "os.Truncate("} {
			if !strings.Contains(string(b), call) {
				continue
			}
			known := false
			for w := range writers {
				if strings.HasPrefix(name, w) {
					known, used[w] = true, true
				}
			}
			if !known {
				t.Errorf("%s: %s) in place of output.Write or output.File", name, call)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for w := range writers {
		if !used[w] {
			t.Errorf("%s writes nothing: it need not be listed", w)
		}
	}
}
