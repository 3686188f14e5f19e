package paper

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/dataset"
	"assay/experiments/record"
)

// released takes a run's items for the whole of the splits that they are of, for the length of a test.
func released(t *testing.T, r *record.Run) *record.Run {
	t.Helper()
	for _, set := range strings.Split(r.Manifest.Dataset, " + ") {
		qs := r.Questions
		if set != r.Manifest.Dataset {
			qs = newView(r).questionsOf(set)
		}
		was := releases[set]
		t.Cleanup(func() { releases[set] = was })
		releases[set] = release{len(qs), contentOf(qs)}
	}
	return r
}

// TestReleases works the digests out anew from the files that authors released, as runs read them.
func TestReleases(t *testing.T) {
	data, err := filepath.Abs("../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	for set, at := range map[string][2]string{
		"spider/dev": {"spider", "spider/database"}, "spider/realistic": {"spider_realistic", "spider/database"},
		"spider/syn": {"spider_syn", "spider/database"}, "spider/dk": {"spider_dk", "spider/database"},
		"bird/dev": {"bird/dev", "bird/stand_in/database"}, "bird/mini_dev": {"bird/mini_dev", "bird/stand_in/database"},
	} {
		t.Run(set, func(t *testing.T) {
			path := filepath.Join(data, at[0])
			if _, err := os.Stat(path); err != nil {
				t.Skipf("no %s: the digest is not worked out anew", path)
			}
			kind, split, _ := strings.Cut(set, "/")
			got, err := dataset.Load(context.Background(), configs.Dataset{Kind: kind, Path: path, Split: split, Databases: []string{filepath.Join(data, at[1])}}, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			qs := make([]record.Question, len(got.Examples))
			for i, x := range got.Examples {
				qs[i] = record.Question{Item: x.Question.ID, DB: x.Question.DB, Question: x.Question.Text, Evidence: x.Question.Evidence, Gold: x.Gold}
			}
			if want := releases[set]; len(qs) != want.items || contentOf(qs) != want.digest {
				t.Errorf("%d items with digest %s, want %+v", len(qs), contentOf(qs), want)
			}
		})
	}
}

// TestContentOf: what items ask and their own gold queries count, and neither their order nor white space.
func TestContentOf(t *testing.T) {
	a := record.Question{Item: "1", DB: "a", Question: "What is one?", Gold: "SELECT 1"}
	b := record.Question{Item: "2", DB: "a", Question: "What is two?", Evidence: "one and one", Gold: "SELECT 2"}
	whole := contentOf([]record.Question{a, b})
	check := func(what string, same bool, qs ...record.Question) {
		t.Helper()
		if (contentOf(qs) == whole) != same {
			t.Errorf("%s: the same is %v, want %v", what, !same, same)
		}
	}
	changed := func(change func(*record.Question)) record.Question {
		q := b
		change(&q)
		return q
	}
	check("order", true, b, a)
	check("white space", true, a, changed(func(q *record.Question) { q.Question, q.Gold = " What is\ntwo? ", "SELECT\t 2 " }))
	check("id and labels", true, a, changed(func(q *record.Question) { q.Item, q.Hardness, q.Features = "x", "easy", "none" }))
	check("corrected gold", true, a, changed(func(q *record.Question) { q.Gold, q.GivenGold = "SELECT 3", "SELECT 2" }))
	check("question", false, a, changed(func(q *record.Question) { q.Question = "What is Two?" }))
	check("gold", false, a, changed(func(q *record.Question) { q.Gold = "SELECT 3" }))
	check("evidence", false, a, changed(func(q *record.Question) { q.Evidence = "" }))
	check("database", false, a, changed(func(q *record.Question) { q.DB = "b" }))
	check("one in place of another", false, a, a)
	check("fewer", false, a)
	check("more", false, a, b, b)
	swapped := a
	swapped.Gold = b.Gold
	check("golds swapped", false, swapped, changed(func(q *record.Question) { q.Gold = a.Gold }))
}

// TestOtherContent: as many items as the split has, over its databases and by its name, are not the published ones for that.
func TestOtherContent(t *testing.T) {
	r := sourced(table4Run(t), "bird/dev", "ex-bird")
	line := r.Items[:0:0]
	r.Questions = nil
	for i := range 1534 {
		item := fmt.Sprintf("bird/dev/%d", i)
		r.Questions = append(r.Questions, record.Question{Item: item, DB: "superhero", Question: "What is one?", Gold: "SELECT 1"})
		for _, a := range []string{"baseline", "qp"} {
			line = append(line, record.Item{Item: item, DB: "superhero", Arm: a, Values: []record.Value{{V: 1, OK: true}}})
		}
	}
	r.Items = line
	const why = "This run's questions or gold queries are not those of a release of bird/dev known here, so the two cannot be compared."
	for _, name := range []string{"chase/table4", "chase/table2", "it2s/table3"} {
		tb := one(t, r, name).Table
		if notes := strings.Join(tb.Notes, "\n"); !strings.Contains(notes, why) || strings.Contains(notes, "In interval") {
			t.Errorf("%s:\n%s", name, notes)
		}
		if all := strings.Join(append(heads(t, r, name), texts(tb)...), "\n"); strings.Contains(all, "difference") || strings.Contains(all, "in interval") {
			t.Errorf("%s compares:\n%s", name, all)
		}
	}
}

// TestWholeSplit: every item of the split has to have a score in every seed.
func TestWholeSplit(t *testing.T) {
	check := func(want string, change func(*record.Run)) {
		t.Helper()
		r := sourced(table4Run(t), "bird/dev", "ex-bird")
		change(r)
		if got := newView(r).sheet(descriptionOf(t, "chase/table4")).unlike; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	whole := func(change func(*record.Run)) func(*record.Run) {
		return func(r *record.Run) { released(t, r); change(r) }
	}
	check("This run has 4 of the 1534 items of bird/dev", func(*record.Run) {})
	check("", whole(func(*record.Run) {}))
	check("This run has 3 of the 4 items of bird/dev", whole(func(r *record.Run) { r.Questions = r.Questions[1:] }))
	check("baseline has a score for 3 of the 4 items of bird/dev", whole(func(r *record.Run) { r.Items[0].Values = []record.Value{{}} }))
	check("baseline has a score for 3 of the 4 items of bird/dev", whole(func(r *record.Run) { r.Items = r.Items[1:] }))
	check("baseline has a score for 1 of the 4 items of bird/dev", whole(func(r *record.Run) {
		again := r.Items[0]
		again.Seed = 1
		r.Items = append(r.Items, again)
	}))
	check("The questions and gold queries of bird/dev cannot be checked here", whole(func(r *record.Run) { releases["bird/dev"] = release{items: 4} }))
	check("This run's gold queries are corrected", whole(func(r *record.Run) { r.Questions[0].Override = "counted twice" }))
}

// TestSpiderDemos: whose demonstrations an arm's prompts show, by the dataset that its annotations are of.
func TestSpiderDemos(t *testing.T) {
	check := func(want, kind, more string) {
		t.Helper()
		method := "standard"
		if m, rest, ok := strings.Cut(more, "|"); ok {
			method, more = m, rest
		}
		set := "[dataset]\nkind = \"" + kind + "\"\n"
		if kind != "sample" {
			set += "path = \"/data\"\n"
		}
		e, err := configs.Parse("test.toml", []byte("name = \"demo\"\n"+set+arm("x", method, more)), catalog.Known)
		if err != nil {
			t.Fatal(err)
		}
		r := row{Series: &record.Series{Config: e.Arms[0]}, items: []*record.Item{{Item: kind + "/dev/0", DB: "singer"}}}
		if got := spiderDemos(catalog.Known, r); got != want {
			t.Errorf("%s %s %q: %s, want %s", kind, method, more, got, want)
		}
	}
	check("yes", "spider", "exemplars.k = 2")
	check("yes", "spider", "exemplars.k = 2\nexemplars.file = \"train\"")
	check("yes", "bird", "exemplars.k = 2\nexemplars.file = \"spider-train\"")
	check("yes", "spider", "os|synthetic.source = \"train\"\nsynthetic.features = 5")
	check("no", "sample", "exemplars.k = 2") // nothing named: the sample's own, for every kind but spider
	check("no", "bird", "exemplars.k = 2")
	check("no", "bird", "exemplars.k = 2\nexemplars.file = \"train\"")
	check("no", "spider", "exemplars.k = 2\nexemplars.file = \"sample\"")
	check("no", "spider", "exemplars.k = 0")
	check("no", "spider", "exemplars.k = 2\nexemplars.strategy = \"none\"")
	check("no", "spider", "os|exemplars.k = 2") // its examples are written by the model
	check("no", "spider", "interactive|exemplars.k = 2")
	check("unknown", "spider", "exemplars.k = 2\nexemplars.file = \"mine.toml\"")
	for _, method := range []string{configs.Imported, ""} {
		if got := spiderDemos(catalog.Known, row{Series: &record.Series{Config: configs.Arm{Method: method, Row: catalog.Known.Method(method)}}, items: []*record.Item{{Item: "spider/dev/0"}}}); got != "unknown" {
			t.Errorf("method %q: %s", method, got)
		}
	}
}

// TestBoardNotes: what the differences are is said where there are any, and elsewhere why there are none.
func TestBoardNotes(t *testing.T) {
	other := "[[arm]]\nname = \"interactive\"\nmethod = \"interactive\"\nagent.off = [\"SearchValue\"]\n"
	check := func(name string, compared bool, want string, r *record.Run) {
		t.Helper()
		tb := one(t, r, name).Table
		notes := strings.Join(tb.Notes, "\n")
		if !strings.Contains(notes, want) || strings.Contains(notes, insideNote) != compared {
			t.Errorf("%s: want %q in\n%s", name, want, notes)
		}
		if rows := texts(tb); slices.ContainsFunc(rows, func(s string) bool { return strings.Contains(s, "| in interval") }) != compared {
			t.Errorf("%s:\n%s", name, strings.Join(rows, "\n"))
		}
	}
	run := func(set, metric, arms string) *record.Run {
		_, split, _ := strings.Cut(set, "/")
		return marked(t, "aaa", set, split, metric, false, nil, arms, map[string]string{"interactive": "110"})
	}
	const nobody = "No arm of this run repeats one of them by its metric, so"
	check("it2s/table2", false, "This run has 3 of the 1034 items of spider/dev, so the two", run("spider/dev", "ex", interactiveArm))
	check("it2s/table3", false, "This run has 3 of the 1534 items of bird/dev, so the two", run("bird/dev", "ex-bird", interactiveArm))
	check("it2s/table2", false, "This run's items are bird/dev, so the two", run("bird/dev", "ex", interactiveArm))
	check("it2s/table2", true, insideNote, released(t, run("spider/dev", "ex", interactiveArm)))
	check("it2s/table2", false, nobody, released(t, run("spider/dev", "ex", other)))
	check("it2s/table3", true, insideNote, released(t, run("bird/dev", "ex-bird", interactiveArm)))
	check("it2s/table3", false, nobody, released(t, run("bird/dev", "ex-bird", other)))
}
