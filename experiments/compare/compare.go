// Package compare pairs two runs item by item: what changed, by how much, and whether it is more than chance.
package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/stats"
)

// Options says what is compared.
type Options struct {
	Metric string            // metric id; empty: the first of A's that B has too
	Arms   map[string]string // pairs an arm of A with one of B; empty: equal names, or the only arm of each
	Level  float64           // confidence level; 0 means 0.95
	Seed   int64             // of the bootstrap
}

// Comparison is two runs side by side. It is a value before it is printed.
type Comparison struct {
	A, B      Side
	Metric    string
	Level     float64
	Config    []Difference // keys of the resolved experiments that differ
	Warnings  []string     // why the numbers may not be comparable
	Identical bool         // every compared row has the same score and the same SQL
	Groups    []Group
}

// Side names one run.
type Side struct {
	Name, Dir string
	Manifest  record.Manifest
}

// Difference is a config key whose value differs; a side that lacks it is empty.
type Difference struct{ Key, A, B string }

// Group is one pair of arms at one sweep point.
type Group struct {
	ArmA, ArmB string
	Point      []string // the sweep values, the same on both sides
	Items      int      // distinct items scored on both sides
	Pairs      int      // scored pairs: items times seeds
	Unpaired   int      // rows without a partner or without a score on either side

	MeanA, MeanB float64 // mean over items of the mean over an item's seeds
	Diff         float64 // MeanB - MeanA
	Low, High    float64 // bootstrap interval of Diff, items resampled with all their seeds
	OnlyA, OnlyB int     // pairs right in A alone, in B alone (discordant)
	P            float64 // exact McNemar, two-sided, over the discordant pairs
	Significant  bool    // P < 1 - Level
	Warnings     []string
	Flips        []Flip
}

// Flip is a pair whose score changed.
type Flip struct {
	Item, DB, Hardness string
	Seed               int64
	ScoreA, ScoreB     float64
	StatusA, StatusB   metrics.Status
	SQLA, SQLB         string
}

// resamples is how many bootstrap draws an interval takes.
const resamples = 10000

// Runs compares b against a, the baseline.
func Runs(a, b *record.Run, o Options) (*Comparison, error) {
	if o.Level == 0 {
		o.Level = 0.95
	}
	metric, ia, ib, err := commonMetric(a, b, o.Metric)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	c := &Comparison{A: side(a), B: side(b), Metric: metric, Level: o.Level}
	c.Warnings = doubts(a, b, ia, ib)
	pairs, err := armPairs(a, b, o.Arms)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	c.Config = Configs(a.Config, b.Config, pairs)
	c.Identical = true
	for _, p := range pairs {
		for _, point := range points(a.Items, p[0]) {
			rows := pairRows(a, b, p, point, ia, ib)
			c.Groups = append(c.Groups, group(rows, p, point, o))
			c.Identical = c.Identical && rows.identical
		}
	}
	return c, nil
}

func side(r *record.Run) Side {
	return Side{Name: r.Manifest.Experiment + "-" + r.Manifest.ID, Dir: r.Dir, Manifest: r.Manifest}
}

// commonMetric finds the metric in both runs and its column in each.
func commonMetric(a, b *record.Run, want string) (id string, ia, ib int, err error) {
	idsA, idsB := a.Manifest.MetricIDs(), b.Manifest.MetricIDs()
	for i, id := range idsA {
		if j := slices.Index(idsB, id); j >= 0 && (want == "" || want == id) {
			return id, i, j, nil
		}
	}
	if want == "" {
		want = "any"
	}
	return "", 0, 0, fmt.Errorf("metric %q is not in both runs: %s has %s, %s has %s", want,
		side(a).Name, strings.Join(idsA, ", "), side(b).Name, strings.Join(idsB, ", "))
}

// armPairs pairs arms as asked, else by name, else the one arm of each.
func armPairs(a, b *record.Run, asked map[string]string) ([][2]string, error) {
	namesA, namesB := arms(a.Items), arms(b.Items)
	var out [][2]string
	for _, x := range namesA {
		y, ok := asked[x]
		if !ok && len(asked) == 0 && slices.Contains(namesB, x) {
			y, ok = x, true
		}
		if ok {
			if !slices.Contains(namesB, y) {
				return nil, fmt.Errorf("no arm %q in %s, which has %s", y, side(b).Name, strings.Join(namesB, ", "))
			}
			out = append(out, [2]string{x, y})
		}
	}
	for _, x := range slices.Sorted(maps.Keys(asked)) {
		if !slices.Contains(namesA, x) {
			return nil, fmt.Errorf("no arm %q in %s, which has %s", x, side(a).Name, strings.Join(namesA, ", "))
		}
	}
	if len(out) == 0 && len(namesA) == 1 && len(namesB) == 1 {
		return [][2]string{{namesA[0], namesB[0]}}, nil
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no arm of the same name (%s; %s): pair them with --arm X=Y", strings.Join(namesA, ", "), strings.Join(namesB, ", "))
	}
	return out, nil
}

func arms(items []record.Item) (names []string) {
	for _, it := range items {
		if !slices.Contains(names, it.Arm) {
			names = append(names, it.Arm)
		}
	}
	return names
}

func points(items []record.Item, arm string) (out [][]string) {
	seen := map[string]bool{}
	for _, it := range items {
		if k := strings.Join(it.Point, "\x00"); it.Arm == arm && !seen[k] {
			seen[k] = true
			out = append(out, it.Point)
		}
	}
	return out
}

