package recall

import (
	"math"
	"slices"

	"assay/experiments/axes"
	"assay/metrics/stats"
)

// Score is a mean over items.
type Score struct {
	stats.Interval     // of 95 %
	Items, Gold    int // items with something to find; things to find
	Databases      int // of these items
}

// share is what was found of one item.
type share struct {
	db    string
	found float64 // 0 to 1
}

// Shares returns, per item that has something of a kind to find, the share found among the first k, with the number of things to
// find.
func (r *Recall) Shares(kind string, k int, of func(axes.Labels) bool) (shares []float64, gold int) {
	all, gold := r.shares(kind, k, of)
	for _, s := range all {
		shares = append(shares, s.found)
	}
	return shares, gold
}

func (r *Recall) shares(kind string, k int, of func(axes.Labels) bool) (shares []share, gold int) {
	for _, it := range r.Items {
		if of != nil && !of(it.Labels) {
			continue
		}
		hit, n := 0, 0
		for _, l := range it.Looks {
			if l.Kind == kind {
				n++
				if l.Rank > 0 && l.Rank <= k {
					hit++
				}
			}
		}
		if n > 0 {
			shares, gold = append(shares, share{it.Labels.DB, float64(hit) / float64(n)}), gold+n
		}
	}
	return shares, gold
}

// Found returns how many values a kind finds for a question, on average over the items that have one to find; 0 for other kinds.
func (r *Recall) Found(kind string) float64 {
	sum, n := 0, 0
	for _, it := range r.Items {
		if i := slices.IndexFunc(it.Looks, func(l Look) bool { return l.Kind == kind }); i >= 0 {
			sum, n = sum+it.Looks[i].Among, n+1
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// At returns the recall of a kind among the first k, of the items of which of holds; nil: all. Its interval is by bootstrap over
// items or databases, or that of [stats.Share] where they are all alike. Without items the estimate is NaN.
func (r *Recall) At(kind string, k int, of func(axes.Labels) bool) Score {
	shares, gold := r.shares(kind, k, of)
	clusters := clustered(nil, shares)
	in := r.resampled(make([]share, len(shares)), shares, clusters)
	if in.Low == in.High {
		units := make([]stats.Unit, len(shares))
		for i := range units {
			units[i] = stats.Unit{Mean: min(in.Estimate, 1), Weight: 1}
		}
		in = stats.Share(units, 0.95)
	}
	return Score{in, len(shares), gold, len(clusters)}
}

// Gain returns the difference of recall to another measurement of the same items, with the interval of paired items or databases.
// It is NaN where they are not the same.
func (r *Recall) Gain(from *Recall, kind string, k int, of func(axes.Labels) bool) Score {
	before, _ := from.shares(kind, k, of)
	after, gold := r.shares(kind, k, of)
	if len(before) != len(after) || len(after) == 0 {
		nan := math.NaN()
		return Score{Interval: stats.Interval{Estimate: nan, Low: nan, High: nan}}
	}
	clusters := clustered(before, after)
	in := r.resampled(before, after, clusters)
	if in.Low == in.High {
		in = stats.Alike(in.Estimate, len(after), 0.95)
	}
	return Score{in, len(after), gold, len(clusters)}
}

// resampled is the mean difference of the shares by bootstrap over databases where they are the units and differ, and otherwise over
// items; with no width where all items are alike.
func (r *Recall) resampled(before, after []share, clusters []stats.Cluster) stats.Interval {
	const resamples = 2000
	if r.Cluster && len(clusters) > 1 {
		if in := stats.BootstrapClusters(clusters, 0.95, resamples, 1); in.Low < in.High {
			return in
		}
	}
	pairs := make([]stats.Pair, len(after))
	for i := range after {
		pairs[i] = stats.Pair{A: before[i].found, B: after[i].found}
	}
	return stats.Bootstrap(pairs, 0.95, resamples, 1)
}

// clustered sums the shares, or their differences to those before, up by database, in the order of the items.
func clustered(before, after []share) (out []stats.Cluster) {
	at := map[string]int{}
	for i, s := range after {
		k, known := at[s.db]
		if !known {
			k, at[s.db] = len(out), len(out)
			out = append(out, stats.Cluster{})
		}
		out[k].N++
		out[k].Diff += s.found
		if before != nil {
			out[k].Diff -= before[i].found
		}
	}
	return out
}
