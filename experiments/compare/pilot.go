package compare

import (
	"fmt"
	"math"
	"slices"

	"assay/experiments/record"
	"assay/metrics/stats"
)

// Pilot holds the variances of a finished comparison, for planning the next one.
type Pilot struct {
	ArmA       string   `json:"arm_a"`
	ArmB       string   `json:"arm_b"`
	Point      []string `json:"point,omitempty"`   // of A
	PointB     []string `json:"point_b,omitempty"` // of B
	Items      int      `json:"items"`
	Diff       float64  `json:"diff"`
	Discordant float64  `json:"discordant"` // share of the pairs of scores that differ

	// Variance is that of the differences by item and seed, over the seeds that all items have. Its Seed component is what
	// the choice of exemplars contributes. Without several seeds only Item is known.
	Variance stats.Components `json:"-"`
}

// Pilots compares b with a and returns one pilot per pair of arms.
func Pilots(a, b *record.Run, o Options) ([]Pilot, error) {
	report, err := Against(a, []*record.Run{b}, o)
	if err != nil {
		return nil, err
	}
	c := report.Comparisons[0]
	column := func(r *record.Run) int { return slices.Index(r.Manifest.MetricIDs(), report.Metric) }
	items, _ := common(a, b, column(a), column(b), label(1))
	ra, rb := newCompared(a.Index(), column(a), items), newCompared(b.Index(), column(b), items)
	var out []Pilot
	for _, p := range c.Pairs {
		if p.All.Items == 0 {
			return nil, fmt.Errorf("compare: no item of %s has a score in both runs", p.ArmA)
		}
		m := match(ra.at(p.ArmA, p.Point), rb.at(p.ArmB, p.PointB))
		out = append(out, Pilot{ArmA: p.ArmA, ArmB: p.ArmB, Point: p.Point, PointB: p.PointB, Items: p.All.Items, Diff: p.All.Diff,
			Discordant: float64(p.All.OnlyA+p.All.OnlyB) / float64(p.All.Pairs), Variance: stats.Variance(differences(m.units))})
	}
	return out, nil
}

// differences returns B less A by item and seed, of the items with the highest number of seeds.
func differences(units []*unit) (out [][][]float64) {
	most := 0
	for _, u := range units {
		most = max(most, len(u.va))
	}
	for _, u := range units {
		if len(u.va) < most {
			continue
		}
		row := make([][]float64, most)
		for i := range row {
			row[i] = []float64{u.vb[i] - u.va[i]}
		}
		out = append(out, row)
	}
	return out
}

// Seeded reports whether the pilot has several seeds, so that their variance is known.
func (p Pilot) Seeded() bool { return p.Variance.Seeds > 1 }

// Smallest returns the difference that items, each under so many seeds, show with the given power at the two-sided level, by
// the normal approximation: (z + z') times the root of item/items + seed/seeds + rest/(items·seeds). It includes the
// variance of seeds, and so supports a claim about any exemplars, not only about those of the run. It needs a seeded pilot.
func (p Pilot) Smallest(items, seeds int, level, power float64) float64 {
	item, seed, rest, _ := p.Variance.Spread(items, seeds, 1)
	return stats.Detectable(math.Sqrt(item*item+seed*seed+rest*rest), level, power)
}

// mostSeeds bounds the search of Seeds.
const mostSeeds = 10_000

// Seeds returns the least number of seeds with which so many items show the difference. ok is false where no number does, as
// more seeds do not reduce the variance between items.
func (p Pilot) Seeds(diff float64, items int, level, power float64) (n int, ok bool) {
	low, high := 0, 1
	for p.Smallest(items, high, level, power) > math.Abs(diff) {
		if low, high = high, 2*high; high > mostSeeds {
			return 0, false
		}
	}
	for high-low > 1 {
		if mid := (low + high) / 2; p.Smallest(items, mid, level, power) <= math.Abs(diff) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}
