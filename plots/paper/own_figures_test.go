package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/figure"

	"github.com/google/go-cmp/cmp"
)

const abc = `
[[arm]]
name = "a"
label = "A"
method = "standard"
[[arm]]
name = "b"
label = "B"
method = "cot"
[[arm]]
name = "c"
label = "C"
method = "qdecomp"
`

// scoredRun is a run of arms at sweep points and seeds: "arm@point#seed" with an answer an item, + right, - wrong, ?
// without a score. Items alternate between the databases x and y, and between easy and hard.
func scoredRun(t *testing.T, seeds, rest string, answers ...[2]string) *record.Run {
	t.Helper()
	e := experiment(t, seeds, `kind = "sample"`, rest)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "x", Experiment: e.Name, Complete: true, Dataset: "sample/dev", Metrics: []record.Metric{{ID: "ex"}}}}
	for _, a := range e.Sweep {
		r.Manifest.Axes = append(r.Manifest.Axes, a.Key)
	}
	for _, a := range answers {
		where, seed, _ := strings.Cut(a[0], "#")
		arm, at, swept := strings.Cut(where, "@")
		var point []string
		if swept {
			point = []string{at}
		}
		for i, c := range a[1] {
			it := record.Item{Item: fmt.Sprint(i), DB: []string{"x", "y"}[i%2], Hardness: []string{"easy", "hard"}[i%2], Arm: arm, Point: point,
				Status: map[rune]metrics.Status{'+': metrics.Correct, '-': metrics.Wrong, '?': metrics.ModelError}[c], Values: []record.Value{{OK: c != '?'}}}
			if c == '+' {
				it.Values[0].V = 1
			}
			fmt.Sscan(seed, &it.Seed)
			r.Items = append(r.Items, it)
			if !hasQuestion(r, it.Item) {
				r.Questions = append(r.Questions, record.Question{Item: it.Item, DB: it.DB, Hardness: it.Hardness})
				r.Manifest.Items++
			}
		}
	}
	return r
}

// drawn makes a figure, and draws it.
func drawn[F figure.Drawing](t *testing.T, r *record.Run, name string) F {
	t.Helper()
	f, ok := one(t, r, name).Figure.(F)
	if !ok {
		t.Fatalf("%s is another kind of figure", name)
	}
	var sink strings.Builder
	if err := figure.SVG(&sink, f, figure.Look{}); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return f
}

func captioned(t *testing.T, f figure.Drawing, want string) {
	t.Helper()
	_, caption := f.Words()
	if !strings.Contains(strings.Join(caption, "\n"), want) {
		t.Errorf("no %q in the caption:\n%s", want, strings.Join(caption, "\n"))
	}
}

func TestOutcomes(t *testing.T) {
	f := drawn[*figure.Stack](t, scoredRun(t, "[0]", abc, [2]string{"a", "++-?"}, [2]string{"b", "+---"}), "outcomes")
	want := []figure.Part{{Name: "correct", Values: []float64{2, 1}}, {Name: "wrong", Values: []float64{1, 3}}, {Name: "model-error", Values: []float64{1, 0}}}
	if d := cmp.Diff(want, f.Parts); d != "" || !f.Share {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestHeat(t *testing.T) {
	r := scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "+-++-?"}, [2]string{"a#1", "++----"}, [2]string{"b#0", "?-?-?-"})
	f := drawn[*figure.Heat](t, r, "heat-database")
	if d := cmp.Diff([]string{"x (3)", "y (3)", "all (6)"}, f.Columns); d != "" {
		t.Error(d)
	}
	check := func(row, column int, want float64) {
		t.Helper()
		if c := f.Cells[row][column]; !c.OK || math.Abs(c.Value-want) > 1e-9 {
			t.Errorf("row %d, column %d: %v, want %v", row, column, c, want)
		}
	}
	check(0, 0, 50) // x: 2 of 3 and 1 of 3
	check(0, 1, (50+100./3)/2)
	check(0, 2, (60+100./3)/2)
	check(1, 1, 0)
	if f.Cells[1][0].OK {
		t.Error("a cell without a score is not missing")
	}
	captioned(t, f, "mean over each arm's own seeds, 1 to 2.")
	captioned(t, f, "3 at least")
	if d := cmp.Diff([]string{"easy (3)", "hard (3)", "all (6)"}, drawn[*figure.Heat](t, r, "heat-hardness").Columns); d != "" {
		t.Error(d)
	}
}

