package paper

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/published"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/stats"
	"assay/plots/figure"
	"assay/plots/page"
	"assay/plots/table"
	"assay/prompting/goldentest"

	"github.com/google/go-cmp/cmp"
)

const taiArms = `
[[arm]]
name = "standard"
label = "Standard"
method = "standard"
published = "standard"
[[arm]]
name = "cot"
method = "cot"
label = "CoT"
published = "cot"
[[arm]]
name = "intercol-g3"
label = "+InterCOL (G3)"
method = "qdecomp-intercol"
published = "qdecomp-intercol-g3"
exemplars.preset = "G3"
[[arm]]
name = "shots-0"
method = "standard"
exemplars.k = 0
`

const twoArms = `
[[arm]]
name = "standard"
label = "Standard"
method = "standard"
published = "standard"
[[arm]]
name = "qdecomp"
label = "QDecomp"
method = "qdecomp"
published = "qdecomp"
`

// experiment is the text of a checked experiment.
func experiment(t *testing.T, seeds, dataset, rest string) configs.Experiment {
	t.Helper()
	e, err := configs.Parse("test.toml", []byte("name = \"demo\"\nseeds = "+seeds+"\nmetrics = [\"ts\", \"ex\"]\n[dataset]\n"+dataset+
		"\n[exemplars]\nk = 8\n"+rest), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fake makes a run of n items a database: every score drawn from the generator, TS never above EX.
func fake(e configs.Experiment, dataset string, dbs []string, n int, label func(i int) (hardness, difficulty string)) *record.Run {
	rng := rand.New(rand.NewPCG(11, 7))
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "0123456789ab", Experiment: e.Name, Complete: true,
		Dataset: dataset, Items: n * len(dbs), Metrics: []record.Metric{{ID: "ts"}, {ID: "ex"}}}}
	for _, a := range e.Sweep {
		r.Manifest.Axes = append(r.Manifest.Axes, a.Key)
	}
	for i := range n * len(dbs) {
		q := record.Question{Item: fmt.Sprintf("%s/q%03d", dataset, i), DB: dbs[i/n]}
		q.Hardness, q.Difficulty = label(i)
		r.Questions = append(r.Questions, q)
		for c, cell := range e.Cells() {
			var point []string
			for _, s := range cell.Point {
				point = append(point, s.Value)
			}
			for _, seed := range e.Seeds {
				r.Items = append(r.Items, answer(rng, q, cell.Arm.Name, point, seed, 0.4+0.05*float64(c%5)))
			}
		}
	}
	return r
}

func answer(rng *rand.Rand, q record.Question, arm string, point []string, seed int64, p float64) record.Item {
	it := record.Item{Item: q.Item, DB: q.DB, Arm: arm, Point: point, Seed: seed, Hardness: q.Hardness, Difficulty: q.Difficulty,
		Status: metrics.Wrong, Values: []record.Value{{OK: true}, {OK: true}}}
	switch u := rng.Float64(); {
	case u < p:
		it.Status, it.Values = metrics.Correct, []record.Value{{V: 1, OK: true}, {V: 1, OK: true}}
	case u < p+0.05:
		it.Values[1].V = 1 // passes on its own database alone
	case u > 0.99:
		it.Status, it.Values = metrics.ModelError, make([]record.Value, 2)
	case u > 0.95:
		it.Status = metrics.SQLError
	}
	return it
}

func spiderLabel(i int) (string, string) { return configs.Levels.IDs()[i%4], "" }

func spiderRun(t *testing.T) *record.Run {
	return fake(experiment(t, "[0, 1, 2]", "kind = \"spider\"\npath = \"/data/spider\"\nsplit = \"dev\"", taiArms), "spider/dev", []string{"car_1", "orchestra"}, 40, spiderLabel)
}

func sampleRun(t *testing.T) *record.Run {
	return fake(experiment(t, "[0]", `kind = "sample"`, twoArms), "sample/dev", []string{"a", "b"}, 30, spiderLabel)
}

func setsRun(t *testing.T) *record.Run {
	return fake(experiment(t, "[0, 1]", "kind = \"text2sql\"\npath = \"/data/t\"\nsets = [\"geography\", \"imdb\", \"yelp\"]\nsplit = \"test\"", twoArms),
		"text2sql/test", []string{"geography", "imdb", "yelp"}, 20, spiderLabel)
}

func sweepRun(t *testing.T) *record.Run {
	return fake(experiment(t, "[0, 1, 2]", `kind = "sample"`, twoArms+"[sweep]\nstrategy = [\"random\", \"similarity\"]\nk = [8, 1, 4]\n"),
		"sample/dev", []string{"a"}, 40, spiderLabel)
}

