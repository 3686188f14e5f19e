package configs

import (
	"slices"
	"strings"
	"testing"
)

// TestSweptReports: a table of a sweep is refused where there is none, with its line.
func TestSweptReports(t *testing.T) {
	check := func(axes []axis, want int) {
		t.Helper()
		l := &loader{src: &source{}, known: Known{Reports: Choices{{ID: "arms"}, {ID: "sweep"}}, Swept: []string{"sweep"}}, refused: map[string]bool{}}
		l.neededReports(&document{top: layer{"report.tables": {v: []string{"arms", "sweep"}}}, axes: axes})
		n := 0
		for _, p := range l.problems {
			if strings.Contains(p.text, `report.tables: "sweep" needs a sweep`) {
				n++
			}
		}
		if n != want || len(l.problems) != want {
			t.Errorf("got %v", slices.Clone(l.problems))
		}
	}
	check(nil, 1)
	check([]axis{{}}, 0)
}
