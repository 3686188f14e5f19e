package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/experiments/record"
)

// within is a run of arms at sweep points: "arm@point" with a score an item.
func within(scores ...[2]string) *record.Run {
	r := &record.Run{Manifest: record.Manifest{Experiment: "e", ID: "i", Metrics: []record.Metric{{ID: "ex"}}, Axes: []string{"k"}}}
	for _, s := range scores {
		var arm, point string
		fmt.Sscanf(s[0], "%1s@%1s", &arm, &point)
		for i, c := range s[1] {
			it := record.Item{Item: fmt.Sprint(i), DB: "d", Arm: arm, Point: []string{point}, Values: []record.Value{{}}}
			if c != '?' {
				it.Values[0] = record.Value{V: float64(c - '0'), OK: true}
			}
			r.Items = append(r.Items, it)
		}
	}
	return r
}

func TestWithin(t *testing.T) {
	check := func(r *record.Run, want ...string) {
		t.Helper()
		cs, err := Within(r.Index(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range cs {
			got = append(got, fmt.Sprintf("%s@%s %s@%s n=%d %+.3f p=%.3f holm=%.3f %v", c.ArmA, c.PointA[0], c.ArmB, c.PointB[0], c.Items, c.Diff, c.P, c.Holm, c.Significant))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	// b wins 7 of 8 and loses none: p = 2/2^7 = 0.0156. c loses 1 of 8: p = 1. Holm over two: 0.0313 and 1.
	check(within([2]string{"a@1", "00000001"}, [2]string{"b@1", "11111111"}, [2]string{"c@1", "00000000"}),
		"a@1 b@1 n=8 +0.875 p=0.016 holm=0.031 true", "a@1 c@1 n=8 -0.125 p=1.000 holm=1.000 false")
	// Arms are compared at the same point, and an arm whose baseline has no such point not at all.
	check(within([2]string{"a@1", "01"}, [2]string{"b@1", "11"}, [2]string{"a@2", "00"}, [2]string{"b@2", "0?"}, [2]string{"b@3", "11"}),
		"a@1 b@1 n=2 +0.500 p=1.000 holm=1.000 false", "a@2 b@2 n=1 +0.000 p=1.000 holm=1.000 false")
	// One arm alone: its points against the first. Without a scored item in common there is no test to correct for.
	check(within([2]string{"a@1", "000000"}, [2]string{"a@2", "111111"}, [2]string{"a@3", "??????"}),
		"a@1 a@2 n=6 +1.000 p=0.031 holm=0.031 true", "a@1 a@3 n=0 +0.000 p=1.000 holm=1.000 false")
	check(within([2]string{"a@1", "01"}))
	check(within())
}

// TestWithinSeeds: an item with several seeds is one unit.
func TestWithinSeeds(t *testing.T) {
	r := within([2]string{"a@1", "0011"}, [2]string{"b@1", "1011"})
	more := within([2]string{"a@1", "0111"}, [2]string{"b@1", "1011"})
	for _, it := range more.Items {
		it.Seed = 1
		r.Items = append(r.Items, it)
	}
	cs, err := Within(r.Index(), Options{})
	if err != nil || len(cs) != 1 {
		t.Fatal(cs, err)
	}
	if cs[0].Note != "" {
		t.Error(cs[0].Note)
	}
	// Item 0 is won in both seeds, item 1 lost in one: (1 - 1/2)/4.
	if c := cs[0]; c.Items != 4 || c.Pairs != 8 || math.Abs(c.Diff-0.125) > 1e-12 || c.OnlyB != 2 || c.OnlyA != 1 || c.Test != FlipItems {
		t.Errorf("%+v", c)
	}
	if _, err := Within(r.Index(), Options{Metric: "ts"}); err == nil {
		t.Error("a metric that the run does not have")
	}
}

// TestWithinHasOneBaseline: the first arm has one mean, whatever seeds the others have, and a note says so.
func TestWithinHasOneBaseline(t *testing.T) {
	r := within([2]string{"a@1", "0011"}, [2]string{"b@1", "1011"}, [2]string{"c@1", "1111"})
	for _, it := range within([2]string{"a@1", "0000"}, [2]string{"b@1", "0001"}).Items {
		it.Seed = 1
		r.Items = append(r.Items, it)
	}
	cs, err := Within(r.Index(), Options{})
	if err != nil || len(cs) != 2 {
		t.Fatal(cs, err)
	}
	for i, want := range []string{"", "the seeds differ, 0, 1 against 0: "} {
		if c := cs[i]; c.MeanA != 0.25 || c.OwnSeeds != (want != "") || !strings.HasPrefix(c.Note, want) {
			t.Errorf("%+v", c)
		}
	}
}
