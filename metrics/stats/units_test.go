package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// alike returns units with these means and equal weights.
func alike(means ...float64) (out []Unit) {
	for _, x := range means {
		out = append(out, Unit{Mean: x, Weight: 1})
	}
	return out
}

// repeated is n units of one mean.
func repeated(x float64, n int) []Unit {
	means := make([]float64, n)
	for i := range means {
		means[i] = x
	}
	return alike(means...)
}

func TestShare(t *testing.T) {
	check := func(units []Unit, estimate, low, high float64) {
		t.Helper()
		in := Share(units, 0.95)
		if !near(in.Estimate, estimate, 1e-9) || !near(in.Low, low, 5e-5) || !near(in.High, high, 5e-5) {
			t.Errorf("%v: %+v, want %v [%v, %v]", units, in, estimate, low, high)
		}
	}
	// All right or all wrong: n/(n+z²) and z²/(n+z²) with z² = 3.8415, as Wilson's of 15 of 15 and 0 of 15.
	check(repeated(1, 15), 1, 0.7961, 1)
	check(repeated(0, 15), 0, 0, 0.2039)
	// All items right under 3 of 5 seeds: Wilson's of p = 0.6, n = 15: (9 + z²/2 ± z·sqrt(15·0.24 + z²/4))/(15 + z²).
	check(repeated(0.6, 15), 0.6, 0.3575, 0.8018)
	// p = 0.625, squares 0.6875, of 4·0.2344 = 0.9375. With those squares Wilson's is [0.2429, 0.8846]. Between units lie
	// (0.6875 + z²·0.2344)/((4 + z²)·0.2344) = 0.8640, so that they are 4.6298, of which Wilson's is [0.2374, 0.8992].
	check(alike(1, 1, 0.5, 0), 0.625, 0.2374, 0.8992)
	// Weights 2, 1, 1 are 1/(1/4 + 1/16 + 1/16) = 8/3 units: of 0/1 means Wilson's of p = 1/2 and n = 8/3.
	check([]Unit{{1, 2}, {0, 1}, {0, 1}}, 0.5, 0.1159, 0.8841)
	check([]Unit{{1, 0.5}, {0, 0.25}, {0, 0.25}}, 0.5, 0.1159, 0.8841)
	if none := Share(nil, 0.95); !math.IsNaN(none.Estimate) || none.Low != 0 || none.High != 1 {
		t.Errorf("of nothing: %+v", none)
	}
}

// TestShareLaws: what must hold of any means.
func TestShareLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, seeds := 1+r.IntN(40), 1+r.IntN(5)
		units, mirrored, k, chance := make([]Unit, n), make([]Unit, n), 0, r.Float64()
		for i := range units {
			right := 0
			for range seeds {
				if r.Float64() < chance {
					right++
				}
			}
			k += right
			units[i] = Unit{float64(right) / float64(seeds), 0.25}
			mirrored[i] = Unit{1 - units[i].Mean, 3}
		}
		in, other := Share(units, 0.95), Share(mirrored, 0.95)
		if !near(in.Estimate, float64(k)/float64(n*seeds), 1e-12) || in.Low > in.Estimate || in.High < in.Estimate || in.Low < 0 || in.High > 1 || in.Low >= in.High {
			t.Fatalf("%v: %+v", units, in)
		}
		if !near(in.Low, 1-other.High, 1e-12) || !near(in.High, 1-other.Low, 1e-12) {
			t.Fatalf("%v: %+v, wrong for right %+v", units, in, other)
		}
		if one := Wilson(k, n*seeds, 0.95); seeds == 1 && (!near(in.Low, one.Low, 1e-12) || !near(in.High, one.High, 1e-12)) {
			t.Fatalf("one seed, %d of %d: %+v, Wilson %+v", k, n, in, one)
		}
		// More scores per item only help: the interval is never wider than if each mean were one score.
		if whole := wilson(in.Estimate, float64(n), in.Estimate*(1-in.Estimate), quantile(0.95)); in.Low < whole[0]-1e-9 || in.High > whole[1]+1e-9 {
			t.Fatalf("%v: %+v is wider than Wilson's of as many items, %v", units, in, whole)
		}
	}
}

// TestShareCovers draws samples of items whose chances to be right are known, each asked under several seeds, and counts
// how often the interval has the mean chance. 95 % is meant; Wilson's own of few items
// is known to have less for some chances.
func TestShareCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const samples = 4000
	check := func(what string, mean float64, chance func() float64) {
		t.Helper()
		for _, n := range []int{4, 15, 30, 100} {
			for _, seeds := range []int{2, 5} { // of one it is Wilson's
				held, units := 0, make([]Unit, n)
				for range samples {
					for i := range units {
						p, right := chance(), 0
						for range seeds {
							if r.Float64() < p {
								right++
							}
						}
						units[i] = Unit{float64(right) / float64(seeds), 1}
					}
					if in := Share(units, 0.95); in.Low <= mean && mean <= in.High {
						held++
					}
				}
				if share := float64(held) / samples; share < 0.92 {
					t.Errorf("%s, %d items, %d seeds: it covers %v", what, n, seeds, share)
				}
			}
		}
	}
	either := func(share, p, q float64) func() float64 {
		return func() float64 {
			if r.Float64() < share {
				return p
			}
			return q
		}
	}
	check("every seed answers the same", 0.8, either(0.8, 1, 0))
	check("every item as likely", 0.5, either(1, 0.5, 0))
	check("every item as likely to be nearly always right", 0.98, either(1, 0.98, 0))
	check("a few items that are never right", 0.95*0.99, either(0.95, 0.99, 0))
	check("a fifth of the items in the balance", 0.9, either(0.8, 1, 0.5))
}

func TestAlike(t *testing.T) {
	check := func(d float64, n int, low, high float64) {
		t.Helper()
		if in := Alike(d, n, 0.95); in.Estimate != d || !near(in.Low, low, 1e-12) || !near(in.High, high, 1e-12) {
			t.Errorf("%d differences of %v: %+v, want [%v, %v]", n, d, in, low, high)
		}
	}
	// No difference where both are right everywhere: Newcombe's, z²/(n+z²) to either side.
	for _, n := range []int{1, 4, 54, 1034} {
		in := Newcombe(n, 0, 0, 0, 0.95)
		check(0, n, in.Low, in.High)
	}
	check(1, 15, (15-3.841458820694124)/18.841458820694124, 1)
	check(-1, 15, -1, -(15-3.841458820694124)/18.841458820694124)
}
