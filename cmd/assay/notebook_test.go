package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const notebooks = "../../experiments/record/notebooks/"

// TestNotebooks runs the notebooks on a run of quickstart, where Python with pandas and R are: they print the accuracies that the
// report has, arm by arm.
func TestNotebooks(t *testing.T) {
	python, err := os.ReadFile(notebooks + "run.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	r, err := os.ReadFile(notebooks + "run.Rmd")
	if err != nil {
		t.Fatal(err)
	}
	pandas := interpreter([]string{"python3", "/usr/bin/python3"}, "-c", "import pandas")
	rscript := interpreter([]string{"Rscript"}, "-e", "1")
	if pandas == "" && rscript == "" {
		t.Skip("neither Python with pandas nor R is here")
	}
	t.Chdir(t.TempDir())
	for _, line := range []string{"run quickstart --quiet", "report quickstart --quiet"} {
		if code, _, errs := say(line); code != exitDone {
			t.Fatal(errs)
		}
	}
	dirs, err := filepath.Glob("runs/quickstart-*")
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	t.Setenv("ASSAY_RUN", dirs[0])
	want := accuracies(t, dirs[0])
	if len(want) != 5 {
		t.Fatalf("%d arms", len(want))
	}
	check := func(program string, args ...string) {
		t.Helper()
		if program == "" {
			t.Logf("not here: what runs %s", args[len(args)-1])
			return
		}
		out, err := exec.Command(program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", program, args, err, out)
		}
		text := strings.Join(strings.Fields(string(out)), " ")
		for arm, value := range want {
			if !strings.Contains(text, arm+" "+value) {
				t.Errorf("%s prints no %q:\n%s", program, arm+" "+value, out)
			}
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("run.py", codeCells(t, python))
	write("run.R", codeChunks(string(r)))
	check(pandas, "run.py")
	check(rscript, "run.R")
}

// interpreter returns the first program that runs the arguments without an error; empty for none.
func interpreter(programs []string, args ...string) string {
	for _, p := range programs {
		if exec.Command(p, args...).Run() == nil {
			return p
		}
	}
	return ""
}

// accuracies reads each arm's EX in percent, with one decimal, from the run's items.
func accuracies(t *testing.T, dir string) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "report", "arms.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	labels := map[string]string{"Standard": "standard", "Chain of thought": "cot", "Least-to-most": "least-to-most", "QDecomp": "qdecomp", "QDecomp+InterCOL": "intercol"}
	out := map[string]string{}
	for _, row := range rows[1:] {
		value, err := strconv.ParseFloat(row[at["ex_pct"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		out[labels[row[at["arm"]]]] = fmt.Sprintf("%.1f", value)
	}
	return out
}

// codeCells returns the code of a notebook of Jupyter.
func codeCells(t *testing.T, notebook []byte) string {
	t.Helper()
	var nb struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &nb); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range nb.Cells {
		if c.Type == "code" {
			b.WriteString(strings.Join(c.Source, "") + "\n")
		}
	}
	return b.String()
}

// codeChunks returns the code of a notebook of R.
func codeChunks(notebook string) string {
	var b strings.Builder
	for i, part := range strings.Split(notebook, "```") {
		if code, ok := strings.CutPrefix(part, "{r}"); ok && i%2 == 1 {
			b.WriteString(code)
		}
	}
	return b.String()
}