// TestHeatLargest: of more than 40 databases the largest are shown, in the order of the questions.
func TestHeatLargest(t *testing.T) {
	r := scoredRun(t, "[0]", abc)
	put := func(db string, n int) {
		for range n {
			r.Items = append(r.Items, record.Item{Item: fmt.Sprint(len(r.Items)), DB: db, Arm: "a", Status: metrics.Correct, Values: []record.Value{{OK: true, V: 1}}})
		}
	}
	put("least", 1)
	for i := range 39 {
		put(fmt.Sprintf("d%02d", i), 2)
	}
	put("largest", 9)
	put("late", 2) // as large as the 39
	f := drawn[*figure.Heat](t, r, "heat-database")
	if n := len(f.Columns); n != 41 || f.Columns[0] != "d00 (2)" || f.Columns[39] != "largest (9)" || slices.Contains(f.Columns, "late (2)") {
		t.Errorf("%d columns: %v", n, f.Columns)
	}
	captioned(t, f, "the 40 databases with the most items, of 42")
}

func TestVennArms(t *testing.T) {
	check := func(r *record.Run, names []string, counts []int, say string) {
		t.Helper()
		f := drawn[*figure.Sets](t, r, "venn-arms")
		if d := cmp.Diff(names, f.Names) + cmp.Diff(counts, f.Counts); d != "" {
			t.Error(d)
		}
		captioned(t, f, say)
	}
	// Item 0 is solved by both, 1 by a, 2 and 3 by b, 4 by none; 5 has no score under b.
	check(scoredRun(t, "[0]", abc, [2]string{"a", "++---+"}, [2]string{"b", "+-++-?"}), []string{"A", "B"}, []int{1, 1, 2, 1}, "5 items, those that every arm has a score for")
	check(scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "+-"}, [2]string{"b#0", "++"}, [2]string{"a#1", "--"}, [2]string{"b#1", "--"}), []string{"A", "B"}, []int{0, 0, 1, 1}, "Seed 0 alone")
	sweep := abc + "[sweep]\nk = [1, 2]\n"
	check(scoredRun(t, "[0]", sweep, [2]string{"a@1", "+"}, [2]string{"b@1", "-"}, [2]string{"a@2", "-"}, [2]string{"b@2", "+"}), []string{"A", "B"}, []int{0, 1, 0, 0}, "At the first sweep point alone: k = 1")
	check(scoredRun(t, "[0]", sweep, [2]string{"a@1", "+-"}, [2]string{"a@2", "-+"}), []string{"A, k = 1", "A, k = 2"}, []int{0, 1, 1, 0}, "2 items")
}

func TestSeedsFigure(t *testing.T) {
	f := drawn[*figure.Seeds](t, scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "++--------"}, [2]string{"a#1", "++++------"}, [2]string{"b#0", "??????????"}), "seeds")
	if d := cmp.Diff([]float64{20, 40}, f.Arms[0].Values); d != "" {
		t.Error(d)
	}
	// Binomial(10, 0.3): P(X <= 0) = 0.028 is the first above 0.025, P(X <= 5) = 0.953, P(X <= 6) = 0.989 the first
	// above 0.975.
	if got := f.Arms[0].Expected; got != (figure.Interval{Low: 0, High: 60, OK: true}) {
		t.Errorf("expected %v", got)
	}
	if len(f.Arms[1].Values) != 0 || f.Arms[1].Expected.OK {
		t.Error("an arm without a score has values")
	}
}

