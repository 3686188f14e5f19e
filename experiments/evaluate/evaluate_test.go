package evaluate

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/goldcheck"

	"github.com/google/go-cmp/cmp"
)

// sample evaluates a prediction file over the first items of the sample.
func sample(t *testing.T, pred string, settings ...string) Options {
	t.Helper()
	return Options{Experiment: experiment(t, append([]string{"metrics=ex,em"}, settings...)...), Pred: file(t, pred), Cache: cache}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

var cache string // of the sample's databases

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "evaluate")
	if err != nil {
		panic(err)
	}
	cache = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func evaluated(t *testing.T, o Options) *Evaluation {
	t.Helper()
	e, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestWidthIsInvisible: every file is the same however many workers there were.
func TestWidthIsInvisible(t *testing.T) {
	o := sample(t, "x")
	all, _, err := Golds(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var lines, pool strings.Builder
	for i, c := range all {
		if i%3 == 0 {
			c.Gold = "SELECT 1"
		}
		fmt.Fprintf(&lines, "%s\t%s\n", strings.Join(strings.Fields(c.Gold), " "), c.DB)
		fmt.Fprintf(&pool, "{\"id\": %q, \"candidates\": [%q, \"SELECT 2\"]}\n", c.Item, strings.Join(strings.Fields(c.Gold), " "))
	}
	items := func(workers int) string {
		e := evaluated(t, sample(t, lines.String(), fmt.Sprintf("workers=%d", workers)))
		var buf bytes.Buffer
		if err := e.WriteItems(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	if d := cmp.Diff(items(1), items(7)); d != "" {
		t.Error(d)
	}
	run := func(workers int) *record.Run {
		o := sample(t, pool.String(), fmt.Sprintf("workers=%d", workers))
		o.All = true
		r, err := evaluated(t, o).Record()
		if err != nil {
			t.Fatal(err)
		}
		r.Config, r.Resolved.Workers = nil, 0
		return r
	}
	one := run(1)
	if d := cmp.Diff(one, run(7)); d != "" {
		t.Error(d)
	}
	if len(one.Candidates) != 2*len(all) || one.Candidates[1].Chosen != 0 || one.Candidates[3].Digest == "" {
		t.Errorf("candidates: %+v", one.Candidates[:4])
	}
	dir := t.TempDir()
	if err := record.Write(dir, run(2)); err != nil {
		t.Fatal(err)
	}
	if r, err := record.Read(dir); err == nil {
		t.Errorf("a run without its config is read: %+v", r.Manifest)
	}
}

// TestRecordIsReadBack: what Record makes is a run like any other.
func TestRecordIsReadBack(t *testing.T) {
	o := sample(t, "SELECT 1\nSELECT 2\n", "dataset.limit=2")
	o.All = true
	r, err := evaluated(t, o).Record()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range r.Questions {
		if q.Features == "" || q.Features != axes.Features(q.Gold) {
			t.Errorf("%s has the features %q", q.Gold, q.Features)
		}
	}
	dir := t.TempDir()
	if err := record.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	got, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if arm := got.Resolved.Arms[0]; got.Manifest.ID != r.Manifest.ID || arm.Method != "imported" || arm.Model.Provider != "imported" || len(got.Items) != 2 {
		t.Errorf("%+v", got.Manifest)
	}
	o.Pred = file(t, "SELECT 1\nSELECT 3\n")
	other, err := evaluated(t, o).Record()
	if err != nil || other.Manifest.ID == r.Manifest.ID {
		t.Errorf("other predictions have the same id: %v", err)
	}
}

func TestGoldFile(t *testing.T) {
	o := sample(t, "SELECT 1\nSELECT 2\nSELECT 3\n")
	all, _, err := Golds(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check := func(gold string, want ...string) {
		t.Helper()
		o.Gold = file(t, gold)
		e, err := Run(t.Context(), o)
		if err != nil {
			t.Error(err)
			return
		}
		for i, r := range e.Rows {
			if got := fmt.Sprint(r.Example.Question.ID, " ", r.Example.Gold, " ", r.Status()); got != want[i] {
				t.Errorf("item %d: %s, want %s", i, got, want[i])
			}
		}
	}
	line := func(i int) string { return all[i].Gold + "\t" + all[i].DB + "\n" }
	// Golds of the dataset are its items, in the file's order.
	check(line(5)+line(0)+line(9), all[5].Item+" "+all[5].Gold+" wrong", all[0].Item+" "+all[0].Gold+" wrong", all[9].Item+" "+all[9].Gold+" wrong")
	// Others are items of their own; blank lines end sessions.
	check("SELECT 1\tcity_library\nSELECT 2\tcity_library\n\nSELECT x\tcity_library\n", "sample/dev/city_library-254012df SELECT 1 correct",
		"sample/dev/city_library-54aed891 SELECT 2 correct", "sample/dev/city_library-bf8cc488 SELECT x gold-error")
	o.Gold = file(t, "SELECT 1\n")
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "line 1 names no database") {
		t.Error(err)
	}
}

func TestSummary(t *testing.T) {
	score := func(v float64, s metrics.Status) []metrics.Score { return []metrics.Score{{Value: v, Status: s}} }
	row := func(level string, after, before []metrics.Score) Row {
		r := Row{Scores: after, Before: before}
		r.Example.Hardness = level
		return r
	}
	right, wrong, bad := score(1, metrics.Correct), score(0, metrics.Wrong), score(0, metrics.GoldError)
	o := sample(t, "SELECT 1\n", "dataset.limit=1", "metrics=ex")
	e := evaluated(t, o)
	e.Rows = []Row{row("hard", right, right), row("easy", right, wrong), row("easy", bad, wrong), row("", wrong, wrong)}
	s := e.Summary(false)
	check := func(i int, name string, items, scored int, mean float64) {
		t.Helper()
		l := s.Levels[i]
		if x := l.Scores[0]; l.Name != name || l.Items != items || x.Scored != scored || math.Abs(x.Mean-mean) > 1e-9 || x.Low > mean || x.High < mean {
			t.Errorf("level %d: %+v", i, l)
		}
	}
	check(0, "easy", 2, 1, 1)
	check(1, "hard", 1, 1, 1)
	check(2, "(none)", 1, 1, 0)
	check(3, "all", 4, 3, 2.0/3)
	if d := cmp.Diff([]Status{{metrics.Correct, []int{2}}, {metrics.Wrong, []int{1}}, {metrics.GoldError, []int{1}}}, s.Statuses); d != "" {
		t.Error(d)
	}
	s = e.Summary(true)
	check(3, "all", 4, 4, 0.25)
}

// TestSummaryBy: the golds of four rows have no join, one, two, and do not parse; the override of the first has one.
func TestSummaryBy(t *testing.T) {
	e := evaluated(t, sample(t, "SELECT 1\n", "dataset.limit=1", "metrics=ex"))
	right, wrong := []metrics.Score{{Value: 1, Status: metrics.Correct}}, []metrics.Score{{Status: metrics.Wrong}}
	row := func(gold, db string, scores []metrics.Score) Row {
		r := Row{Scores: scores, Before: scores}
		r.Example.Gold, r.Example.Question.DB = gold, db
		return r
	}
	e.Rows = []Row{row("SELECT a FROM t", "y", right), row("SELECT a FROM t JOIN u", "x", wrong),
		row("SELECT a FROM t, u, v", "y", right), row("SELEC", "y", wrong)}
	check := func(axis string, want string) {
		t.Helper()
		a, err := axes.Find(axis)
		if err != nil {
			t.Fatal(err)
		}
		s, got := e.SummaryBy(a, false), ""
		for _, l := range s.Levels {
			got += fmt.Sprintf("%s %d %.2f; ", l.Name, l.Items, l.Scores[0].Mean)
		}
		if got != want || s.Leveling != axis {
			t.Errorf("%s: %s, want %s", axis, got, want)
		}
	}
	check("joins", "0 1 1.00; 1 1 0.00; 2+ 1 1.00; (none) 1 0.00; all 4 0.50; ")
	check("database", "y 3 0.67; x 1 0.00; all 4 0.50; ")
	check("limit", "0 3 0.67; (none) 1 0.00; all 4 0.50; ")
	check("difficulty", "(none) 4 0.50; all 4 0.50; ")
	e.Rows[0].Override = &goldcheck.Override{SQL: "SELECT a FROM t JOIN u"}
	check("joins", "1 2 0.50; 2+ 1 1.00; (none) 1 0.00; all 4 0.50; ")
	e.Rows[0].Override = &goldcheck.Override{Exclude: true}
	check("joins", "0 1 1.00; 1 1 0.00; 2+ 1 1.00; (none) 1 0.00; all 4 0.50; ")
}

func TestByRule(t *testing.T) {
	counts := ByRule([]goldcheck.Finding{{Item: "a", Rule: "empty"}, {Item: "b", Rule: "empty"}, {Item: "b", Rule: "empty"}})
	for _, c := range counts {
		if c.ID == "empty" && (c.Findings != 3 || c.Items != 2 || c.First.Item != "a") {
			t.Errorf("%+v", c)
		}
	}
	if len(counts) != len(goldcheck.Rules()) {
		t.Errorf("%d rules", len(counts))
	}
}

// TestHeads: test-suite accuracy where no item has a suite is headed by what it then is.
func TestHeads(t *testing.T) {
	e := evaluated(t, sample(t, "SELECT 1\nSELECT 1\n", "dataset.limit=2", "metrics=ts,ex,ts-strict"))
	check := func(what, want string) {
		t.Helper()
		if got := strings.Join(e.Summary(false).Heads, "; "); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("the sample has suites", "ts; ex; ts-strict")
	for i := range e.Set.Examples {
		e.Set.Examples[i].Suite = e.Set.Examples[i].Suite[:1]
	}
	check("without any", "ts = ex (no suite); ex; ts-strict = ex-strict (no suite)")
}
