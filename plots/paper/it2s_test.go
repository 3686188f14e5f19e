package paper

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/join"
	"assay/experiments/makeup"
	"assay/experiments/published"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/figure"
	"assay/plots/table"
)

// marked makes a run of one arm a text of marks: a mark an item, "1" right, "0" wrong, under every metric.
func marked(t *testing.T, id, dataset, split, metric string, evidence bool, joins []int, arms string, marks map[string]string) *record.Run {
	t.Helper()
	kind, _, _ := strings.Cut(dataset, "/")
	db := map[string]string{"spider": "singer", "bird": "financial"}[kind]
	e, err := configs.Parse("test.toml", []byte("name = \"demo\"\nmetrics = [\""+metric+"\"]\n[dataset]\nkind = \""+kind+"\"\npath = \"/data\"\nsplit = \""+split+"\"\n"+arms), catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: id, Experiment: "demo", Complete: true, Dataset: dataset, Metrics: []record.Metric{{ID: metric}}},
		Config: map[string]any{"dataset": map[string]any{"split": split}}}
	for _, a := range e.Arms {
		for i, m := range marks[a.Name] {
			item := dataset + "/" + strconv.Itoa(i)
			it := record.Item{Item: item, DB: db, Arm: a.Name, Status: metrics.Wrong, Values: []record.Value{{OK: true}}, PromptTokens: record.CountOf(100), CompletionTokens: record.CountOf(10)}
			if m == '1' {
				it.Status, it.Values[0].V = metrics.Correct, 1
			}
			r.Items = append(r.Items, it)
			if slices.ContainsFunc(r.Questions, func(q record.Question) bool { return q.Item == item }) {
				continue
			}
			q := record.Question{Item: item, DB: db, Features: "none"}
			if joins != nil {
				q.Features = "joins=" + strconv.Itoa(joins[i])
			}
			if evidence {
				q.Evidence = "as told"
			}
			r.Questions = append(r.Questions, q)
		}
	}
	return r
}

const interactiveArm = `
[[arm]]
name = "interactive"
label = "Ours (2-shot)"
method = "interactive"
published = "interactive-t2s"
`

// texts is a table as text, a line a row, cells separated by " | ".
func texts(tb *table.Table) []string {
	var out []string
	for _, r := range tb.Rows {
		var cells []string
		for _, c := range r {
			cells = append(cells, c.String())
		}
		out = append(out, strings.TrimRight(strings.Join(cells, " | "), " |"))
	}
	return out
}

