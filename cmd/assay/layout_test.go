package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// floors is the order in which data flows: a folder imports only itself and the folders before it.
var floors = []string{"configs", "prompting", "metrics", "experiments", "plots", "cmd"}

// allowed begins what metrics may import of prompting: the room that knows SQL and its engines.
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
				t.Errorf("%s imports %s, which lies above it", pkg, d)
			}
		}
	}
}

// TestGoldCannotLeak is the promise that a method never sees gold: prompting knows neither metrics nor experiments,
// and metrics know no prompts and no models.
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

// TestReportsReadRuns is the promise that reports are made of what a run stores: none looks into prompting itself.
func TestReportsReadRuns(t *testing.T) {
	for pkg, deps := range imports(t) {
		for _, d := range deps {
			if strings.HasPrefix(pkg, "assay/plots") && strings.HasPrefix(d, "assay/prompting") {
				t.Errorf("%s imports %s", pkg, d)
			}
		}
	}
}

// TestReportsNeedNoModel is the promise that report and diff work from stored runs alone.
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

// TestOneRoomKnowsSQL is the promise that only prompting/sql knows an engine and reads SQL: who else imports the driver
// keeps something of its own in SQLite, and who else imports our engine or the parser is named here, with the reason.
func TestOneRoomKnowsSQL(t *testing.T) {
	others := map[string][]string{
		"github.com/mattn/go-sqlite3": {
			"assay/prompting/llm/ledger", // the ledger is a SQLite file
			"assay/prompting/values",     // the index of words is one
		},
		"assay/prompting/sql/sqlite": {
			"assay/cmd/assay", "assay/experiments/dataset", // where a file becomes a handle
			"assay/experiments/plan", "assay/metrics/execution", // what depends on the version says it
			"assay/metrics/suite",     // makes SQLite files
			"assay/metrics/goldcheck", // holds literals against SQLite's affinities
		},
		"github.com/sqlc-dev/meyer/": nil, // another grammar comes in through one door
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
