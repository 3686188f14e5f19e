package stats

import (
	"math"
	"testing"
)

func TestFixed(t *testing.T) {
	check := func(f float64, decimals int, want string) {
		t.Helper()
		if got := Fixed(f, decimals); got != want {
			t.Errorf("Fixed(%v, %d) = %s, want %s", f, decimals, got, want)
		}
		if neg := Fixed(-f, decimals); f > 0 && f <= math.MaxFloat64 && want != "0.0" && neg != "-"+want {
			t.Errorf("Fixed(%v, %d) = %s, want -%s", -f, decimals, neg, want)
		}
	}
	check(1.25, 1, "1.3")
	check(100*0.0125, 1, "1.3")
	check(100*(0.2625-0.25), 1, "1.3") // a difference of means
	check(100*(1.0/80), 1, "1.3")
	check(2.675, 2, "2.68") // the double is 2.67499999999999982
	check(1.005, 2, "1.01")
	check(100*107/4000.0, 2, "2.68")
	check(0.15, 1, "0.2")
	check(0.5, 0, "1")
	check(2.5, 0, "3")
	check(2.4999999, 0, "2")
	check(1.2499, 1, "1.2")
	check(99.95, 1, "100.0")
	check(0.04, 1, "0.0")
	check(-0.04, 1, "0.0")
	check(math.Copysign(0, -1), 1, "0.0")
	check(0, 0, "0")
	check(1<<53, 0, "9007199254740992")
	check(1234567890123, 1, "1234567890123.0")
	check(math.Inf(1), 1, "+Inf")
	check(math.NaN(), 1, "NaN")
	// Every half of a share k/n prints as the larger: of 2000, odd k are.
	for k := 1; k < 2000; k += 2 {
		if got, want := Fixed(100*float64(k)/2000, 1), Fixed(float64(k/2+1)/10, 1); got != want {
			t.Errorf("%d of 2000 is %s, want %s", k, got, want)
		}
	}
}