func TestIt2sBoards(t *testing.T) {
	check := func(tb *table.Table, lines ...string) {
		t.Helper()
		got := texts(tb)
		for _, want := range lines {
			if !slices.Contains(got, want) {
				t.Errorf("no row %q in\n%s", want, strings.Join(got, "\n"))
			}
		}
	}
	dev := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, interactiveArm, map[string]string{"interactive": "1111111100"}) // 8 of 10: Wilson 49.0 to 94.3
	dk := marked(t, "bbb", "spider/dk", "dk", "ex", false, nil, interactiveArm, map[string]string{"interactive": "1000000000"})    // 1 of 10: Wilson 1.8 to 40.4
	both, err := join.Runs([]*record.Run{dev, dk})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(one(t, both, "it2s/table2").Table.Notes, " "); !strings.Contains(notes, "spider/dev 10 of the 1034 that published numbers are over, spider/dk 10 of") ||
		!strings.Contains(notes, "This run has 10 of the 1034 items of spider/dev; This run has 10 of the 535 items of spider/dk, so the two") {
		t.Error(notes)
	}
	released(t, both)
	check(one(t, both, "it2s/table2").Table,
		"Ours (2-shot) |  | this run |  | 80.0 [49.0, 94.3] |  | 10.0 [1.8, 40.4]",
		"Interactive-T2S (2-shot) | prompting, fixed examples | published | 51.4 | 82.4 | 40.9 | 73.5 | 44.9 | 78.7 | 55.5 | 80.7",
		" |  | difference |  | -2.4 |  | -63.5",
		" |  | in interval |  | yes |  | no",
		"DAIL-SQL | prompting, examples selected | published | 71.9 | 83.6 |  |  |  |  |  | 76.0")
	if rows := texts(one(t, both, "it2s/table2").Table); len(rows) != 10 { // one of ours, four with the paper's, six others
		t.Errorf("%d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}

	releases["spider/dk"] = release{items: 10} // nobody can tell: its numbers stand as published alone
	check(one(t, both, "it2s/table2").Table, " |  | difference |  | -2.4", " |  | in interval |  | yes")
	if notes := strings.Join(one(t, both, "it2s/table2").Table.Notes, " "); !strings.Contains(notes, "queries of spider/dk cannot be checked here: no difference is shown there.") {
		t.Error(notes)
	}

	bird := marked(t, "ccc", "bird/dev", "dev", "ex-bird", true, nil, interactiveArm+"[[arm]]\nname = \"without\"\nmethod = \"interactive\"\npublished = \"interactive-t2s\"\nschema.hide_evidence = true\n"+
		"[[arm]]\nname = \"toolless\"\nmethod = \"interactive\"\nagent.off = [\"SearchValue\"]\n", map[string]string{"interactive": "1100", "without": "1000", "toolless": "0000"})
	check(one(t, released(t, bird), "it2s/table3").Table,
		"Ours (2-shot) |  | with | this run | 50.00 [15.00, 85.00]", "Interactive-T2S | prompting, fixed examples | with | published | 60.76", " |  | with | difference | -10.76",
		"without |  | without | this run | 25.00 [4.56, 69.94]", " |  | without | difference | -29.56", " |  | without | in interval | yes",
		"toolless |  | with | this run | 0.00 [0.00, 48.99]")
	sample := marked(t, "ddd", "sample/dev", "dev", "ex-bird", false, nil, interactiveArm, map[string]string{"interactive": "10"})
	tb := one(t, sample, "it2s/table4").Table
	check(tb, "Ours (2-shot) | without | 50.00 [9.45, 90.55]")
	check(one(t, sample, "it2s/table4-published").Table, "without | Interactive-T2S | 44.34 | 49.06 | 58.49")
	if notes := strings.Join(tb.Notes, " "); !strings.Contains(notes, "items are sample/dev, so the two cannot be compared") {
		t.Error(notes)
	}
	mini := marked(t, "eee", "bird/mini_dev", "mini_dev", "ex-bird", true, nil, interactiveArm+"[[arm]]\nname = \"zero\"\nmethod = \"standard\"\npublished = \"zero-shot\"\nexemplars.k = 0\nschema.hide_evidence = true\n",
		map[string]string{"interactive": "1", "zero": "0"})
	check(one(t, released(t, mini), "it2s/table5").Table, "zero | without | this run | 0.00 [0.00, 79.35]", "Zero-shot (GPT-4o) | without | published | 28.00 | 31.99", " | without | in interval | yes")
}

// TestJoinedModels: arms that differ in the model stay apart, each under its whole name.
// TestPartBesideWhole: in joined runs, one of them of half of the items, the note names the row that published numbers cannot be
// held against, and no row is marked as the best.
func TestPartBesideWhole(t *testing.T) {
	arms := func(name string) string { return "[[arm]]\nname = \"" + name + "\"\nmethod = \"standard\"\n" }
	whole := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, arms("whole"), map[string]string{"whole": "1111111100"})
	for marks, half := range map[string]bool{"11111": true, "1111111110": false} {
		part := marked(t, "bbb", "spider/dev", "dev", "ex", false, nil, arms("part"), map[string]string{"part": marks})
		both, err := join.Runs([]*record.Run{whole, part})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(one(t, released(t, both), "it2s/table2").Table.Notes, " ")
		if strings.Contains(notes, "part has a score for 5 of the 10 items of spider/dev, so the two cannot be compared.") != half {
			t.Error(notes)
		}
		a := one(t, both, "arms").Table
		if best := a.Rows[1][1].Mark == table.Best; best == half || strings.Contains(strings.Join(a.Notes, " "), "none is marked as the best") != half {
			t.Errorf("%s: %+v under %q", marks, a.Rows, a.Notes)
		}
	}
}

