package runner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/metrics"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func parsed(t *testing.T, text string) *predictions.File {
	t.Helper()
	f, err := predictions.Parse("file", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// importing is an experiment that scores predictions of the sample.
func importing(t *testing.T, settings ...string) configs.Experiment {
	t.Helper()
	e, err := predictions.Experiment("test", configs.Options{Set: append([]string{"metrics=ex,em"}, settings...)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// imported plans, runs and reads.
func imported(t *testing.T, s store.Store, e configs.Experiment, o plan.Options) *record.Run {
	t.Helper()
	p, err := plan.Make(t.Context(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := runner.Run(t.Context(), p, runner.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	return read(t, res)
}

// TestImportedWidthIsInvisible: a run of predictions is the same however many workers there were.
func TestImportedWidthIsInvisible(t *testing.T) {
	cache := t.TempDir()
	all, _, err := plan.GoldQueries(t.Context(), importing(t), plan.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	var pool strings.Builder
	for i, c := range all {
		if i%3 == 0 {
			c.Gold = "SELECT 1"
		}
		fmt.Fprintf(&pool, "{\"id\": %q, \"candidates\": [%q, \"SELECT 2\"]}\n", c.Item, strings.Join(strings.Fields(c.Gold), " "))
	}
	run := func(workers int) *record.Run {
		r := imported(t, store.Open(t.TempDir()), importing(t, fmt.Sprintf("workers=%d", workers)), plan.Options{Cache: cache, Pred: parsed(t, pool.String())})
		r.Dir, r.Config, r.Resolved.Workers = "", nil, 0
		return r
	}
	one := run(1)
	if d := cmp.Diff(one, run(7), cmpopts.IgnoreTypes(configs.Known{})); d != "" {
		t.Error(d)
	}
	if len(one.Candidates) != 2*len(all) || one.Candidates[1].Chosen != 0 || one.Candidates[3].Digest == "" {
		t.Errorf("candidates: %+v", one.Candidates[:4])
	}
	dir := t.TempDir()
	if err := record.Write(dir, one); err != nil {
		t.Fatal(err)
	}
	if r, err := record.Read(dir, catalog.Known); err == nil {
		t.Errorf("a run without its config is read: %+v", r.Manifest)
	}
}

// TestImportedIsReadBack: a run of predictions is a run like any other, and other predictions are another run.
func TestImportedIsReadBack(t *testing.T) {
	s, e, o := store.Open(t.TempDir()), importing(t, "dataset.limit=2"), plan.Options{Cache: t.TempDir()}
	o.Pred = parsed(t, "SELECT 1\nSELECT 2\n")
	r := imported(t, s, e, o)
	for _, q := range r.Questions {
		if q.Features == "" || q.Features != axes.Features(q.Gold) {
			t.Errorf("%s has the features %q", q.Gold, q.Features)
		}
	}
	if arm := r.Resolved.Arms[0]; arm.Method != "imported" || arm.Model.Provider != "imported" || len(r.Items) != 2 || !r.Manifest.Complete {
		t.Errorf("%+v", r.Manifest)
	}
	if again := imported(t, s, e, o); again.Manifest.ID != r.Manifest.ID {
		t.Error("the same predictions have another id")
	}
	o.Pred = parsed(t, "SELECT 1\nSELECT 3\n")
	if other := imported(t, s, e, o); other.Manifest.ID == r.Manifest.ID {
		t.Error("other predictions have the same id")
	}
	if s.HasLedger() {
		t.Error("a ledger was made, though nobody was asked")
	}
}

// TestScoredAgain: a run of predictions is scored again from its folder alone.
func TestScoredAgain(t *testing.T) {
	s, o := store.Open(t.TempDir()), plan.Options{Cache: t.TempDir()}
	e := importing(t, "dataset.limit=4")
	o.Pred = parsed(t, `{"id": "city_library-002", "candidates": [{"sql": "DROP TABLE members", "source": "a", "prompt_tokens": 5, "prompt": "P"}, {"sql": "SELECT 1", "cost_usd": 0.5}]}
{"id": "city_library-001", "sql": "SELECT title FROM titles WHERE language = 'Spanish'", "completion_tokens": 7, "prompt": "Q"}
{"id": "city_library-004", "candidates": [], "prompt_tokens": 3}
{"id": "city_library-003", "candidates": ["SELECT 1", "SELECT 2"]}`)
	first := imported(t, s, e, o)
	again := func(settings ...string) *record.Run {
		t.Helper()
		var err error
		if o.Pred, err = predictions.Stored(first); err != nil {
			t.Fatal(err)
		}
		e, err := predictions.Again(first, "test", configs.Options{Set: settings})
		if err != nil {
			t.Fatal(err)
		}
		return imported(t, s, e, o)
	}
	if d := cmp.Diff(first, again(), cmpopts.IgnoreTypes(configs.Known{})); d != "" {
		t.Errorf("by the same metrics it is another run:\n%s", d)
	}
	other := again(`metrics=["ex-strict","ex","soft-f1"]`)
	if got := fmt.Sprint(other.Manifest.MetricIDs()); got != "[ex-strict ex soft-f1]" || other.Manifest.ID == first.Manifest.ID {
		t.Errorf("metrics %s, run %s", got, other.Manifest.ID)
	}
	if d := cmp.Diff(first.Calls, other.Calls); d != "" {
		t.Errorf("calls:\n%s", d)
	}
	if len(other.Candidates) != len(first.Candidates) {
		t.Fatalf("%d candidates, there were %d", len(other.Candidates), len(first.Candidates))
	}
	for i, a := range first.Candidates {
		b := other.Candidates[i]
		if a.SQL != b.SQL || a.Generator != b.Generator || a.Digest != b.Digest || a.Chosen != b.Chosen || a.Values[0] != b.Values[1] {
			t.Errorf("candidate %d: %+v, it was %+v", i, b, a)
		}
	}
	p := makePlan(t, o.Cache)
	res, err := runner.Run(t.Context(), p, runner.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := predictions.Stored(read(t, res)); err == nil || !strings.Contains(err.Error(), "no complete run that was imported") {
		t.Errorf("a run of models: %v", err)
	}
	first.Questions[1].Gold = "SELECT another"
	if err := predictions.SameGold(first, p.Set.Examples); err == nil || !strings.Contains(err.Error(), first.Questions[1].Item) {
		t.Errorf("another gold query: %v", err)
	}
}

// TestAdvisoryMetricsComeLast: nothing is timed before every answer is there, and a run that was stopped holds no answer
// that is not timed.
func TestAdvisoryMetricsComeLast(t *testing.T) {
	set := []string{`metrics=["ves","ex-bird"]`, "model.provider=openai", "model.name=m", "workers=3"}
	p := makePlan(t, t.TempDir(), set...)
	m := &counting{inner: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "SELECT title FROM titles WHERE language = 'Spanish'", nil }}}
	all, seen := int64(len(p.Set.Examples)*len(p.Cells)*len(p.Experiment.Seeds)), 0
	s := store.Open(t.TempDir())
	res, err := runner.Run(t.Context(), p, runner.Options{Store: s, Model: m.open, Scored: func(runner.Scored) {
		if seen++; m.calls.Load() < all {
			t.Errorf("answer %d is timed after %d of %d calls", seen, m.calls.Load(), all)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, it := range read(t, res).Items {
		if it.Values[1].V != 1 {
			continue
		}
		if right++; it.Status != metrics.Correct || !it.Values[0].OK || it.Values[0].V <= 0 {
			t.Errorf("%s is right, and timed %+v", it.Item, it)
		}
	}
	if right == 0 || int64(seen) != all {
		t.Errorf("%d right, %d of %d answers", right, seen, all)
	}
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	res, err = runner.Run(ctx, p, runner.Options{Store: store.Open(t.TempDir()), Model: m.open, Scored: func(runner.Scored) {
		if n++; n == 2 {
			stop()
		}
	}})
	r := read(t, res)
	if err == nil || r.Manifest.Complete || len(r.Items) != 2 || slices.ContainsFunc(r.Items, func(it record.Item) bool { return it.Status == "" }) {
		t.Errorf("stopped: %v, %d items", err, len(r.Items))
	}
}

func TestGoldFile(t *testing.T) {
	cache := t.TempDir()
	e, o := importing(t), plan.Options{Cache: cache, Names: true, Pred: parsed(t, "SELECT 1\nSELECT 2\nSELECT 3\n")}
	all, _, err := plan.GoldQueries(t.Context(), e, plan.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	check := func(gold string, want ...string) {
		t.Helper()
		o.Gold = parsed(t, gold)
		p, err := plan.Make(t.Context(), e, o)
		if err != nil {
			t.Error(err)
			return
		}
		defer p.Close()
		var got []string
		if err := runner.Score(t.Context(), p, func(s runner.Scored) {
			got = append(got, fmt.Sprint(s.Example.Question.ID, " ", s.Example.Gold, " ", s.Scores[0].Status))
		}); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	line := func(i int) string { return all[i].Gold + "\t" + all[i].DB + "\n" }
	// Golds of the dataset are its items, in the file's order.
	check(line(5)+line(0)+line(9), all[5].Item+" "+all[5].Gold+" wrong", all[0].Item+" "+all[0].Gold+" wrong", all[9].Item+" "+all[9].Gold+" wrong")
	// Others are items of their own; blank lines end sessions.
	check("SELECT 1\tcity_library\nSELECT 2\tcity_library\n\nSELECT x\tcity_library\n", "sample/dev/city_library-254012df SELECT 1 correct",
		"sample/dev/city_library-54aed891 SELECT 2 correct", "sample/dev/city_library-bf8cc488 SELECT x gold-error")
	o.Gold = parsed(t, "SELECT 1\n")
	if _, err := plan.Make(t.Context(), e, o); err == nil || !strings.Contains(err.Error(), "line 1 names no database") {
		t.Error(err)
	}
}

// A run with an answer that is longer than any row can be read again, and its other items have their scores.
func TestALongAnswerCostsItsItem(t *testing.T) {
	o := plan.Options{Cache: t.TempDir(), Pred: parsed(t, "SELECT "+strings.Repeat(`"",`, 3<<20)+"1\nSELECT 2\n")}
	r := imported(t, store.Open(t.TempDir()), importing(t, "dataset.limit=2"), o)
	if len(r.Items) != 2 || r.Items[0].Status != "sql-error" || r.Items[1].SQL != "SELECT 2" {
		t.Errorf("%d items, %s, %s", len(r.Items), r.Items[0].Status, r.Items[1].Status)
	}
	dir := t.TempDir()
	if err := record.Write(dir, r); err != nil {
		t.Fatal(err)
	}
}
