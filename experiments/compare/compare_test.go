package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"

	"github.com/google/go-cmp/cmp"
)

// run builds a run of one arm with the given scores, one a letter: 1, 0, or - for no score.
func run(name, arm, scores string) *record.Run {
	r := &record.Run{Manifest: record.Manifest{Experiment: name, ID: "id", Complete: true, Dataset: "d/dev", DatasetHash: "h",
		Metrics: []record.Metric{{ID: "ex", Fingerprint: "f"}}}, Config: map[string]any{"name": name}}
	for i, s := range strings.Split(scores, "") {
		it := record.Item{Item: fmt.Sprintf("d/dev/%02d", i), Arm: arm, Values: make([]record.Value, 1), Status: metrics.ModelError}
		switch s {
		case "1":
			it.Values[0], it.Status, it.SQL = record.Value{V: 1, OK: true}, metrics.Correct, "SELECT 1"
		case "0":
			it.Values[0], it.Status, it.SQL = record.Value{V: 0, OK: true}, metrics.Wrong, "SELECT 0"
		}
		r.Items = append(r.Items, it)
	}
	return r
}

func TestAHandWorkedComparison(t *testing.T) {
	// 12 items; one without a score in A, one in B. Of the 10 pairs: 3 both right, 1 both wrong, 1 lost, 5 won.
	a := run("a", "x", "111"+"0"+"1"+"00000"+"-1")
	b := run("b", "x", "111"+"0"+"0"+"11111"+"1-")
	c, err := Runs(a, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := c.Groups[0]
	if g.Pairs != 10 || g.Items != 10 || g.Unpaired != 2 || g.OnlyA != 1 || g.OnlyB != 5 {
		t.Errorf("%+v", g)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("A", g.MeanA, 0.4)
	near("B", g.MeanB, 0.8)
	near("difference", g.Diff, 0.4)
	near("p", g.P, 2*(1+6)/64.0) // 2 (C(6,0)+C(6,1)) / 2^6
	if g.Significant || g.Low > 0.4 || g.High < 0.4 || g.Low < -0.5 || g.High > 1 {
		t.Errorf("interval [%v, %v], significant %v", g.Low, g.High, g.Significant)
	}
	if len(g.Flips) != 6 || g.Flips[0].Item != "d/dev/04" || g.Flips[0].ScoreB != 0 {
		t.Errorf("flips %+v", g.Flips)
	}
	if c.Identical {
		t.Error("said to be identical")
	}
}

func TestARunIsIdenticalToItself(t *testing.T) {
	a := run("a", "x", "110-")
	c, err := Runs(a, a, Options{})
	if err != nil || !c.Identical || len(c.Warnings) != 0 || len(c.Config) != 0 || c.Groups[0].P != 1 || c.Groups[0].Diff != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSeedsOfAnItemAreAveraged(t *testing.T) {
	a, b := run("a", "x", "10"), run("b", "x", "11")
	for _, r := range []*record.Run{a, b} {
		again := r.Items[0]
		again.Seed = 1
		r.Items = append(r.Items, again)
	}
	b.Items[2].Values = []record.Value{{V: 0, OK: true}}
	c, err := Runs(a, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Item 0 goes from 1, 1 to 1, 0; item 1 from 0 to 1: means (1+0)/2 and (0.5+1)/2.
	g := c.Groups[0]
	if g.Items != 2 || g.Pairs != 3 || g.MeanA != 0.5 || g.MeanB != 0.75 || g.Diff != 0.25 {
		t.Errorf("%+v", g)
	}
}

func TestArmsArePairedByNameOrAsAsked(t *testing.T) {
	a, b := run("a", "x", "11"), run("b", "y", "10")
	check := func(asked map[string]string, want [2]string, wantErr string) {
		t.Helper()
		c, err := Runs(a, b, Options{Arms: asked})
		if wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), wantErr) {
				t.Errorf("%v: error %v, want %q", asked, err, wantErr)
			}
			return
		}
		if err != nil || [2]string{c.Groups[0].ArmA, c.Groups[0].ArmB} != want {
			t.Errorf("%v: %+v, %v", asked, c, err)
		}
	}
	check(nil, [2]string{"x", "y"}, "") // the only arm of each
	check(map[string]string{"x": "y"}, [2]string{"x", "y"}, "")
	check(map[string]string{"x": "z"}, [2]string{}, `no arm "z"`)
	check(map[string]string{"w": "y"}, [2]string{}, `no arm "w"`)
	b.Items = append(b.Items, run("b", "z", "1").Items...)
	check(nil, [2]string{}, "pair them with --arm")
}

func TestWhatMakesRunsIncomparableIsTold(t *testing.T) {
	check := func(want string, change func(m *record.Manifest)) {
		t.Helper()
		a, b := run("a", "x", "1"), run("b", "x", "1")
		change(&b.Manifest)
		c, err := Runs(a, b, Options{})
		if err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], want) {
			t.Errorf("%q: %+v, %v", want, c, err)
		}
	}
	check("datasets differ", func(m *record.Manifest) { m.Dataset = "e/dev" })
	check("items differ", func(m *record.Manifest) { m.DatasetHash = "other" })
	check("computed differently", func(m *record.Manifest) { m.Metrics = []record.Metric{{ID: "ex", Fingerprint: "other"}} })
	check("SQLite", func(m *record.Manifest) { m.SQLite = "3.40.1" })
	check("templates", func(m *record.Manifest) { m.PromptHash = "other" })
	check("demonstrations", func(m *record.Manifest) { m.ExemplarsHash = "other" })
	check("incomplete", func(m *record.Manifest) { m.Complete = false })
	check("axes", func(m *record.Manifest) { m.Axes = []string{"k"} })
	a, b := run("a", "x", "1"), run("b", "x", "1")
	b.Manifest.Metrics[0].ID = "em"
	if _, err := Runs(a, b, Options{}); err == nil || !strings.Contains(err.Error(), "a-id has ex, b-id has em") {
		t.Errorf("no common metric: %v", err)
	}
}

func TestConfigsAreComparedByKey(t *testing.T) {
	arm := func(name string, k int64) map[string]any {
		return map[string]any{"name": name, "exemplars": map[string]any{"k": k}}
	}
	a := map[string]any{"name": "a", "arm": []map[string]any{arm("x", 1), arm("y", 2)}}
	b := map[string]any{"name": "a", "arm": []map[string]any{arm("new", 9), arm("x", 1), arm("y", 3)}}
	want := []Difference{{"arm.new", "", "present"}, {"arm.y.exemplars.k", "2", "3"}}
	if d := cmp.Diff(want, Configs(a, b, [][2]string{{"x", "x"}, {"y", "y"}})); d != "" {
		t.Error(d)
	}
	want = []Difference{{"arm.new", "", "present"}, {"arm.x.exemplars.k", "1", "3"}, {"arm.x.name", "x", "y"}, {"arm.x", "", "present"}, {"arm.y", "present", ""}}
	slices.SortFunc(want, func(x, y Difference) int { return strings.Compare(x.Key, y.Key) })
	if d := cmp.Diff(want, Configs(a, b, [][2]string{{"x", "y"}})); d != "" {
		t.Error(d)
	}
}
