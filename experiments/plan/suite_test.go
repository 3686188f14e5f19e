package plan

import (
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/dataset"
	"assay/experiments/judge"
	"assay/prompting"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

// suited are items of the databases in front of the equals signs, each with the databases of its suite behind it.
func suited(text string) (items []dataset.Example) {
	for _, one := range strings.Fields(text) {
		db, suite, _ := strings.Cut(one, "=")
		x := dataset.Example{Question: prompting.Question{DB: db}}
		for _, file := range strings.Split(suite, ",") {
			x.Suite = append(x.Suite, sqlite.DB(file))
		}
		items = append(items, x)
	}
	return items
}

func TestSuiteNotes(t *testing.T) {
	check := func(metrics, items, want string) {
		t.Helper()
		notes := strings.Join(suiteNotes(strings.Fields(metrics), suited(items)), "\n")
		if want == "" && notes != "" || !strings.Contains(notes, want) {
			t.Errorf("%s on %s: %q", metrics, items, notes)
		}
	}
	check("ts ex", "x=a x=a", "no item has a test suite, so ts is ex, execution accuracy on the item's own database: name")
	check("ts-strict ts", "x=a", "so ts-strict, ts are ex-strict, ex, execution")
	check("ts ex", "x=a y=a,b z=c x=a", "2 databases have no test suite (x, z): on their items ts is ex: name a folder")
	check("ts ex", "x=a,b y=a,b", "")
	check("ex em", "x=a", "")
}

// TestSuitesOfColumns: a metric over suites says where there are none, and is then another metric than where all have
// one, so that scores of both kinds are never taken for each other.
func TestSuitesOfColumns(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	ms, err := catalog.Metrics(t.Context(), configs.Experiment{Metrics: []string{"ts", "ex", "em"}}, judge.Options{Box: box})
	if err != nil {
		t.Fatal(err)
	}
	check := func(items, want string) {
		t.Helper()
		var got []string
		prints := map[string]bool{}
		for _, c := range (Overrides{}).Columns(ms, suited(items)) {
			got = append(got, c.ID+"="+c.NoSuite)
			prints[c.Fingerprint] = true
			if changed := strings.Contains(c.Fingerprint, "suites"); changed != (c.NoSuite != "") {
				t.Errorf("%s on %s: fingerprint %q", c.ID, items, c.Fingerprint)
			}
		}
		if s := strings.Join(got, " "); s != want || len(prints) != 3 {
			t.Errorf("%s: got %s, want %s", items, s, want)
		}
	}
	check("x=a,b y=c,d", "ts= ex= em=")
	check("x=a y=c", "ts=all ex= em=")
	check("x=a y=c,d", "ts=some ex= em=")
}
