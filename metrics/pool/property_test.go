package pool

import (
	"fmt"
	"math/rand/v2"
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

// laws checks what must hold for any items, if each pool has one chosen candidate that is scored.
func laws(t *testing.T, items []Item) {
	t.Helper()
	v, top, bottom := VennOf(items), Mean(items, Upper), Mean(items, Lower)
	scored := len(Values(items, Upper))
	if scored == 0 {
		return
	}
	const slack = 1e-9
	if c := Mean(items, Chosen).Estimate; c > top.Estimate+slack || c < bottom.Estimate-slack {
		t.Errorf("chosen %v is not between %v and %v", c, bottom.Estimate, top.Estimate)
	}
	for _, rule := range rules {
		if o := Mean(items, Oracle(rule)).Estimate; o > top.Estimate+slack {
			t.Errorf("the oracle of %s is above the upper bound", rule)
		}
	}
	solved := 0
	for _, r := range v.Regions {
		solved += len(r.Items)
	}
	if solved+len(v.None) != scored || abs(float64(solved)/float64(scored)-top.Estimate) > slack {
		t.Errorf("%d solved and %d not, of %d", solved, len(v.None), scored)
	}
	for i, g := range v.Generators {
		own := 0.0
		for _, x := range Values(Only(items, g), Upper) {
			own += x.Value
		}
		if own < float64(v.Unique()[i])-slack {
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

func BenchmarkFan(b *testing.B) {
	items := random(rand.New(rand.NewPCG(1, 1)), 1534, 21)
	sizes := make([]int, 21)
	for k := range sizes {
		sizes[k] = k + 1
	}
	for b.Loop() {
		Fan(items, sizes, Sampling{}, Voting(items, Any))
	}
}
