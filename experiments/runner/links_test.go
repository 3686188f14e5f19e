package runner_test

import (
	"context"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/experiments/store"
)

// TestLinksAreKept: the run has what was found in a database, and once per item what the gold query compares with.
func TestLinksAreKept(t *testing.T) {
	p := makePlan(t, t.TempDir(), "values.use=true", "columns.use=one-call", "dataset.limit=12")
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, res)
	stages, found := map[string]int{}, 0
	for _, l := range r.Links {
		stages[l.Stage]++
		found += len(record.Listed(l.Values))
		if l.Stage == "columns" && (l.Shown == "" || l.Values != "") || l.Stage == "values" && (l.Values == "" || l.Shown != "") {
			t.Errorf("%+v", l)
		}
	}
	if stages["values"] != len(r.Items) || stages["columns"] != len(r.Items) || found == 0 {
		t.Errorf("%v of %d answers, %d values", stages, len(r.Items), found)
	}
	stored := 0
	for _, q := range r.Questions {
		if q.Literals == "" {
			t.Errorf("%s has no list of literals", q.Item)
		}
		for _, l := range record.Listed(q.Literals) {
			if !strings.Contains(q.Gold, l[0]) {
				t.Errorf("%q is not in %s", l[0], q.Gold)
			}
			if l[1] == "stored" {
				stored++
			}
		}
	}
	dbs := map[string]int{}
	for _, c := range r.Columns {
		dbs[c.DB]++
	}
	if stored == 0 || dbs[r.Questions[0].DB] < 5 {
		t.Errorf("%d literals in the databases, columns %v", stored, dbs)
	}
}
