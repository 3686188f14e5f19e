package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scoresEnv makes the tests' program a metric that looks scores up in the file that it names.
const scoresEnv = "ASSAY_TEST_SCORES"

// lookUp answers cases with the scores of a JSON object, by item and SQL.
func lookUp(table string) {
	scores := map[string]float64{}
	b, err := os.ReadFile(table)
	if err == nil {
		err = json.Unmarshal(b, &scores)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for err == nil && in.Scan() {
		var q struct{ Item, Predicted string }
		err = json.Unmarshal(in.Bytes(), &q)
		score, known := scores[q.Item+"\n"+q.Predicted]
		if !known {
			err = fmt.Errorf("no score of %s", in.Text())
		}
		fmt.Printf("{\"score\": %g}\n", score)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// twin is an experiment with pools, seeds and a sweep, by the metric of the test or by another.
const twin = `name = "twin"
seeds = [0, 1]
metrics = ["METRIC"]
[dataset]
kind = "sample"
limit = 60
[model]
provider = "baseline"
samples = 2
[exemplars]
k = 2
[selection]
rule = "consistency-first"
[[arm]]
name = "standard"
method = "standard"
[[arm]]
name = "cot"
method = "cot"
[[arm]]
name = "pool"
method = "pool"
generators = ["standard", "cot"]
[sweep]
temperature = [0, 1]
[[table]]
name = "mine"
rows = ["arm", "temperature"]
columns = ["hardness"]
cells = ["METRIC", "items"]
interval = true
`

// TestOwnMetricIsAMetric: a program that judges as ex does gives ex's numbers wherever a metric's numbers are: in every file of a
// report, in a diff, a bound, an evaluation and a computation of power.
func TestOwnMetricIsAMetric(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	do := func(line string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(strings.Fields(line), &out, &errs); code != 0 {
			t.Fatalf("%s: exit %d\n%s%s", line, code, out.String(), errs.String())
		}
		return out.String()
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("ex.toml", strings.ReplaceAll(twin, "METRIC", "ex"))
	do("run ex.toml --store ex")
	scores := map[string]float64{}
	for _, file := range []string{"candidates.csv", "dropped.csv"} {
		for _, r := range runTable(t, glob(t, "ex/twin-*"), file) {
			scores[r["item"]+"\n"+r["sql"]] = map[string]float64{"1": 1}[r["ex"]]
		}
	}
	b, err := json.Marshal(scores)
	if err != nil {
		t.Fatal(err)
	}
	write("scores.json", string(b))
	write("qz.toml", strings.ReplaceAll(twin, "METRIC", "qz")+fmt.Sprintf(`
[[metric]]
id = "qz"
name = "EX"
shows = "execution accuracy: the Spider comparator on the item's own database"
command = [%q]
env.%s = %q
`, exe, scoresEnv, filepath.Join(dir, "scores.json")))
	do("run qz.toml --store qz --allow-commands")

	same := func(what, line string) {
		t.Helper()
		compareText(t, what, do(line+" --store ex"), do(strings.ReplaceAll(line, " ex", " qz")+" --store qz"))
	}
	same("the run", "run ex.toml --allow-commands")
	same("diff", "diff twin twin --arm standard=cot --by hardness,joins --metric ex")
	same("diff as JSON", "diff twin twin --arm standard=pool --json")
	same("power", "power --run twin --run twin --arm standard=pool --diff 2 --metric ex")
	same("errors", "errors twin --out -")
	item := func(store string) string { // its lines are broken as long as the reasons are, which differ
		return strings.Join(strings.Fields(reasons.ReplaceAllString(do("show twin city_library-001 --brief --store "+store), "\n  SELECT")), " ")
	}
	compareText(t, "one item", item("ex"), item("qz"))
	if same("runs", "runs --json"); strings.Contains(do("report --list twin --store qz"), "metric") != strings.Contains(do("report --list twin --store ex"), "metric") {
		t.Error("other tables can be made")
	}
	do("report twin --store ex --out ex-report")
	do("report twin --store qz --out qz-report")
	files := 0
	err = filepath.WalkDir("ex-report", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains([]string{".png", ".pdf"}, filepath.Ext(path)) { // drawn from the SVG's own values
			return err
		}
		files++
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(strings.Replace(path, "ex-report", "qz-report", 1))
		compareText(t, path, string(a), string(b))
		return err
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
}

// reasons matches why a candidate is wrong, up to its query.
var reasons = regexp.MustCompile(`(?s): wrong(: .*?)?\n  SELECT`)

// besidesNumbers matches what differs between the two: ids, fingerprints, reasons, times, and the place of a figure's text that
// begins with the metric's name.
var besidesNumbers = regexp.MustCompile(`textLength="[0-9.]+"|\b[0-9a-f]{10}\b|ex: (program|test-suite evaluator).*?value=[0-9]+|[0-9.]+ ?m?s\b|` +
	`"(written|dir)": ?"[^"]*"|"seconds": [0-9.]+|(?s:<script.*?</script>)|(?m:<text x="[0-9.]+" y="20.105"| (wrong: .*|wrong)$)`)

// compareText compares what is said by ex and by its twin, without their names, the runs' ids and times.
func compareText(t *testing.T, what, ex, own string) {
	t.Helper()
	plain := func(s string) []string {
		if before, rest, own := strings.Cut(s, "[[metric]]"); own { // in the experiment that a page shows
			_, after, _ := strings.Cut(rest, "[model]")
			s = strings.TrimRight(before, " ") + "[model]" + after
		}
		s = strings.NewReplacer("QZ", "EX", "qz", "ex").Replace(s)
		return strings.Split(besidesNumbers.ReplaceAllString(s, "*"), "\n")
	}
	a, b := plain(ex), plain(own)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s, line %d:\nby ex:      %.300s\nby its twin: %.300s", what, i+1, a[i], b[i])
			return
		}
	}
	if len(a) != len(b) {
		t.Errorf("%s: %d lines by ex, %d by its twin", what, len(a), len(b))
	}
}

// glob returns the one path of a pattern.
func glob(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

// TestMetricExample: the metric in Python runs as it stands, and does not fall behind ex.
func TestMetricExample(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here: ", err)
	}
	store := t.TempDir()
	var out, errs bytes.Buffer
	file := filepath.Join("..", "..", "configs", "commands", "rowf1.toml")
	args := []string{"run", file, "--limit", "40", "--store", store}
	if code := run(args, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), `run "python3 rowf1.py"`) || !strings.Contains(errs.String(), "--allow-commands") {
		t.Errorf("without permission: exit %d, %s", code, errs.String())
	}
	if code := run(append(args, "--allow-commands"), &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	graded := 0
	for _, r := range runTable(t, glob(t, filepath.Join(store, "row-f1-*")), "items.csv") {
		if (r["ex"] == "") != (r["row-f1"] == "") || r["ex"] == "1" && r["row-f1"] == "0" {
			t.Errorf("%s: %s by ex and %s by row-f1: %s", r["item"], r["ex"], r["row-f1"], r["sql"])
		}
		if v := r["row-f1"]; v != "0" && v != "1" {
			graded++
		}
	}
	if graded == 0 {
		t.Error("no score lies between 0 and 1")
	}
}
