package stats

import (
	"math"
)

// Components are the variances of the parts of a score, under the random-effects model
//
//	score(item, seed, sample) = mean + item + seed + item x seed + sampling
//
// in which every term except the mean is drawn independently for each of its indices. Items and seeds are crossed: one
// seed chooses the same exemplars for every item. Samples are nested in their item and seed.
//
// A 0/1 score is not normal; the estimates use the method of moments, which assumes no distribution.
type Components struct {
	Items, Seeds, Samples int
	Mean                  float64

	// The variances; NaN if the design cannot separate them. The method of moments may give a value below 0, which is
	// set to 0 with a warning.
	Item     float64 // how much items differ in how often they are solved
	Seed     float64 // how much the choice of the seed shifts all items together
	ItemSeed float64 // how much it shifts single items; with one sample per cell it includes Sampling
	Sampling float64 // the rest, between samples of one item and seed

	Warnings []string
}

// Variance estimates the components from scores[item][seed][sample], which must be balanced: every item has the same
// seeds, every cell as many samples. It equates the mean squares of the two-way analysis of variance to their
// expectations (Cornfield and Tukey 1956; Searle, Casella and McCulloch 1992, section 4.6). With one seed Item includes
// ItemSeed. It panics if the scores are not balanced; without two items all is NaN.
func Variance(scores [][][]float64) Components {
	nan := math.NaN()
	c := Components{Items: len(scores), Mean: nan, Item: nan, Seed: nan, ItemSeed: nan, Sampling: nan}
	if c.Items > 0 {
		c.Seeds = len(scores[0])
	}
	if c.Seeds > 0 {
		c.Samples = len(scores[0][0])
	}
	for _, item := range scores {
		mustBe(len(item) == c.Seeds, "%d seeds and %d", len(item), c.Seeds)
		for _, cell := range item {
			mustBe(len(cell) == c.Samples && c.Samples > 0, "%d samples and %d", len(cell), c.Samples)
		}
	}
	if c.Items < 2 || c.Seeds == 0 {
		c.Warnings = []string{"fewer than two items"}
		return c
	}
	c.solve(squares(scores))
	return c
}

// meanSquares are those of the two-way layout with replication.
type meanSquares struct{ mean, item, seed, both, within float64 }

// squares returns the mean squares of balanced scores.
func squares(scores [][][]float64) (m meanSquares) {
	n, s, k := len(scores), len(scores[0]), len(scores[0][0])
	cells, items, seeds := make([][]float64, n), make([]float64, n), make([]float64, s)
	for i, item := range scores {
		cells[i] = make([]float64, s)
		for j, cell := range item {
			for _, x := range cell {
				cells[i][j] += x / float64(k)
			}
			items[i] += cells[i][j] / float64(s)
			seeds[j] += cells[i][j] / float64(n)
		}
		m.mean += items[i] / float64(n)
	}
	for i, item := range scores {
		m.item += square(items[i]-m.mean) * float64(s*k)
		for j, cell := range item {
			m.both += square(cells[i][j]-items[i]-seeds[j]+m.mean) * float64(k)
			for _, x := range cell {
				m.within += square(x - cells[i][j])
			}
		}
	}
	for _, x := range seeds {
		m.seed += square(x-m.mean) * float64(n*k)
	}
	m.item /= float64(n - 1)
	m.seed /= float64(s - 1)             // NaN for one seed (0/0), as the next line
	m.both /= float64((n - 1) * (s - 1)) // 0/0
	m.within /= float64(n * s * (k - 1))
	return m
}

func square(x float64) float64 { return x * x }

// solve equates the mean squares to their expectations: within to Sampling, both to that plus samples·ItemSeed, seed to
// both plus items·samples·Seed, and item to both plus seeds·samples·Item.
func (c *Components) solve(m meanSquares) {
	s, k := float64(c.Seeds), float64(c.Samples)
	c.Mean = m.mean
	if c.Samples > 1 {
		c.Sampling = m.within
	}
	switch {
	case c.Seeds > 1 && c.Samples > 1:
		c.ItemSeed = c.above("item x seed", (m.both-m.within)/k)
	case c.Seeds > 1:
		c.ItemSeed = m.both
		c.Warnings = append(c.Warnings, "one sample per item and seed: item x seed includes the sampling")
	}
	rest := m.both
	if c.Seeds == 1 {
		rest = m.within
		c.Warnings = append(c.Warnings, "one seed: nothing is known about seeds, and item includes item x seed")
		if c.Samples == 1 {
			rest = 0
			c.Warnings = append(c.Warnings, "one sample too: item includes everything")
		}
	} else {
		c.Seed = c.above("seed", (m.seed-m.both)/(float64(c.Items)*k))
	}
	c.Item = c.above("item", (m.item-rest)/(s*k))
	if c.Seeds > 1 && c.Seeds < 5 {
		c.Warnings = append(c.Warnings, "few seeds: the variance of the seed is hardly known")
	}
}

// above returns a variance, or 0 with a warning if it is below 0.
func (c *Components) above(name string, v float64) float64 {
	if v < -1e-12 {
		c.Warnings = append(c.Warnings, name+" came out below 0, and is 0")
		return 0
	}
	return max(0, v)
}

// Spread returns the standard deviation that each component alone gives to a mean over items, seeds and samples: how
// far an accuracy measured in this way would move if only that component were drawn again. Unknown components count as
// 0.
func (c Components) Spread(items, seeds, samples int) (item, seed, itemSeed, sampling float64) {
	n, s, k := float64(items), float64(seeds), float64(samples)
	root := func(v, by float64) float64 {
		if math.IsNaN(v) {
			return 0
		}
		return math.Sqrt(v / by)
	}
	return root(c.Item, n), root(c.Seed, s), root(c.ItemSeed, n*s), root(c.Sampling, n*s*k)
}
