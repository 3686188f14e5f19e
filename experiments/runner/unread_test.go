package runner_test

import (
	"context"
	"testing"

	"assay/experiments/runner"
	"assay/experiments/store"
	"assay/metrics"
)

// An item whose database cannot be read is asked nothing and has no score, although its gold query may run: the damage need
// not be where the gold query reads.
func TestAnUnreadDatabaseCostsItsItems(t *testing.T) {
	p := makePlan(t, t.TempDir())
	p.Set.Examples[0].Fault = "table \"a\": database disk image is malformed"
	res, err := runner.Run(context.Background(), p, runner.Options{Store: store.Open(t.TempDir()), Model: newCounting(nil).open})
	if err != nil {
		t.Fatal(err)
	}
	r, spoiled := read(t, res), p.Set.Examples[0].Question.ID
	for _, it := range r.Items {
		if (it.Status == metrics.GoldError) != (it.Item == spoiled) {
			t.Errorf("%s of %s is %s", it.Item, it.Arm, it.Status)
		}
	}
	for _, c := range r.Calls {
		if c.Item == spoiled {
			t.Errorf("a call for %s by %s", c.Item, c.Arm)
		}
	}
}
