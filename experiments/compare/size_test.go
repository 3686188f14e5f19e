package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
)

// large is a run of arms at one to points values of k, under seeds, over items; about half of the answers are right.
func large(arms, points, seeds, items int, of uint64) *record.Run {
	r := rand.New(rand.NewPCG(1, of))
	x := &record.Run{Manifest: record.Manifest{Experiment: fmt.Sprint("large", of), ID: fmt.Sprint(of), Complete: true, Dataset: "d/dev", Axes: []string{"k"},
		Metrics: []record.Metric{{ID: "ex"}}}, Config: map[string]any{}}
	for i := range items {
		x.Questions = append(x.Questions, record.Question{Item: fmt.Sprintf("d/dev/%04d", i), DB: fmt.Sprint("db", i%20), Gold: "SELECT a FROM t WHERE b = 1"})
	}
	for arm := range arms {
		for k := range points {
			for seed := range seeds {
				for i := range items {
					it := record.Item{Item: x.Questions[i].Item, DB: x.Questions[i].DB, Arm: fmt.Sprint("arm", arm), Point: []string{fmt.Sprint(k)}, Seed: int64(seed),
						Values: []record.Value{{V: float64(r.IntN(2)), OK: true}}, Status: metrics.Wrong, SQL: fmt.Sprintf("SELECT a, c FROM t JOIN u USING (id) WHERE b = %d", r.IntN(3)), Calls: record.CountOf(0)}
					if it.Values[0].V == 1 {
						it.Status = metrics.Correct
					}
					x.Items = append(x.Items, it)
				}
			}
		}
	}
	return x
}

// BenchmarkSize compares runs of 30 arms, 5 seeds and BIRD's 1,534 items, and the arms and sweep points of one such run.
func BenchmarkSize(b *testing.B) {
	check := func(name string, f func(x, y *record.Run) error, points int) {
		x, y := large(30, points, 5, 1534, 1), large(30, points, 5, 1534, 2)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(x, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	check("diff", func(x, y *record.Run) error { _, err := Runs(x, y, Options{}); return err }, 1)
	check("within", func(x, _ *record.Run) error { _, err := Within(x.Index(), Options{}); return err }, 1)
	check("effects", func(x, _ *record.Run) error { _, err := Effects(x.Index(), Options{}); return err }, 2)
	check("interactions", func(x, _ *record.Run) error { _, err := Interactions(x.Index(), Options{}); return err }, 2)
}
