package process

import (
	"fmt"
	"math"
	"testing"
)

func TestEffectOf(t *testing.T) {
	check := func(trials []Trial, want string) {
		t.Helper()
		e := EffectOf(trials, 0.95, 500, 1)
		got := fmt.Sprintf("%d trials, -%d +%d, %.2f, %d of %d tokens", e.Trials, e.Lost, e.Found, e.Difference.Estimate, e.Idle, e.Tokens)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if d := e.Difference; e.Trials > 0 && (d.Low > d.Estimate || d.High < d.Estimate || d.Low == d.High || d.Low < -1 || d.High > 1) {
			t.Errorf("%s: an interval from %v to %v", want, d.Low, d.High)
		}
	}
	check([]Trial{{"a", true, true, true, 10}, {"a", true, false, false, 20}, {"b", false, true, false, 5}, {"c", true, false, false, 0}},
		"4 trials, -2 +1, -0.25, 10 of 35 tokens")
	check([]Trial{{"a", true, true, true, 1}, {"b", false, false, true, 2}}, "2 trials, -0 +0, 0.00, 3 of 3 tokens")
	check([]Trial{{"a", true, false, false, 1}}, "1 trials, -1 +0, -1.00, 0 of 1 tokens")
	if e := EffectOf(nil, 0.95, 500, 1); !math.IsNaN(e.Difference.Estimate) {
		t.Errorf("no trial: %v", e)
	}
}
