package paper

import (
	"slices"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/figure"
)

// sourced makes a run one of that dataset's public items under that headline metric.
func sourced(r *record.Run, dataset, metric string) *record.Run {
	kind, split, _ := strings.Cut(dataset, "/")
	r.Manifest.Dataset, r.Resolved.Dataset.Kind, r.Resolved.Dataset.Split = dataset, kind, split
	r.Manifest.Metrics[0].ID = metric
	return r
}

// heads are a table's columns, group and name.
func heads(t *testing.T, r *record.Run, name string) (out []string) {
	t.Helper()
	for _, c := range one(t, r, name).Table.Columns {
		out = append(out, strings.TrimPrefix(c.Group+"/"+c.Name, "/"))
	}
	return out
}

// table4Run is four items of superhero, answered by arms of CHASE-SQL's Table 4.
func table4Run(t *testing.T) *record.Run {
	r := answered(t, arm("baseline", "bird-cot", "exemplars.k = 0\npublished = \"baseline\"")+arm("qp", "qp-cot", "published = \"qp-cot\""), map[string]string{"baseline": "++--", "qp": "+++-"})
	for i := range r.Questions {
		r.Questions[i].DB = "superhero"
	}
	return r
}

// TestBesidePublished: this run's less the published, and whether the published lies in this run's interval, where both
// measure the same.
func TestBesidePublished(t *testing.T) {
	r := released(t, sourced(solvedRun(t), "bird/dev", "ex-bird"))
	check := holds(t, r, "chase/table1")
	check("Upper-bound", "chase/difference", "+0.54")
	check("Upper-bound", "chase/in interval", "yes")
	check = holds(t, r, "chase/table2")
	check("CHASE-SQL + Gemini 1.5|published", "difference", "-23.01")
	check("Insights AI|published, undisclosed", "in interval", "yes") // 3 of 6 is 18.8 to 81.2
	check = holds(t, r, "chase/fig3a-table")
	check("none", "in interval", "yes") // 258 of 1534
	check = holds(t, r, "chase/fig6-table")
	check("right", "difference", "-22.9")
	check = holds(t, released(t, sourced(table4Run(t), "bird/dev", "ex-bird")), "chase/table4")
	check("qp", "against Gemini 1.5 Pro/difference", "+11.38")
	check("qp", "against Gemini 1.5 Pro/in interval", "yes") // Wilson's 95 % of 3 in 4 is 30.1 to 95.4
}

// TestComparable: a difference from a published number is printed only where dataset, split, questions, gold queries and metric
// are the published ones; elsewhere the note says why not.
func TestComparable(t *testing.T) {
	check := func(name, want string, r *record.Run) {
		t.Helper()
		notes := strings.Join(one(t, r, name).Table.Notes, "\n")
		if !strings.Contains(notes, want) {
			t.Errorf("%s: no %q in\n%s", name, want, notes)
		}
		differs := slices.ContainsFunc(heads(t, r, name), func(h string) bool { return strings.HasSuffix(h, "difference") || strings.HasSuffix(h, "in interval") })
		if can := !strings.Contains(notes, "cannot be compared"); differs != can || strings.Contains(notes, "In interval:") != can {
			t.Errorf("%s: columns %q under\n%s", name, heads(t, r, name), notes)
		}
	}
	for _, name := range []string{"chase/table1", "chase/table2", "chase/table6", "chase/fig3a-table", "chase/fig6-table", "chase/fig7-table"} {
		check(name, "This run has 6 of the 1534 items of bird/dev,", sourced(solvedRun(t), "bird/dev", "ex-bird"))
		check(name, "This run's items are sample/dev,", solvedRun(t))
	}
	changed := func(change func(*record.Run)) *record.Run {
		r := released(t, sourced(table4Run(t), "bird/dev", "ex-bird"))
		change(r)
		return r
	}
	check("chase/table4", "This run has 4 of the 1534 items of bird/dev,", sourced(table4Run(t), "bird/dev", "ex-bird"))
	for _, name := range []string{"chase/table4", "chase/table7", "chase/table8"} {
		check(name, "on BIRD dev; another model, not this run's.", changed(func(*record.Run) {}))
		check(name, "This run's questions or gold queries are not those of a release of bird/dev known here,", changed(func(r *record.Run) { r.Questions[1].Gold = "SELECT 1" }))
		check(name, "This run's items are sample/dev, so the two cannot be compared.", changed(func(r *record.Run) { sourced(r, "sample/dev", "ex-bird") }))
		check(name, "This run's items are bird/mini_dev,", changed(func(r *record.Run) { sourced(r, "bird/mini_dev", "ex-bird") }))
		check(name, "This run's items are of other databases in the form of bird/dev,", changed(func(r *record.Run) { r.Questions[2].DB = "shop" }))
		check(name, "another model, not this run's.", changed(func(r *record.Run) { r.Resolved.Dataset.Questions = "mine.json" })) // the same content
		check(name, "This run's metric is EX and the published one is EX (BIRD),", changed(func(r *record.Run) { r.Manifest.Metrics[0].ID = "ex" }))
		check(name, "This run's gold queries are corrected,", changed(func(r *record.Run) { r.Questions[0].Override = "counted twice" }))
	}
	check("chase/table3", "This run has 6 of the 2147 items of spider/test,", sourced(solvedRun(t), "spider/test", "ex"))
}

