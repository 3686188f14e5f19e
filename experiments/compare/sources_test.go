package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"
)

// study is a run that sweeps pool, draw and order, with a score by chance and two lists of demonstrations by draw.
func study(seeds int) *record.Run {
	r := &record.Run{Manifest: record.Manifest{Experiment: "e", ID: "i", Metrics: []record.Metric{{ID: "ex"}}, Axes: []string{"pool", "draw", "exemplars.order"},
		Demonstrations: []record.Pool{{Name: "sample", Size: 16, Levels: map[string]int{"easy": 8, "hard": 8}}}}}
	axis := func(key string) configs.Axis { return configs.Axis{Key: key, Values: []string{"0", "1"}} }
	r.Resolved = configs.Experiment{Arms: []configs.Arm{{Name: "a", Exemplars: configs.Exemplars{Strategy: "random", K: 2, PoolSize: 8}}},
		Sweep: []configs.Axis{axis("pool"), axis("draw"), axis("exemplars.order")}}
	rnd := rand.New(rand.NewPCG(1, 1))
	for cell := range 8 {
		point := strings.Split(fmt.Sprintf("%d %d %d", cell/4, cell/2%2, cell%2), " ")
		for seed := range seeds {
			for i := range 10 {
				it := record.Item{Item: fmt.Sprint(i), DB: "d", Arm: "a", Point: point, Seed: int64(seed), Values: []record.Value{{V: float64(rnd.IntN(2)), OK: true}}}
				r.Items = append(r.Items, it)
				r.Shown = append(r.Shown, record.Shown{Item: it.Item, Arm: "a", Point: point, Seed: int64(seed),
					IDs: record.Listing([][]string{{"x", "of " + point[1]}})})
			}
		}
	}
	return r
}

// TestSources: a swept source is a level of the design; seeds that carry none are samples.
func TestSources(t *testing.T) {
	check := func(r *record.Run, names string, samples int) {
		t.Helper()
		got, err := Sources(r.Index(), "ex")
		if err != nil || len(got.Rows) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		if one := got.Rows[0]; strings.Join(one.Names, ", ") != names || one.Samples != samples || one.Items != 10 || one.Dropped != 0 {
			t.Errorf("%v with %d samples of %d items, want %s with %d", one.Names, one.Samples, one.Items, names, samples)
		}
	}
	check(study(1), "pool, draw, order", 1)
	check(study(3), "pool, draw, order", 3)
	missing := study(1)
	missing.Items[3].Values[0].OK = false
	if got, _ := Sources(missing.Index(), ""); got.Rows[0].Dropped != 1 {
		t.Errorf("an item without a score: %+v", got.Rows[0])
	}
	if _, err := Sources(study(1).Index(), "ts"); err == nil {
		t.Error("a metric that the run lacks")
	}
}

// TestOverlaps: what two draws share is measured, and expected of the pool.
func TestOverlaps(t *testing.T) {
	got := Overlaps(study(1).Index())
	if len(got) != 1 || got[0].Draws != 2 || got[0].Shared != 1 || got[0].Distinct != 3 || got[0].Arms != 1 {
		t.Fatalf("%+v", got)
	}
	if want := 2.0 * 2 / 8; got[0].Pool.Size != 16 || got[0].Expected != want {
		t.Errorf("expected %v, want %v", got[0].Expected, want)
	}
	own := study(1)
	own.Resolved.Arms[0].Exemplars.SameDatabase = true
	if got := Overlaps(own.Index()); !math.IsNaN(got[0].Expected) {
		t.Errorf("of each database's own demonstrations %v are expected", got[0].Expected)
	}
}

// TestFindings: several inquiries make one family, and a factor that does not vary gives nothing.
func TestFindings(t *testing.T) {
	x := study(1).Index()
	got, err := Findings(x, []Inquiry{{Axis: "pool"}, {Axis: "draw", Other: "pool"}, {Axis: "format"}}, Options{})
	if err != nil || len(got) != 3 || len(got[0]) != 1 || len(got[1]) != 1 || got[2] != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if f := got[0][0]; f.Of.From != "0" || f.Of.To != "1" || f.Cells != 4 || f.Items != 10 {
		t.Errorf("%+v", f)
	}
}
