package process

import (
	"math"
	"math/rand/v2"
	"slices"

	"assay/metrics/stats"
)

// Path is the way of one answer through its steps.
type Path struct {
	Item    string
	Level   string  // of hardness, or any other stratum; empty for none
	Error   bool    // a step before the answer has one
	Wrong   bool    // the answer is
	Against float64 // the score, 0 to 1, of an answer without steps to the same item; NaN where there is none
}

// Propagation is how often answers are wrong after an error in a step, and how often without. Shares and differences are of
// 1. The intervals of With, Without and Difference are over items, each its mean over its answers; those of Within and of
// the gaps are bootstrap intervals that draw whole items.
type Propagation struct {
	Errors, Clean int            // answers with an error in a step, and without
	With, Without stats.Interval // the share of them that is wrong
	Difference    stats.Interval // With less Without
	Ratio         stats.Interval // With over Without
	Within        stats.Interval // the difference among answers of one level, levels weighted after Mantel and Haenszel

	// Over the paths with another answer: how much more often this one is right than the other, after an error and without,
	// and the first less the second, which the items' difficulty alone does not explain.
	Pairs         int
	GapWith       stats.Interval
	GapWithout    stats.Interval
	Excess        stats.Interval
	PairsOfErrors int
}

// Propagate measures propagation over answers, with so many resamples of items from a generator with the seed. Where a side
// has no answer the numbers that need it are NaN.
func Propagate(paths []Path, confidence float64, resamples int, seed uint64) Propagation {
	var p Propagation
	for _, x := range paths {
		if x.Error {
			p.Errors++
		} else {
			p.Clean++
		}
		if !math.IsNaN(x.Against) {
			p.Pairs++
			if x.Error {
				p.PairsOfErrors++
			}
		}
	}
	p.With, p.Without = wrongShare(paths, true, confidence), wrongShare(paths, false, confidence)
	p.Difference, p.Ratio = stats.Apart(p.Without, p.With), stats.Ratio(p.Without, p.With)
	groups := byItem(paths)
	draw := func(of func([]Path) float64) stats.Interval {
		return bootstrap(groups, of, confidence, resamples, seed)
	}
	p.Within = draw(within)
	p.GapWith = gapOf(paths, true, confidence, resamples, seed)
	p.GapWithout = gapOf(paths, false, confidence, resamples, seed)
	p.Excess = excess(p.GapWith, p.GapWithout)
	return p
}

// gapOf is the gap of one side. Where all its answers differ alike from the others, drawing says nothing of the items that
// were not drawn, and the interval is stats.Alike.
func gapOf(paths []Path, withError bool, confidence float64, resamples int, seed uint64) stats.Interval {
	side := slices.DeleteFunc(slices.Clone(paths), func(x Path) bool { return x.Error != withError || math.IsNaN(x.Against) })
	groups := byItem(side)
	in := bootstrap(groups, func(ps []Path) float64 { return gap(ps, withError) }, confidence, resamples, seed)
	if len(groups) > 0 && math.IsNaN(in.Low) {
		return stats.Alike(in.Estimate, len(groups), confidence)
	}
	return in
}

// excess is the difference of two gaps of different items, squaring and adding the distances to their ends (Zou and Donner
// 2008); NaN where either is unknown.
func excess(with, without stats.Interval) stats.Interval {
	in := stats.Interval{Estimate: with.Estimate - without.Estimate, Confidence: with.Confidence}
	in.Low = in.Estimate - math.Hypot(with.Estimate-with.Low, without.High-without.Estimate)
	in.High = in.Estimate + math.Hypot(with.High-with.Estimate, without.Estimate-without.Low)
	return in
}

// wrongShare is the share of the answers with an error, or without, that are wrong, each item weighing as many answers as it has.
func wrongShare(paths []Path, withError bool, confidence float64) stats.Interval {
	at, units := map[string]int{}, []stats.Unit{}
	for _, x := range paths {
		if x.Error != withError {
			continue
		}
		i, seen := at[x.Item]
		if !seen {
			i = len(units)
			at[x.Item], units = i, append(units, stats.Unit{})
		}
		units[i].Weight++
		if x.Wrong {
			units[i].Mean++
		}
	}
	for i := range units {
		units[i].Mean /= units[i].Weight
	}
	return stats.Share(units, confidence)
}

// within is the Mantel-Haenszel difference of risks over levels (Greenland and Robins 1985); NaN where no level has both.
func within(paths []Path) float64 {
	type cell struct{ n, wrong float64 }
	levels := map[string]*[2]cell{}
	var order []string
	for _, x := range paths {
		if levels[x.Level] == nil {
			levels[x.Level] = &[2]cell{}
			order = append(order, x.Level)
		}
		c := &levels[x.Level][0]
		if x.Error {
			c = &levels[x.Level][1]
		}
		c.n++
		if x.Wrong {
			c.wrong++
		}
	}
	sum, weights := 0.0, 0.0
	for _, l := range order {
		clean, bad := levels[l][0], levels[l][1]
		if clean.n == 0 || bad.n == 0 {
			continue
		}
		w := clean.n * bad.n / (clean.n + bad.n)
		sum += w * (bad.wrong/bad.n - clean.wrong/clean.n)
		weights += w
	}
	return sum / weights
}

// gap is how much more often the answers with an error, or without, are right than the others to the same items.
func gap(paths []Path, withError bool) float64 {
	sum, n := 0.0, 0
	for _, x := range paths {
		if x.Error != withError || math.IsNaN(x.Against) {
			continue
		}
		n++
		if sum -= x.Against; !x.Wrong {
			sum++
		}
	}
	return sum / float64(n)
}

// byItem groups paths by item, in the order in which items come.
func byItem(paths []Path) (out [][]Path) {
	at := map[string]int{}
	for _, x := range paths {
		i, seen := at[x.Item]
		if !seen {
			i = len(out)
			at[x.Item], out = i, append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

// fewItems is the number below which a bootstrap interval is too narrow to rely on.
const fewItems = 20

// bootstrap returns the percentile interval of a statistic over drawn items. Draws in which it is undefined are left out. The
// bounds are NaN where the draws say nothing.
func bootstrap(groups [][]Path, of func([]Path) float64, confidence float64, resamples int, seed uint64) stats.Interval {
	in := stats.Interval{Estimate: of(slices.Concat(groups...)), Low: math.NaN(), High: math.NaN(), Confidence: confidence}
	if math.IsNaN(in.Estimate) {
		return in
	}
	if len(groups) < fewItems {
		in.Warnings = []string{"too few items for an interval"}
	}
	r := rand.New(rand.NewPCG(seed, 0xd1342543de82ef95))
	var drawn []float64
	var sample []Path
	for range resamples {
		sample = sample[:0]
		for range groups {
			sample = append(sample, groups[r.IntN(len(groups))]...)
		}
		if x := of(sample); !math.IsNaN(x) {
			drawn = append(drawn, x)
		}
	}
	slices.Sort(drawn)
	if len(drawn) < max(1, resamples/2) || drawn[0] == drawn[len(drawn)-1] {
		return in // a side is too rare to be drawn, or all answers are alike, of which drawing says nothing
	}
	tail := (1 - confidence) / 2
	at := func(p float64) float64 { return drawn[min(len(drawn)-1, int(p*float64(len(drawn))))] }
	in.Low, in.High = min(at(tail), in.Estimate), max(at(1-tail), in.Estimate)
	return in
}