// answeredAll makes a run one of a released split with a score for every answer.
func answeredAll(t *testing.T, r *record.Run) *record.Run {
	for i := range r.Items {
		for m := range r.Items[i].Values {
			r.Items[i].Values[m].OK = true
		}
		if !r.Items[i].Status.Scored() {
			r.Items[i].Status = metrics.Wrong
		}
	}
	return released(t, r)
}

// suiteless takes the suites of a run's databases away: of all, or of some.
func suiteless(r *record.Run, which string) *record.Run {
	r.Manifest.Metrics[0].NoSuite = which
	return r
}

// TestNoSuite: where no item has a test suite, test-suite accuracy is execution accuracy, and no column says otherwise.
func TestNoSuite(t *testing.T) {
	check := func(r *record.Run, name string, want ...string) {
		t.Helper()
		if got := heads(t, r, name); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	check(sampleRun(t), "arms", "arm", "TS", "EX", "answers", "scored", "correct", "wrong", "sql-error", "model-error")
	check(suiteless(sampleRun(t), record.SomeItems), "arms", "arm", "TS", "EX", "answers", "scored", "correct", "wrong", "sql-error", "model-error")
	check(suiteless(sampleRun(t), record.AllItems), "arms", "arm", "EX", "answers", "scored", "correct", "wrong", "sql-error", "model-error")
	check(suiteless(sampleRun(t), record.AllItems), "hardness", "arm", "EX/easy", "EX/medium", "EX/hard", "EX/extra", "EX/all")
	check(suiteless(answeredAll(t, spiderRun(t)), record.AllItems), "tai2023/table1", "arm", "easy/EX", "easy/published TS", "medium/EX", "medium/published TS",
		"hard/EX", "hard/published TS", "extra/EX", "extra/published TS", "overall/EX", "overall/published TS", "overall/published EX")
	for _, name := range []string{"sweep", "by/hardness", "bars-hardness", "sweep-line", "differences"} {
		r := sampleRun(t)
		if strings.HasPrefix(name, "sweep") {
			r = sweepRun(t)
		}
		o := one(t, suiteless(r, record.AllItems), name)
		var text strings.Builder
		if o.Table != nil {
			for _, c := range o.Table.Columns {
				text.WriteString(c.Group + "/" + c.Name + "\n")
			}
		} else if err := figure.SVG(&text, o.Figure, figure.Look{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "TS") {
			t.Errorf("%s speaks of TS:\n%s", name, text.String())
		}
	}
	says := func(r *record.Run, name, want string) {
		t.Helper()
		if notes := said(t, r, name); !strings.Contains(notes, want) {
			t.Errorf("%s: no %q in\n%s", name, want, notes)
		}
	}
	says(suiteless(sampleRun(t), record.AllItems), "arms", "ts: no item has a test suite, so that it is ex, and headed so")
	says(suiteless(sampleRun(t), record.SomeItems), "arms", "(some databases have none: their items are judged as by ex)")
	says(suiteless(answeredAll(t, spiderRun(t)), record.AllItems), "tai2023/table1", "published TS is another metric")
	says(suiteless(answeredAll(t, spiderRun(t)), record.SomeItems), "tai2023/table1", "this run's TS is not the published metric")
}

// TestSimilarityIsSaid: a table of arms that choose by similarity says what told it, as the run recorded.
func TestSimilarityIsSaid(t *testing.T) {
	r := answered(t, arm("plain", "standard", "")+arm("found", "standard", "values.use = true")+arm("near", "standard", "values.use = true\nexemplars.strategy = \"similarity\"\nexemplars.k = 2"),
		map[string]string{"plain": "+", "found": "+", "near": "-"})
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, n := range strings.Split(said(t, r, "arms"), "\n") {
			if strings.HasPrefix(n, "Similarity") {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("Similarity, for value retrieval, demonstrations (arms found, near): not recorded.")
	r.Manifest.Similarity = []record.Similarity{{Use: "value retrieval", By: "n-grams"}, {Use: "demonstrations", By: "words"}}
	check("Similarity, for value retrieval (arms found, near): n-grams.", "Similarity, for demonstrations (arm near): words.")
	r.Manifest.Similarity[1].By = "n-grams"
	check("Similarity, for value retrieval, demonstrations (arms found, near): n-grams.")
}

// TestPublishedForms: every table of a paper with printed numbers has them alone too, none marked as this run's, in rows that
// differ; a figure that leaves them out names a table that has them.
func TestPublishedForms(t *testing.T) {
	for _, d := range described() {
		if PublishedOf(d.Name) == "" {
			if d.Stands != "" && PublishedOf(d.Stands) == "" || d.Frame != "" && d.printed.Rows != nil {
				t.Errorf("%s: no table has its printed numbers", d.Name)
			}
			continue
		}
		tb := one(t, sampleRun(t), PublishedOf(d.Name)).Table
		seen := map[string]bool{}
		for _, r := range tb.Rows {
			key := ""
			for i, c := range r {
				if tb.Columns[i].Key {
					key += c.Text + "|"
				} else if !c.Published && c.String() != "" {
					t.Errorf("%s: %s under %s counts as measured", tb.ID, c, tb.Columns[i].Name)
				}
			}
			if seen[key] {
				t.Errorf("%s: two rows %s", tb.ID, key)
			}
			seen[key] = true
		}
		if len(tb.Rows) == 0 || !strings.Contains(tb.Source, "no number here was measured") {
			t.Errorf("%s: %d rows, source %q", tb.ID, len(tb.Rows), tb.Source)
		}
	}
}
