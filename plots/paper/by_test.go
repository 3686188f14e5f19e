package paper

import (
	"fmt"
	"testing"

	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/metrics"
)

// joined is a gold with so many joins.
func joined(n int) string {
	sql := "SELECT a FROM t0"
	for i := range n {
		sql += fmt.Sprintf(" JOIN t%d", i+1)
	}
	return sql
}

// featureRun is the sample run with the features of gold queries of 0 to 3 joins, and some that do not parse.
func featureRun(t *testing.T) *record.Run {
	r := sampleRun(t)
	for i := range r.Questions {
		r.Questions[i].Gold = joined(i % 5)
		if i%5 == 4 {
			r.Questions[i].Gold = "SELEC"
		}
		r.Questions[i].Features = axes.Features(r.Questions[i].Gold)
	}
	return r
}

// TestByCounts: three items of one arm and two seeds. Item 1 has no join and is right once of two, item 2 has two and is
// right twice, item 3 has three, was right once and had no completion once.
func TestByCounts(t *testing.T) {
	e := experiment(t, "[0, 1]", `kind = "sample"`, "[[arm]]\nname = \"a\"\nmethod = \"standard\"\n")
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "0123456789ab", Complete: true, Items: 3,
		Metrics: []record.Metric{{ID: "ex"}}}}
	for i, n := range []int{0, 2, 3} {
		r.Questions = append(r.Questions, record.Question{Item: fmt.Sprint(i + 1), Gold: joined(n), Features: axes.Features(joined(n))})
	}
	answer := func(item string, seed int64, v record.Value) {
		r.Items = append(r.Items, record.Item{Item: item, Arm: "a", Seed: seed, Status: metrics.Correct, Values: []record.Value{v}})
	}
	right, wrong := record.Value{V: 1, OK: true}, record.Value{OK: true}
	answer("1", 0, right)
	answer("1", 1, wrong)
	answer("2", 0, right)
	answer("2", 1, right)
	answer("3", 0, right)
	answer("3", 1, record.Value{})
	check := func(row int, group string, items, scored, percent, n float64) {
		t.Helper()
		c := one(t, r, "by/joins").Table.Rows[row]
		if c[0].Text != group || c[2].Num.Value != items || c[3].Num.Value != scored || c[4].Num.Value != percent || float64(c[4].Num.N) != n || !c[4].Num.HasInterval {
			t.Errorf("row %d: %v", row, c)
		}
	}
	rows := func() {
		t.Helper()
		check(0, "0", 1, 2, 50, 2)   // the mean of 100 and 0
		check(1, "2+", 2, 3, 100, 3) // of 2 right of 2, and 1 of 1
		check(2, "all", 3, 5, 75, 5) // of 3 of 3, and 1 of 2
	}
	rows()
	for i := range r.Questions { // a run older than the column
		r.Questions[i].Features = ""
	}
	rows()
}

func TestByRefusals(t *testing.T) {
	check := func(r *record.Run, name, want string) {
		t.Helper()
		_, err := made(r, name)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check(sampleRun(t), "by/jions", `paper: make "by/jions": axes: find: axis "jions" is unknown; did you mean "joins"?`)
	check(sampleRun(t), "by/difficulty", `paper: make "by/difficulty" of run "0123456789ab": its items have no difficulty`)
	check(birdRun(t), "by/hardness", `paper: make "by/hardness" of run "0123456789ab": its items have no hardness`)
	check(sampleRun(t), "by/joins", `paper: make "by/joins" of run "0123456789ab": none of its gold queries is a SELECT that parses`)
	check(&record.Run{}, "by/joins", `paper: make "by/joins" of run "": the run has no answers`)
	listed := map[string]string{}
	for _, i := range List(featureRun(t)) {
		listed[i.Name] = i.Why
	}
	for _, a := range axes.List() {
		if why, ok := listed[By(a)]; !ok || (why != "") != (a.Name == "difficulty") {
			t.Errorf("%s: listed %v, %q", By(a), ok, why)
		}
	}
}
