package paper

import (
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
)

// TestFidelityStandsInTheReport: a report of a paper's experiment has the sheet in its folder and a line of counts above its
// tables, whatever tables the experiment names; another has neither.
func TestFidelityStandsInTheReport(t *testing.T) {
	check := func(experiment, tables string, names []string, want bool) {
		t.Helper()
		r := sampleRun(t)
		e, err := configs.Load("quickstart", catalog.Known, configs.Options{Set: []string{"report.tables=" + tables}})
		if err != nil {
			t.Fatal(err)
		}
		r.Resolved.Name, r.Resolved.Report = experiment, e.Report
		rep, err := Make(r, Options{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(rep.Outputs, func(o Output) bool { return o.Name == fidelityName })
		if (at >= 0) != want {
			t.Fatalf("%s, %s, %v: the sheet is there: %v", experiment, tables, names, at >= 0)
		}
		if want && (rep.Outputs[at].Aside != (names == nil) || len(rep.Outputs[at].Table.Rows) < 5) {
			t.Errorf("%s: %+v", experiment, rep.Outputs[at])
		}
		counted := slices.ContainsFunc(rep.Notes, func(n string) bool { return strings.HasPrefix(n, "Fidelity to Tai et al.") })
		if counted != (experiment == "tai-formats" || strings.HasPrefix(tables, "tai2023")) {
			t.Errorf("%s, %s: the notes are %q", experiment, tables, rep.Notes)
		}
	}
	check("mine", "arms", nil, false)
	check("mine", "tai2023/table1", nil, true)
	check("tai-formats", "arms", nil, true)
	check("tai-formats", "arms", []string{"arms"}, false)
	check("tai-formats", "arms", []string{"fidelity"}, true)
	var none *record.Run
	if !slices.ContainsFunc(List(none), func(i Info) bool { return i.Name == fidelityName }) {
		t.Error("the list of tables lacks it")
	}
}