// TestTableOfOtherMetrics: a run without any metric of a table's columns cannot give it.
func TestTableOfOtherMetrics(t *testing.T) {
	r := marked(t, "aaa", "spider/dev", "dev", "ex-strict", false, nil, interactiveArm, map[string]string{"interactive": "10"})
	for name, want := range map[string]string{"it2s/table2": "it needs a metric of em, ex", "it2s/table3": "it needs the metric ex-bird", "it2s/table5": "it needs a metric of ex-bird, soft-f1"} {
		if _, err := made(r, name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJoinedModels(t *testing.T) {
	arm := func(model string) string {
		return interactiveArm + "model.provider = \"openai\"\nmodel.name = \"" + model + "\"\n"
	}
	a := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, arm("one"), map[string]string{"interactive": "1"})
	b := marked(t, "bbb", "spider/dev", "dev", "ex", false, nil, arm("two"), map[string]string{"interactive": "0"})
	both, err := join.Runs([]*record.Run{a, b})
	if err != nil {
		t.Fatal(err)
	}
	rows := texts(one(t, both, "it2s/table2").Table)
	if !strings.HasPrefix(rows[0], "Ours (2-shot) (") || !strings.HasPrefix(rows[1], "Ours (2-shot) (") || rows[0] == rows[1] {
		t.Errorf("rows %q", rows[:2])
	}
}

const pathArms = interactiveArm + "[[arm]]\nname = \"without\"\nlabel = \"w/o findpath\"\nmethod = \"interactive\"\npublished = \"without-findpath\"\nagent.off = [\"FindShortestPath\"]\n"

func TestIt2sTable10(t *testing.T) {
	// Two items each of 2 and 3 tables, four of 4 or more, and one of 1, which no group has.
	joins := []int{1, 1, 2, 2, 3, 4, 5, 3, 0}
	dev := marked(t, "aaa", "spider/dev", "dev", "ex", false, joins, pathArms, map[string]string{"interactive": "111011110", "without": "101011000"})
	// 2: 100 and 50; 3: 50 and 50; 4+: 100 and 50 percent; the averages 83.33 and 50.
	rows := texts(one(t, dev, "it2s/table10").Table)
	for _, want := range []string{
		"Spider | Ours (2-shot) | 100.0 [34.2, 100.0] | 50.0 [9.5, 90.5] | 100.0 [51.0, 100.0] | 83.33 | 87.5 [52.9, 97.8]",
		"Spider-150 | Interactive-T2S | 80 | 84 | 76 | 80.00",
		"Spider-150 | w/o findpath | 74 | 80 | 54 | 69.33",
		"Spider-150 | Gain | 6 | 4 | 22 | 10.67",
		"BIRD-150 | Gain | 8 | 1 | 12 | 6.67",
	} {
		if !slices.Contains(append(texts(one(t, dev, "it2s/table10-published").Table), rows...), want) {
			t.Errorf("no row %q in\n%s", want, strings.Join(rows, "\n"))
		}
	}
	if all := strings.Join(append(rows, one(t, dev, "it2s/table10").Table.Notes...), "\n"); strings.Contains(all, "| difference") || strings.Contains(all, "In interval") ||
		!strings.Contains(all, "does not list the questions that it drew, so the two cannot be compared") {
		t.Errorf("a sample of 150 that nobody has is compared:\n%s", all)
	}
	gain := slices.IndexFunc(rows, func(r string) bool { return strings.HasPrefix(r, "Spider | gain | +50.0 [") })
	if gain < 0 || !strings.Contains(rows[gain], " | +33.33 | +37.5 [") {
		t.Errorf("gains in\n%s", strings.Join(rows, "\n"))
	}
	// A variant fills the sample up: the same arms, one row.
	syn := marked(t, "bbb", "spider/syn", "syn", "ex", false, []int{3, 3}, pathArms, map[string]string{"interactive": "00", "without": "00"})
	both, err := join.Runs([]*record.Run{dev, syn})
	if err != nil {
		t.Fatal(err)
	}
	rows = texts(one(t, both, "it2s/table10").Table)
	if !slices.ContainsFunc(rows, func(r string) bool {
		return strings.HasPrefix(r, "Spider | Ours (2-shot) | 100.0 ") && strings.Contains(r, "| 66.7 [") // 4 of 6
	}) || slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, "split syn") }) {
		t.Errorf("joined:\n%s", strings.Join(rows, "\n"))
	}
}

// TestIt2sPrinted checks the published numbers against each other, as the notes say of them.
func TestIt2sPrinted(t *testing.T) {
	number := func(r published.Row, column string) float64 {
		t.Helper()
		x, ok := r.Number(column)
		if !ok {
			t.Fatalf("no %s of %v", column, r)
		}
		return x
	}
	for i, fits := range []bool{true, true, false, false} { // Spider's two rows, BIRD's two
		r := numbersOf(t, "it2s/table10").Rows[i]
		mean := (number(r, "two") + number(r, "three") + number(r, "four")) / 3
		if fit := math.Abs(mean-number(r, "average")) < 0.006; fit != fits {
			t.Errorf("%v: mean %.2f", r, mean)
		}
	}
	whole := func(name string, columns []string, items float64, but ...string) {
		t.Helper()
		for _, r := range numbersOf(t, name).Rows {
			for _, c := range columns {
				v := number(r, c)
				k := math.Round(v / 100 * items)
				if odd := math.Abs(100*k/items-v) > 0.0101; odd != slices.Contains(but, r["method"]+" "+r["evidence"]+" "+c) {
					t.Errorf("%v %s: %v of %v items: %v", r, c, v, items, odd)
				}
			}
		}
	}
	whole("it2s/table4", []string{"original", "sql", "data"}, 106, "zero-shot-gpt-4 with original")
	whole("it2s/table5", []string{"ex"}, 500)
	din := numbersOf(t, "it2s/table7").Rows
	fixed := 3411.0 + 4028 + 3170 + 997 // its four prompts, as the table's note has them
	if fixed != number(din[0], "fixed") || fixed+4*307 != number(din[0], "spider") || fixed+4*3324 != 24902 || fixed+4*2504 != number(din[0], "bird") {
		t.Errorf("fixed %v", fixed)
	}
}

