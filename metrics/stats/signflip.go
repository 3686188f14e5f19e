package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	maxScale  = 60          // the finest lattice tried has steps of 1/60
	maxSteps  = 200_000_000 // additions that an exact distribution may take
	flipDraws = 19_999      // sign flips drawn if the exact distribution takes too long; P is then a multiple of 1/20,000
)

// SignFlip tests whether the differences of independent units are symmetric about zero: under the null hypothesis each
// difference is equally likely to have the other sign. The statistic is their sum; P is the share of all 2^n sign
// patterns whose sum is at least as far from zero, on either side, as the observed one (Fisher 1935, section 21; Pitman
// 1937).
//
// A unit is whatever is independent of the others: an item with all its seeds, or a database with all its items; its
// difference is then the sum of its items' differences. For units of one pair of 0/1 scores it is McNemar's exact test.
// For clusters it is the permutation form of Obuchowski's (1998) test of clustered pairs.
//
// If the differences are multiples of a common 1/k with k up to 60, all patterns are counted. Otherwise 19,999 patterns
// are drawn, by PCG from seed alone, and P is (1 + number as far) / 20,000, with a warning.
func SignFlip(diffs []float64, seed uint64) Test {
	var moved []float64
	total := 0.0
	for _, d := range diffs {
		mustBe(!math.IsNaN(d) && !math.IsInf(d, 0), "difference %v", d)
		if d != 0 {
			moved = append(moved, math.Abs(d))
			total += d
		}
	}
	if len(moved) == 0 {
		return Test{P: 1, Warnings: []string{"the systems do not differ anywhere"}}
	}
	t := Test{}
	if whole, k, ok := lattice(moved); ok {
		t.P = flipTail(whole, int(math.Round(math.Abs(total)*float64(k))))
	} else {
		t.P = drawnTail(moved, math.Abs(total), rand.New(rand.NewPCG(seed, 0xd1b54a32d192ed03)))
		t.Warnings = append(t.Warnings, fmt.Sprintf("p is of %d random sign flips", flipDraws))
	}
	if len(moved) < 6 { // even 5 of 5 gives 2 * 0.5^5 > 0.05
		t.Warnings = append(t.Warnings, fmt.Sprintf("only %d differences: too few for p to be below 0.05", len(moved)))
	}
	return t
}

// lattice returns the values as whole multiples of 1/k, for the smallest k that fits. ok is false if there is none, or
// if the exact distribution of their signed sum would take too long.
func lattice(xs []float64) (whole []int, k int, ok bool) {
	for k = 1; k <= maxScale; k++ {
		whole = whole[:0]
		sum := 0.0
		for _, x := range xs {
			y := x * float64(k)
			if math.Abs(y-math.Round(y)) > 1e-6 || y > 1e9 {
				break
			}
			whole = append(whole, int(math.Round(y)))
			sum += y
		}
		if len(whole) == len(xs) {
			return whole, k, sum*float64(len(xs)) <= maxSteps
		}
	}
	return nil, 0, false
}

// flipTail returns the share of sign patterns whose sum is at least least away from zero. A pattern's sum is twice the
// sum of its positive part minus the sum of all, so the distribution of the positive part is enough.
func flipTail(whole []int, least int) float64 {
	if least == 0 {
		return 1
	}
	total := 0
	for _, v := range whole {
		total += v
	}
	p := make([]float64, total+1)
	p[0] = 1
	reach := 0
	for _, v := range whole {
		reach += v
		for x := reach; x >= 0; x-- {
			q := p[x]
			if x >= v {
				q += p[x-v]
			}
			p[x] = q / 2
		}
	}
	tail := 0.0
	for x := 0; 2*x <= total-least; x++ {
		tail += p[x]
	}
	return min(1, 2*tail)
}

// drawnTail estimates P from random sign patterns. The observed pattern counts as one of them, so that P is never 0.
func drawnTail(xs []float64, least float64, r *rand.Rand) float64 {
	far := 1
	slack := 1e-9 * (1 + least)
	for range flipDraws {
		sum, bits := 0.0, uint64(0)
		for i, x := range xs {
			if i%64 == 0 {
				bits = r.Uint64()
			}
			if bits&1 == 0 {
				sum += x
			} else {
				sum -= x
			}
			bits >>= 1
		}
		if math.Abs(sum) >= least-slack {
			far++
		}
	}
	return float64(far) / float64(flipDraws+1)
}
