package compare

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/metrics/stats"
)

// VarianceRow is what the accuracy of one arm at one sweep point varies by.
type VarianceRow struct {
	Arm     string   `json:"arm"`
	Point   []string `json:"point,omitempty"`
	Of      string   `json:"of"`      // Answers or Samples
	Dropped int      `json:"dropped"` // items left out, because a score of theirs is missing
	stats.Components
}

// What the scores of a variance split are of.
const (
	Answers = "answers" // an item's chosen SQL, once a seed
	Samples = "samples" // each candidate of an item, by itself
)

// Variance splits the variance of a run's scores into what comes of items, of seeds (which choose exemplars), of both
// together and of sampling: see stats.Components for the model. An arm whose candidates are samples of one generator, as
// many for every item and seed, has its samples split; every other arm, and every arm of a run read without candidates,
// has its answers. An empty metric is the run's first.
func Variance(r *record.Run, metric string) ([]VarianceRow, error) {
	m := 0
	if metric != "" {
		m = slices.Index(r.Manifest.MetricIDs(), metric)
	}
	if m < 0 || len(r.Manifest.Metrics) == 0 {
		return nil, fmt.Errorf("compare: variance of %q: no metric %q, there are %s", side(r).Name, metric, strings.Join(r.Manifest.MetricIDs(), ", "))
	}
	grids := map[place]*grid{}
	var order []place
	for i := range r.Items {
		it := &r.Items[i]
		k := place{it.Arm, strings.Join(it.Point, "\x00")}
		if grids[k] == nil {
			grids[k] = newGrid(it.Point)
			order = append(order, k)
		}
		grids[k].answers.add(it.Item, it.Seed, it.Values[m])
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if g := grids[place{c.Arm, strings.Join(c.Point, "\x00")}]; g != nil && m < len(c.Values) {
			g.samples.add(c.Item, c.Seed, c.Values[m])
			g.mixed = g.mixed || g.generator != "" && c.Generator != g.generator
			g.generator = c.Generator
		}
	}
	var out []VarianceRow
	for _, k := range order {
		g := grids[k]
		row := VarianceRow{Arm: k.arm, Point: g.point, Of: Answers}
		scores, dropped, many := g.samples.balanced()
		if row.Of = Samples; g.mixed || !many {
			row.Of = Answers
			scores, dropped, _ = g.answers.balanced()
		}
		row.Dropped, row.Components = dropped, stats.Variance(scores)
		out = append(out, row)
	}
	return out, nil
}

// grid is the scores of one arm at one sweep point.
type grid struct {
	point            []string
	answers, samples cells
	generator        string
	mixed            bool // there are candidates of several generators
}

func newGrid(point []string) *grid {
	return &grid{point: point, answers: cells{at: map[cell][]record.Value{}}, samples: cells{at: map[cell][]record.Value{}}}
}

type cell struct {
	item string
	seed int64
}

// cells are scores by item and seed, both in order of first appearance.
type cells struct {
	items []string
	seeds []int64
	at    map[cell][]record.Value
	known map[string]bool
}

func (c *cells) add(item string, seed int64, v record.Value) {
	if c.known == nil {
		c.known = map[string]bool{}
	}
	if !c.known[item] {
		c.known[item] = true
		c.items = append(c.items, item)
	}
	if !slices.Contains(c.seeds, seed) {
		c.seeds = append(c.seeds, seed)
	}
	c.at[cell{item, seed}] = append(c.at[cell{item, seed}], v)
}

// balanced gives the items with all their scores, and how many others there are. many says that a cell has more than
// one score, the number being that of most items' cells.
func (c *cells) balanced() (scores [][][]float64, dropped int, many bool) {
	sizes := map[int]int{}
	for _, vs := range c.at {
		sizes[len(vs)]++
	}
	most := 0
	for n, times := range sizes {
		if times > sizes[most] || times == sizes[most] && n > most {
			most = n
		}
	}
	for _, item := range c.items {
		var row [][]float64
		for _, s := range c.seeds {
			var xs []float64
			for _, v := range c.at[cell{item, s}] {
				if v.OK {
					xs = append(xs, v.V)
				}
			}
			if len(xs) == most && len(c.at[cell{item, s}]) == most {
				row = append(row, xs)
			}
		}
		if len(row) == len(c.seeds) {
			scores = append(scores, row)
		} else {
			dropped++
		}
	}
	return scores, dropped, most > 1 && len(scores) >= 2
}
