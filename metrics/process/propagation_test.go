package process

import (
	"fmt"
	"math"
	"testing"
)

func TestPropagate(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 5e-5 && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s is %.5f, want %.5f", what, got, want)
		}
	}
	// 56 of 70 wrong after an error, 48 of 80 without: Newcombe (1998), table II (a), method 10.
	var paths []Path
	add := func(n int, level string, bad, wrong bool, against float64) {
		for range n {
			paths = append(paths, Path{fmt.Sprint(len(paths)), level, bad, wrong, against})
		}
	}
	add(56, "easy", true, true, 0.5)
	add(14, "easy", true, false, 0.5)
	add(48, "easy", false, true, 1)
	add(32, "easy", false, false, 0)
	p := Propagate(paths, 0.95, 500, 1)
	if p.Errors != 70 || p.Clean != 80 || p.Pairs != 150 || p.PairsOfErrors != 70 {
		t.Errorf("%+v", p)
	}
	near("with", p.With.Estimate, 0.8)
	near("difference", p.Difference.Estimate, 0.2)
	near("low", p.Difference.Low, 0.0524)
	near("high", p.Difference.High, 0.3339)
	near("ratio", p.Ratio.Estimate, 0.8/0.6)
	near("one level", p.Within.Estimate, 0.2)
	near("gap after an error", p.GapWith.Estimate, 14.0/70-0.5)
	near("gap without", p.GapWithout.Estimate, 32.0/80-48.0/80)
	near("excess", p.Excess.Estimate, -0.3+0.2)
	if p.Excess.Low >= p.Excess.Estimate || p.Excess.High <= p.Excess.Estimate || p.Within.Low >= 0.2 {
		t.Errorf("no intervals: %+v %+v", p.Excess, p.Within)
	}
	if q := Propagate(paths, 0.95, 500, 1); q.Excess.Low != p.Excess.Low || q.Within.High != p.Within.High {
		t.Error("not the same again")
	}
	// Levels explain all: easy items have no error and are right, hard ones have one in every second answer and are wrong.
	paths = nil
	add(40, "easy", false, false, math.NaN())
	add(20, "hard", true, true, math.NaN())
	add(20, "hard", false, true, math.NaN())
	p = Propagate(paths, 0.95, 100, 1)
	near("difference", p.Difference.Estimate, 1-20.0/60)
	near("within levels", p.Within.Estimate, 0)
	near("no pairs", p.Excess.Estimate, math.NaN())
	// One side alone says nothing.
	for _, bad := range []bool{true, false} {
		paths = nil
		add(3, "", bad, true, 1)
		p = Propagate(paths, 0.95, 100, 1)
		near("difference of one side", p.Difference.Estimate, math.NaN())
		near("within of one side", p.Within.Estimate, math.NaN())
	}
	near("nothing", Propagate(nil, 0.95, 100, 1).Difference.Estimate, math.NaN())
}
