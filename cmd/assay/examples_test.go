package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row is a line of a table of a run, by its columns' names.
type row map[string]string

// number reads a whole number; 0 where the cell is empty.
func (r row) number(column string) int {
	n, _ := strconv.Atoi(r[column])
	return n
}

// runTable reads a CSV file of a run's folder.
func runTable(t *testing.T, run, name string) []row {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(run, name))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]row, len(lines)-1)
	for i, line := range lines[1:] {
		out[i] = row{}
		for j, column := range lines[0] {
			out[i][column] = line[j]
		}
	}
	return out
}

// examples are the methods that configs/methods shows, one folder and one experiment each.
var examples = filepath.Join("..", "..", "configs", "methods")

// runExample runs an example's experiment on some of its items, and returns the run's folder.
func runExample(t *testing.T, name string) string {
	t.Helper()
	store := t.TempDir()
	var out, errs bytes.Buffer
	if code := run([]string{"run", filepath.Join(examples, name+".toml"), "--limit", "20", "--store", store}, &out, &errs); code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", name, code, out.String(), errs.String())
	}
	runs, err := filepath.Glob(filepath.Join(store, name+"-*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%s: %d runs, %v", name, len(runs), err)
	}
	return runs[0]
}

// TestExamples: each example runs as it stands, every item is answered, and it asks as often as its head comment says.
func TestExamples(t *testing.T) {
	check := func(name string, arms []string, said string, bounds func(row) (least, most int), stages ...string) {
		t.Helper()
		file := filepath.Join(examples, name, "method.star")
		if name == "completion" {
			file = filepath.Join(examples, name, "prompt.jinja")
		}
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(strings.Join(strings.Fields(string(b)), " "), said) {
			t.Errorf("%s: the head comment does not say %q: %v", file, said, err)
		}
		dir, seen := runExample(t, name), map[string]bool{}
		for _, c := range runTable(t, dir, "calls.csv") {
			seen[c["arm"]+" "+strings.TrimRight(c["stage"], " 0123456789")] = true
			if c["failure"] != "" {
				t.Errorf("%s, %s: %s", name, c["item"], c["failure"])
			}
		}
		for _, stage := range stages {
			if !seen[arms[0]+" "+stage] {
				t.Errorf("%s: no call of stage %q", name, stage)
			}
		}
		for _, i := range runTable(t, dir, "items.csv") {
			if s := i["status"]; s == "model-error" || s == "no-sql" || s == "rejected" {
				t.Errorf("%s: %s of %s: %s", name, i["arm"], i["item"], s)
			}
			if least, most := bounds(i); slices.Contains(arms, i["arm"]) && (i.number("calls") < least || i.number("calls") > most) {
				t.Errorf("%s: %s calls, want %d to %d: %v", name, i["calls"], least, most, i)
			}
		}
	}
	each := func(n int) func(row) (int, int) { return func(row) (int, int) { return n, n } }
	check("self-critique", []string{"self-critique"}, "Calls: 1 to 1 + 2 x rounds a sample.", func(row) (int, int) { return 1, 3 }, "draft", "critique", "revise")
	check("consistency", []string{"consistency", "cot-consistency"}, "Calls: 1 a sample; none to choose.", func(r row) (int, int) { return r.number("samples"), r.number("samples") }, "generate")
	check("link-then-sql", []string{"link-then-sql", "link-then-cot"}, "Calls: 1 a question to link, 1 a sample for the SQL.", each(2), "link", "generate")
	check("retry", []string{"retry"}, "Calls: 1 to 1 + tries a sample.", func(r row) (int, int) { return 1, 1 + r.number("params.tries") }, "generate", "retry")
	check("similar", []string{"nearest", "random"}, "Calls: 1 a sample.", each(1), "generate")
	check("completion", []string{"completion"}, "Calls: 1 a sample.", each(1), "generate")
}
