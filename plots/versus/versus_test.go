package versus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"assay/experiments/axes"
	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/figure"
	"assay/plots/style"
	"assay/plots/table"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
)

const hostile = "SELECT '</code><script>alert(1)</script>', \"| a |\" \x1b[31m\u202e FROM `t` -- ``` ```` "

// sample is a run whose scores are 1 where i is no multiple of every.
func sample(name string, every int) *record.Run {
	r := &record.Run{Manifest: record.Manifest{Experiment: name, ID: name, Complete: true, Dataset: "d/dev", Items: 40,
		Metrics: []record.Metric{{ID: "ex"}}}, Config: map[string]any{"name": name, "note": "<b>" + name + "</b>"}}
	for i := range 40 {
		q := record.Question{Item: fmt.Sprintf("d/dev/%02d", i), DB: []string{"a_long_name_of_a_database", "b"}[i%2], Question: "how many <i>?", Gold: "SELECT 1", Hardness: "easy", Features: "joins=1"}
		it := record.Item{Item: q.Item, DB: q.DB, Hardness: "easy", Arm: "an arm with a long name", Status: metrics.Correct,
			Values: []record.Value{{V: 1, OK: true}}, SQL: "SELECT DISTINCT a FROM t", Calls: record.CountOf(1), Cached: record.CountOf(0), PromptTokens: record.CountOf(100), CompletionTokens: record.CountOf(0)}
		if i%every == 0 {
			it.Status, it.Values[0].V, it.SQL = metrics.Wrong, 0, hostile
		}
		r.Questions, r.Items = append(r.Questions, q), append(r.Items, it)
	}
	return r
}