func birdRun(t *testing.T) *record.Run {
	return fake(experiment(t, "[0]", "kind = \"bird\"\npath = \"/data/b\"", twoArms), "bird/dev", []string{"financial"}, 30,
		func(i int) (string, string) { return "", configs.Difficulties.IDs()[i%3] })
}

// made makes tables and figures, and fails where one cannot be made.
func made(r *record.Run, names ...string) ([]Output, error) {
	return madeWith(r, Options{Names: names})
}

func madeWith(r *record.Run, o Options) ([]Output, error) {
	rep, err := Make(r, o)
	if err != nil {
		return nil, err
	}
	return rep.Outputs, rep.Err()
}

// said is every note that a reader of one table, or of one figure, finds in a report of it.
func said(t *testing.T, r *record.Run, name string) string {
	t.Helper()
	rep, err := Make(r, Options{Names: []string{name}})
	if err != nil || rep.Err() != nil {
		t.Fatal(err, rep.Err())
	}
	if o := rep.Outputs[0]; o.Figure != nil {
		_, caption := o.Figure.Words()
		return strings.Join(caption, "\n")
	}
	return strings.Join(slices.Concat(rep.Outputs[0].Table.Notes, rep.Notes, rep.Warnings), "\n")
}

func one(t *testing.T, r *record.Run, name string) Output {
	t.Helper()
	outs, err := made(r, name)
	if err != nil {
		t.Fatal(err)
	}
	return outs[0]
}

func TestGolden(t *testing.T) {
	check := func(file string, r *record.Run, name string) {
		t.Helper()
		o := one(t, r, name)
		var b bytes.Buffer
		var err error
		if o.Table != nil {
			err = o.Table.WriteText(&b, table.TextOptions{})
		} else {
			err = figure.SVG(&b, o.Figure, figure.Look{})
		}
		if err != nil {
			t.Fatal(err)
		}
		goldentest.Compare(t, file, b.String())
	}
	check("table1.txt", spiderRun(t), "tai2023/table1")
	check("table1-sample.txt", sampleRun(t), "tai2023/table1")
	check("table2.txt", setsRun(t), "tai2023/table2")
	check("arms.txt", spiderRun(t), "arms")
	check("arms-one-seed.txt", sampleRun(t), "arms")
	check("statuses.txt", spiderRun(t), "statuses")
	check("hardness.txt", spiderRun(t), "hardness")
	check("hardness-bird.txt", birdRun(t), "hardness")
	check("by-joins.txt", featureRun(t), "by/joins")
	check("by-database.txt", sweepRun(t), "by/database")
	check("sweep.txt", sweepRun(t), "sweep")
	check("ablation.txt", ablationRun(t), "ablation")
}