func TestBinomialRange(t *testing.T) {
	check := func(n int, p, low, high float64) {
		t.Helper()
		if a, b := binomialRange(n, p, 0.95); a != low || b != high {
			t.Errorf("%d draws of %v: %v to %v, want %v to %v", n, p, a, b, low, high)
		}
	}
	check(1, 0.5, 0, 1)
	check(10, 0, 0, 0)
	check(10, 1, 1, 1)
	check(100, 0.5, 0.40, 0.60) // P(X <= 39) = 0.0176, P(X <= 40) = 0.0284; P(X <= 59) = 0.9716, P(X <= 60) = 0.9824
}

func TestDifferences(t *testing.T) {
	// b wins 7 of 8 and loses none: p = 2/2^7, by Holm twice that. c loses the first and wins the last.
	r := scoredRun(t, "[0]", abc, [2]string{"a", "+-------"}, [2]string{"b", "++++++++"}, [2]string{"c", "-------+"})
	check := holds(t, r, "differences")
	check("B", "difference", "+87.5")
	check("B", "baseline", "12.5")
	check("B", "EX", "100.0")
	check("B", "items", "8")
	check("B", "lost", "0")
	check("B", "won", "7")
	check("B", "p, Holm", "0.031")
	check("C", "difference", "0.0")
	check("C", "p, Holm", "~ 1.000")
	check("C", "won", "1")
	f := drawn[*figure.Forest](t, r, "forest")
	if len(f.Rows) != 2 || !f.Rows[0].Significant || f.Rows[1].Significant || f.Rows[0].Value != 87.5 || f.Rows[0].Note != "p 0.031, n 8" {
		t.Errorf("%+v", f.Rows)
	}
	if f.Title != "EX against A: demo" {
		t.Errorf("title %q", f.Title)
	}
	captioned(t, f, "Holm's correction over 2 tests")
	captioned(t, f, "C: too few items differ for p to be below 0.05")
}

func TestForestGroups(t *testing.T) {
	sweep := abc + "[sweep]\nk = [1, 2]\n"
	r := scoredRun(t, "[0]", sweep, [2]string{"a@1", "+-"}, [2]string{"a@2", "++"}, [2]string{"b@1", "+-"}, [2]string{"b@2", "--"}, [2]string{"c@1", "--"}, [2]string{"c@2", "??"})
	f := drawn[*figure.Forest](t, r, "forest")
	var got []string
	for _, e := range f.Rows {
		got = append(got, fmt.Sprintf("%s: %s %v %v", e.Group, e.Name, e.Value, e.OK))
	}
	if d := cmp.Diff([]string{"k = 1: B 0 true", "k = 1: C -50 true", "k = 2: B -100 true", "k = 2: C 0 false"}, got); d != "" {
		t.Error(d)
	}
	captioned(t, f, "from A, the first arm, at the same sweep point")
	captioned(t, f, "C, k = 2: 2 answers have no partner, or no score on one side")
	holds(t, r, "differences")("C|2", "difference", "")

	two := drawn[*figure.Forest](t, scoredRun(t, "[0]", sweep, [2]string{"a@1", "+-"}, [2]string{"a@2", "++"}, [2]string{"b@1", "+-"}, [2]string{"b@2", "--"}), "forest")
	if two.Title != "EX of B against A: demo" || two.Rows[1].Name != "k = 2" || two.Rows[1].Group != "" {
		t.Errorf("%q, %+v", two.Title, two.Rows)
	}
	alone := drawn[*figure.Forest](t, scoredRun(t, "[0]", sweep, [2]string{"a@1", "+-"}, [2]string{"a@2", "++"}), "forest")
	if alone.Title != "EX against A, k = 1: demo" || len(alone.Rows) != 1 || alone.Rows[0].Value != 50 || alone.Rows[0].Name != "k = 2" {
		t.Errorf("%q, %+v", alone.Title, alone.Rows)
	}
}

