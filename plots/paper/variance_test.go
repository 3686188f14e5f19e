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
	outs, err := Make(r, "variance")
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

	r.Items = r.Items[:4]
	if _, err := Make(r, "variance"); err == nil || !strings.Contains(err.Error(), "one seed, and one sample") {
		t.Errorf("one seed: %v", err)
	}
}