// TestCells checks numbers against sums made by hand.
func TestCells(t *testing.T) {
	e := experiment(t, "[0, 1]", `kind = "sample"`, twoArms)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "x", Experiment: "demo", Complete: true, Dataset: "sample/dev", Items: 4,
		Metrics: []record.Metric{{ID: "ts"}, {ID: "ex"}}}}
	add := func(item, hardness, arm string, seed int64, ts, ex string) {
		it := record.Item{Item: item, DB: hardness + "db", Arm: arm, Seed: seed, Hardness: hardness, Status: metrics.Wrong}
		for _, s := range []string{ts, ex} {
			it.Values = append(it.Values, map[string]record.Value{"": {}, "0": {OK: true}, "1": {V: 1, OK: true}}[s])
		}
		if ts == "" {
			it.Status = metrics.ModelError
		}
		r.Items = append(r.Items, it)
	}
	add("1", "easy", "standard", 0, "1", "1")
	add("2", "easy", "standard", 0, "0", "1")
	add("3", "hard", "standard", 0, "0", "0")
	add("4", "hard", "standard", 0, "", "") // outside every share
	add("1", "easy", "standard", 1, "1", "1")
	add("2", "easy", "standard", 1, "1", "1")
	add("3", "hard", "standard", 1, "1", "1")
	add("4", "hard", "standard", 1, "0", "0")
	v := newView(r)
	check := func(what string, c table.Cell, value, sd float64, n int) {
		t.Helper()
		if c.Num == nil {
			t.Errorf("%s is blank", what)
			return
		}
		if math.Abs(c.Num.Value-value) > 1e-9 || math.Abs(c.Num.SD-sd) > 1e-9 || c.Num.N != n {
			t.Errorf("%s: %v ± %v of %d, want %v ± %v of %d", what, c.Num.Value, c.Num.SD, c.Num.N, value, sd, n)
		}
	}
	half := func(a, b float64) float64 { return math.Abs(a-b) / math.Sqrt2 } // sample deviation of two values
	check("ts", v.mean(v.rows[0], 0, nil, 1), (100./3+75)/2, half(100./3, 75), 7)
	check("ex", v.mean(v.rows[0], 1, nil, 1), (200./3+75)/2, half(200./3, 75), 7)
	check("ts easy", v.mean(v.rows[0], 0, v.atLevel("easy"), 1), 75, half(50, 100), 4)
	check("ts hard", v.mean(v.rows[0], 0, v.atLevel("hard"), 1), 25, half(0, 50), 3)
	if c := v.mean(v.rows[0], 0, v.atLevel("extra"), 1); c.String() != "" {
		t.Errorf("no extra-hard items, but %s", c)
	}
	// The sets are easydb and harddb: (50+0)/2 and (100+50)/2 a seed.
	check("macro", v.macro(v.rows[0]), 50, half(25, 75), 7)
	// Items 1 and 2 weigh 1/3 in the first seed and 1/4 in the second, 4 alone in the second: 7/24, 7/24, 7/24, 3/24,
	// with means 1, 3/7, 3/7 and 0, which is 13/24.
	units := []stats.Unit{{Mean: 1, Weight: 7}, {Mean: 3. / 7, Weight: 7}, {Mean: 3. / 7, Weight: 7}, {Mean: 0, Weight: 3}}
	want := stats.Share(units, 0.95)
	if c := v.ranged(v.rows[0], 0, nil, 1); math.Abs(c.Num.Low-100*want.Low) > 1e-9 || math.Abs(c.Num.High-100*want.High) > 1e-9 || math.Abs(c.Num.Value-1300./24) > 1e-9 {
		t.Errorf("%v [%v, %v], want %+v", c.Num.Value, c.Num.Low, c.Num.High, want)
	}
	// A score above 1 is no share: it has no interval.
	r.Items[0].Values[0].V = 1.25
	if c := v.ranged(v.rows[0], 0, nil, 1); c.Num.HasInterval {
		t.Errorf("an interval of scores above 1: %s", c)
	}
}

// TestIntervals: each mean has the interval of its own mean and number of items, whatever the seeds are like. Of 67 items
// 40 are right under every seed; in the rows below so many more under one of five seeds.
func TestIntervals(t *testing.T) {
	e := experiment(t, "[0, 1, 2, 3, 4]", `kind = "sample"`, twoArms)
	mean := func(more int) *table.Number {
		r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "x", Experiment: e.Name, Metrics: []record.Metric{{ID: "ex"}}}}
		for seed := range int64(5) {
			for i := range 67 {
				x := record.Value{OK: true}
				if i < 40 || seed == 0 && i < 40+more {
					x.V = 1
				}
				r.Items = append(r.Items, record.Item{Item: fmt.Sprint(i), DB: "d", Arm: "standard", Seed: seed, Status: metrics.Correct, Values: []record.Value{x}})
			}
		}
		v := newView(r)
		return v.ranged(v.rows[0], 0, nil, 1).Num
	}
	last := mean(0)
	// Every seed says the same, so that five are worth one: Wilson's of 40 in 67.
	if w := stats.Wilson(40, 67, 0.95); math.Abs(last.Low-100*w.Low) > 1e-9 || math.Abs(last.High-100*w.High) > 1e-9 {
		t.Errorf("%+v, want %+v", last, w)
	}
	for _, more := range []int{1, 2, 4, 27} {
		next := mean(more)
		if next.Value <= last.Value || next.Low <= last.Low || next.High <= last.High || next.Low > next.Value || next.High < next.Value {
			t.Errorf("%d more: %+v after %+v", more, next, last)
		}
		last = next
	}
}

// descriptionOf is what is described under a name.
func descriptionOf(t *testing.T, name string) *description {
	t.Helper()
	i := slices.IndexFunc(described(), func(d *description) bool { return d.Name == name })
	if i < 0 {
		t.Fatalf("no %s", name)
	}
	return described()[i]
}

// numbersOf is the printed numbers of a described table.
func numbersOf(t *testing.T, name string) published.Table {
	t.Helper()
	return descriptionOf(t, name).printed
}

