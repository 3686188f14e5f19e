package pool

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// random is items with pools of 1 to most candidates of three generators, one of them chosen.
func random(r *rand.Rand, n, most int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i].ID = fmt.Sprint(i)
		share := r.Float64()
		for j := range 1 + r.IntN(most) {
			c := Candidate{Generator: []string{"q", "d", "o"}[r.IntN(3)], Sample: j, Scored: r.IntN(20) > 0, SQL: "select"[:r.IntN(7)]}
			if r.IntN(8) > 0 { // the gold's result is "right"
				c.Digest = []string{"a", "b", "c"}[r.IntN(3)]
				if r.Float64() < share {
					c.Digest, c.Correct = "right", true
				}
			}
			items[i].Candidates = append(items[i].Candidates, c)
		}
		if scored := indexes(items[i]); len(scored) > 0 {
			items[i].Candidates[scored[r.IntN(len(scored))]].Chosen = true
		}
	}
	return items
}

func indexes(it Item) (out []int) {
	for i, c := range it.Candidates {
		if c.Scored {
			out = append(out, i)
		}
	}
	return out
}

// laws are what must hold of any items, each of whose pools has one chosen candidate that is scored.
func laws(t *testing.T, items []Item) {
	t.Helper()
	s := Sampling{Seed: 7, Resamples: 5, Draws: 5}
	b, sel, v := Bounds(items), Select(items, s), VennOf(items)
	if b.Items == 0 {
		return
	}
	const slack = 1e-9
	if sel.Chosen.Estimate > b.Upper.Estimate+slack || sel.Chosen.Estimate < b.Lower.Estimate-slack {
		t.Errorf("chosen %v is not between %v and %v", sel.Chosen.Estimate, b.Lower.Estimate, b.Upper.Estimate)
	}
	for _, rule := range Rules {
		for _, a := range SelfConsistencyCurve(items, rule, s) {
			if a.Value.Estimate > b.Upper.Estimate+slack {
				t.Errorf("%s at %d is above the upper bound", rule, a.K)
			}
		}
		if o := Oracle(items, rule, s).Estimate; o > b.Upper.Estimate+slack {
			t.Errorf("the oracle of %s is above the upper bound", rule)
		}
	}
	curve := Curve(items, s)
	for i, p := range curve {
		if i > 0 && (p.Upper.Estimate < curve[i-1].Upper.Estimate-slack || p.Lower.Estimate > curve[i-1].Lower.Estimate+slack) {
			t.Errorf("the curve turns back at %d", p.K)
		}
		if p.Upper.Estimate < p.Lower.Estimate-slack {
			t.Errorf("the bounds cross at %d", p.K)
		}
	}
	if last := curve[len(curve)-1]; abs(last.Upper.Estimate-b.Upper.Estimate) > slack || abs(last.Lower.Estimate-b.Lower.Estimate) > slack {
		t.Errorf("the curve ends at %v and %v, the bounds are %v and %v", last.Upper.Estimate, last.Lower.Estimate, b.Upper.Estimate, b.Lower.Estimate)
	}
	solved := 0
	for _, r := range v.Regions {
		solved += len(r.Items)
	}
	if solved+len(v.None) != b.Items || abs(float64(solved)/float64(b.Items)-b.Upper.Estimate) > slack {
		t.Errorf("%d solved and %d not, of %d", solved, len(v.None), b.Items)
	}
	for i, g := range v.Generators {
		if Bounds(Only(items, g)).Upper.Estimate*float64(Bounds(Only(items, g)).Items) < float64(v.Unique()[i])-slack {
			t.Errorf("%s solves less than what it alone solves", g)
		}
	}
	total := 0
	for _, n := range Split(items) {
		total += n
	}
	if total != len(items) {
		t.Errorf("%d outcomes of %d items", total, len(items))
	}
}

func abs(x float64) float64 { return max(x, -x) }

func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		laws(t, random(r, 1+r.IntN(12), 1+r.IntN(9)))
	}
}

func FuzzLaws(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, n, most uint8) {
		laws(t, random(rand.New(rand.NewPCG(seed, 5)), 1+int(n%20), 1+int(most%12)))
	})
}

// TestSameSeedSameNumbers holds that nothing but the seed decides what is drawn.
func TestSameSeedSameNumbers(t *testing.T) {
	items := random(rand.New(rand.NewPCG(5, 6)), 20, 9)
	draw := func(seed uint64) []float64 {
		s := Sampling{Seed: seed, Resamples: 50, Draws: 20}
		u, l := Sampled(items, 3, s)
		out := []float64{u, l}
		for _, a := range SelfConsistencyCurve(items, Any, s) {
			out = append(out, a.Value.Low, a.Value.Estimate, a.Value.High)
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
	cs := made("x", "1-", "2-", "3-", "4-").Candidates
	count := map[string]int{}
	const draws = 60_000
	for range draws {
		s := subset(cs, 2, r)
		count[s[0].Generator+s[1].Generator]++
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

func BenchmarkCurve(b *testing.B) {
	items := random(rand.New(rand.NewPCG(1, 1)), 1534, 21)
	for b.Loop() {
		Curve(items, Sampling{Resamples: 1})
	}
}
