package compare

import (
	"slices"

	"assay/experiments/record"
	"assay/metrics/stats"
)

// VarianceRow is the sources of variance of the accuracy of one arm at one sweep point.
type VarianceRow struct {
	Arm     string   `json:"arm"`
	Point   []string `json:"point,omitempty"`
	Of      string   `json:"of"`      // Answers or Samples
	Dropped int      `json:"dropped"` // items left out, because a score of theirs is missing
	stats.Components
}

// What the scores of a variance split are of.
const (
	Answers = "answers" // an item's chosen SQL, once per seed
	Samples = "samples" // each candidate of an item on its own
)

// Variance splits the variance of a run's scores into components of items, of seeds (which choose exemplars), of their
// interaction, and of sampling; see stats.Components for the model. It uses the samples of an arm whose candidates are
// samples of one generator, equally many for every item and seed, and the answers of every other arm, or of a run read
// without candidates. An empty metric is the run's first.
func Variance(x *record.Index, metric string) ([]VarianceRow, error) {
	m, err := column(x.Run, metric)
	if err != nil {
		return nil, err
	}
	var out []VarianceRow
	for _, s := range x.Series {
		answers, samples, one := newGrid(s, m)
		row := VarianceRow{Arm: s.Arm, Point: s.Point, Of: Samples}
		scores, dropped, many := samples.balanced()
		if !one || !many {
			row.Of = Answers
			scores, dropped, _ = answers.balanced()
		}
		row.Dropped, row.Components = dropped, stats.Variance(scores)
		out = append(out, row)
	}
	return out, nil
}

// newGrid arranges the scores of a series under metric m: of its answers, and of their candidates. one is true where all
// candidates are of one generator.
func newGrid(s *record.Series, m int) (answers, samples *grid, one bool) {
	answers, samples, one = &grid{cell: s.Cell}, &grid{cell: s.Cell}, true
	generator := ""
	for _, a := range s.Answers {
		answers.add(a, a.Item.Values[m])
		for i := range a.Candidates {
			if c := &a.Candidates[i]; m < len(c.Values) {
				samples.add(a, c.Values[m])
				one = one && (generator == "" || c.Generator == generator)
				generator = c.Generator
			}
		}
	}
	return answers, samples, one
}

// grid is the scores under one cell by item and seed, both in order of first appearance.
type grid struct {
	cell  record.Cell
	items []string
	seeds []int64
	at    map[record.Key][]record.Value
	known map[string]bool
}

func (g *grid) add(a *record.Answer, v record.Value) {
	if g.at == nil {
		g.at, g.known = map[record.Key][]record.Value{}, map[string]bool{}
	}
	k := a.Item.Key()
	if !g.known[k.Item] {
		g.known[k.Item] = true
		g.items = append(g.items, k.Item)
	}
	if !slices.Contains(g.seeds, k.Seed) {
		g.seeds = append(g.seeds, k.Seed)
	}
	g.at[k] = append(g.at[k], v)
}

// balanced returns the items with all their scores, and the number of the others: the model needs equal numbers of scores.
// many is true where an item has more than one score per seed.
func (g *grid) balanced() (scores [][][]float64, dropped int, many bool) {
	sizes := map[int]int{}
	for _, vs := range g.at {
		sizes[len(vs)]++
	}
	most := 0
	for n, times := range sizes {
		if times > sizes[most] || times == sizes[most] && n > most {
			most = n
		}
	}
	for _, item := range g.items {
		var row [][]float64
		for _, s := range g.seeds {
			var xs []float64
			all := g.at[record.Key{Item: item, Cell: g.cell, Seed: s}]
			for _, v := range all {
				if v.OK {
					xs = append(xs, v.V)
				}
			}
			if len(xs) == most && len(all) == most {
				row = append(row, xs)
			}
		}
		if len(row) == len(g.seeds) {
			scores = append(scores, row)
		} else {
			dropped++
		}
	}
	return scores, dropped, most > 1 && len(scores) >= 2
}
