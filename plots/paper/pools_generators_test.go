package paper

import (
	"slices"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/metrics/pool"
)

// A pool's generators are those that the arm asks, and those that candidates name; a file of predictions asks none.
func TestGenerators(t *testing.T) {
	check := func(method string, candidates []string, want ...string) {
		t.Helper()
		var it pool.Item
		for _, g := range candidates {
			it.Candidates = append(it.Candidates, pool.Candidate{Generator: g, Scored: true})
		}
		r := row{Series: &record.Series{Config: configs.Arm{Method: method, Row: catalog.Known.Method(method)}}}
		if got := generators(r, []pooled{{items: []pool.Item{it}}}); !slices.Equal(got, want) {
			t.Errorf("%s with %q: %q, want %q", method, candidates, got, want)
		}
	}
	check("imported", []string{"one", "two"}, "one", "two")
	check("imported", []string{""})
	check("dc-cot", nil, "dc-cot")
	check("dc-cot", []string{"dc-cot", "os"}, "dc-cot", "os")
}
