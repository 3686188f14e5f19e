package pool

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// Sampling says how many subsets of pools are taken.
type Sampling struct {
	Seed  uint64
	All   int // if an item's pool has at most this many subsets of a size, all are taken; 0 means 1,000
	Draws int // number of random subsets taken if there are more; 0 means 200
}

// orDefault replaces zeros by the defaults.
func (s Sampling) orDefault() Sampling {
	if s.All <= 0 {
		s.All = 1000
	}
	if s.Draws <= 0 {
		s.Draws = 200
	}
	return s
}

// Picker returns how often an item's answer is right if only the scored candidates at the places among (ascending)
// exist. It picks one of them, so it must return 1 if all of them are right, and 0 if none is.
type Picker func(item int, among []int) float64

// FanPoint is a pool size with the bounds and the pickers' results there.
type FanPoint struct {
	K            int
	Upper, Lower []float64 // one per item that has a scored candidate, in order; so are all slices below
	Picked       []Picked  // one per picker
	Drawn        int       // number of items whose subsets were drawn, because they are too many to take all
}

// Picked is how often a picker is right.
type Picked struct {
	Values []float64
	SE     float64 // standard error of their mean due to the drawing of subsets; 0 if all were taken, or all drawn ones agree
}

// Fan returns the bounds at each pool size, and between them the pickers' results on the same subsets. A pool smaller
// than a size counts as a whole.
//
// The bounds are exact: they are means over all subsets. Pickers are exact at size 1, where there is nothing to pick,
// at the size of the whole pool, and where an item has at most s.All subsets of the size. Elsewhere s.Draws subsets are
// drawn from those that hold right and wrong candidates, the same for all pickers. On all other subsets every picker
// equals both bounds, so that
//
//	value = lower + (upper - lower) · mean over mixed subsets
//
// (stratified sampling with known strata, Cochran 1977, section 5.3), which never leaves the bounds.
func Fan(items []Item, sizes []int, s Sampling, pickers ...Picker) []FanPoint {
	s = s.orDefault()
	out := make([]FanPoint, len(sizes))
	for p, k := range sizes {
		pt := FanPoint{K: k, Picked: make([]Picked, len(pickers))}
		// One generator per size, so that the results at a size do not depend on which other sizes are asked for.
		r := rand.New(rand.NewPCG(s.Seed, uint64(k)))
		variances := make([]float64, len(pickers))
		for i, it := range items {
			cs := it.Scored()
			if len(cs) == 0 {
				continue
			}
			d := deal{item: i, k: min(k, len(cs)), sampling: s, rand: r}
			for place, c := range cs {
				d.places[int(truth(c.Correct))] = append(d.places[int(truth(c.Correct))], place)
			}
			upper, lower := UpperAt(k)(cs), lowerAt(k)(cs)
			pt.Upper, pt.Lower = append(pt.Upper, upper), append(pt.Lower, lower)
			values, variance, drawn := d.pick(upper, lower, pickers)
			for j := range pickers { // clamp, because rounding leaves up to 1e-17
				pt.Picked[j].Values = append(pt.Picked[j].Values, max(lower, min(upper, values[j])))
				variances[j] += variance[j]
			}
			if drawn {
				pt.Drawn++
			}
		}
		// The items' draws are independent, so their variances add up.
		for j, v := range variances {
			pt.Picked[j].SE = math.Sqrt(v) / float64(max(1, len(pt.Upper)))
		}
		out[p] = pt
	}
	return out
}

// deal is an item whose subsets of one size are taken.
type deal struct {
	item     int
	k        int
	places   [2][]int // of wrong candidates and of right ones
	sampling Sampling
	rand     *rand.Rand
}

// pick returns each picker's value, and the variance that drawing adds to it.
func (d deal) pick(upper, lower float64, pickers []Picker) (values, variances []float64, drawn bool) {
	values, variances = make([]float64, len(pickers)), make([]float64, len(pickers))
	wrong, right := d.places[0], d.places[1]
	n := len(wrong) + len(right)
	switch {
	// Every pick is equally right, and both bounds have that value.
	case len(wrong) == 0 || len(right) == 0 || d.k == 1:
		for j := range pickers {
			values[j] = lower
		}
	case combin.LogGeneralizedBinomial(float64(n), float64(d.k)) < math.Log(float64(d.sampling.All)+0.5):
		subsets := combin.NewCombinationGenerator(n, d.k)
		among, all := make([]int, d.k), 0.0
		for subsets.Next() {
			subsets.Combination(among)
			all++
			for j, p := range pickers {
				values[j] += p(d.item, among)
			}
		}
		for j := range values {
			values[j] /= all
		}
	default:
		d.draw(pickers, values, variances)
		for j := range values {
			values[j], variances[j] = lower+(upper-lower)*values[j], (upper-lower)*(upper-lower)*variances[j]
		}
		return values, variances, true
	}
	return values, variances, false
}

// draw sets the pickers' means over random subsets with right and wrong candidates, and the variances of those means.
func (d deal) draw(pickers []Picker, means, variances []float64) {
	wrong, right := d.places[0], d.places[1]
	least := max(1, d.k-len(wrong))
	chances := make([]float64, 0, d.k) // of having least, least+1, ... right candidates, up to a common factor
	for c := least; c <= min(d.k-1, len(right)); c++ {
		chances = append(chances, combin.LogGeneralizedBinomial(float64(len(right)), float64(c))+
			combin.LogGeneralizedBinomial(float64(len(wrong)), float64(d.k-c)))
	}
	top, whole := slices.Max(chances), 0.0
	for i := range chances {
		chances[i] = math.Exp(chances[i] - top)
		whole += chances[i]
	}
	draws := float64(d.sampling.Draws)
	for range d.sampling.Draws {
		x, c := d.rand.Float64()*whole, 0
		for ; c < len(chances)-1 && x >= chances[c]; c++ {
			x -= chances[c]
		}
		among := append(subset(right, least+c, d.rand), subset(wrong, d.k-least-c, d.rand)...)
		slices.Sort(among)
		for j, p := range pickers {
			v := p(d.item, among)
			means[j] += v / draws
			variances[j] += v * v / draws
		}
	}
	for j, m := range means {
		variances[j] = max(0, variances[j]-m*m) / max(1, draws-1)
	}
}

// subset returns k of xs in their order; every subset is equally likely (Knuth, algorithm S).
func subset(xs []int, k int, r *rand.Rand) []int {
	out := make([]int, 0, k)
	for i, x := range xs {
		if r.IntN(len(xs)-i) < k-len(out) {
			out = append(out, x)
		}
	}
	return out
}
