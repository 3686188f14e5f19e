package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// mean of xs; NaN of none.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// upTo is 1 to n.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// keenest is a selection that prefers by a rank of its own, drawn once: of any candidates it takes the first in rank.
func keenest(items []Item, r *rand.Rand) Picker {
	ranks, right := make([][]int, len(items)), make([][]Candidate, len(items))
	for i, it := range items {
		right[i] = it.Scored()
		ranks[i] = r.Perm(len(right[i]))
	}
	return func(item int, among []int) float64 {
		pick := among[0]
		for _, a := range among {
			if ranks[item][a] < ranks[item][pick] {
				pick = a
			}
		}
		return truth(right[item][pick].Correct)
	}
}

// fanLaws are what must hold of the curves of any pools, whether subsets are all taken or drawn: item by item every picker
// is between the bounds, and so at size 1 all are the mean over single candidates; at the size of the largest pool they are
// what whole pools give.
func fanLaws(t *testing.T, items []Item, s Sampling, r *rand.Rand) {
	t.Helper()
	if len(Values(items, Upper)) == 0 {
		return
	}
	pickers := []Picker{Voting(items, First), Voting(items, Shortest), Voting(items, Any), keenest(items, r)}
	most := 0
	single := 0.0
	for _, it := range items {
		if cs := it.Scored(); len(cs) > 0 {
			most = max(most, len(cs))
			single += float64(right(cs)) / float64(len(cs))
		}
	}
	single /= float64(len(Values(items, Upper)))
	const slack = 1e-9
	for _, pt := range Fan(items, upTo(most), s, pickers...) {
		for j, p := range pt.Picked {
			for i, v := range p.Values {
				if v < pt.Lower[i]-slack || v > pt.Upper[i]+slack || v < 0 || v > 1 {
					t.Fatalf("k=%d, picker %d, item %d: %v is not between %v and %v", pt.K, j, i, v, pt.Lower[i], pt.Upper[i])
				}
			}
			if pt.K == 1 && abs(mean(p.Values)-single) > slack || pt.Drawn == 0 && p.SE != 0 {
				t.Fatalf("k=%d, picker %d: %v ± %v, single candidates %v", pt.K, j, mean(p.Values), p.SE, single)
			}
		}
		if pt.K == 1 && (abs(mean(pt.Upper)-single) > slack || abs(mean(pt.Lower)-single) > slack || pt.Drawn > 0) {
			t.Fatalf("k=1: bounds %v and %v, single candidates %v", mean(pt.Lower), mean(pt.Upper), single)
		}
		if pt.K == most {
			for j, rule := range rules {
				near(t, fmt.Sprintf("%s of whole pools", rule), mean(pt.Picked[j].Values), Mean(items, SelfConsistency(rule)).Estimate)
			}
			near(t, "upper of whole pools", mean(pt.Upper), Mean(items, Upper).Estimate)
			near(t, "lower of whole pools", mean(pt.Lower), Mean(items, Lower).Estimate)
		}
	}
}

func TestFanLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		items := random(r, 1+r.IntN(8), 1+r.IntN(10))
		if i%3 == 0 { // right by a metric that does not run it: without a result
			for _, it := range items {
				for c := range it.Candidates {
					if r.IntN(2) == 0 {
						it.Candidates[c].Digest = ""
					}
				}
			}
		}
		fanLaws(t, items, Sampling{}, r)
		fanLaws(t, items, Sampling{All: 1, Draws: 3}, r)
	}
}

// TestFanByHand: of a, a and b the first two are right. Of two, {a,a} is right and {a,b}, twice, half under Any:
// 1/3 + 2/3 · 1/2. Under First every pair is right.
func TestFanByHand(t *testing.T) {
	items := []Item{made("0", "q?"), made("1", "q+a", "q+a", "q-b")}
	got := Fan(items, []int{1, 2, 3, 4}, Sampling{}, Voting(items, Any), Voting(items, First))
	check := func(k int, upper, lower, any, first float64) {
		t.Helper()
		p := got[k-1]
		if p.K != k || len(p.Upper) != 1 || p.Drawn != 0 {
			t.Fatalf("%+v", p)
		}
		near(t, fmt.Sprint("upper at ", k), p.Upper[0], upper)
		near(t, fmt.Sprint("lower at ", k), p.Lower[0], lower)
		near(t, fmt.Sprint("any at ", k), p.Picked[0].Values[0], any)
		near(t, fmt.Sprint("first at ", k), p.Picked[1].Values[0], first)
	}
	check(1, 2.0/3, 2.0/3, 2.0/3, 2.0/3)
	check(2, 1, 1.0/3, 2.0/3, 1)
	check(3, 1, 0, 1, 1)
	check(4, 1, 0, 1, 1) // a pool of three counts whole
}

// TestDrawnNearsExact: random subsets give what all of them give, within four standard errors as they state them; over
// many pools the errors are as large as stated.
func TestDrawnNearsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	squares, n := 0.0, 0
	for trial := range 40 {
		items := random(r, 10, 9)
		p := Voting(items, Any)
		exact := Fan(items, upTo(9), Sampling{All: 1000}, p)
		drawn := Fan(items, upTo(9), Sampling{All: 1, Draws: 50, Seed: uint64(trial)}, p)
		for k := range exact {
			a, b := mean(exact[k].Picked[0].Values), drawn[k].Picked[0]
			if math.IsNaN(a) || b.SE == 0 {
				continue
			}
			z := (mean(b.Values) - a) / b.SE
			if abs(z) > 4.5 {
				t.Errorf("trial %d, k=%d: %v ± %v, exactly %v", trial, k+1, mean(b.Values), b.SE, a)
			}
			squares += z * z
			n++
		}
	}
	if s := math.Sqrt(squares / float64(n)); n < 100 || s < 0.8 || s > 1.25 {
		t.Errorf("over %d sizes the errors are %v of the stated standard error", n, s)
	}
}

// TestSameSubsets: all pickers of a call see the same subsets, and nothing but the seed decides which.
func TestSameSubsets(t *testing.T) {
	items := random(rand.New(rand.NewPCG(5, 6)), 20, 9)
	draw := func(seed uint64) (out []float64) {
		for _, pt := range Fan(items, upTo(9), Sampling{Seed: seed, All: 1, Draws: 20}, Voting(items, Any), Voting(items, Any)) {
			if !slices.Equal(pt.Picked[0].Values, pt.Picked[1].Values) {
				t.Errorf("k=%d: two pickers alike give other values", pt.K)
			}
			out = append(out, pt.Picked[0].Values...)
		}
		return out
	}
	if !slices.Equal(draw(1), draw(1)) {
		t.Error("the same seed gives other numbers")
	}
	if slices.Equal(draw(1), draw(2)) {
		t.Error("another seed gives the same numbers")
	}
}

func TestSubsetsAreEquallyLikely(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	count := map[string]int{}
	const draws = 60_000
	for range draws {
		count[fmt.Sprint(subset([]int{1, 2, 3, 4}, 2, r))]++
	}
	if len(count) != 6 {
		t.Errorf("%d subsets of 2 from 4", len(count))
	}
	for k, n := range count {
		if abs(float64(n)-draws/6) > 500 { // five standard deviations: sqrt(60000 * 1/6 * 5/6) = 91
			t.Errorf("%s was drawn %d times", k, n)
		}
	}
}