func report(t *testing.T, others ...*record.Run) *compare.Report {
	t.Helper()
	r, err := compare.Against(sample("base", 3), others, compare.Options{By: []axes.Axis{axes.Database, axes.Hardness}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextFitsAndIsHarmless(t *testing.T) {
	check := func(r *compare.Report, o table.TextOptions, width int) {
		t.Helper()
		s := written(t, func(w io.Writer) error { return WriteText(w, r, Options{Flips: -1, Text: o}) })
		if n := text.LongestLineLen(s); n > width {
			t.Errorf("a line of %d characters, want at most %d:\n%s", n, width, s)
		}
		if strings.Contains(s, "\x1b[31m\u202e") || strings.Contains(s, "\u202e") || !o.Colour && strings.Contains(s, "\x1b") {
			t.Error("control characters come through")
		}
		for _, want := range []string{"ex in percent, by database", "Why items flipped", "calls", "lost", "McNemar"} {
			if !strings.Contains(s, want) {
				t.Errorf("no %q in\n%s", want, s)
			}
		}
	}
	check(report(t, sample("new", 4)), table.TextOptions{}, 80)
	check(report(t, sample("new", 4), sample("newer", 5)), table.TextOptions{}, 80)
	check(report(t, sample("new", 4)), table.TextOptions{Width: 60, Colour: true}, 60)
	check(report(t, sample("new", 4)), table.TextOptions{Width: 120}, 120)
}

func TestFlipsAreLimited(t *testing.T) {
	r := report(t, sample("new", 4))
	n := len(r.Comparisons[0].Pairs[0].Flips)
	check := func(limit, want int) {
		t.Helper()
		s := written(t, func(w io.Writer) error { return WriteText(w, r, Options{Flips: limit}) })
		if got := strings.Count(s, "\n    A  "); got != want {
			t.Errorf("%d: %d flips, want %d", limit, got, want)
		}
		s = written(t, func(w io.Writer) error { return WriteHTML(w, r, Options{Flips: limit}) })
		if got := strings.Count(s, "<details>"); got != want {
			t.Errorf("HTML, %d: %d flips, want %d", limit, got, want)
		}
	}
	check(-1, n)
	check(3, 3)
	check(0, 0)
}

func TestHTMLIsEscapedAndWhole(t *testing.T) {
	o := Options{Flips: -1, Prompts: []Prompt{{Title: "<u>p</u>", Lines: []Line{{'+', hostile}}}}, Links: []style.Link{{Text: "<b>", Address: "../index.html"}}}
	s := written(t, func(w io.Writer) error { return WriteHTML(w, report(t, sample("new", 4)), o) })
	if n := strings.Count(s, "<script"); n != 1 { // the theme's
		t.Errorf("%d scripts", n)
	}
	for _, bad := range []string{"<script>alert", "<i>", "<b>", "<u>", "http://", "https://", " src=", "url("} {
		if strings.Contains(s, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, want := range []string{"default-src 'none'", "&lt;script&gt;", `<span class="drop">`, `<a href="../index.html">&lt;b&gt;</a>`, "ex in percent, by hardness", "</html>"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

func TestForest(t *testing.T) {
	check := func(r *compare.Report, want ...string) {
		t.Helper()
		f := Forest(r)
		var got []string
		for _, e := range f.Rows {
			got = append(got, strings.TrimPrefix(e.Group+": ", ": ")+e.Name)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if g := r.Comparisons[0].Pairs[0].All; f.Rows[0].Value != 100*g.Diff || f.Rows[0].Range.Low != 100*g.Low || f.Rows[0].Significant != g.Significant {
			t.Errorf("%+v of %+v", f.Rows[0], g)
		}
		written(t, func(w io.Writer) error { return figure.SVG(w, f, figure.Look{}) })
	}
	check(report(t, sample("new", 4)), "all items: an arm with a long name", "by database: a_long_name_of_a_database", "by database: b", "by hardness: easy")
	check(report(t, sample("new", 4), sample("newer", 5)), "all items: B new", "all items: C newer", "by database: B new, a_long_name_of_a_database",
		"by database: B new, b", "by database: C newer, a_long_name_of_a_database", "by database: C newer, b", "by hardness: B new, easy", "by hardness: C newer, easy")

	many, runs := []*record.Run{}, []string{}
	for i := range 20 {
		name := fmt.Sprint("run", i)
		many, runs = append(many, sample(name, 4)), append(runs, string(rune('B'+i))+" "+name)
	}
	check(report(t, many...), runs...) // 20 runs, and 60 groups, which are not drawn
	if many = slices.Repeat(many, 4); Forest(report(t, many...)) != nil {
		t.Errorf("a plot of %d rows", len(many))
	}
}

func TestMarkdownKeepsItsFences(t *testing.T) {
	o := Options{Flips: 2, Prompts: []Prompt{{Title: "p", Lines: []Line{{'@', "@@ -1,1 +1,1 @@"}, {'+', hostile}}}}}
	s := written(t, func(w io.Writer) error { return WriteMarkdown(w, report(t, sample("new", 4)), o) })
	if !strings.Contains(s, "\n`````diff\n@@ -1,1 +1,1 @@\n+SELECT") || strings.Contains(s, "<script>alert(1)</script>', \"| a |\" \x1b[31m\u202e FROM `t` |") {
		t.Errorf("%s", s)
	}
	if !strings.Contains(s, "2 flips") && !strings.Contains(s, "more are not listed") {
		t.Errorf("no flips in\n%s", s)
	}
}

func TestCSVHasEveryNumber(t *testing.T) {
	r := report(t, sample("new", 4))
	rows, err := csv.NewReader(strings.NewReader(written(t, func(w io.Writer) error { return WriteCSV(w, r) }))).ReadAll()
	if err != nil || len(rows) != 1+1+2+1 { // all items, two databases, one hardness
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := map[string]string{}
	for i, name := range rows[0] {
		at[name] = rows[1][i]
	}
	g := r.Comparisons[0].Pairs[0].All
	for name, want := range map[string]string{"items": "40", "difference": fmt.Sprint(g.Diff), "difference_low": fmt.Sprint(g.Low), "p_holm": fmt.Sprint(g.Holm),
		"only_a": fmt.Sprint(g.OnlyA), "test": "McNemar, exact", "shows": fmt.Sprint(g.Smallest)} {
		if at[name] != want {
			t.Errorf("%s: %q, want %q", name, at[name], want)
		}
	}
	flips := Flips(r)
	if len(flips.Rows) != len(r.Comparisons[0].Pairs[0].Flips) {
		t.Errorf("%d flips", len(flips.Rows))
	}
	written(t, flips.WriteCSV)
}

func TestJSONReadsBack(t *testing.T) {
	r := report(t, sample("new", 4))
	var got compare.Report
	if err := json.Unmarshal([]byte(written(t, func(w io.Writer) error { return WriteJSON(w, r) })), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r.Comparisons[0].Pairs[0].All, got.Comparisons[0].Pairs[0].All); d != "" {
		t.Error(d)
	}
}

// TestEachRunHasItsLetter: of two further runs the second is C in every form, and nothing of its own says B.
func TestEachRunHasItsLetter(t *testing.T) {
	r := report(t, sample("new", 4), sample("new", 5))
	check := func(name string, write func(io.Writer) error, want ...string) {
		t.Helper()
		s := written(t, write)
		for _, w := range want {
			if !strings.Contains(s, w) {
				t.Errorf("%s: no %q in\n%s", name, w, s)
			}
		}
	}
	o := Options{Flips: 2}
	check("text", func(w io.Writer) error { return WriteText(w, r, o) }, "\nB  new-new", "\nC  new-new", "config B name: base -> new", "config C name: base -> new",
		"other", "less A", "(b, easy): C is no query that", "\n    A  ", "\n    B  ", "\n    C  ", "C new, an arm", "C/A")
	check("Markdown", func(w io.Writer) error { return WriteMarkdown(w, r, o) }, "- C  new", "| C new | name", "SQL of C", "C/A", "| other")
	check("HTML", func(w io.Writer) error { return WriteHTML(w, r, o) }, "<dt>C, ", `<th scope="row" class="left">C new</th>`, "C/A", ">other</th>")
	check("CSV", func(w io.Writer) error { return WriteCSV(w, r) }, "run_a,run_b,label_b,", "base-base,new-new,C,an arm")
	check("CSV of flips", func(w io.Writer) error { return Flips(r).WriteCSV(w) }, "base-base,new-new,C,an arm")
	check("JSON", func(w io.Writer) error { return WriteJSON(w, r) }, `"label": "A"`, `"label": "B"`, `"label": "C"`)
	two := report(t, sample("new", 4))
	check("two runs", func(w io.Writer) error { return WriteText(w, two, o) }, "\nconfig name: base -> new", "B-A", "B/A")
}

func TestDiffLines(t *testing.T) {
	check := func(a, b string, want string) {
		t.Helper()
		if got := (Prompt{Lines: DiffLines(a, b)}).unified(); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	check("a\nb\n", "a\nb\n", "")
	check("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n")
	check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+10\n")
	check("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
		"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n")
}

func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
		var backA, backB []string
		for _, s := range script(x, y) {
			if s.Op != '+' {
				backA = append(backA, s.Text)
			}
			if s.Op != '-' {
				backB = append(backB, s.Text)
			}
		}
		if strings.Join(backA, "\n") != a || strings.Join(backB, "\n") != b {
			t.Errorf("the script does not give both sides back")
		}
		DiffLines(a, b)
		join := func(ps []cellView) (s string) {
			for _, p := range ps {
				s += p.Text
			}
			return s
		}
		if pa, pb := pieces(a, b); join(pa) != a || join(pb) != b {
			t.Errorf("%q and %q became %q and %q", a, b, join(pa), join(pb))
		}
	})
}

// TestOneRoundingRule: a half is rounded away from zero in every cell, on both sides of it.
func TestOneRoundingRule(t *testing.T) {
	check := func(f float64, plain, difference string) {
		t.Helper()
		cells := groupCells(compare.Group{Items: 1, MeanA: f, Diff: f, Low: f, High: f}, false)
		if a, b := cells[1].String(), cells[3].String(); a != plain || b != difference {
			t.Errorf("%v: %s and %s, want %s and %s", f, a, b, plain, difference)
		}
	}
	check(0.0125, "1.3", "+1.3 [1.3, 1.3]")
	check(-0.0125, "-1.3", "-1.3 [-1.3, -1.3]")
	check(0.4875-0.5, "-1.3", "-1.3 [-1.3, -1.3]")
	check(0.0004, "0.0", "0.0 [0.0, 0.0]")
	check(-0.0004, "0.0", "0.0 [0.0, 0.0]")
	check(0, "0.0", "0.0 [0.0, 0.0]")
}

// TestSpendingOfOtherSeeds: what a side took is for its own number of answers, and the ratio is per answer.
func TestSpendingOfOtherSeeds(t *testing.T) {
	twice := sample("twice", 4)
	for _, it := range slices.Clone(twice.Items) {
		it.Seed = 7
		twice.Items = append(twice.Items, it)
	}
	x := newLayout(report(t, twice)).spending()
	for i, want := range []string{"40", "80", "1.0"} {
		if got := x.Rows[i][len(x.Columns)-5].Text; got != want {
			t.Errorf("calls, row %d: %s, want %s", i, got, want)
		}
	}
	if want := "A has 40 answers here, B has 80: B/A is per answer."; !slices.Contains(x.Notes, want) {
		t.Errorf("%q", x.Notes)
	}
}

// TestPatterns: of 40 items A solves those that are no multiple of 3, B no multiple of 4, C no multiple of 5. Multiples of 3
// alone are 14 - 4 (of 12) - 3 (of 15) + 1 (0) = 8, of 4 alone 10 - 4 - 2 + 1 = 5, of 5 alone 8 - 3 - 2 + 1 = 4, of 3 and 4 alone
// 4 - 1 = 3, of 3 and 5 alone 3 - 1 = 2, of 4 and 5 alone 2 - 1 = 1, of all three 1 (0), and 16 are of none.
func TestPatterns(t *testing.T) {
	r := report(t, sample("new", 4), sample("newer", 5))
	var got []string
	for _, p := range r.Patterns[0].Patterns {
		got = append(got, fmt.Sprint(strings.Join(p.Solved, ""), " ", len(p.Items)))
	}
	if d := cmp.Diff([]string{"ABC 16", "BC 8", "AC 5", "AB 4", "C 3", "B 2", "A 1", " 1"}, got); d != "" || r.Patterns[0].Items != 40 {
		t.Error(d)
	}
	check := func(name string, write func(io.Writer) error, want ...string) {
		t.Helper()
		s := written(t, write)
		for _, w := range want {
			if !strings.Contains(s, w) {
				t.Errorf("%s: no %q in\n%s", name, w, s)
			}
		}
	}
	check("text", func(w io.Writer) error { return WriteText(w, r, Options{}) }, "x  x  x     16     40.0  01", "-  x  x      8     20.0  03")
	check("CSV", func(w io.Writer) error { return Patterns(r).WriteCSV(w) }, "arm_a,point,item,solved_by,a,b,c", "an arm with a long name,,d/dev/03,B C,0,1,1")
	check("HTML", func(w io.Writer) error { return WriteHTML(w, r, Options{}) }, "an arm with a long name: 4 items solved by A, B", "1 item solved by no run")
	check("JSON", func(w io.Writer) error { return WriteJSON(w, r) }, `"solved": []`)
	if two := report(t, sample("new", 4)); two.Patterns != nil {
		t.Errorf("of two runs %v", two.Patterns)
	}
}

// sweepReport compares two runs over a sweep of k and format: the second is right where k is 8, but for the first ten items.
func sweepReport(t *testing.T, o compare.Options) *compare.Report {
	t.Helper()
	of := func(name string, good func(i int, k string) bool) *record.Run {
		r := sample(name, 3)
		r.Manifest.Axes = []string{"k", "format"}
		items := r.Items
		r.Items = nil
		for _, point := range [][]string{{"0", "f"}, {"0", "g"}, {"8", "f"}, {"8", "g"}} {
			for i, it := range items {
				it.Point, it.Values = point, []record.Value{{OK: true}}
				if good(i, point[0]) {
					it.Values[0].V = 1
				}
				r.Items = append(r.Items, it)
			}
		}
		return r
	}
	r, err := compare.Against(of("base", func(int, string) bool { return false }),
		[]*record.Run{of("new", func(i int, k string) bool { return k == "8" && i >= 10 })}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRowsNameTheirAxes: no row of a sweep is a bare value, and --by takes an axis of the sweep.
func TestRowsNameTheirAxes(t *testing.T) {
	r := sweepReport(t, compare.Options{Over: []string{"k", compare.ArmAxis}})
	text := written(t, func(w io.Writer) error {
		return WriteText(w, r, Options{Flips: 1, Text: table.TextOptions{Width: 120}})
	})
	for _, want := range []string{"\nk  format   n", "\n0  f       40", "an arm with a long name, k = 8, format = g: 30 flips", "ex in percent, by k\n", "\nk   n    A     B ", "\n8  40  0.0  75.0  +75.0 [62.5, 87.5]",
		"not adjusted for the number of tests", "ex in percent, by arm", "\nan arm with a long name  40  0.0  37.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var names []string
	for _, e := range Forest(r).Rows {
		names = append(names, e.Group+": "+e.Name)
	}
	want := []string{"all items: k = 0, format = f", "all items: k = 0, format = g", "all items: k = 8, format = f", "all items: k = 8, format = g",
		"by k: k = 0", "by k: k = 8", "by arm: an arm with a long name"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	if s := written(t, func(w io.Writer) error { return WriteCSV(w, r) }); !strings.Contains(s, `"k = 8, format = g"`) || strings.Contains(s, "@") {
		t.Errorf("%s", s)
	}
	if s := written(t, func(w io.Writer) error { return WriteLaTeX(w, r) }); strings.Count(s, "\\begin{tabular") < 3 {
		t.Errorf("%s", s)
	}
	if _, err := compare.Against(sample("a", 3), []*record.Run{sample("b", 4)}, compare.Options{Over: []string{"k"}}); err == nil || !strings.Contains(err.Error(), `no run sweeps "k": the runs' axes are arm`) {
		t.Errorf("%v", err)
	}
}
