package dataset

import (
	"context"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// TestDivisions holds the demonstrations of dc-cot against their databases: the SQL of every part runs and returns rows,
// and what is assembled returns what the demonstration's own SQL returns.
func TestDivisions(t *testing.T) {
	opts := Options{Cache: t.TempDir()}
	all, _, err := Exemplars(context.Background(), configs.Dataset{Kind: "sample"}, configs.Exemplars{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	l, err := opened(context.Background(), configs.Dataset{Kind: "sample"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	run := func(d exemplar.Demo, sql string) *engine.Result {
		t.Helper()
		b, err := l.bases.get(d.DB)
		if err != nil {
			t.Fatal(err)
		}
		r, err := box.Run(context.Background(), b.db, sql)
		if err != nil || len(r.Rows) == 0 {
			t.Fatalf("%s: %v, no rows of\n%s", d.ID, err, sql)
		}
		return r
	}
	dbs := map[string]bool{}
	divided := 0
	for _, d := range all {
		if d.Division == nil {
			continue
		}
		divided++
		dbs[d.DB] = true
		for _, p := range d.Division.Parts {
			run(d, p.SQL)
		}
		gold, assembled := run(d, d.SQL), run(d, d.Division.Parts[0].SQL)
		if gold.MultisetDigest() != assembled.MultisetDigest() {
			t.Errorf("%s: what is assembled returns something else than\n%s", d.ID, d.SQL)
		}
		if last := d.Division.Assembly(); last[len(last)-1].Number != "" || len(last) != len(d.Division.Parts) {
			t.Errorf("%s: put together in the order %+v", d.ID, last)
		}
	}
	if divided < 8 || len(dbs) < 5 {
		t.Errorf("%d divided demonstrations over %d databases", divided, len(dbs))
	}
}

// plans is the feature of demonstrations with query plans where they are wanted.
func plans(wanted bool) []string {
	if wanted {
		return []string{"plan"}
	}
	return nil
}

// TestPlans: query plans are made of the demonstrations' SQL when they are asked for, and only then.
func TestPlans(t *testing.T) {
	for _, want := range []bool{false, true} {
		all, warned, err := Exemplars(context.Background(), configs.Dataset{Kind: "sample"}, configs.Exemplars{}, Options{Cache: t.TempDir(), Features: plans(want)})
		if err != nil || len(warned) > 0 {
			t.Fatal(err, warned)
		}
		for _, d := range all {
			if want != strings.Contains(d.Plan, "**Delivering the result**\n1. ") {
				t.Errorf("plans %v: %s has %q", want, d.ID, d.Plan)
			}
		}
	}
}

// TestPlansWithoutAFile: a demonstration of the training split that cannot be explained is left out where plans are shown.
func TestPlansWithoutAFile(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	got, warned, err := Exemplars(context.Background(), configs.Dataset{Kind: "spider", Path: dir, Split: "dev"}, configs.Exemplars{File: configs.TrainFile}, Options{Cache: t.TempDir(), Features: plans(true)})
	if err != nil {
		t.Fatal(err)
	}
	said := slices.ContainsFunc(warned, func(w Warning) bool { return strings.HasPrefix(w.Text, "without a query plan: ") })
	left := slices.ContainsFunc(warned, func(w Warning) bool { return strings.Contains(w.Text, "they have no query plan, which an arm shows") })
	if said != left || slices.ContainsFunc(got, func(d exemplar.Demo) bool { return d.Plan == "" }) {
		t.Errorf("%d demonstrations, warnings %v", len(got), warned)
	}
}