func TestPublished(t *testing.T) {
	pub := numbersOf(t, "tai2023/table1")
	value := func(method, column, want string) {
		t.Helper()
		if got := numberIn(pub.Find("method", method), column, 1).String(); got != want {
			t.Errorf("%s %s: %q, want %q", method, column, got, want)
		}
	}
	value("standard", "dev_ts", "63.2±2.51")
	value("qdecomp-intercol-g3", "dev_ex", "78.2±1.07")
	value("qdecomp-intercol", "realistic_ts", "56.5") // its deviation could not be read
	value("least-to-most-g3", "realistic_ts", "")     // not printed
	value("standard-g3", "dev_ts", "")
	// Spider dev has 248, 446, 174 and 166 questions by hardness: the overall TS must follow.
	for _, r := range pub.Rows {
		sum := 0.0
		for l, n := range map[string]float64{"easy": 248, "medium": 446, "hard": 174, "extra": 166} {
			sum += numberIn(r, "dev_"+l+"_ts", 1).Num.Value * n / 1034
		}
		if got := numberIn(r, "dev_ts", 1).Num.Value; math.Abs(got-sum) > 0.1 {
			t.Errorf("%s: overall %v, but the levels make %.2f", r["method"], got, sum)
		}
	}
}

// TestRealistic: by hardness the paper has Spider dev alone, so that only the overall columns stand beside.
func TestRealistic(t *testing.T) {
	r := spiderRun(t)
	r.Manifest.Dataset = "spider/realistic"
	tab := one(t, answeredAll(t, r), "tai2023/table1").Table
	check := func(group, name, want string) {
		t.Helper()
		for i, c := range tab.Columns {
			if c.Group == group && c.Name == name {
				if got := tab.Rows[0][i]; got.String() != want || !got.Published {
					t.Errorf("%s %s: %s (published: %v), want %s", group, name, got, got.Published, want)
				}
				return
			}
		}
		if want != "no column" {
			t.Errorf("no column %s %s", group, name)
		}
	}
	check("overall", "published TS", "51.0±4.29")
	check("overall", "published EX", "62.5±4.01")
	check("easy", "published TS", "no column")
}

func TestNotes(t *testing.T) {
	check := func(r *record.Run, name, want string, there bool) {
		t.Helper()
		all := said(t, r, name)
		if strings.Contains(all, want) != there {
			t.Errorf("%s: %q is there: %v, want %v; notes:\n%s", name, want, !there, there, all)
		}
	}
	for _, name := range []string{"arms", "statuses", "hardness", "tai2023/table1", "bars-hardness"} {
		check(sampleRun(t), name, "no language model", true)
		check(sampleRun(t), name, "no benchmark result", true)
		check(spiderRun(t), name, "no benchmark result", false)
		check(spiderRun(t), name, "80 items; seeds 0, 1, 2", true)
		check(spiderRun(t), name, "model-error, of 960 answers", true)
		check(spiderRun(t), name, "which cannot be", false)
	}
	check(spiderRun(t), "tai2023/table1", "G3: extra-hard alone", true)
	check(spiderRun(t), "tai2023/table1", "This run has 80 of the 1034 items of spider/dev, so the two cannot be compared", true)
	check(sampleRun(t), "tai2023/table1", "cannot be compared", true)
	check(sampleRun(t), "tai2023/table1", "TS 56.8", false) // no arm repeats that row
	check(answeredAll(t, spiderRun(t)), "tai2023/table1", "TS 56.8 above EX 53.9", true)

	broken := spiderRun(t)
	broken.Items[4].Status, broken.Items[4].Values = metrics.Correct, []record.Value{{V: 1, OK: true}, {V: 0, OK: true}}
	broken.Manifest.Complete = false
	for i := range 8 {
		broken.Manifest.Warnings = append(broken.Manifest.Warnings, fmt.Sprintf("doubt %d", i))
	}
	check(broken, "arms", "ts is above ex on 1 answer (first: spider/dev/q000, arm cot), which cannot be", true)
	check(broken, "arms", "not complete", true)
	check(broken, "arms", "doubt 4", true)
	check(broken, "arms", "doubt 5", false)
	check(broken, "arms", "and 3 more in run.toml", true)
	several := *broken
	several.Joined = true
	check(&several, "arms", "run.toml", false)
	check(&several, "arms", "and 3 more on the report's page, index.html", true)
	check(broken, "bars-hardness", "which cannot be", true)
}

func TestNames(t *testing.T) {
	check := func(r *record.Run, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, Names(r)); d != "" {
			t.Errorf("%s (-want +got):\n%s", r.Manifest.Dataset, d)
		}
	}
	check(spiderRun(t), "arms", "hardness", "statuses", "differences", "bars-hardness", "outcomes")
	check(sampleRun(t), "arms", "hardness", "statuses", "differences", "bars-hardness", "outcomes")
	check(setsRun(t), "arms", "hardness", "statuses", "differences", "bars-hardness", "outcomes")
	check(sweepRun(t), "arms", "sweep", "hardness", "statuses", "differences", "bars-hardness", "sweep-line", "effects", "interactions", "outcomes")
	named := sampleRun(t)
	named.Resolved.Report = configs.Report{Tables: []string{"tai2023/table1"}, Figures: []string{"bars-hardness"}}
	check(named, "tai2023/table1", "bars-hardness")
}

