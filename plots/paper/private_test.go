package paper

import (
	"slices"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
)

// Questions of one's own in Spider's form have its name, and are not what published numbers are over.
func TestPrivateDatabases(t *testing.T) {
	r := fake(experiment(t, "[0]", "kind = \"spider\"\npath = \"/data/mine\"", taiArms), "spider/dev", []string{"shop"}, 8, spiderLabel)
	if names := Default(r); slices.Contains(names, "tai2023/table1") {
		t.Errorf("published numbers beside those of other databases: %v", names)
	}
	check := func(name, want string) {
		t.Helper()
		notes := strings.Join(one(t, r, name).Table.Notes, "\n")
		if !strings.Contains(notes, want) {
			t.Errorf("%s: no %q in\n%s", name, want, notes)
		}
	}
	check("tai2023/table1", "This run's items are of other databases in the form of spider/dev, so the two cannot be compared.")
	check("it2s/table2", "Items: spider/dev (other databases) 8.")
	check("it2s/table2", "This run's items are spider/dev (other databases), so the two cannot be compared.")
}

func TestNothingToDrawWithoutAScore(t *testing.T) {
	r := sampleRun(t)
	for i := range r.Items {
		r.Items[i].Status, r.Items[i].Values = metrics.ModelError, make([]record.Value, 2)
	}
	if names := Default(r); slices.Contains(names, "bars-hardness") || !slices.Contains(names, "statuses") {
		t.Errorf("%v", names)
	}
	if _, err := made(r, "bars-hardness"); err == nil || !strings.Contains(err.Error(), "none of its answers has a score") {
		t.Error(err)
	}
}
