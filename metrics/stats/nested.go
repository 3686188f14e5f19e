package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Source is one source of chance of a nested design: its values are drawn anew under each value of the source before it, and
// all items see the same.
type Source struct {
	Values int // under each value of the source before

	// Total is the variance that the source gives to a mean over these items: Common and Own/items together.
	Total Interval
	// Common is how much the source moves all items together.
	Common Interval
	// Own is how much it moves each item on its own. With one sample, that of the last source includes sampling.
	Own Interval
}

// Nested are the components of variance under the model
//
//	score = mean + item + sum over sources (source + item x source) + sampling
//
// whose sources are nested in the order given and crossed with the items, every term but the mean being drawn independently
// for each of its indices. A component is estimated without bias, and so may come out below 0: Estimate and Low then are, and
// whoever prints them says so.
type Nested struct {
	Items, Samples int
	Mean           float64
	Item           Interval // how much items differ
	Sources        []Source
	Sampling       Interval // between samples of one item at one value of every source; NaN with one sample
	Warnings       []string
}

// VarianceNested estimates the components from scores[item][cell][sample]. A cell is a value of every source, the last
// source fastest, values[s] being the number of values of source s under one value of the source before. It equates the mean
// squares to their expectations (Searle, Casella and McCulloch 1992, chapters 4 and 5).
//
// Intervals of Total and Common are those of Ting, Burdick, Graybill, Jeyaratnam and Lu (1990) for sums and differences of mean
// squares, by the few values of the sources; they hold as far as a mean over the items is normal. Intervals of Item, Own and
// Sampling are percentiles of a bootstrap over items with the sources' values as they are: binary scores are far from normal.
// It panics if the scores are not balanced; without two items, or two values of each source, all is NaN.
func VarianceNested(values []int, scores [][][]float64, confidence float64, resamples int, seed uint64) Nested {
	mustBe(0 < confidence && confidence < 1, "confidence %v", confidence)
	d := newNesting(values, scores)
	out := Nested{Items: d.items, Samples: d.samples, Sources: make([]Source, len(values))}
	for i, n := range values {
		out.Sources[i].Values = n
		if n < 2 {
			out.Warnings = append(out.Warnings, "a source with one value cannot be told from the others")
		} else if n < fewValues {
			out.Warnings = append(out.Warnings, fmt.Sprintf("a source with %d values: its variance is hardly known", n))
		}
	}
	if d.items < 2 {
		out.Warnings = append(out.Warnings, "fewer than two items")
	}
	s := d.squares(nil)
	out.Mean = s.mean
	out.Item = Interval{Estimate: d.item(s), Confidence: confidence}
	out.Sampling = Interval{Estimate: s.within, Confidence: confidence}
	for l := range values {
		out.Sources[l].Total, out.Sources[l].Common = d.fixed(s, l, confidence)
		out.Sources[l].Own = Interval{Estimate: d.own(s, l), Confidence: confidence}
	}
	d.bootstrap(&out, confidence, resamples, seed)
	return out
}

// fewValues is the number of values of a source below which its variance gets a warning.
const fewValues = 5

// nesting is a balanced design with what resampling its items needs: sums over items alone.
type nesting struct {
	values         []int
	below          []int // cells under one value of a source
	items, samples int
	means          [][]float64 // by item, then cell
	apart          [][]float64 // by item, then source: its sum of squares within the item
	within         []float64   // by item: its sum of squares between samples
	mean           []float64   // by item
}

func newNesting(values []int, scores [][][]float64) *nesting {
	d := &nesting{values: values, below: make([]int, len(values)), items: len(scores)}
	cells := 1
	for l := len(values) - 1; l >= 0; l-- {
		mustBe(values[l] > 0, "source %d has %d values", l, values[l])
		d.below[l] = cells
		cells *= values[l]
	}
	for i, item := range scores {
		mustBe(len(item) == cells, "%d cells and %d", cells, len(item))
		means, within := make([]float64, cells), 0.0
		for c, samples := range item {
			if i+c == 0 {
				d.samples = len(samples)
			}
			mustBe(len(samples) == d.samples && d.samples > 0, "%d samples and %d", d.samples, len(samples))
			means[c] = stat.Mean(samples, nil)
			for _, x := range samples {
				within += square(x - means[c])
			}
		}
		d.means, d.within, d.mean = append(d.means, means), append(d.within, within), append(d.mean, stat.Mean(means, nil))
		d.apart = append(d.apart, d.between(means))
	}
	return d
}