func TestTemperatureFan(t *testing.T) {
	r := pooledRun(t, poolArm+"[sweep]\ntemperature = [1.8, 0.5]\n")
	hot, cold := []string{"1.8"}, []string{"0.5"}
	add(r, "1", "a", "easy", "chase", hot, "q+a*", "q-b", "q+a")
	add(r, "2", "a", "easy", "chase", hot, "q-a*", "q-b", "q-a")
	add(r, "1", "a", "easy", "chase", cold, "q+a*", "q+a", "q+a")
	add(r, "2", "a", "easy", "chase", cold, "q-a*", "q+b", "q+b")
	f := drawn[*figure.Spec](t, r, "bounds-temperature")
	if d := cmp.Diff([]float64{0.5, 1.8}, f.X); d != "" {
		t.Error(d)
	}
	check := func(i int, name string, cold, hot float64) {
		t.Helper()
		s := f.Series[i]
		if s.Name != name || s.Points[0].Y != cold || s.Points[1].Y != hot {
			t.Errorf("%+v, want %s %v %v", s, name, cold, hot)
		}
	}
	check(0, "upper bound", 100, 50)
	check(1, "lower bound", 50, 0)
	check(2, "self-consistency", 100, 50)
	check(3, "chosen: pairwise", 50, 50)
	captioned(t, f, "pools of up to 3")
}

func TestMoney(t *testing.T) {
	r := scoredRun(t, "[0]", "[model]\nprovider = \"openai\"\nname = \"gpt-4o-mini\"\n"+abc, [2]string{"a", "+-"}, [2]string{"b", "++"})
	for _, c := range []struct {
		arm, item string
		prompt    int
	}{{"a", "0", 1000}, {"a", "1", 3000}, {"b", "0", 10000}, {"b", "1", 10000}} {
		r.Calls = append(r.Calls, record.Call{Arm: c.arm, Item: c.item, Stage: "generate", CompletionTokens: record.CountOf(0), PromptTokens: record.CountOf(c.prompt)})
	}
	f := drawn[*figure.Scatter](t, r, "money")
	// 0.15 USD a million: 2000 tokens an answer are 0.0003, 10000 are 0.0015.
	dots := f.Series[0].Dots
	if len(dots) != 2 || math.Abs(dots[0].X-0.3) > 1e-9 || math.Abs(dots[1].X-1.5) > 1e-9 || dots[0].Y != 50 || dots[1].Y != 100 {
		t.Errorf("%+v", dots)
	}
	captioned(t, f, "Price of openai/gpt-4o-mini")
}

func TestWhyNot(t *testing.T) {
	check := func(r *record.Run, name, want string) {
		t.Helper()
		for _, i := range List(r) {
			if i.Name == name {
				if i.Why != want {
					t.Errorf("%s: %q, want %q", name, i.Why, want)
				}
				return
			}
		}
		t.Errorf("%s is not listed", name)
	}
	one := scoredRun(t, "[0]", abc, [2]string{"a", "+"})
	check(one, "differences", "it has one arm, and no sweep")
	check(one, "forest", "it has one arm, and no sweep")
	check(one, "venn-arms", "it has one arm, and no sweep")
	check(one, "seeds", "it has one seed")
	check(one, "heat-database", "its items are of one database")
	check(one, "bounds-temperature", "its sweep has no temperature")
	check(one, "money", "it has no calls")
	one.Calls = []record.Call{{Arm: "a", Item: "0", Stage: "generate", CompletionTokens: record.CountOf(0), PromptTokens: record.CountOf(9)}}
	check(one, "money", "its models cost nothing")
	none := scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "??"}, [2]string{"b#1", "??"}, [2]string{"b#0", "??"})
	for _, name := range []string{"differences", "forest", "heat-database", "heat-hardness", "seeds"} {
		check(none, name, "none of its answers has a score")
	}
	check(none, "outcomes", "")
	check(scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "+-"}, [2]string{"b#1", "-+"}), "seeds", "it has one seed per arm")
	wrong := scoredRun(t, "[0]", abc, [2]string{"a", "--"}, [2]string{"b", "--"})
	check(wrong, "venn-arms", "no item that all of its arms have a score for is solved by any")
	check(wrong, "forest", "")
	if _, err := made(scoredRun(t, "[0]", abc, [2]string{"a", "+?"}, [2]string{"b", "?+"}), "forest"); err == nil || !strings.Contains(err.Error(), "no arm of it has a scored item in common") {
		t.Errorf("error %v", err)
	}
	unknown := scoredRun(t, "[0]", "[model]\nprovider = \"openai\"\nname = \"nobody-knows-it\"\n"+abc, [2]string{"a", "+"})
	unknown.Calls = one.Calls
	check(unknown, "money", "no price of its models is known")
	flat := pooledRun(t, poolArm+"[sweep]\ntemperature = [0.5, 1]\n")
	add(flat, "1", "a", "easy", "chase", []string{"0.5"}, "q+a*", "q+a")
	add(flat, "1", "a", "easy", "chase", []string{"1"}, "q+a*")
	check(flat, "bounds-temperature", "no arm of it has pools at two temperatures")
}

