package compare

import (
	"math"
	"slices"

	"assay/metrics/stats"
)

// Group is the statistics of a pair of arms over all items, or over some.
type Group struct {
	Axis  string `json:"axis,omitempty"`  // empty: all items
	Value string `json:"value,omitempty"` // the axis's group

	Items     int `json:"items"`              // distinct items scored on both sides
	Pairs     int `json:"pairs"`              // scored pairs: items times seeds, or items where OwnSeeds
	Unpaired  int `json:"unpaired,omitempty"` // items times seeds without a partner or without a score on either side
	Databases int `json:"databases"`
	// OwnSeeds is true where the sides have different seeds, so that each has its mean over its own; set for all items only.
	OwnSeeds bool `json:"own_seeds,omitempty"`

	MeanA float64 `json:"mean_a"` // mean over items of the mean over an item's seeds, as MeanB
	MeanB float64 `json:"mean_b"`
	Diff  float64 `json:"diff"` // MeanB - MeanA
	Low   float64 `json:"low"`  // interval of Diff
	High  float64 `json:"high"`
	OnlyA int     `json:"only_a"` // pairs with the higher score in A, in B (discordant)
	OnlyB int     `json:"only_b"`

	P           float64  `json:"p"`        // two-sided
	Holm        float64  `json:"holm"`     // P corrected for the other tests of its family
	Smallest    float64  `json:"smallest"` // the difference that this many items could show; 0 where unknown
	Significant bool     `json:"significant"`
	Test        string   `json:"test"`     // how P was computed
	Interval    string   `json:"interval"` // how Low and High were computed
	Warnings    []string `json:"warnings,omitempty"`
}

// The tests and the intervals.
const (
	McNemar       = "McNemar, exact"
	FlipItems     = "sign flips of items"
	FlipDatabases = "sign flips of databases"
	DrawItems     = "bootstrap over items"
	DrawDatabases = "bootstrap over databases"
	Newcombe      = "Newcombe's score interval"
	AlikeItems    = "score interval of items that all differ by the same"
	AlikeBases    = "score interval of databases that all differ by the same"
	resamples     = 10000 // bootstrap draws of an interval
	drawSeed      = 1     // of the bootstrap, and of sign flips where they are drawn: no caller's, so that all print the same
	leastDiscord  = 1e-9  // in place of 0, where no pair is discordant: stats needs a share above 0
)

// newGroup computes the statistics of the units.
func newGroup(units []*unit, o Options) Group {
	g := Group{Items: len(units), P: 1, Holm: 1}
	if g.Items == 0 {
		return g
	}
	s := sort(units)
	s.single = s.single && !o.effects
	g.Pairs, g.Databases = s.pairs, len(s.clusters)
	g.MeanA, g.MeanB, g.OnlyA, g.OnlyB = s.meanA, s.meanB, s.onlyA, s.onlyB
	g.Diff = g.MeanB - g.MeanA
	test := g.test(s, o)
	g.P, g.Warnings = test.P, test.Warnings
	in := g.interval(s, o)
	g.Low, g.High = in.Low, in.High
	g.Warnings = append(g.Warnings, in.Warnings...)
	if o.Cluster && !s.clustered(o) {
		g.Warnings = append(g.Warnings, "one database: its items are the units")
	}
	g.smallest(s, o)
	return g
}

// sorted is a group's items arranged for the statistics.
type sorted struct {
	pairs        int
	meanA, meanB float64
	onlyA, onlyB int
	both         int             // pairs with two scores of 1; meaningful where single
	items        []stats.Pair    // one per item
	clusters     []stats.Cluster // one per database, in the order of first appearance
	single       bool            // every item has one pair of 0/1 scores
}

func sort(units []*unit) *sorted {
	s := &sorted{single: true}
	at := map[string]int{}
	for _, u := range units {
		p := stats.Pair{A: mean(u.va), B: mean(u.vb)}
		s.items = append(s.items, p)
		pairs := u.pairs()
		s.pairs += len(pairs)
		s.meanA += p.A
		s.meanB += p.B
		s.single = s.single && len(u.va) == 1 && len(u.vb) == 1 && (p.A == 0 || p.A == 1) && (p.B == 0 || p.B == 1)
		for _, one := range pairs {
			switch {
			case one.A > one.B:
				s.onlyA++
			case one.B > one.A:
				s.onlyB++
			case one.A == 1:
				s.both++
			}
		}
		k, ok := at[u.question.DB]
		if !ok {
			k = len(s.clusters)
			at[u.question.DB] = k
			s.clusters = append(s.clusters, stats.Cluster{})
		}
		s.clusters[k].N++
		s.clusters[k].Diff += p.B - p.A
	}
	s.meanA /= float64(len(units))
	s.meanB /= float64(len(units))
	return s
}

// clustered reports whether databases are the units. A single database has no variance between units, so its items are used.
func (s *sorted) clustered(o Options) bool { return o.Cluster && len(s.clusters) > 1 }

