package join

import (
	"fmt"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/metrics"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

// run is a run of one item under the arms standard and cot, at a temperature.
func run(t *testing.T, id, more string, ms ...record.Metric) *record.Run {
	t.Helper()
	e, err := configs.Parse("t.toml", []byte(`name = "t"
[dataset]
kind = "sample"
[[arm]]
name = "standard"
method = "standard"
[[arm]]
name = "cot"
method = "cot"
`+more), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{Manifest: record.Manifest{ID: id, Experiment: "t", Complete: true, Items: 1, Metrics: ms, Warnings: []string{"w"}},
		Config: map[string]any{}, Resolved: e, Questions: []record.Question{{Item: "q", DB: "d"}}}
	if err := toml.Unmarshal(text, &r.Config); err != nil {
		t.Fatal(err)
	}
	for _, a := range e.Arms {
		it := record.Item{Item: "q", Arm: a.Name, Status: metrics.Correct}
		c := record.Candidate{Item: "q", Arm: a.Name}
		for i := range ms {
			it.Values = append(it.Values, record.Value{V: float64(i), OK: true})
			c.Values = append(c.Values, record.Value{V: float64(i), OK: true})
		}
		r.Items, r.Candidates = append(r.Items, it), append(r.Candidates, c)
	}
	return r
}

var ts, ex = record.Metric{ID: "ts", Fingerprint: "a"}, record.Metric{ID: "ex", Fingerprint: "b"}

func TestArmsAreNamedByWhatDiffers(t *testing.T) {
	got, err := Runs([]*record.Run{run(t, "1", "", ts), run(t, "2", "[model]\ntemperature = 0.5", ts)})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range got.Items {
		names = append(names, it.Arm)
	}
	want := "standard (temperature 0.0)|cot (temperature 0.0)|standard (temperature 0.5)|cot (temperature 0.5)"
	if s := strings.Join(names, "|"); s != want && s != strings.ReplaceAll(want, "0.0", "0") {
		t.Errorf("%s\nwant %s", s, want)
	}
	if len(got.Resolved.Arms) != 4 || got.Resolved.Arms[2].Model.Temperature != 0.5 || len(got.Questions) != 1 {
		t.Errorf("%+v", got.Resolved.Arms)
	}
	if w := got.Manifest.Warnings; len(w) != 1 || w[0] != "w" {
		t.Errorf("warnings %q: what the names show, or both have, is said twice", w)
	}
}

// Runs of several datasets are distinguished by the datasets' names, not by the folders that they lie in.
func TestArmsAreNamedByTheirDataset(t *testing.T) {
	on := func(id, dataset, path, more string) *record.Run {
		r := run(t, id, more, ts)
		r.Manifest.Dataset, r.Config["dataset"] = dataset, map[string]any{"path": path}
		return r
	}
	check := func(want string, runs ...*record.Run) *record.Run {
		t.Helper()
		got, err := Runs(runs)
		if err != nil {
			t.Fatal(err)
		}
		if got.Items[2].Arm != want {
			t.Errorf("%q, want %q", got.Items[2].Arm, want)
		}
		return got
	}
	got := check("standard (spider/dk)", on("1", "spider/dev", "/a", ""), on("2", "spider/dk", "/b", ""))
	if d := got.Manifest.Dataset; d != "spider/dev + spider/dk" {
		t.Errorf("dataset %q", d)
	}
	check("standard (spider/dk, temperature 0.5)", on("1", "spider/dev", "/a", ""), on("2", "spider/dk", "/b", "[model]\ntemperature = 0.5"))
	other := on("2", "spider/dev", "/b", "")
	other.Manifest.DatasetHash = "other" // two folders of one name
	check("standard (path b)", on("1", "spider/dev", "/a", ""), other)
	got, err := Runs([]*record.Run{on("1", "spider/dev", "/a", ""), on("2", "spider/dev", "/b", "")})
	if err != nil || armsOf(got) != "standard:1 cot:1" {
		t.Errorf("the same data in two folders: %v, %v", armsOf(got), err)
	}
}

func TestWhatNamesDoNotShowIsAWarning(t *testing.T) {
	b := run(t, "2", "[model]\ntemperature = 0.5\nmax_tokens = 9\nstop = [\"x\"]", ts)
	b.Manifest.DatasetHash, b.Manifest.Complete = "other", false
	got, err := Runs([]*record.Run{run(t, "1", "", ts), b})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(got.Manifest.Warnings, "\n")
	for _, want := range []string{"the runs differ in model.temperature: 0, 0.5", "the runs differ in model.max_tokens: ", "the items (their hashes) of the runs differ"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s\nhas no %q", all, want)
		}
	}
	if got.Items[0].Arm != "standard (1)" || got.Manifest.Complete {
		t.Errorf("%q, complete %t", got.Items[0].Arm, got.Manifest.Complete)
	}
}

// TestWhatArmsOverrideIsNoDifference: a top-level value is no difference where every arm states its own.
func TestWhatArmsOverrideIsNoDifference(t *testing.T) {
	b := run(t, "2", "", ts)
	b.Config["model"].(map[string]any)["temperature"] = 1.5
	check := func(want string) {
		t.Helper()
		got, err := Runs([]*record.Run{run(t, "1", "", ts), b})
		if err != nil {
			t.Fatal(err)
		}
		if all := armsOf(got); all != want || strings.Contains(strings.Join(got.Manifest.Warnings, "; "), "differ in") {
			t.Errorf("%s, want %s; %q", all, want, got.Manifest.Warnings)
		}
	}
	check("standard:1 cot:1")
	b.Items[0].SQL = "SELECT 1"
	check("standard (1):1 cot:1 standard (2):1")
}

// armsOf are the arms of a run with their answers.
func armsOf(r *record.Run) string {
	var order []string
	n := map[string]int{}
	for _, it := range r.Items {
		if n[it.Arm]++; n[it.Arm] == 1 {
			order = append(order, it.Arm)
		}
	}
	for i, a := range order {
		order[i] = fmt.Sprint(a, ":", n[a])
	}
	return strings.Join(order, " ")
}

// TestAnAnswerCountsOnce: of n questions no arm of the joined run has more than n answers a seed, whatever the runs are.
func TestAnAnswerCountsOnce(t *testing.T) {
	hot := "[model]\ntemperature = 0.7"
	change := func(r *record.Run, f func(*record.Run)) *record.Run { f(r); return r }
	label := func(r *record.Run) {
		r.Config["shows"] = "edited"
		r.Config["arm"].([]map[string]any)[0]["label"], r.Resolved.Arms[0].Label = "Edited", "Edited"
	}
	answer := func(r *record.Run) { r.Items[0].SQL = "SELECT 2" }
	pool := func(r *record.Run) {
		r.Candidates = append(r.Candidates, record.Candidate{Item: "q", Arm: "standard", Sample: 1, Values: r.Items[0].Values})
	}
	prompts := func(r *record.Run) { r.Manifest.PromptHash = "other" }
	none := func(*record.Run) {}
	check := func(want, warning string, second func(*record.Run)) {
		t.Helper()
		got, err := Runs([]*record.Run{run(t, "1", "", ts), change(run(t, "2", "", ts), second), run(t, "3", hot, ts)})
		if err != nil {
			t.Fatal(err)
		}
		if all := armsOf(got); all != want || !strings.Contains(strings.Join(got.Manifest.Warnings, "\n"), warning) {
			t.Errorf("%s\nwant %s\nwarnings %q, want %q", all, want, got.Manifest.Warnings, warning)
		}
		if n := strings.Count(armsOf(got), ":"); len(got.Resolved.Arms) != n {
			t.Errorf("%d arms are described, %d have answers", len(got.Resolved.Arms), n)
		}
	}
	cold := "standard (temperature 0):1 cot (temperature 0):1 "
	warm := "standard (temperature 0.7):1 cot (temperature 0.7):1"
	check(cold+warm, `arm "standard" of t-1 and t-2 is the same arm with the same answers`, none)
	check(cold+warm, `arm "standard" of t-1 and t-2 is the same arm with the same answers`, label)
	check(cold+"standard (temperature 0, run 2):1 "+warm, `arm "standard" of t-1 and t-2 has the same settings but other answers`, answer)
	check(cold+"standard (temperature 0, run 2):1 "+warm, `arm "standard" of t-1 and t-2 has the same settings but other answers`, pool)
	check(cold+"standard (temperature 0, run 2):1 cot (temperature 0, run 2):1 "+warm, "the prompt templates (their hashes)", prompts)
}

// TestStepsAreJoined: the steps and components of an answer come along under the name of its arm, once.
func TestStepsAreJoined(t *testing.T) {
	with := func(id, more string) *record.Run {
		r := run(t, id, more, ts)
		r.Steps = []record.Step{{Item: "q", Arm: "cot", Step: 1, Question: id}}
		r.Components = []record.Component{{Item: "q", Arm: "cot", Gold: "1"}}
		return r
	}
	got, err := Runs([]*record.Run{with("1", ""), with("2", ""), with("3", "[model]\ntemperature = 0.7")})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range got.Steps {
		all = append(all, s.Arm+" "+s.Question)
	}
	if want := "cot (temperature 0) 1, cot (temperature 0.7) 3"; strings.Join(all, ", ") != want || len(got.Components) != 2 {
		t.Errorf("%q, %+v; want %s", all, got.Components, want)
	}
}

// TestPartsOfOneArm: of two runs of one arm, the one adds the answers that the other lacks. TestWhoAnsweredIsJoined:
// who gave the parts' completions, and which similarity was used, comes from all parts; an author that two answered for
// is doubted.
func TestWhoAnsweredIsJoined(t *testing.T) {
	out, a, b := &record.Run{}, &record.Run{}, &record.Run{}
	first, second := record.Answered{Author: "openai/m", Print: "fp_1"}, record.Answered{Author: "openai/m", Print: "fp_2"}
	a.Manifest.Answered, b.Manifest.Answered = []record.Answered{first}, []record.Answered{first, second}
	b.Manifest.Similarity = []record.Similarity{{Use: "values", By: "spelling"}}
	out.Manifest = a.Manifest
	add(out, b.Index(), 1, nil)
	if d := cmp.Diff([]record.Answered{first, second}, out.Manifest.Answered); d != "" {
		t.Error(d)
	}
	if len(a.Manifest.Answered) != 1 || len(out.Manifest.Similarity) != 1 {
		t.Errorf("%+v, %+v", a.Manifest, out.Manifest)
	}
	if w := out.Manifest.Warnings; len(w) != 1 || !strings.Contains(w[0], "fp_1 and fp_2") {
		t.Errorf("warnings %q", w)
	}
}

func TestPartsOfOneArm(t *testing.T) {
	a, b := run(t, "1", "", ts), run(t, "2", "", ts)
	a.Items = a.Items[:1]
	b.Calls = []record.Call{{Item: "q", Arm: "standard"}, {Item: "q", Arm: "cot"}, {Item: "q", Arm: "nobody"}}
	got, err := Runs([]*record.Run{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if all := armsOf(got); all != "standard:1 cot:1" || len(got.Calls) != 1 || got.Calls[0].Arm != "cot" || len(got.Resolved.Arms) != 2 {
		t.Errorf("%s, calls %+v, %d arms", all, got.Calls, len(got.Resolved.Arms))
	}
}

// TestRunsWithoutASharedArm: settings that are the same in all arms of each run are compared.
func TestRunsWithoutASharedArm(t *testing.T) {
	b := run(t, "2", "[model]\ntemperature = 1.5", ts)
	for i, name := range []string{"x", "y"} {
		b.Config["arm"].([]map[string]any)[i]["name"] = name
		b.Items[i].Arm = name
	}
	got, err := Runs([]*record.Run{run(t, "1", "[schema]\nrows = 7\n[exemplars]\nk = 3", ts), b})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(got.Manifest.Warnings, "\n"); !strings.Contains(all, "differ in model.temperature: 0, 1.5") || !strings.Contains(all, "differ in schema.rows: 7, 3") {
		t.Error(all)
	}
	if got.Items[0].Arm != "standard" || got.Items[2].Arm != "x" {
		t.Errorf("%q %q", got.Items[0].Arm, got.Items[2].Arm)
	}
}

func TestMetrics(t *testing.T) {
	a, b := run(t, "1", "", ts, ex), run(t, "2", "[model]\ntemperature = 1", ex)
	got, err := Runs([]*record.Run{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if ids := got.Manifest.MetricIDs(); len(ids) != 1 || ids[0] != "ex" || got.Items[0].Values[0].V != 1 || got.Items[2].Values[0].V != 0 {
		t.Errorf("%v %+v", ids, got.Items)
	}
	if !strings.Contains(got.Manifest.Warnings[0], "ts is left out: not every run has it") {
		t.Errorf("%q", got.Manifest.Warnings)
	}
	b.Manifest.Metrics[0].Fingerprint = "c"
	if _, err := Runs([]*record.Run{a, b}); err == nil || !strings.Contains(err.Error(), "computed it differently") {
		t.Errorf("%v", err)
	}
}

func TestWhatCannotBeJoined(t *testing.T) {
	a := run(t, "1", "", ts)
	if _, err := Runs([]*record.Run{a, a}); err == nil || !strings.Contains(err.Error(), "is given twice") {
		t.Error(err)
	}
	b := run(t, "2", "", ts)
	if _, err := Runs([]*record.Run{a, b, b}); err == nil || !strings.Contains(err.Error(), `"2" is given twice`) {
		t.Error(err)
	}
	b.Questions[0].Gold += " -- another"
	if _, err := Runs([]*record.Run{a, b}); err == nil || !strings.Contains(err.Error(), "ask different things under the id") {
		t.Error(err)
	}
	b.Questions[0].Gold = a.Questions[0].Gold
	b.Manifest.Axes = []string{"k"}
	if _, err := Runs([]*record.Run{a, b}); err == nil || !strings.Contains(err.Error(), "the sweeps differ") {
		t.Error(err)
	}
	if _, err := Runs(nil); err == nil {
		t.Error("no runs")
	}
	if got, err := Runs([]*record.Run{a}); err != nil || got != a {
		t.Error(got, err)
	}
}
