package paper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
)

// ended is a run of two arms over three items and two seeds, with the calls written "arm item seed finish"; a finish "-" is
// not known.
func ended(t *testing.T, calls ...string) *record.Run {
	t.Helper()
	e := experiment(t, "[0, 1]", `kind = "sample"`, twoArms)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "x", Experiment: e.Name, Complete: true, Dataset: "sample/dev", Metrics: []record.Metric{{ID: "ex"}}}}
	for _, a := range e.Arms {
		for seed := range int64(2) {
			for i := range 3 {
				r.Items = append(r.Items, record.Item{Item: fmt.Sprint(i), DB: "d", Hardness: "easy", Arm: a.Name, Seed: seed, Status: metrics.Wrong, Values: []record.Value{{OK: true}}})
			}
		}
	}
	for _, s := range calls {
		f := strings.Fields(s)
		r.Calls = append(r.Calls, record.Call{Arm: f[0], Item: f[1], Seed: int64(f[2][0] - '0'), Finish: strings.Trim(f[3], "-")})
	}
	return r
}

func TestCutByLength(t *testing.T) {
	first, second := ended(t).Resolved.Arms[0].Name, ended(t).Resolved.Arms[1].Name
	const name = "truncated"
	check := func(what, table, cells, note string, calls ...string) {
		t.Helper()
		tb := one(t, ended(t, calls...), table).Table
		var got []string
		for i, c := range tb.Columns {
			if c.Name != name {
				continue
			}
			for _, row := range tb.Rows {
				got = append(got, row[i].String())
			}
		}
		if fmt.Sprintf("%q", got) != cells {
			t.Errorf("%s, %s: %q, want %s", what, table, got, cells)
		}
		said := strings.Join(slices.DeleteFunc(strings.Split(said(t, ended(t, calls...), table), "\n"), func(n string) bool { return !strings.Contains(n, "Truncated, ") }), "|")
		if note == "" && said != "" || !strings.Contains(said, note) {
			t.Errorf("%s, %s: note %q, want %q", what, table, said, note)
		}
	}
	cut := []string{first + " 0 0 length", first + " 0 0 length", first + " 0 1 stop", first + " 1 1 length", first + " 2 0 stop", second + " 0 0 stop"}
	// Two answers: item 0 of seed 0, however many of its calls were cut, and item 1 of seed 1.
	check("two are cut", "arms", `["2" "0"]`, "2 of 6 answers under Standard.", cut...)
	check("two are cut", "statuses", `["2" "0"]`, "2 of 6 answers under Standard", cut...)
	check("a table without the column", "hardness", `[]`, "2 of 6 answers under Standard", cut...)
	check("the second arm is not known", "arms", `["1" ""]`, "1 of 6 answers", first+" 0 0 length", second+" 0 0 -")
	check("none is cut", "arms", `[]`, "", first+" 0 0 stop", second+" 0 0 tool_calls")
	check("none is cut", "statuses", `["0" "0"]`, "", first+" 0 0 stop", second+" 0 0 tool_calls")
	check("an older run", "arms", `[]`, "", first+" 0 0 -", second+" 0 0 -")
	check("an older run", "statuses", `[]`, "", first+" 0 0 -", second+" 0 0 -")
	check("no calls", "statuses", `[]`, "")
	check("calls of nothing", "statuses", `[]`, "", "other 0 0 length")
	f := one(t, ended(t, cut...), "bars-hardness").Figure
	if _, caption := f.Words(); !strings.Contains(strings.Join(caption, " "), "2 of 6 answers under Standard") {
		t.Errorf("the figure says %q", caption)
	}
}
