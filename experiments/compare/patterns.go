package compare

import (
	"cmp"
	"slices"
	"strings"

	"assay/experiments/record"
)

// Patterns says which items each of several runs solves, for one arm of each at a sweep point. An item is solved where its mean
// score over seeds is above one half; only items with a score in every run count.
type Patterns struct {
	Arms     []string  `json:"arms"` // by run, the baseline's first
	Axes     []string  `json:"axes,omitempty"`
	Point    []string  `json:"point,omitempty"` // the baseline's
	Items    int       `json:"items"`
	Patterns []Pattern `json:"patterns"` // of most items first; none is empty
}

// Pattern is the items that the same runs solve.
type Pattern struct {
	Solved []string `json:"solved"` // labels of the runs that solve them; empty: no run does
	Items  []string `json:"items"`  // in the order of the baseline's
}

// patterns follows each cell of the baseline through the further runs, whose strata are given: cells without a partner in each
// are left out. Labels begin with the baseline's.
func patterns(labels []string, axes []string, further [][]stratum) (out []Patterns) {
	if len(further) < 2 {
		return nil
	}
	for _, first := range further[0] {
		sides := []*answers{first.a}
		for _, strata := range further {
			if i := slices.IndexFunc(strata, func(s stratum) bool { return s.a.Cell == first.a.Cell }); i >= 0 {
				sides = append(sides, strata[i].b)
			}
		}
		done := slices.ContainsFunc(out, func(p Patterns) bool {
			return record.CellOf(p.Arms[0], p.Point) == first.a.Cell
		})
		if len(sides) == len(labels) && !done {
			out = append(out, newPatterns(labels, axes, sides))
		}
	}
	return out
}

func newPatterns(labels, axes []string, sides []*answers) Patterns {
	p := Patterns{Axes: axes, Point: sides[0].Point}
	var scores []map[string]float64
	for _, s := range sides {
		p.Arms, scores = append(p.Arms, s.Arm), append(scores, s.scores())
	}
	at := map[string]int{}
	seen := map[string]bool{}
	for _, it := range sides[0].items {
		solved, all := []string{}, !seen[it.Item]
		for i := range sides {
			score, ok := scores[i][it.Item]
			if all = all && ok; score > 0.5 {
				solved = append(solved, labels[i])
			}
		}
		if !all {
			continue
		}
		seen[it.Item] = true
		p.Items++
		key := strings.Join(solved, " ")
		i, ok := at[key]
		if !ok {
			i = len(p.Patterns)
			at[key], p.Patterns = i, append(p.Patterns, Pattern{Solved: solved})
		}
		p.Patterns[i].Items = append(p.Patterns[i].Items, it.Item)
	}
	slices.SortStableFunc(p.Patterns, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(len(b.Items), len(a.Items)), cmp.Compare(len(b.Solved), len(a.Solved)))
	})
	return p
}

// scores returns the mean score of each item that has any.
func (a *answers) scores() map[string]float64 {
	all := map[string][]float64{}
	for _, it := range a.items {
		if v := it.Values[a.metric]; v.OK {
			all[it.Item] = append(all[it.Item], v.V)
		}
	}
	out := make(map[string]float64, len(all))
	for item, xs := range all {
		out[item] = mean(xs)
	}
	return out
}