// doubts lists what keeps two runs from being a fair comparison.
func doubts(a, b *record.Run, ia, ib int) (w []string) {
	ma, mb := a.Manifest, b.Manifest
	note := func(differ bool, format string, args ...any) {
		if differ {
			w = append(w, fmt.Sprintf(format, args...))
		}
	}
	note(ma.Dataset != mb.Dataset, "the datasets differ: %s and %s", ma.Dataset, mb.Dataset)
	note(ma.Dataset == mb.Dataset && ma.DatasetHash != mb.DatasetHash,
		"the items differ: %s has another hash in each run (other items, questions, golds or databases)", ma.Dataset)
	note(ma.Metrics[ia].Fingerprint != mb.Metrics[ib].Fingerprint, "metric %s was computed differently: %q and %q",
		ma.Metrics[ia].ID, ma.Metrics[ia].Fingerprint, mb.Metrics[ib].Fingerprint)
	note(ma.SQLite != mb.SQLite, "the SQLite versions differ: %s and %s", ma.SQLite, mb.SQLite)
	note(ma.PromptHash != mb.PromptHash, "the prompt templates differ")
	note(ma.ExemplarsHash != mb.ExemplarsHash, "the demonstrations' files differ")
	note(!ma.Complete, "run A is incomplete")
	note(!mb.Complete, "run B is incomplete")
	note(!slices.Equal(ma.Axes, mb.Axes), "the sweep axes differ: [%s] and [%s]; only equal points are paired",
		strings.Join(ma.Axes, ", "), strings.Join(mb.Axes, ", "))
	return w
}

// rowKey pairs rows of two runs.
type rowKey struct {
	item, point string
	seed        int64
}

// paired are the rows of one group that have a partner and a score on both sides.
type paired struct {
	a, b      []record.Item
	va, vb    []float64
	unpaired  int
	identical bool
}

func pairRows(a, b *record.Run, arm [2]string, point []string, ia, ib int) paired {
	at := strings.Join(point, "\x00")
	other := map[rowKey]record.Item{}
	for _, it := range b.Items {
		if it.Arm == arm[1] && strings.Join(it.Point, "\x00") == at {
			other[rowKey{it.Item, at, it.Seed}] = it
		}
	}
	p := paired{identical: true}
	for _, x := range a.Items {
		if x.Arm != arm[0] || strings.Join(x.Point, "\x00") != at {
			continue
		}
		k := rowKey{x.Item, at, x.Seed}
		y, ok := other[k]
		delete(other, k)
		if !ok || !x.Values[ia].OK || !y.Values[ib].OK {
			p.unpaired++
			p.identical = p.identical && ok && x.Values[ia] == y.Values[ib]
			continue
		}
		p.a, p.b = append(p.a, x), append(p.b, y)
		p.va, p.vb = append(p.va, x.Values[ia].V), append(p.vb, y.Values[ib].V)
		p.identical = p.identical && x.Values[ia] == y.Values[ib] && x.SQL == y.SQL
	}
	p.unpaired += len(other)
	p.identical = p.identical && len(other) == 0
	return p
}

func group(p paired, arm [2]string, point []string, o Options) Group {
	g := Group{ArmA: arm[0], ArmB: arm[1], Point: point, Pairs: len(p.a), Unpaired: p.unpaired}
	for i, x := range p.a {
		if p.va[i] == p.vb[i] {
			continue
		}
		if p.va[i] > p.vb[i] {
			g.OnlyA++
		} else {
			g.OnlyB++
		}
		y := p.b[i]
		g.Flips = append(g.Flips, Flip{Item: x.Item, DB: x.DB, Hardness: x.Hardness, Seed: x.Seed, ScoreA: p.va[i], ScoreB: p.vb[i],
			StatusA: x.Status, StatusB: y.Status, SQLA: x.SQL, SQLB: y.SQL})
	}
	test := stats.McNemar(g.OnlyA, g.OnlyB)
	g.P, g.Warnings = test.P, test.Warnings
	g.Significant = g.P < 1-o.Level
	items := p.items()
	if g.Items = len(items); g.Items > 0 {
		for _, it := range items {
			g.MeanA += it.A / float64(g.Items)
			g.MeanB += it.B / float64(g.Items)
		}
		ci := stats.Bootstrap(items, o.Level, resamples, uint64(o.Seed))
		g.Diff, g.Low, g.High = ci.Estimate, ci.Low, ci.High
		g.Warnings = append(g.Warnings, ci.Warnings...)
	}
	slices.SortStableFunc(g.Flips, func(x, y Flip) int { // losses first
		return cmp.Compare(x.ScoreB-x.ScoreA, y.ScoreB-y.ScoreA)
	})
	return g
}

// items averages the seeds of each item, in order of first appearance: items are what is resampled.
func (p paired) items() []stats.Pair {
	at := map[string]int{}
	var out []stats.Pair
	var n []float64
	for i, x := range p.a {
		k, ok := at[x.Item]
		if !ok {
			k = len(out)
			at[x.Item] = k
			out, n = append(out, stats.Pair{}), append(n, 0)
		}
		out[k].A += p.va[i]
		out[k].B += p.vb[i]
		n[k]++
	}
	for k := range out {
		out[k].A /= n[k]
		out[k].B /= n[k]
	}
	return out
}
