package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/stats"

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
		r.Questions = append(r.Questions, record.Question{Item: it.Item, Gold: "SELECT 1"})
	}
	return r
}

func against(t *testing.T, a, b *record.Run, o Options) *Comparison {
	t.Helper()
	c, err := Runs(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestAHandWorkedComparison(t *testing.T) {
	// 12 items; one without a score in A, one in B. Of the 10 pairs: 3 both right, 1 both wrong, 1 lost, 5 won.
	a := run("a", "x", "111"+"0"+"1"+"00000"+"-1")
	b := run("b", "x", "111"+"0"+"0"+"11111"+"1-")
	c := against(t, a, b, Options{})
	p := c.Pairs[0]
	g := p.All
	if g.Pairs != 10 || g.Items != 10 || g.Unpaired != 2 || g.OnlyA != 1 || g.OnlyB != 5 || g.Test != McNemar || g.Interval != Newcombe {
		t.Errorf("%+v", g)
	}
	near(t, "A", g.MeanA, 0.4, 1e-9)
	near(t, "B", g.MeanB, 0.8, 1e-9)
	near(t, "difference", g.Diff, 0.4, 1e-9)
	near(t, "p", g.P, 2*(1+6)/64.0, 1e-9) // 2 (C(6,0)+C(6,1)) / 2^6
	near(t, "Holm", g.Holm, g.P, 0)       // a family of one
	// Of 10 items at least 6 must be discordant, all in one direction: scipy.stats.binom.sf(5, 10, d) is 0.8 at d = 0.6732.
	near(t, "smallest", g.Smallest, 0.6732, 1e-4)
	if g.Significant || g.Low > 0.4 || g.High < 0.4 || g.Low < -0.5 || g.High > 1 {
		t.Errorf("interval [%v, %v], significant %v", g.Low, g.High, g.Significant)
	}
	if len(p.Flips) != 6 || p.Flips[0].Item != "d/dev/04" || !p.Flips[0].Lost() || p.Flips[1].Lost() {
		t.Errorf("flips %+v", p.Flips)
	}
	if d := cmp.Diff([]ClassCount{{Literals, 1, 5}}, p.Reasons); d != "" {
		t.Error(d)
	}
	if c.Identical {
		t.Error("said to be identical")
	}
}

func TestARunIsIdenticalToItself(t *testing.T) {
	a := run("a", "x", "1101")
	c := against(t, a, a, Options{})
	if g := c.Pairs[0].All; !c.Identical || len(c.Warnings) != 0 || len(c.Config) != 0 || g.P != 1 || g.Diff != 0 {
		t.Errorf("%+v", c)
	}
	if c.Notes[0] != "A and B are the same run" {
		t.Errorf("%q", c.Notes)
	}
}

// again repeats a run's items under another seed with other scores.
func again(r *record.Run, seed int64, scores string) {
	for i, s := range strings.Split(scores, "") {
		it := r.Items[i]
		it.Seed = seed
		it.Values = []record.Value{{V: float64(s[0] - '0'), OK: true}}
		r.Items = append(r.Items, it)
	}
}

func TestSeedsOfAnItemAreOneUnit(t *testing.T) {
	a, b := run("a", "x", "10"), run("b", "x", "11")
	again(a, 1, "1")
	again(b, 1, "0")
	// Item 0 goes from 1, 1 to 1, 0; item 1 from 0 to 1: means (1+0)/2 and (0.5+1)/2.
	g := against(t, a, b, Options{}).Pairs[0].All
	if g.Items != 2 || g.Pairs != 3 || g.MeanA != 0.5 || g.MeanB != 0.75 || g.Diff != 0.25 || g.Test != FlipItems || g.Interval != DrawItems {
		t.Errorf("%+v", g)
	}
	// Differences of -1/2 and 1: of the four patterns of signs two have |sum| >= 1/2 at 3/2, and two at 1/2, so all.
	near(t, "p", g.P, 1, 1e-12)

	// Seven items that each win under all three seeds: 2/2^7, where 21 pairs taken for independent would say 2/2^21.
	a, b = run("a", "x", "0000000"), run("b", "x", "1111111")
	for s := range int64(2) {
		again(a, s+1, "0000000")
		again(b, s+1, "1111111")
	}
	g = against(t, a, b, Options{}).Pairs[0].All
	near(t, "p of seven items", g.P, 2/128.0, 1e-12)
}

// TestNoIntervalCollapses: where resampling finds no spread, the interval is as wide as so few items leave it.
func TestNoIntervalCollapses(t *testing.T) {
	check := func(what string, a, b *record.Run, o Options, kind string, low, high float64) {
		t.Helper()
		g := against(t, a, b, o).Pairs[0].All
		if g.Interval != kind || math.Abs(g.Low-low) > 1e-4 || math.Abs(g.High-high) > 1e-4 {
			t.Errorf("%s: %s [%v, %v], want %s [%v, %v]", what, g.Interval, g.Low, g.High, kind, low, high)
		}
	}
	twice := func(name, arm, first, second string) *record.Run {
		r := run(name, arm, first)
		again(r, 2, second)
		return r
	}
	// z² = 3.8415: of n equal differences d the ends are (nd ± z²)/(n + z²), and not beyond 1.
	check("two seeds, no item differs", twice("a", "m", "1010", "1100"), twice("b", "m", "1010", "1100"), Options{}, AlikeItems, -0.4899, 0.4899)
	check("two seeds, every item gains one", twice("a", "m", "1010", "0101"), twice("b", "m", "1111", "1111"), Options{}, AlikeItems, -0.2348, 0.7449)
	// One seed: Newcombe's, of counts alone.
	all := strings.Repeat("1", 40)
	none := stats.Newcombe(0, 0, 40, 0, 0.95)
	check("forty items all gained", run("a", "m", strings.Repeat("0", 40)), run("b", "m", all), Options{}, Newcombe, none.Low, none.High)
	one := stats.Newcombe(39, 1, 0, 0, 0.95) // resampling would end at 0, as if nothing could be won
	check("one of forty lost", run("a", "m", all), run("b", "m", all[1:]+"0"), Options{}, Newcombe, one.Low, one.High)
	// Two databases that are the units: z²/(2 + z²).
	two := run("a", "m", all)
	for i := range two.Questions {
		two.Questions[i].DB = fmt.Sprint(i % 2)
	}
	check("two databases without a difference", two, two, Options{Cluster: true}, AlikeBases, -0.6576, 0.6576)
	same := stats.Newcombe(40, 0, 0, 0, 0.95)
	check("forty items all right", run("a", "m", all), run("b", "m", all), Options{}, Newcombe, same.Low, same.High)
}

// seeded is a run of the arm x with the scores of each seed, "seed scores".
func seeded(name string, seeds ...string) *record.Run {
	var r *record.Run
	for _, s := range seeds {
		var seed int64
		var scores string
		fmt.Sscan(s, &seed, &scores)
		one := run(name, "x", scores)
		for i := range one.Items {
			one.Items[i].Seed = seed
		}
		if r == nil {
			r = one
			continue
		}
		r.Items = append(r.Items, one.Items...)
	}
	return r
}

// TestSides: equal seeds are paired; of others each side has the mean over all of its own, whatever the other side has.
func TestSides(t *testing.T) {
	check := func(a, b *record.Run, meanA, meanB float64, pairs, lost, won, unpaired int, test, note string) {
		t.Helper()
		c := against(t, a, b, Options{})
		g := c.Pairs[0].All
		near(t, "A", g.MeanA, meanA, 1e-12)
		near(t, "B", g.MeanB, meanB, 1e-12)
		near(t, "difference", g.Diff, meanB-meanA, 1e-12)
		if g.Pairs != pairs || g.OnlyA != lost || g.OnlyB != won || g.Unpaired != unpaired || g.Test != test || g.OwnSeeds != (note != "") {
			t.Errorf("%+v", g)
		}
		noted := strings.Join(c.Notes, " ")
		if !strings.Contains(noted, note) || strings.Contains(noted, "the seeds differ") != (note != "") {
			t.Errorf("notes %q, want %q", c.Notes, note)
		}
		for _, f := range c.Pairs[0].Flips {
			if f.Lost() != (f.StatusA == metrics.Correct) || f.StatusA == f.StatusB {
				t.Errorf("a flip that its rows do not show: %+v", f)
			}
		}
	}
	base := seeded("a", "0 1100", "1 1000", "2 1010") // items 1, 1/3, 1/3, 0
	check(base, seeded("b", "0 1111", "1 0000", "2 1010"), 5/12.0, 1/2.0, 12, 1, 2, 0, FlipItems, "")
	// Seed 0 alone would give A 2/4; its mean over seeds is 5/12 beside everything. Items 1 and 2 win, item 0 loses.
	check(base, seeded("b", "0 0110"), 5/12.0, 1/2.0, 4, 1, 2, 0, FlipItems, "the seeds differ, 0, 1, 2 against 0: ")
	check(base, seeded("b", "9 0110"), 5/12.0, 1/2.0, 4, 1, 2, 0, FlipItems, "0, 1, 2 against 9: each side's score of an item is the mean over its own seeds")
	check(base, seeded("b", "9 0110"), 5/12.0, 1/2.0, 4, 1, 2, 0, FlipItems, "p is approximate")
	check(seeded("a", "9 0110"), base, 1/2.0, 5/12.0, 4, 2, 1, 0, FlipItems, "9 against 0, 1, 2")
	check(base, seeded("b", "3 1100", "4 1000", "5 1010"), 5/12.0, 5/12.0, 4, 0, 0, 0, FlipItems, "0, 1, 2 against 3, 4, 5")
	// One seed on each side is one 0/1 pair an item. -1 is a seed like others.
	check(seeded("a", "0 1100"), seeded("b", "7 1010"), 1/2.0, 1/2.0, 4, 1, 1, 0, McNemar, "0 against 7")
	check(seeded("a", "-1 1100"), seeded("b", "-1 1010"), 1/2.0, 1/2.0, 4, 1, 1, 0, McNemar, "")
	check(seeded("a", "-1 1100"), seeded("b", "0 1010"), 1/2.0, 1/2.0, 4, 1, 1, 0, McNemar, "-1 against 0")
	// An item without a score on one side counts for neither: item 0's three answers. Of item 1 one answer has no score.
	check(seeded("a", "0 1-00", "1 1000", "2 1110"), seeded("b", "9 -110"), 5/18.0, 2/3.0, 3, 0, 2, 3+1, FlipItems, "the seeds differ")
	check(seeded("a", "0 1-00"), seeded("b", "7 1010"), 1/3.0, 2/3.0, 3, 0, 1, 1, McNemar, "0 against 7")
	many := seeded("a", "0 10", "1 10", "2 10", "3 10", "4 10", "5 10", "6 10", "7 10")
	check(many, seeded("b", "0 10"), 1/2.0, 1/2.0, 2, 0, 0, 0, FlipItems, "0, 1, 2, 3, 4, 5, and 2 more against 0")
}

// TestTheSameAnswersOfOtherSeeds: runs agree where every answer of an item does, on both sides.
func TestTheSameAnswersOfOtherSeeds(t *testing.T) {
	check := func(a, b *record.Run, want bool) {
		t.Helper()
		if c := against(t, a, b, Options{}); c.Identical != want {
			t.Errorf("identical: %v", c.Identical)
		}
	}
	check(seeded("a", "0 10", "1 10"), seeded("b", "9 10"), true)
	check(seeded("a", "0 10", "1 11"), seeded("b", "9 10"), false)
	check(seeded("a", "0 10", "1 10"), seeded("b", "9 11"), false)
	check(seeded("a", "0 10", "1 10"), seeded("b", "9 1-"), false)
}

func TestGroupsAndTheirFamilies(t *testing.T) {
	a, b := run("a", "x", "00000000"+"11110000"), run("b", "x", "11111111"+"11110000")
	for i := range a.Questions {
		db, level := "one", "easy"
		if i >= 8 {
			db, level = "two", "hard"
		}
		a.Questions[i].DB, a.Questions[i].Hardness = db, level
		b.Questions[i].DB, b.Questions[i].Hardness = db, level
	}
	r, err := Against(a, []*record.Run{b, b}, Options{By: []axes.Axis{axes.Hardness, axes.Database}})
	if err != nil {
		t.Fatal(err)
	}
	// Two runs: 2 tests of all items, and 4 by each axis. p is 2/2^8 = 0.0078125 for easy, 1 for hard.
	if d := cmp.Diff([]Family{{"", 2}, {"hardness", 4}, {"database", 4}}, r.Families); d != "" {
		t.Error(d)
	}
	all, easy, hard := r.Comparisons[1].Pairs[0].All, r.Comparisons[0].Pairs[0].By[0].Groups[0], r.Comparisons[0].Pairs[0].By[0].Groups[1]
	near(t, "all", all.Holm, 2*0.0078125, 1e-12)
	near(t, "easy", easy.Holm, 4*0.0078125, 1e-12)
	near(t, "hard", hard.Holm, 1, 0)
	if easy.Value != "easy" || easy.Axis != "hardness" || !easy.Significant || hard.Significant || hard.Interval != Newcombe || hard.Low >= 0 {
		t.Errorf("%+v\n%+v", easy, hard)
	}
}

func TestDatabasesAsUnits(t *testing.T) {
	// Eight databases of four items; in seven of them B wins two items, in one it loses two.
	a, b := run("a", "x", strings.Repeat("0001", 7)+"1100"), run("b", "x", strings.Repeat("1101", 7)+"0000")
	for i := range a.Questions {
		a.Questions[i].DB = fmt.Sprint("db", i/4)
	}
	g := against(t, a, b, Options{Cluster: true}).Pairs[0].All
	// Sums of 2: 7 against 1 in 2^8 patterns: 2 (1 + 8)/256. McNemar of 14 and 2 items would say 0.0042.
	near(t, "p", g.P, 18/256.0, 1e-12)
	if g.Databases != 8 || g.Test != FlipDatabases || g.Interval != DrawDatabases || g.Diff != 0.375 {
		t.Errorf("%+v", g)
	}
	// Differences of 7 times 1/2 and once -1/2: (1.959964 + 0.841621)·sqrt(8/7 · (7·(2-1.5)² + (-2-1.5)²))/32.
	near(t, "smallest", g.Smallest, 2.801585*math.Sqrt(8.0/7*(7*0.25+12.25))/32, 1e-5)
	for i := range a.Questions {
		a.Questions[i].DB = "one"
	}
	if g := against(t, a, b, Options{Cluster: true}).Pairs[0].All; g.Test != McNemar || g.Interval != Newcombe || !strings.Contains(strings.Join(g.Warnings, " "), "one database") {
		t.Errorf("one database: %+v", g)
	}
}

func TestGradedScores(t *testing.T) {
	a, b := run("a", "x", "00000000"), run("b", "x", "00000000")
	for i := range b.Items {
		a.Items[i].Values[0].V, b.Items[i].Values[0].V = 0.25, 0.75
	}
	g := against(t, a, b, Options{}).Pairs[0].All
	near(t, "p", g.P, 2/256.0, 1e-12)
	if g.Test != FlipItems || g.OnlyB != 8 || g.Diff != 0.5 {
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
		if err != nil || [2]string{c.Pairs[0].ArmA, c.Pairs[0].ArmB} != want {
			t.Errorf("%v: %+v, %v", asked, c, err)
		}
	}
	check(nil, [2]string{"x", "y"}, "") // the only arm of each
	check(map[string]string{"x": "y"}, [2]string{"x", "y"}, "")
	check(map[string]string{"x": "z"}, [2]string{}, `no arm "z"`)
	check(map[string]string{"w": "y"}, [2]string{}, `no arm "w"`)
	b.Items = append(b.Items, run("b", "z", "11").Items...)
	check(nil, [2]string{}, "pair them with --arm")
}

func TestWhatIsRefusedAndWhatIsTold(t *testing.T) {
	check := func(want string, refused bool, change func(r *record.Run)) {
		t.Helper()
		a, b := run("a", "x", "110"), run("b", "x", "101")
		change(b)
		_, err := Runs(a, b, Options{})
		var no *refusedError
		if errors.As(err, &no) != refused || refused && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		c, err := Runs(a, b, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(append(c.Warnings, c.Notes...), "; "); !strings.Contains(all, want) {
			t.Errorf("%q: noted %q", want, all)
		}
	}
	check("datasets differ: d/dev and e/dev", true, func(r *record.Run) { r.Manifest.Dataset = "e/dev" })
	check("databases of d/dev differ", true, func(r *record.Run) { r.Manifest.DatasetHash = "other" })
	check("computed differently", true, func(r *record.Run) { r.Manifest.Metrics = []record.Metric{{ID: "ex", Fingerprint: "other"}} })
	check("1 are in A alone", true, func(r *record.Run) { r.Questions = r.Questions[1:] })
	check("1 are in B alone", true, func(r *record.Run) { r.Questions = append(r.Questions, record.Question{Item: "d/dev/99"}) })
	check("1 items have another gold query", true, func(r *record.Run) { r.Questions[1].Gold = "SELECT 2" })
	check("1 items have another question", true, func(r *record.Run) { r.Questions[1].Question = "what?" })
	check("SQLite", false, func(r *record.Run) { r.Manifest.SQLite = "3.40.1" })
	check("templates", false, func(r *record.Run) { r.Manifest.PromptHash = "other" })
	check("demonstrations", false, func(r *record.Run) { r.Manifest.ExemplarsHash = "other" })
	check("incomplete", false, func(r *record.Run) { r.Manifest.Complete = false })
	check("axes", false, func(r *record.Run) { r.Manifest.Axes = []string{"k"} })

	a, b := run("a", "x", "110"), run("b", "x", "101")
	b.Questions[0].Gold = "SELECT 2"
	c, err := Runs(a, b, Options{Force: true})
	if err != nil || c.Pairs[0].All.Items != 2 || !strings.Contains(strings.Join(c.Warnings, " "), "common part, 2 items") {
		t.Errorf("%+v, %v", c, err)
	}
	b.Questions = nil
	if _, err := Runs(a, b, Options{Force: true}); err == nil || !strings.Contains(err.Error(), "no item in common") {
		t.Errorf("%v", err)
	}
	b.Manifest.Metrics[0].ID = "em"
	if _, err := Runs(a, b, Options{}); err == nil || !strings.Contains(err.Error(), "a-id has ex, b-id has em") {
		t.Errorf("no common metric: %v", err)
	}
}

func TestSpending(t *testing.T) {
	a, b := run("a", "x", "11"), run("b", "x", "11")
	for i := range a.Items {
		a.Items[i].Calls, a.Items[i].PromptTokens, a.Items[i].CompletionTokens, a.Items[i].Cached = record.CountOf(2), record.CountOf(1000), record.CountOf(100), record.CountOf(1)
		b.Items[i].Calls, b.Items[i].PromptTokens, b.Items[i].CompletionTokens, b.Items[i].Cached = record.CountOf(1), record.CountOf(500), record.CountOf(50), record.CountOf(0)
		call := record.Call{Item: a.Items[i].Item, Arm: "x", PromptTokens: record.CountOf(500), CompletionTokens: record.CountOf(50)}
		a.Calls, b.Calls = append(a.Calls, call, call), append(b.Calls, call)
	}
	arm := configs.Arm{Name: "x", Model: configs.Model{Provider: "baseline", Name: "b", Local: true}}
	a.Resolved.Arms = []configs.Arm{arm}
	arm.Model = configs.Model{Provider: "openai", Name: "nobody-sells-this"}
	b.Resolved.Arms = []configs.Arm{arm}
	p := against(t, a, b, Options{}).Pairs[0]
	n := record.CountOf
	want := []Spending{{Answers: 2, Calls: n(4), Cached: n(2), Prompt: n(2000), Completion: n(200), USD: record.Value{OK: true}, Model: "baseline"},
		{Answers: 2, Calls: n(2), Cached: n(0), Prompt: n(1000), Completion: n(100), Model: "openai/nobody-sells-this", Unpriced: "no price of openai/nobody-sells-this"}}
	if d := cmp.Diff(want, []Spending{p.SpentA, p.SpentB}); d != "" {
		t.Error(d)
	}
	// What one row lacks is unknown of all; what every row says it cost needs no price.
	b.Items[0].Calls, b.Items[0].PromptTokens = record.Count{}, record.Count{}
	want[1].Calls, want[1].Prompt = record.Count{}, record.Count{}
	if d := cmp.Diff(want[1], against(t, a, b, Options{}).Pairs[0].SpentB); d != "" {
		t.Error(d)
	}
	b.Items[0].USD, b.Items[1].USD = record.Value{V: 0.25, OK: true}, record.Value{V: 0.5, OK: true}
	if got := against(t, a, b, Options{}).Pairs[0].SpentB; got.USD != (record.Value{V: 0.75, OK: true}) || got.Unpriced != "" {
		t.Errorf("%+v", got)
	}
}

// TestWhereFilesLieIsNoDifference: equal data in two folders differ in nothing, and of other files the names are noted.
func TestWhereFilesLieIsNoDifference(t *testing.T) {
	check := func(hash string, change func(dataset map[string]any), want ...Difference) {
		t.Helper()
		of := func(name, path string) *record.Run {
			r := run(name, "x", "1")
			r.Config = map[string]any{"dataset": map[string]any{"path": path, "suite": path + "/suite"}}
			return r
		}
		a, b := of("a", "/home/a/one"), of("b", "/srv/b/two")
		b.Manifest.DatasetHash = hash
		change(b.Config["dataset"].(map[string]any))
		if d := cmp.Diff(want, against(t, a, b, Options{Force: true}).Config); d != "" {
			t.Error(d)
		}
	}
	none := func(map[string]any) {}
	check("h", none)
	check("other", none, Difference{"dataset.path", "one", "two"})
	check("h", func(d map[string]any) { d["overrides"] = "/srv/b/o.csv" }, Difference{"dataset.overrides", "", "o.csv"})
	check("h", func(d map[string]any) { d["limit"] = int64(3) }, Difference{"dataset.limit", "", "3"})
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
	want = []Difference{{"arm.new", "", "present"}, {"arm.x.exemplars.k", "1", "3"}, {"arm.x.name", "x", "y"}}
	slices.SortFunc(want, func(x, y Difference) int { return strings.Compare(x.Key, y.Key) })
	if d := cmp.Diff(want, Configs(a, b, [][2]string{{"x", "y"}})); d != "" {
		t.Error(d)
	}
	// Arms in both experiments that were not requested are no difference.
	if d := cmp.Diff([]Difference{{"arm.new", "", "present"}}, Configs(a, b, [][2]string{{"x", "x"}})); d != "" {
		t.Error(d)
	}
}

func TestRenamedImportsAreOneLine(t *testing.T) {
	load := func(name, label, method string, samples int64) *record.Run {
		r := run(name, name, "10")
		r.Config = map[string]any{"name": name, "model": map[string]any{"name": name, "samples": samples}, "arm": []map[string]any{
			{"name": name, "label": label, "method": method, "model": map[string]any{"name": name}}}}
		r.Resolved.Known = catalog.Known
		return r
	}
	check := func(a, b *record.Run, want ...string) {
		t.Helper()
		var got []string
		for _, d := range against(t, a, b, Options{}).Config {
			got = append(got, d.Key+": "+d.A+" -> "+d.B)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	imported := configs.Imported
	check(load("dail", "dail", imported, 1), load("c3", "c3", imported, 1), "name: dail -> c3")
	check(load("dail", "dail", imported, 1), load("c3", "c3", imported, 2), "model.samples: 1 -> 2", "name: dail -> c3")
	check(load("dail", "DAIL", imported, 1), load("dail", "D", imported, 1), "arm.dail.label: DAIL -> D")
	check(load("dail", "dail", imported, 1), load("c3", "c3", "standard", 1), "arm.dail.label: dail -> c3", "arm.dail.method: imported -> standard",
		"arm.dail.model.name: dail -> c3", "arm.dail.name: dail -> c3", "model.name: dail -> c3", "name: dail -> c3")
	check(load("dail", "dail", imported, 1), load("dail", "dail", imported, 1))
}

func TestLabels(t *testing.T) {
	a, b, c := run("a", "x", "10"), run("b", "x", "11"), run("c", "x", "01")
	c.Manifest.Complete = false
	r, err := Against(a, []*record.Run{b, c, a}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{r.Base.Label}
	for _, x := range r.Comparisons {
		got = append(got, x.A.Label+x.B.Label)
	}
	if d := cmp.Diff([]string{"A", "AB", "AC", "AD"}, got); d != "" {
		t.Error(d)
	}
	if w := r.Comparisons[1].Warnings; len(w) != 1 || w[0] != "run C is incomplete" {
		t.Errorf("%q", w)
	}
	if n := r.Comparisons[2].Notes[0]; n != "A and D are the same run" {
		t.Errorf("%q", n)
	}
	_, err = Against(a, []*record.Run{b, run("c", "x", "101")}, Options{})
	if want := "compare: a-id (A) and c-id (C) cannot be compared: the items differ: 1 are in C alone (--force compares the common part)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if label(25)+label(26)+label(53) != "ZAABB" {
		t.Errorf("%s %s %s", label(25), label(26), label(53))
	}
}
