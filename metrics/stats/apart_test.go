package stats

import (
	"math"
	"testing"
)

func TestApart(t *testing.T) {
	check := func(k1, n1, k2, n2 int, estimate, low, high float64) {
		t.Helper()
		in := Apart(Wilson(k1, n1, 0.95), Wilson(k2, n2, 0.95))
		for i, pair := range [][2]float64{{in.Estimate, estimate}, {in.Low, low}, {in.High, high}} {
			if math.Abs(pair[0]-pair[1]) > 5e-5 {
				t.Errorf("%d of %d less %d of %d: number %d is %.5f, want %.4f", k2, n2, k1, n1, i, pair[0], pair[1])
			}
		}
	}
	// Newcombe (1998), table II, method 10, cases (a) to (d) and (h).
	check(48, 80, 56, 70, 0.2, 0.0524, 0.3339)
	check(3, 10, 9, 10, 0.6, 0.1705, 0.8090)
	check(2, 7, 6, 7, 0.5714, 0.0582, 0.8062)
	check(0, 29, 5, 56, 0.0893, -0.0381, 0.1926)
	check(0, 10, 10, 10, 1, 0.6075, 1)
	if in := Apart(Wilson(0, 0, 0.95), Wilson(1, 2, 0.95)); !math.IsNaN(in.Estimate) || in.Low != -1 || in.High != 1 {
		t.Errorf("nothing known: %+v", in)
	}
}

func TestRatio(t *testing.T) {
	a, b := Wilson(20, 100, 0.95), Wilson(40, 100, 0.95)
	in := Ratio(a, b)
	if math.Abs(in.Estimate-2) > 1e-12 || in.Low <= 1 || in.Low >= 2 || in.High <= 2 || in.High > 4 {
		t.Errorf("40 of 100 over 20 of 100: %+v", in)
	}
	// Swapped, the bounds are each other's inverses.
	back := Ratio(b, a)
	if math.Abs(back.Low*in.High-1) > 1e-9 || math.Abs(back.High*in.Low-1) > 1e-9 {
		t.Errorf("the other way round: %+v and %+v", in, back)
	}
	if in := Ratio(Wilson(0, 10, 0.95), b); !math.IsNaN(in.Estimate) {
		t.Errorf("over 0: %+v", in)
	}
	if in := Ratio(Wilson(10, 10, 0.95), Wilson(0, 10, 0.95)); in.Estimate != 0 || in.Low != 0 || math.IsInf(in.High, 1) {
		t.Errorf("0 over all: %+v", in)
	}
}
