package configs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// scored is an experiment with one metric of its own, and what follows in its table.
func scored(metrics, table string) string {
	return `name = "x"
metrics = [` + metrics + `]
[dataset]
kind = "sample"
[[arm]]
name = "a"
method = "standard"
[[metric]]
id = "mine"
command = ["python3", "mine.py"]
` + table
}

func TestOwnMetrics(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.toml")
	e := must(t, scored(`"ex", "mine"`, "shows = \"mine too\"\nstartup = \"5s\"\nenv.A = \"1\"\n[[table]]\nname = \"t\"\nrows = [\"arm\"]\ncells = [\"mine\"]\n"))
	m, ok := e.OwnMetric("mine")
	if !ok || !m.Results || m.Shows != "mine too" || time.Duration(m.Startup) != 5*time.Second || m.Env["A"] != "1" || !filepath.IsAbs(m.Dir) || !slices.Equal(m.Command, []string{"python3", "mine.py"}) {
		t.Errorf("%+v, %v", m, ok)
	}
	if c, _ := Find(e.Known.Choices("metrics"), "mine"); c.Shows != "mine too" || !e.Known.Choices("cells").Has("mine") || known.Choices("metrics").Has("mine") {
		t.Errorf("known: %+v", c)
	}
	if e = must(t, scored(`"mine"`, ""), "metric.mine.timeout=2s"); time.Duration(e.OwnMetrics[0].Timeout) != 2*time.Second {
		t.Errorf("--set: %+v", e.OwnMetrics)
	}
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // by those who know the metric already, too
		again, err := Parse(name, text, e.Known)
		if err != nil || !again.Known.Choices("metrics").Has("mine") || len(again.Known.Own) != 1 {
			t.Errorf("read again: %+v, %v", again.OwnMetrics, err)
		}
	}
	if _, err := ParseWith(name, []byte(scored(`"ex", "mine"`, "")), known, Options{Set: []string{"metrics=ex"}}); err != nil {
		t.Errorf("left out by the command line: %v", err)
	}
	placeless := e.Known.Placeless(map[string]any{"metric": []map[string]any{{"dir": "/secret/place", "sources": []any{"/secret/a.py"}, "id": "mine"}}},
		func(key, path string) string { return key + "=" + filepath.Base(path) })
	if got := placeless["metric"].([]map[string]any)[0]; got["dir"] != "metric.dir=place" || got["id"] != "mine" || got["sources"].([]any)[0] != "metric.sources=a.py" {
		t.Errorf("placeless: %v", got)
	}
}

func TestOwnMetricsRefused(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := ParseWith("t.toml", []byte(text), known, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	named := scored(`"mine"`, "")
	check(scored(`"ex"`, ""), `t.toml:8: metric "mine" is defined and not computed: name it in metrics, as in metrics = ["ex", "mine"]`)
	check(scored(`"mien"`, ""), `t.toml:2: metrics "mien" is unknown; did you mean "mine"?`)
	check(named+"[[metric]]\nid = \"mine\"\ncommand = [\"a\"]", `t.toml:12: metric "mine" is defined twice, first on line 8`)
	for id, why := range map[string]string{"ex": "of a metric of assay's", "sql": "a column", "a-given": "the dataset's own gold", "items": "rows or cell", "difficulty": "a column"} {
		why = strings.Replace(why, "rows or", "row or", 1)
		check(strings.ReplaceAll(named, `"mine"`, `"`+id+`"`), why)
	}
	check(strings.ReplaceAll(named, `"mine"`, `"k"`)+"[sweep]\nk = [0, 1]\n", "is an axis of the sweep")
	check(strings.Replace(named, `id = "mine"`, "", 1), "metric 1: id is missing")
	check(strings.Replace(named, `"python3", "mine.py"`, "", 1), "metric 1: command is empty")
	check(strings.Replace(named, `"python3", "mine.py"`, `"python3 mine.py"`, 1), "one word with spaces")
	check(named+`env.OPENAI_API_KEY = "x"`, "metric 1: env.OPENAI_API_KEY")
	check(named+`env.A = "sk-0123456789"`, "looks like a secret")
	check(named+`env.A = 1`, "env.A wants text")
	check(named+`sources = ["none.py"]`, "names no file")
	check(named+`dir = "nowhere"`, "cannot be used")
	check(named+`timeout = "-1s"`, "above 0")
	check(named+`score = 1`, `unknown key "score"`)
	check(strings.Replace(named, "[[metric]]", "[metric]", 1), "metric must be a list of tables: write [[metric]]")
	check(named+"[sweep]\n\"metric.timeout\" = [\"1s\"]\n", "metric.timeout")
}
