package plan

import (
	"strings"
	"testing"

	"assay/experiments/dataset"
)

func TestSuiteNotes(t *testing.T) {
	check := func(metrics, suites, want string) {
		t.Helper()
		var items []dataset.Example
		for _, s := range strings.Split(suites, " ") {
			items = append(items, dataset.Example{Suite: strings.Split(s, ",")})
		}
		notes := strings.Join(SuiteNotes(strings.Fields(metrics), items), "\n")
		if want == "" && notes != "" || !strings.Contains(notes, want) {
			t.Errorf("%s on %s: %q", metrics, suites, notes)
		}
	}
	check("ts ex", "a a", "so ts is execution")
	check("ts-strict ts", "a", "so ts-strict, ts are execution")
	check("ts ex", "a a,b", "")
	check("ex em", "a", "")
}