// test computes the p-value: McNemar's where it applies, otherwise sign flips.
func (g *Group) test(s *sorted, o Options) stats.Test {
	if s.single && !s.clustered(o) {
		g.Test = McNemar
		return stats.McNemar(s.onlyA, s.onlyB)
	}
	g.Test = FlipItems
	var diffs []float64
	for _, p := range s.items {
		diffs = append(diffs, p.B-p.A)
	}
	if s.clustered(o) {
		g.Test, diffs = FlipDatabases, nil
		for _, c := range s.clusters {
			diffs = append(diffs, c.Diff)
		}
	}
	return stats.SignFlip(diffs, drawSeed)
}

// interval computes the interval of the difference.
func (g *Group) interval(s *sorted, o Options) stats.Interval {
	switch {
	case s.clustered(o):
		if alike(s.clusters) {
			g.Interval = AlikeBases
			return s.alike(g.Diff, len(s.clusters), o)
		}
		g.Interval = DrawDatabases
		return stats.BootstrapClusters(s.clusters, o.Level, resamples, drawSeed)
	case s.single:
		g.Interval = Newcombe
		return stats.Newcombe(s.both, s.onlyA, s.onlyB, len(s.items)-s.both-s.onlyA-s.onlyB, o.Level)
	case alike(s.apart()):
		g.Interval = AlikeItems
		return s.alike(g.Diff, len(s.items), o)
	}
	g.Interval = DrawItems
	return stats.Bootstrap(s.items, o.Level, resamples, drawSeed)
}

// apart returns every item as a cluster of its own.
func (s *sorted) apart() []stats.Cluster {
	out := make([]stats.Cluster, len(s.items))
	for i, p := range s.items {
		out[i] = stats.Cluster{N: 1, Diff: p.B - p.A}
	}
	return out
}

// alike reports whether all clusters have the same mean difference. A bootstrap would then give an interval of width 0.
func alike(cs []stats.Cluster) bool {
	for _, c := range cs {
		if math.Abs(c.Diff/float64(c.N)-cs[0].Diff/float64(cs[0].N)) > 1e-12 {
			return false
		}
	}
	return true
}

// alike returns the interval of n differences that all equal d, on the scale of the highest score, as some metrics exceed 1.
func (s *sorted) alike(d float64, n int, o Options) stats.Interval {
	top := 1.0
	for _, p := range s.items {
		top = max(top, math.Abs(p.A), math.Abs(p.B), math.Abs(p.B-p.A))
	}
	in := stats.Alike(max(-1, min(1, d/top)), n, o.Level)
	in.Estimate, in.Low, in.High = d, min(top*in.Low, d), max(top*in.High, d)
	return in
}

// smallest computes the difference that this many items could show.
func (g *Group) smallest(s *sorted, o Options) {
	if g.Test == McNemar {
		d := stats.Design{Discordant: max(leastDiscord, float64(s.onlyA+s.onlyB)/float64(len(s.items))), Level: 1 - o.Level, Power: o.Power}
		if diff, ok := d.Smallest(len(s.items)); ok {
			g.Smallest = diff
		}
		return
	}
	units := s.clusters
	if !s.clustered(o) {
		units = s.apart()
	}
	if se := stats.StandardError(units); !math.IsNaN(se) && se > 0 {
		g.Smallest = min(1, stats.Detectable(se, 1-o.Level, o.Power))
	}
}

// correct corrects the p-values family by family, and decides what is significant.
func (r *Report) correct(o Options) {
	names := []string{""}
	for _, x := range o.By {
		names = append(names, x.Name)
	}
	for _, name := range append(names, o.Over...) {
		groups := r.family(name)
		correct(groups, o.Level)
		r.Families = append(r.Families, Family{Axis: name, Tests: len(groups)})
	}
}

// correct corrects the p-values of one family, and decides what is significant. Groups without items make no test and must
// not weaken the correction of others.
func correct(family []*Group, level float64) {
	tests := slices.DeleteFunc(slices.Clone(family), func(g *Group) bool { return g.Items == 0 })
	ps := make([]float64, len(tests))
	for i, g := range tests {
		ps[i] = g.P
	}
	for i, p := range stats.Holm(ps) {
		tests[i].Holm, tests[i].Significant = p, p < 1-level
	}
}

// correctEach is correct for the family of all comparisons in a list, each with the group that of names.
func correctEach[T any](all []T, of func(*T) *Group, level float64) {
	family := make([]*Group, len(all))
	for i := range all {
		family[i] = of(&all[i])
	}
	correct(family, level)
}

// family returns the groups of one axis, or those of all items, over all comparisons, but for groups without items.
func (r *Report) family(axis string) (out []*Group) {
	add := func(g *Group) {
		if g.Items > 0 {
			out = append(out, g)
		}
	}
	for _, c := range r.Comparisons {
		for i := range c.Pairs {
			if axis == "" {
				add(&c.Pairs[i].All)
			}
			eachOf(c.Pairs[i].By, axis, add)
		}
		for i := range c.Marginals {
			eachOf([]Breakdown{c.Marginals[i].Breakdown}, axis, add)
		}
	}
	return out
}

// eachOf calls f with the groups of an axis, in place.
func eachOf(by []Breakdown, axis string, f func(*Group)) {
	for _, b := range by {
		for k := range b.Groups {
			if b.Axis == axis {
				f(&b.Groups[k])
			}
		}
	}
}
