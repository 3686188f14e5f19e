package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/prompting/exemplar"
)

// Overlap is what two draws of demonstrations have in common under one choice of them, over all arms that make it.
type Overlap struct {
	Exemplars configs.Exemplars // the choice; its seeds are the first arm's
	Pool      record.Pool       // what is drawn from; zero in runs older than that
	Arms      int
	Draws     int     // the draws that are compared, two by two
	Shared    float64 // demonstrations that two draws share, a mean over items and pairs of draws; 0 where Draws is below 2
	Expected  float64 // the same of draws from such a pool; NaN where each database has a part of it
	Distinct  int     // demonstrations that the run's prompts have shown
}

// Overlaps measures how many demonstrations two draws share: under two seeds of the run or, where the run sweeps
// exemplars.draw, at two of its values. A small pool gives two draws much in common, and so the scores too: the deviation over
// seeds is then smaller than that over draws which have nothing in common.
func Overlaps(x *record.Index) (out []Overlap) {
	at := slices.IndexFunc(x.Run.Manifest.Axes, func(a string) bool { return a == "draw" || a == "exemplars.draw" })
	shown := slices.DeleteFunc(slices.Clone(x.Series), func(s *record.Series) bool {
		return !s.Known || s.Config.Exemplars.K == 0 || !slices.ContainsFunc(s.Answers, func(a *record.Answer) bool { return len(a.Shown) > 0 })
	})
	for _, part := range partitioned(shown, choiceOf) {
		o := Overlap{Exemplars: part[0].Config.Exemplars, Arms: len(partitioned(part, func(s *record.Series) string { return s.Arm }))}
		pools := x.Run.Manifest.Demonstrations
		if i := slices.IndexFunc(pools, func(p record.Pool) bool { return p.File == record.PoolFile(o.Exemplars.File) }); i >= 0 {
			o.Pool = pools[i]
			if o.Expected = exemplar.Expected(o.Pool.Levels, o.Exemplars); o.Exemplars.SameDatabase {
				o.Expected = math.NaN()
			}
		}
		seen, sum, pairs := map[string]bool{}, 0.0, 0
		for _, lists := range draws(part, at) {
			o.Draws = max(o.Draws, len(lists))
			for i, a := range lists {
				for _, b := range lists[i+1:] {
					if n, ok := shared(a, b); ok {
						sum, pairs = sum+n, pairs+1
					}
				}
				for _, ids := range a {
					for _, id := range ids {
						seen[id] = true
					}
				}
			}
		}
		if o.Distinct = len(seen); pairs > 0 {
			o.Shared = sum / float64(pairs)
		}
		out = append(out, o)
	}
	return out
}

// choiceOf is what two arms have in common whose prompts show the same demonstrations under the same seeds.
func choiceOf(s *record.Series) string {
	x := s.Config.Exemplars
	x.Separator, x.PoolSeed, x.Draw, x.Order = "", nil, nil, nil
	return fmt.Sprintf("%+v", x)
}

// draws returns the lists of demonstrations by item, draw by draw, for each arm under the same pool and order.
func draws(part []*record.Series, at int) (out [][]map[string][]string) {
	groups := partitioned(part, func(s *record.Series) string {
		point := slices.Clone(s.Point)
		if at >= 0 {
			point[at] = ""
		}
		return s.Arm + "\x00" + strings.Join(point, "\x00")
	})
	for _, g := range groups {
		var lists []map[string][]string
		for _, s := range g {
			seeds := s.Seeds
			if s.Config.Exemplars.Draw != nil { // all seeds draw the same
				seeds = seeds[:1]
			}
			for _, seed := range seeds {
				lists = append(lists, listsOf(s, seed))
			}
		}
		out = append(out, lists)
	}
	return out
}

// listsOf returns the demonstrations of each item under a seed.
func listsOf(s *record.Series, seed int64) map[string][]string {
	out := map[string][]string{}
	for _, a := range s.Answers {
		if a.Item.Seed != seed || len(a.Shown) == 0 {
			continue
		}
		for _, ids := range record.Listed(a.Shown[0].IDs) {
			for _, id := range ids {
				if !slices.Contains(out[a.Item.Item], id) {
					out[a.Item.Item] = append(out[a.Item.Item], id)
				}
			}
		}
	}
	return out
}

// shared is the mean over items of how many demonstrations two draws have in common; ok is false where no item has both.
func shared(a, b map[string][]string) (mean float64, ok bool) {
	n, sum := 0, 0
	for item, ids := range a {
		other, both := b[item]
		if !both {
			continue
		}
		n++
		for _, id := range ids {
			if slices.Contains(other, id) {
				sum++
			}
		}
	}
	return float64(sum) / float64(max(n, 1)), n > 0
}
