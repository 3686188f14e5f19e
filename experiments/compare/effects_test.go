package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"

	"github.com/google/go-cmp/cmp"
)

// crossing is a run of cells "arm k strategy" with a letter an item: 1, 0, or ? for no score. A cell's seeds are divided by blanks.
func crossing(cells ...[2]string) *record.Run {
	r := &record.Run{Manifest: record.Manifest{Experiment: "e", ID: "i", Metrics: []record.Metric{{ID: "ex"}}, Axes: []string{"k", "strategy"}}}
	for _, c := range cells {
		where := strings.Fields(c[0])
		for seed, scores := range strings.Fields(c[1]) {
			for i, s := range scores {
				it := record.Item{Item: fmt.Sprint(i), DB: "d", Arm: where[0], Point: where[1:], Seed: int64(seed), Values: []record.Value{{}}}
				if s != '?' {
					it.Values[0] = record.Value{V: float64(s - '0'), OK: true}
				}
				r.Items = append(r.Items, it)
			}
		}
	}
	return r
}

func TestEffects(t *testing.T) {
	check := func(r *record.Run, want ...string) {
		t.Helper()
		es, err := Effects(r.Index(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range es {
			got = append(got, fmt.Sprintf("%s %s-%s: cells=%d alone=%d n=%d unpaired=%d %.3f-%.3f=%+.3f -%d +%d p=%.3f holm=%.3f", e.Axis, e.To, e.From,
				e.Cells, e.Alone, e.Items, e.Unpaired, e.MeanB, e.MeanA, e.Diff, e.OnlyA, e.OnlyB, e.P, e.Holm))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	// Two arms, two values of k. Of k: item 0 goes from 0 to 1 in both arms, item 1 in b alone, item 2 nowhere, item 3 back in a
	// alone. Means at k = 0: (0+0)/2, (0+0)/2, (1+1)/2, (1+0)/2 = 1.5/4; at k = 8: 1, 1/2, 1, 0 = 2.5/4. The items' effects are
	// 1, 1/2, 0, -1/2: sums as far from 0 as 1 are 6 of the 8 patterns of +-1 +-1/2 +-1/2 (all but +1 -1/2 -1/2 and its mirror).
	// Of the arms: item 1 wins 1/2 (at k = 8), item 3 loses 1/2 (at k = 0): p = 1.
	check(crossing([2]string{"a 0 x", "0011"}, [2]string{"a 8 x", "1010"}, [2]string{"b 0 x", "0010"}, [2]string{"b 8 x", "1110"}),
		"arm b-a: cells=2 alone=0 n=4 unpaired=0 0.500-0.500=+0.000 -1 +1 p=1.000 holm=1.000",
		"k 8-0: cells=2 alone=0 n=4 unpaired=0 0.625-0.375=+0.250 -1 +3 p=0.750 holm=1.000")
	// An item without a score at one side of a pair of cells has the mean over the others; one without any is left out.
	check(crossing([2]string{"a 0 x", "0?"}, [2]string{"a 8 x", "11"}, [2]string{"b 0 x", "10"}, [2]string{"b 8 x", "?1"}),
		"arm b-a: cells=2 alone=0 n=2 unpaired=2 1.000-0.500=+0.500 -0 +1 p=1.000 holm=1.000",
		"k 8-0: cells=2 alone=0 n=2 unpaired=2 1.000-0.000=+1.000 -0 +2 p=0.500 holm=1.000")
	// A cell without a partner is left out, and counted: b has no k = 0, so that k is measured in a, and the arms at k = 8.
	check(crossing([2]string{"a 0 x", "00"}, [2]string{"a 8 x", "11"}, [2]string{"b 8 x", "10"}),
		"arm b-a: cells=1 alone=0 n=2 unpaired=0 0.500-1.000=-0.500 -1 +0 p=1.000 holm=1.000",
		"k 8-0: cells=1 alone=1 n=2 unpaired=0 1.000-0.000=+1.000 -0 +2 p=0.500 holm=1.000")
	// Seeds of a cell are one mean: item 0 goes from 1/2 to 1.
	check(crossing([2]string{"a 0 x", "0 1"}, [2]string{"a 8 x", "1 1"}, [2]string{"a 0 y", "1 1"}, [2]string{"a 8 y", "1 1"}),
		"k 8-0: cells=2 alone=0 n=1 unpaired=0 1.000-0.750=+0.250 -0 +1 p=1.000 holm=1.000",
		"strategy y-x: cells=2 alone=0 n=1 unpaired=0 1.000-0.750=+0.250 -0 +1 p=1.000 holm=1.000")
	check(crossing([2]string{"a 0 x", "01"}))
	check(crossing())
	// Without any score in common there is no item.
	check(crossing([2]string{"a 0 x", "??"}, [2]string{"a 8 x", "11"}), "k 8-0: cells=1 alone=0 n=0 unpaired=2 0.000-0.000=+0.000 -0 +0 p=1.000 holm=1.000")
}

func TestInteractions(t *testing.T) {
	check := func(r *record.Run, want ...string) {
		t.Helper()
		all, err := Interactions(r.Index(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range all {
			got = append(got, fmt.Sprintf("%s %s-%s by %s %s-%s: cells=%d n=%d %+.3f-%+.3f=%+.3f p=%.3f holm=%.3f", e.Axis, e.To, e.From, e.Other, e.OtherTo,
				e.OtherFrom, e.Cells, e.Items, e.MeanB, e.MeanA, e.Diff, e.P, e.Holm))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	// k is worth 0, 0, 1, 1 by item in a, and 1, 1, 1, 1 in b: differences 1, 1, 0, 0, so p = 2/4.
	check(crossing([2]string{"a 0 x", "0100"}, [2]string{"a 8 x", "0111"}, [2]string{"b 0 x", "0000"}, [2]string{"b 8 x", "1111"}),
		"k 8-0 by arm b-a: cells=1 n=4 +1.000-+0.500=+0.500 p=0.500 holm=0.500")
	// Opposite effects of -1 and 1 in six items: a difference of 2, above any score; p = 2/2^6.
	check(crossing([2]string{"a 0 x", "111111"}, [2]string{"a 8 x", "000000"}, [2]string{"b 0 x", "000000"}, [2]string{"b 8 x", "111111"}),
		"k 8-0 by arm b-a: cells=1 n=6 +1.000--1.000=+2.000 p=0.031 holm=0.031")
	// An item without one of the four scores is left out; without one of the four cells there is nothing.
	check(crossing([2]string{"a 0 x", "01"}, [2]string{"a 8 x", "0?"}, [2]string{"b 0 x", "00"}, [2]string{"b 8 x", "11"}),
		"k 8-0 by arm b-a: cells=1 n=1 +1.000-+0.000=+1.000 p=1.000 holm=1.000")
	check(crossing([2]string{"a 0 x", "01"}, [2]string{"a 8 x", "01"}, [2]string{"b 8 x", "11"}),
		"k 8-0 by arm b-a: cells=0 n=0 +0.000-+0.000=+0.000 p=1.000 holm=1.000")
}

// TestEffectsOfOneArm: an arm without the block has no effect of it, so the block's effect is that in the other arms, and it makes
// no interaction; the other axes count in every arm. By cell (kept 0, kept 1, off 0, off 1) plain scores 1 0 1 0, a 1 1 0 1, b
// 1 0 0 0: the block's effects are -1 and 0 in a and in b, those of the temperature -1 -1, 0 +1 and -1 0.
func TestEffectsOfOneArm(t *testing.T) {
	r := ablationRun([]configs.Arm{arm("plain", "/plain"), arm("a", "/mine"), arm("b", "/mine")}, []configs.Axis{axis("blocks.rules", "kept", "off"), axis("temperature", "0", "1")},
		"1111", "1111", "1111", "0000", "1111", "0000", "1111", "0000", "0000", "0000", "1111", "0000")
	es, err := Effects(r.Index(), Options{})
	var got []string
	for _, e := range es {
		got = append(got, fmt.Sprintf("%s %s: cells=%d %+.2f %v", e.Axis, e.To, e.Cells, e.Diff, e.Without))
	}
	if d := cmp.Diff([]string{"arm a: cells=4 +0.25 []", "arm b: cells=4 -0.25 []", "blocks.rules off: cells=4 -0.50 [plain]", "temperature 1: cells=6 -0.33 []"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	is, err := Interactions(r.Index(), Options{})
	got = nil
	for _, e := range is {
		if e.Axis == "blocks.rules" || e.Other == "blocks.rules" {
			got = append(got, fmt.Sprintf("%s %s by %s %s: cells=%d n=%d", e.Axis, e.To, e.Other, e.OtherTo, e.Cells, e.Items))
		}
	}
	if d := cmp.Diff([]string{"blocks.rules off by arm a: cells=0 n=0", "blocks.rules off by arm b: cells=0 n=0", "temperature 1 by blocks.rules off: cells=2 n=4"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestEffectsOfAnything: ties, one item, missing scores, graded scores above 1 and clusters make no trouble, intervals hold their
// estimates, and a run whose cells are all the same has effects of 0.
func TestEffectsOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		items := 1 + r.IntN(5)
		var cells [][2]string
		for _, arm := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
			for _, point := range []string{"0 x", "0 y", "4 x", "4 y", "8 x"} {
				var b strings.Builder
				for range items {
					b.WriteByte("01359??"[r.IntN(7)])
				}
				if r.IntN(6) > 0 {
					cells = append(cells, [2]string{arm + " " + point, b.String()})
				}
			}
		}
		run := crossing(cells...)
		for i := range run.Items {
			run.Items[i].DB = fmt.Sprint(i % 2)
		}
		for _, o := range []Options{{}, {Cluster: true}, {Level: 0.5}} {
			es, err := Effects(run.Index(), o)
			is, err2 := Interactions(run.Index(), o)
			if len(cells) > 0 && (err != nil || err2 != nil) {
				t.Fatal(err, err2)
			}
			var all []Group
			for _, e := range es {
				all = append(all, e.Group)
			}
			for _, e := range is {
				all = append(all, e.Group)
			}
			for _, g := range all {
				if !(g.Low <= g.Diff+1e-9 && g.Diff <= g.High+1e-9 && 0 <= g.P && g.P <= g.Holm && g.Holm <= 1) {
					t.Errorf("round %d: %+v", round, g)
				}
			}
		}
	}
	same, err := Effects(crossing([2]string{"a 0 x", "0101"}, [2]string{"a 8 x", "0101"}, [2]string{"b 0 x", "0101"}, [2]string{"b 8 x", "0101"}).Index(), Options{})
	if err != nil || len(same) != 2 || same[0].Diff != 0 || same[0].P != 1 || same[0].Low >= 0 || same[0].High <= 0 {
		t.Errorf("%+v, %v", same, err)
	}
}

// simulated is a run of 2 arms at 3 values of k with items of their own difficulty, under the given seeds. gain is what each
// step of k adds to an item's chance, and more what it adds in arm b alone.
func simulated(r *rand.Rand, items, seeds int, gain, more float64) *record.Run {
	base := make([]float64, items)
	for i := range base {
		base[i] = 0.1 + 0.5*r.Float64()
	}
	var cells [][2]string
	for _, arm := range []string{"a", "b"} {
		for k := range 3 {
			var scores []string
			for range seeds {
				var b strings.Builder
				for i := range items {
					p := base[i] + gain*float64(k)
					if arm == "b" {
						p += more * float64(k)
					}
					b.WriteByte("01"[map[bool]int{false: 0, true: 1}[r.Float64() < p]])
				}
				scores = append(scores, b.String())
			}
			cells = append(cells, [2]string{fmt.Sprint(arm, " ", k, " x"), strings.Join(scores, " ")})
		}
	}
	return crossing(cells...)
}

// BenchmarkEffectsHold is a simulation and no measure of time: how often the intervals of main effects and interactions cover the
// truth (wanted: 0.95), and how often a test rejects where nothing is to be found, before Holm's correction (wanted: at most
// 0.05) and in a family after it. Run it with -benchtime 1000x.
func BenchmarkEffectsHold(b *testing.B) {
	for _, items := range []int{40, 300} {
		b.Run(fmt.Sprint(items), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(items)))
			n := map[string]float64{}
			rate := map[string]float64{}
			note := func(name string, of bool) {
				n[name]++
				if of {
					rate[name]++
				}
			}
			for b.Loop() {
				for _, null := range []bool{true, false} {
					gain, more := 0.08, 0.05
					if null {
						gain, more = 0, 0
					}
					x := simulated(r, items, 2, gain, more).Index()
					es, _ := Effects(x, Options{})
					family := false
					for _, e := range es {
						if e.Axis == "k" {
							truth := (gain + more/2) * float64(e.To[0]-'0')
							note("covers", e.Low <= truth && truth <= e.High)
						}
						if null {
							note("rejects", e.P < 0.05)
							family = family || e.Significant
						}
					}
					is, _ := Interactions(x, Options{})
					for _, e := range is {
						truth := more * float64(e.To[0]-'0')
						note("interaction-covers", e.Low <= truth && truth <= e.High)
						if null {
							note("interaction-rejects", e.P < 0.05)
						}
					}
					if null {
						note("family-rejects", family)
					}
				}
			}
			for name := range n {
				b.ReportMetric(rate[name]/n[name], name)
			}
		})
	}
}
