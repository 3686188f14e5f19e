package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownMetric is an experiment with a metric that is a program, and what its table has besides.
const ownMetric = `name = "own"
metrics = ["ex", "mine"]
[dataset]
kind = "sample"
limit = 2
[[arm]]
name = "a"
method = "standard"
[[metric]]
id = "mine"
command = ["python3", "mine.py"]
`

// TestOwnMetricsAreInTheIdentity: what decides the scores of a program makes another run, what does not makes none, nor does the
// folder in which all lies; and nothing is started to make a plan.
func TestOwnMetricsAreInTheIdentity(t *testing.T) {
	id := func(experiment, program string, set ...string) string {
		t.Helper()
		dir := t.TempDir()
		for name, text := range map[string]string{"x.toml": experiment, "mine.py": program, "lib.py": "1"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		p := made(t, filepath.Join(dir, "x.toml"), set...)
		defer p.Close()
		if text := string(p.Copies["sources/metric.mine/mine.py"]); text != program {
			t.Errorf("the copy is %q", text)
		}
		if err := p.Refusal(); err == nil || !strings.Contains(err.Error(), `run "python3 mine.py`) {
			t.Errorf("nothing was allowed: %v", err)
		}
		return p.Manifest.ID
	}
	first := id(ownMetric, "1")
	check := func(what string, same bool, experiment, program string, set ...string) {
		t.Helper()
		if got := id(experiment, program, set...); (got == first) != same {
			t.Errorf("%s: the same run: %v", what, got == first)
		}
	}
	check("another folder", true, ownMetric, "1")
	check("another help text", true, ownMetric+"shows = \"mine\"\n", "1")
	check("another time-out", true, ownMetric+"timeout = \"1m\"\n", "1")
	check("another program", false, ownMetric, "2")
	check("another source", false, ownMetric+"sources = [\"lib.py\"]\n", "1")
	check("another environment", false, ownMetric+"env.A = \"1\"\n", "1")
	check("another command", false, strings.Replace(ownMetric, `mine.py"`, `mine.py", "-x"`, 1), "1")
	check("texts alone", false, ownMetric+"results = false\n", "1")
	check("the metric is left out", false, ownMetric, "1", "metrics=mine")
}