func TestList(t *testing.T) {
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
	check(nil, "tai2023/table1", "")
	check(spiderRun(t), "tai2023/table1", "")
	check(spiderRun(t), "sweep", "the experiment has no sweep")
	check(birdRun(t), "tai2023/table1", "its items have no hardness")
	check(&record.Run{}, "arms", "the run has no answers")
	noTS := sampleRun(t)
	noTS.Manifest.Metrics = []record.Metric{{ID: "ex"}, {ID: "em"}}
	check(noTS, "tai2023/table1", "it needs the metric ts")
	many := fake(experiment(t, "[0]", `kind = "sample"`, twoArms), "sample/dev", strings.Fields("a b c d e f g h i j k l m"), 1, spiderLabel)
	check(many, "tai2023/table2", "it has a column per database, and the run has 13 (at most 12)")
	long := fake(experiment(t, "[0]", `kind = "sample"`, twoArms+"[sweep]\nk = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n"), "sample/dev", []string{"a"}, 4, spiderLabel)
	check(long, "bars-hardness", "")
	check(long, "sweep-line", "")
}

func TestMakeErrors(t *testing.T) {
	check := func(r *record.Run, name, want string) {
		t.Helper()
		if _, err := made(r, name); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check(sampleRun(t), "tai2023/tabel1", `paper: make "tai2023/tabel1": unknown name; did you mean "tai2023/table1"?`)
	if _, err := made(sampleRun(t), "nonsense"); err == nil || !strings.HasPrefix(err.Error(), `paper: make "nonsense": unknown name; there are arms, sweep, `) ||
		!strings.HasSuffix(err.Error(), ", and by/ with an axis") {
		t.Errorf("error %v", err)
	}
	check(sampleRun(t), "sweep", `paper: make "sweep" of run "0123456789ab": the experiment has no sweep`)
}

func TestSweepLine(t *testing.T) {
	f := one(t, sweepRun(t), "sweep-line").Figure.(*figure.Spec)
	if d := cmp.Diff([]string{"1", "4", "8"}, f.Groups); d != "" { // in order of number, not of the file
		t.Error(d)
	}
	var names []string
	for _, s := range f.Series {
		names = append(names, s.Name)
		for i, p := range s.Points {
			if !p.OK {
				t.Errorf("%s has no point at %s", s.Name, f.Groups[i])
			}
		}
	}
	if d := cmp.Diff([]string{"Standard, strategy = random", "QDecomp, strategy = random", "Standard, strategy = similarity", "QDecomp, strategy = similarity"}, names); d != "" {
		t.Error(d)
	}
}

func TestWrite(t *testing.T) {
	r := sweepRun(t)
	rep, err := Make(r, Options{Names: append(Names(r), "tai2023/table1")})
	if err != nil {
		t.Fatal(err)
	}
	write := func(dir string) map[string][]byte {
		t.Helper()
		_, paths, err := Write(filepath.Join(dir, "elsewhere"), rep, figure.Look{}, page.Page{Run: r})
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, p := range paths {
			if files[filepath.Base(p)], err = os.ReadFile(p); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	dir := os.Getenv("ASSAY_FIGURES") // a folder in which to look at the report
	if dir == "" {
		dir = t.TempDir()
	}
	a, b := write(dir), write(t.TempDir())
	for _, name := range []string{"tai2023-table1.csv", "tai2023-table1.md", "tai2023-table1.tex", "arms.csv", "sweep-line.svg", "sweep-line.png", "bars-hardness.png", "index.html"} {
		if len(a[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Error("two reports of the same run differ")
	}
	if !bytes.Contains(a["index.html"], []byte("<title>demo-0123456789ab</title>")) {
		t.Error("the page is not named after the run")
	}
}

func BenchmarkTables(b *testing.B) {
	e, err := configs.Parse("test.toml", []byte("name = \"demo\"\nseeds = [0, 1, 2, 3, 4]\n[dataset]\nkind = \"sample\"\n"+taiArms), catalog.Known)
	if err != nil {
		b.Fatal(err)
	}
	r := fake(e, "sample/dev", []string{"a"}, 1034, spiderLabel)
	for b.Loop() {
		if _, err := made(r, "arms", "hardness", "statuses", "tai2023/table1"); err != nil {
			b.Fatal(err)
		}
	}
}