// between returns, for each source, the sum of squares of its values' means about those of the source before.
func (d *nesting) between(cells []float64) []float64 {
	out := make([]float64, len(d.values))
	for l := len(d.values) - 1; l >= 0; l-- {
		n := d.values[l]
		means := make([]float64, len(cells)/n)
		for i := range means {
			group := cells[i*n : (i+1)*n]
			means[i] = stat.Mean(group, nil)
			for _, x := range group {
				out[l] += square(x-means[i]) * float64(d.below[l]*d.samples)
			}
		}
		cells = means
	}
	return out
}

// nestedSquares are the mean squares, with their degrees of freedom.
type nestedSquares struct {
	mean, item, within float64
	main, both         []float64 // of a source, and of items with it
	df, dfBoth         []float64
	dfWithin           float64
}

// squares returns the mean squares over a list of items, which may name one several times; nil is all of them.
func (d *nesting) squares(items []int) (s nestedSquares) {
	if items == nil {
		for i := range d.items {
			items = append(items, i)
		}
	}
	n, levels := float64(len(items)), len(d.values)
	cells, sums, within := make([]float64, d.cells()), make([]float64, levels), 0.0
	for _, i := range items {
		for c, x := range d.means[i] {
			cells[c] += x / n
		}
		for l, x := range d.apart[i] {
			sums[l] += x
		}
		within += d.within[i]
		s.mean += d.mean[i] / n
	}
	for _, i := range items {
		s.item += square(d.mean[i]-s.mean) * float64(d.cells()*d.samples) / (n - 1)
	}
	nodes := 1.0
	for l, x := range d.between(cells) {
		df := nodes * float64(d.values[l]-1)
		nodes *= float64(d.values[l])
		s.df, s.dfBoth = append(s.df, df), append(s.dfBoth, df*(n-1))
		s.main, s.both = append(s.main, n*x/df), append(s.both, max(0, sums[l]-n*x)/(df*(n-1)))
	}
	s.dfWithin = n * nodes * float64(d.samples-1)
	s.within = within / s.dfWithin // NaN for one sample (0/0)
	return s
}

func (d *nesting) cells() int { return d.below[0] * d.values[0] }

// item is the variance of items.
func (d *nesting) item(s nestedSquares) float64 {
	return (s.item - s.both[0]) / float64(d.cells()*d.samples)
}

// own is the variance of items' own reactions to a source.
func (d *nesting) own(s nestedSquares, l int) float64 {
	v := s.both[l]
	switch {
	case l+1 < len(s.both):
		v -= s.both[l+1]
	case d.samples > 1:
		v -= s.within
	}
	return v / float64(d.below[l]*d.samples)
}

// fixed returns the variances that a source gives to a mean over the items, in all and by what it does to all of them.
func (d *nesting) fixed(s nestedSquares, l int, confidence float64) (total, common Interval) {
	scale := 1 / (float64(d.items) * float64(d.below[l]*d.samples))
	own := []meanSquare{{scale, s.main[l], s.df[l]}}
	all := append(slices.Clip(own), meanSquare{-scale, s.both[l], s.dfBoth[l]})
	if l+1 < len(s.main) {
		next := meanSquare{-scale, s.main[l+1], s.df[l+1]}
		own, all = append(own, next), append(all, next, meanSquare{scale, s.both[l+1], s.dfBoth[l+1]})
	} else if d.samples > 1 {
		own = append(own, meanSquare{-scale, s.within, s.dfWithin})
	}
	return combined(own, confidence), combined(all, confidence)
}

// bootstrap sets the intervals of what differs from item to item.
func (d *nesting) bootstrap(out *Nested, confidence float64, resamples int, seed uint64) {
	if resamples <= 0 {
		resamples = 2000
	}
	r := rand.New(rand.NewPCG(seed, 0xbf58476d1ce4e5b9))
	drawn := make([][]float64, 2+len(d.values))
	items := make([]int, d.items)
	for range resamples {
		for i := range items {
			items[i] = r.IntN(d.items)
		}
		s := d.squares(items)
		drawn[0], drawn[1] = append(drawn[0], d.item(s)), append(drawn[1], s.within)
		for l := range d.values {
			drawn[2+l] = append(drawn[2+l], d.own(s, l))
		}
	}
	bound := func(in *Interval, xs []float64) {
		tail := (1 - confidence) / 2
		in.Low, in.High = math.NaN(), math.NaN()
		if slices.Sort(xs); len(xs) > 0 && !math.IsNaN(xs[0]) {
			in.Low, in.High = stat.Quantile(tail, stat.LinInterp, xs, nil), stat.Quantile(1-tail, stat.LinInterp, xs, nil)
		}
	}
	bound(&out.Item, drawn[0])
	bound(&out.Sampling, drawn[1])
	for l := range d.values {
		bound(&out.Sources[l].Own, drawn[2+l])
	}
}