// dialogue is the calls of one answer: two turns of three completions each, the prompt counted with every completion or
// with the first alone.
func dialogue(item string, everywhere bool) (out []record.Call) {
	for turn, prompt := range []int{100, 150} {
		for s := range 3 {
			c := record.Call{Item: item, Arm: "interactive", Sample: s, PromptTokens: record.CountOf(0), Stage: "turn " + strconv.Itoa(turn+1), CompletionTokens: record.CountOf(10 + s), Note: "not taken: Done()"}
			if s == 1 {
				c.Note = "Done()"
			}
			if s == 0 || everywhere {
				c.PromptTokens = record.CountOf(prompt)
			}
			out = append(out, c)
		}
	}
	return out
}

func TestSpending(t *testing.T) {
	r := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, interactiveArm, map[string]string{"interactive": "10"})
	r.Calls = append(dialogue("spider/dev/0", true), dialogue("spider/dev/1", false)...)
	redo := dialogue("spider/dev/1", false)
	for i := range redo {
		redo[i].Stage = "redo 1: " + redo[i].Stage
	}
	r.Calls = append(r.Calls, redo...)
	r.Calls = append(r.Calls, record.Call{Item: "spider/dev/9", Arm: "interactive", Stage: "turn 1", PromptTokens: record.CountOf(1e6)})
	u := usageOf(newView(r).rows[0], cost.Prices{})
	// 3 x (100 + 150) and 2 x (100 + 150) prompt tokens, 2 x (10 + 11 + 12) a dialogue; the taken completion has 11.
	n, free := record.CountOf, record.Value{OK: true}
	want := usage{{item: "spider/dev/0", calls: n(6), turns: 2, prompt: n(750), completion: n(66), length: 161, usd: free},
		{item: "spider/dev/1", calls: n(12), turns: 4, prompt: n(500), completion: n(132), length: 161, usd: free}}
	if !slices.Equal(u, want) || !u.priced() {
		t.Errorf("%+v, priced %v", u, u.priced())
	}
	if c := u.mean(rounds, 2); c.Num.Value != 3 || c.Num.Low != 2 || c.Num.High != 4 {
		t.Errorf("rounds %s", c)
	}
	if c := u.mean(length, 0); c.String() != "161" {
		t.Errorf("length %s", c)
	}
}

// TestIt2sTokens: parts come from the run's folder, and a table says what to do where they are not there.
func TestIt2sTokens(t *testing.T) {
	r := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, interactiveArm, map[string]string{"interactive": "10"})
	r.Calls = append(dialogue("spider/dev/0", true), dialogue("spider/dev/1", true)...)
	r.Dir = t.TempDir()
	if notes := strings.Join(one(t, r, "it2s/table7").Table.Notes, " "); !strings.Contains(notes, "assay tokens RUN does it") {
		t.Error(notes)
	}
	parts := []makeup.Part{{Arm: "interactive", Name: makeup.Instruction, Tokens: 20, Items: 2, How: "by hand"}, {Arm: "interactive", Name: makeup.Tools, Tokens: 30.5, Items: 2, How: "by hand"},
		{Arm: "interactive", Name: makeup.Demonstrations, Tokens: 40, Items: 2, How: "by hand"}, {Arm: "other", Name: makeup.Schema, Tokens: 7, Items: 2, How: "by hand"}}
	if err := makeup.Write(r.Dir, parts); err != nil {
		t.Fatal(err)
	}
	check := func(name, want string) {
		t.Helper()
		if rows := texts(one(t, r, name).Table); !slices.Contains(rows, want) {
			t.Errorf("%s: no row %q in\n%s", name, want, strings.Join(rows, "\n"))
		}
	}
	check("it2s/table7", "Ours (2-shot) | 20 | 31 | 40 | 91 | 0 | 0 | 6.0 | 750")
	check("it2s/table7-published", "DIN-SQL | 3411 | 4028 | 3170 | 997 | 11606 | 12834 | 21622")
	check("it2s/table8", "Ours (2-shot) | spider/dev | 51 | 40 | 2.00 | 161 | 816")
	check("it2s/table8-published", "BIRD w/ kg | 1160 | 1608 | 5.59 | 4474 | 0.12")
	check("tokens", "Ours (2-shot) | 20 | 31 | 40 | 0 | 50.0 | 6.0 | 2.00 | 750 | 66")
	r.Calls = nil
	if _, err := made(r, "it2s/table8"); err == nil || !strings.Contains(err.Error(), "no arm of it works in turns") {
		t.Error(err)
	}
}

