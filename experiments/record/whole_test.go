package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/metrics"
)

// TestRowsThatNoRunWritesAreRefused: a number rests on every row of items.csv, so what no run writes is an error that
// names the row, and what a complete run lacks is missed.
func TestRowsThatNoRunWritesAreRefused(t *testing.T) {
	check := func(want string, edit func(*Run)) {
		t.Helper()
		r := example(t)
		for _, arm := range []string{"x", "y"} { // the rows of a complete run: the points are 0.5 and 1
			for _, point := range []string{"0.5", "1"} {
				if arm == "x" && point == "0.5" || arm == "y" && point == "1" {
					continue
				}
				it := r.Items[0]
				it.Arm, it.Point = arm, []string{point}
				r.Items = append(r.Items, it)
			}
		}
		r.Manifest.Complete = true
		edit(r)
		dir := t.TempDir()
		if err := Write(dir, r); err != nil {
			t.Fatal(err)
		}
		_, err := Read(dir, known)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "run the experiment again")) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	check("", func(*Run) {})
	check("", func(r *Run) { r.Items, r.Manifest.Complete = r.Items[:2], false })
	check("data row 5: sample/dev/a-1 under arm \"x\", seed 3, is in row 1 already", func(r *Run) { r.Items = append(r.Items, r.Items[0]) })
	check("it has 3 rows, and a complete run", func(r *Run) { r.Items = r.Items[:3] })
	check(`has no arm "z"`, func(r *Run) { r.Items[1].Arm = "z" })
	check("has no seed 77", func(r *Run) { r.Items[0].Seed = 77 })
	check(`no status "bogus"`, func(r *Run) { r.Items[0].Status = "bogus" })
	check("the status model-error and a score", func(r *Run) { r.Items[0].Status = metrics.ModelError })
	check("below 0", func(r *Run) { r.Items[0].Values[1].V = -1 })
}

// TestACutFileIsMissed: cut at a row's end, the rest reads well.
func TestACutFileIsMissed(t *testing.T) {
	r := example(t)
	r.Manifest.Complete = true
	dir := t.TempDir()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ItemsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(rows[:2], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadItems(dir, known); err == nil || !strings.Contains(err.Error(), "1 rows") {
		t.Errorf("%v", err)
	}
}
