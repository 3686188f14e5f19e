package paper

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/experiments/record"
)

func TestVarianceTable(t *testing.T) {
	r := &record.Run{Manifest: record.Manifest{Experiment: "e", ID: "i", Complete: true, Items: 4, Metrics: []record.Metric{{ID: "ex"}}}}
	for seed, scores := range []string{"1100", "1010", "1000"} {
		for i, s := range strings.Split(scores, "") {
			v := record.Value{V: float64(s[0] - '0'), OK: true}
			r.Items = append(r.Items, record.Item{Item: fmt.Sprint(i), Arm: "x", Seed: int64(seed), Status: "wrong", Values: []record.Value{v}})
		}
	}
	outs, err := made(r, "variance")
	if err != nil {
		t.Fatal(err)
	}
	tab := outs[0].Table
	check := func(column int, want string) {
		t.Helper()
		if got := tab.Columns[column].Print(tab.Rows[0][column]); got != want {
			t.Errorf("%s %s: %q, want %q", tab.Columns[column].Group, tab.Columns[column].Name, got, want)
		}
	}
	check(0, "x")
	check(1, "answers")
	check(5, "41.7")
	// The components are 1/9 for items, 0 for seeds, and 14/72 for the rest: see the test of compare.Variance.
	check(6, fmt.Sprintf("%.2f", 100*math.Sqrt(1.0/9/4)))
	check(7, "0.00")
	check(8, fmt.Sprintf("%.2f", 100*math.Sqrt(14.0/72/4)))
	check(9, "")
	check(10, fmt.Sprintf("%.2f", 100*math.Sqrt(14.0/72/4)))

	refused := func(why string) {
		t.Helper()
		if _, err := made(r, "variance"); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q", err, why)
		}
	}
	all := r.Items
	r.Items = []record.Item{all[0], all[4]}
	refused("no arm of it has two items")
	r.Items = all[:4]
	refused("one seed, and one sample per item")
	for _, generators := range []string{"ab", "aa"} { // two candidates an item: of two generators, and of one
		r.Candidates = nil
		for _, it := range r.Items {
			for i, g := range strings.Split(generators, "") {
				r.Candidates = append(r.Candidates, record.Candidate{Item: it.Item, Arm: "x", Sample: i, Generator: g, Values: it.Values})
			}
		}
		if generators == "ab" {
			refused("no arm of it several samples of one generator")
		}
	}
	if _, err := made(r, "variance"); err != nil {
		t.Errorf("two samples of one generator: %v", err)
	}
}