func TestAccuracyTokens(t *testing.T) {
	check := func(tokens [2]int, log bool) {
		t.Helper()
		r := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, pathArms, map[string]string{"interactive": "10", "without": "11"})
		for i := range r.Items {
			r.Items[i].PromptTokens, r.Items[i].CompletionTokens = record.CountOf(tokens[i/2]), record.CountOf(0)
		}
		f := one(t, r, "accuracy-tokens").Figure.(*figure.Scatter)
		if f.LogX != log || len(f.Series) != 1 || len(f.Series[0].Dots) != 2 {
			t.Fatalf("%v: %+v", tokens, f)
		}
		if d := f.Series[0].Dots[1]; d.X != float64(tokens[1]) || d.Y != 100 || d.OK != (tokens[1] > 0) || d.Label != "w/o findpath" {
			t.Errorf("%+v", d)
		}
	}
	check([2]int{100, 700}, false)
	check([2]int{100, 900}, true)
	r := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, interactiveArm, map[string]string{"interactive": "1"})
	r.Items[0].PromptTokens, r.Items[0].CompletionTokens = record.CountOf(0), record.CountOf(0)
	if _, err := made(r, "accuracy-tokens"); err == nil || !strings.Contains(err.Error(), "took no tokens") {
		t.Error(err)
	}
	r.Items[0].PromptTokens = record.Count{}
	if _, err := made(r, "accuracy-tokens"); err == nil || !strings.Contains(err.Error(), "the tokens of its answers are not known") {
		t.Error(err)
	}
}

// TestStatistics: what datasets consist of stands in the run's folder; the published row stands below where the items are the same.
func TestStatistics(t *testing.T) {
	run := marked(t, "aaa", "spider/dev", "dev", "ex", false, nil, interactiveArm, map[string]string{"interactive": "10"})
	run.Dir = t.TempDir()
	if _, err := made(run, "it2s/table9"); err == nil || !strings.Contains(err.Error(), "its dataset was not counted") {
		t.Error(err)
	}
	if err := record.WriteStatistics(run.Dir, []record.Statistic{{Dataset: "spider/dev", Table: "tables", Counted: "distinct", Name: "1", Value: 60}, {Dataset: "spider/dev", Table: "tables", Counted: "joined", Name: "1", Value: 61.25},
		{Dataset: "spider/dev", Table: "tables", Counted: "joined", Name: "mean", Value: 1.4}, {Dataset: "spider/dev", Table: "schemas", Name: "tokens/db", Value: 300}}); err != nil {
		t.Fatal(err)
	}
	check := func(name string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, texts(one(t, run, name).Table)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	check("it2s/table9", "spider/dev | distinct | 60.00", "spider/dev | joined | 61.25 |  |  |  | 1.40")
	check("it2s/table6", "spider/dev |  |  |  | 300")
	released(t, run)
	check("it2s/table9", "spider/dev | distinct | this run | 60.00", "spider/dev | joined | this run | 61.25 |  |  |  | 1.40", "spider/dev | joined | published | 60.54 | 30.95 | 6.96 | 1.55 | 1.50")
	check("it2s/table6-published", "Spider | 4.00 | 5.49 | 3.25 | 307", "BIRD | 6.82 | 10.64 | 9.55 | 3324")
}

// TestCountingOf: a run counts what its report shows and answers do not say.
func TestCountingOf(t *testing.T) {
	check := func(want Counting, names ...string) {
		t.Helper()
		if got := CountingOf(names); got != want {
			t.Errorf("%v: %+v, want %+v", names, got, want)
		}
	}
	check(Counting{}, "arms", "chase/table1", "it2s/table2")
	check(Counting{Statistics: true}, "it2s/table1", "arms")
	check(Counting{Statistics: true}, "it2s/table6")
	check(Counting{Parts: true}, "it2s/table7")
	check(Counting{Parts: true, Statistics: true}, "it2s/table8", "it2s/table9")
}
