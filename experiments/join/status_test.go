package join

import (
	"testing"

	"assay/experiments/record"
	"assay/metrics"
)

// TestStatusIsOfTheHeadline holds that an answer's status agrees with the metric that the joined run begins with.
func TestStatusIsOfTheHeadline(t *testing.T) {
	check := func(s metrics.Status, v record.Value, want metrics.Status) {
		t.Helper()
		a, b := run(t, "1", "", ts, ex), run(t, "2", "[model]\ntemperature = 1", ex)
		a.Items[0].Status, a.Items[0].Values[1] = s, v
		a.Candidates[0].Status, a.Candidates[0].Values[1] = s, v
		b.Items[0].Status = s // its headline is the joined run's
		got, err := Runs([]*record.Run{a, b})
		if err != nil {
			t.Fatal(err)
		}
		if got.Items[0].Status != want || got.Candidates[0].Status != want || got.Items[2].Status != s {
			t.Errorf("%s with %+v: %s, %s and %s", s, v, got.Items[0].Status, got.Candidates[0].Status, got.Items[2].Status)
		}
	}
	check(metrics.Correct, record.Value{V: 1, OK: true}, metrics.Correct)
	check(metrics.Correct, record.Value{OK: true}, metrics.Wrong)
	check(metrics.Correct, record.Value{V: 0.5, OK: true}, metrics.Wrong)
	check(metrics.Wrong, record.Value{V: 1, OK: true}, metrics.Correct)
	check(metrics.SQLError, record.Value{OK: true}, metrics.SQLError)
	check(metrics.SQLError, record.Value{V: 1, OK: true}, metrics.Correct)
	check(metrics.GoldError, record.Value{OK: true}, metrics.Wrong)
	check(metrics.Wrong, record.Value{}, metrics.GoldError)
	check(metrics.ModelError, record.Value{}, metrics.ModelError)
}