func TestGathered(t *testing.T) {
	var all []remark
	for i := range 7 {
		all = append(all, remark{fmt.Sprint("arm ", i), "a doubt"})
	}
	all = append(all, remark{"arm 0", "another"}, remark{"arm 0", "another"})
	if d := cmp.Diff([]string{"arm 0; arm 1; arm 2; arm 3; and 3 more: a doubt.", "arm 0: another."}, gathered(all)); d != "" {
		t.Error(d)
	}
}

// BenchmarkDifferences is the table and the figure of four arms on 1534 items.
func BenchmarkDifferences(b *testing.B) {
	e, err := configs.Parse("test.toml", []byte("name = \"demo\"\nseeds = [0]\n[dataset]\nkind = \"sample\"\n"+taiArms), catalog.Known)
	if err != nil {
		b.Fatal(err)
	}
	r := fake(e, "sample/dev", []string{"a"}, 1534, spiderLabel)
	for b.Loop() {
		if _, err := made(r, "differences", "forest"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManySeries holds that no figure gives two series one colour: panels per arm where these can be told apart, else a map.
func TestManySeries(t *testing.T) {
	run := func(sweep string) *record.Run {
		return fake(experiment(t, "[0]", `kind = "sample"`, twoArms+"[sweep]\n"+sweep+"\n"), "sample/dev", []string{"a", "b"}, 4, spiderLabel)
	}
	six, nine := run("k = [0, 1, 2, 3, 4, 5]"), run("k = [0, 1, 2, 3, 4, 5, 6, 7, 8]")
	if p := drawn[*figure.Panels](t, six, "bars-hardness"); len(p.Panels) != 2 || len(p.Panels[0].Series) != 6 || p.Panels[0].Series[1].Name != "k = 1" {
		t.Errorf("%d panels", len(p.Panels))
	}
	if h := drawn[*figure.Heat](t, nine, "bars-hardness"); len(h.Rows) != 18 || h.ID != "bars-hardness" {
		t.Errorf("%d rows of %s", len(h.Rows), h.ID)
	}
	arms := ""
	for i := range 9 {
		arms += fmt.Sprintf("[[arm]]\nname = \"a%d\"\nmethod = \"standard\"\n", i)
	}
	drawn[*figure.Heat](t, fake(experiment(t, "[0]", `kind = "sample"`, arms), "sample/dev", []string{"a"}, 4, spiderLabel), "bars-hardness")
	drawn[*figure.Spec](t, nine, "sweep-line") // two lines
	drawn[*figure.Panels](t, run(`k = [0, 1, 2]
temperature = [0.1, 0.2, 0.3]`), "sweep-line") // six lines
	drawn[*figure.Spec](t, run(`k = [0, 1, 2]
temperature = [0.1, 0.2]`), "sweep-line")
	drawn[*figure.Panels](t, run(`k = [0, 1, 2]
temperature = [0.1, 0.2, 0.3, 0.4, 0.5]`), "sweep-line")
	drawn[*figure.Heat](t, run(`k = [0, 1]
temperature = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]`), "sweep-line")
}
