package compare

import (
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
)

// Factor is what a run varies: an axis of its sweep, or its arms, with two or more values. The first value is the reference:
// "kept" of a block that is switched, otherwise the first in the run.
type Factor struct {
	Name   string // the axis, or ArmAxis
	Values []string
	at     int // its place in a cell's levels
}

// Effect is a main effect: what a value of a factor is worth against the reference, over all values of the other factors.
type Effect struct {
	Axis     string
	From, To string   // the reference and the value
	Cells    int      // pairs of cells that are averaged
	Alone    int      // cells at the value without a partner at the reference, which are left out
	Without  []string // arms that take no part, as they lack the block or param
	Group             // A is the reference; lost and won count items times cells, or times seeds where Cells is 1
}

// Interaction is how much one factor's effect depends on another's value: the effect at To of the other factor less that at its
// reference.
type Interaction struct {
	Axis      string // whose effect
	From, To  string
	Other     string // on what it depends
	OtherFrom string
	OtherTo   string
	Cells     int // quadruples of cells that are averaged
	Group         // MeanA is the effect at OtherFrom, MeanB that at OtherTo, and Diff the difference of these differences
}

// Factors returns what the run varies: its arms first, then the axes of its sweep.
func Factors(x *record.Index) (out []Factor) {
	names := append([]string{ArmAxis}, x.Run.Manifest.Axes...)
	for i, name := range names {
		f := Factor{Name: name, at: i}
		for _, s := range x.Series {
			if v, ok := level(s, i); ok && !slices.Contains(f.Values, v) {
				f.Values = append(f.Values, v)
			}
		}
		if k := slices.Index(f.Values, configs.BlockKept); k > 0 && strings.HasPrefix(name, "blocks.") {
			f.Values = slices.Insert(slices.Delete(f.Values, k, k+1), 0, configs.BlockKept)
		}
		if len(f.Values) > 1 {
			out = append(out, f)
		}
	}
	return out
}

// level is a cell's value of the factor at a place.
func level(s *record.Series, at int) (string, bool) {
	switch {
	case at == 0:
		return s.Arm, true
	case at <= len(s.Point):
		return s.Point[at-1], true
	}
	return "", false
}

// Effects returns the main effects of a run's factors: each value but the reference, factor by factor.
//
// A value is compared with the reference within pairs of cells that are the same in everything else: the arm, the other axes,
// and the seed. An item's effect is the mean of its differences over the pairs of cells in which it has a score on both sides,
// each pair weighing the same; the effect is the mean over items. Items are the units of interval and test, as in every
// comparison of this package, and Holm's correction is over all effects returned. An arm that lacks a block or param takes no
// part in its effect. The options are those of Within.
func Effects(x *record.Index, o Options) ([]Effect, error) {
	o = o.filled()
	all, err := everything(x, o)
	if err != nil {
		return nil, err
	}
	var out []Effect
	for _, f := range Factors(x) {
		for _, to := range f.Values[1:] {
			out = append(out, all.effect(f, f.Values[0], to, o))
		}
	}
	correctEach(out, func(e *Effect) *Group { return &e.Group }, o.Level)
	return out, nil
}

// effect measures what one value of a factor is worth against another.
func (c compared) effect(f Factor, from, to string, o Options) Effect {
	e := Effect{Axis: f.Name, From: from, To: to}
	var strata []stratum
	holding, without := c.holding(f, to)
	for _, b := range holding {
		a := c.with(b, f, from)
		if a == nil {
			e.Alone++
			continue
		}
		strata = append(strata, stratum{a, b, match(a, b)})
	}
	e.Cells, e.Without, e.Group = len(strata), without, pooled(strata, o)
	return e
}

// Interactions returns, for each two factors, the interactions of each value but the references. An item's interaction is the
// mean over the quadruples of cells in which it has both effects; items are the units, and Holm's correction is over all
// interactions returned. An arm that lacks a block or param has no effect of it, which is not an effect of 0: no quadruple
// holds it. The options are those of Within.
func Interactions(x *record.Index, o Options) ([]Interaction, error) {
	o = o.filled()
	o.effects = true
	all, err := everything(x, o)
	if err != nil {
		return nil, err
	}
	var out []Interaction
	factors := Factors(x)
	for i, other := range factors {
		for _, f := range factors[i+1:] {
			out = append(out, all.interactions(f, other, o)...)
		}
	}
	correctEach(out, func(n *Interaction) *Group { return &n.Group }, o.Level)
	return out, nil
}

// interactions measures those of two factors.
func (c compared) interactions(f, other Factor, o Options) (out []Interaction) {
	for _, to := range f.Values[1:] {
		for _, otherTo := range other.Values[1:] {
			one := Interaction{Axis: f.Name, From: f.Values[0], To: to, Other: other.Name, OtherFrom: other.Values[0], OtherTo: otherTo}
			one.Cells, one.Group = c.interaction(f, to, other, otherTo, o)
			out = append(out, one)
		}
	}
	return out
}

// interaction measures one interaction over all quadruples of cells.
func (c compared) interaction(f Factor, to string, other Factor, otherTo string, o Options) (cells int, g Group) {
	var strata []stratum
	holding, _ := c.holding(f, to)
	for _, last := range holding {
		if v, _ := level(last.Series, other.at); v != otherTo || !last.has(other) {
			continue
		}
		before, plain := c.with(last, f, f.Values[0]), c.with(last, other, other.Values[0])
		if before == nil || plain == nil || !plain.has(f) || !last.drawsBy(other) {
			continue
		}
		first := c.with(plain, f, f.Values[0])
		if first == nil {
			continue
		}
		strata = append(strata, stratum{first, last, crossed(match(first, plain), match(before, last))})
	}
	return len(strata), pooled(strata, o)
}

// crossed pairs the items' effects in two places: A's is that of a, B's that of b. Unpaired counts items with one effect alone.
func crossed(a, b *matched) *matched {
	at := make(map[string]*unit, len(a.units))
	for _, u := range a.units {
		at[u.question.Item] = u
	}
	m := &matched{}
	for _, u := range b.units {
		first := at[u.question.Item]
		if first == nil {
			m.unpaired++
			continue
		}
		m.units = append(m.units, &unit{question: u.question,
			va: []float64{mean(first.vb) - mean(first.va)}, vb: []float64{mean(u.vb) - mean(u.va)}})
	}
	m.unpaired += len(a.units) - len(m.units)
	return m
}

// holding returns the cells that have the value of a factor, in the order of the run, and the arms of which it says nothing.
func (c compared) holding(f Factor, value string) (out []*answers, without []string) {
	for _, a := range c {
		v, ok := level(a.Series, f.at)
		switch {
		case !ok || v != value || !a.drawsBy(f):
		case a.has(f):
			out = append(out, a)
		case !slices.Contains(without, a.Arm):
			without = append(without, a.Arm)
		}
	}
	return out, without
}

// has reports whether a factor says anything of a cell: an arm without a block or param is the same at all its values.
func (a *answers) has(f Factor) bool {
	if !a.Known || !strings.HasPrefix(f.Name, "blocks.") && !strings.HasPrefix(f.Name, "params.") {
		return true
	}
	open := a.run.Resolved.Known.Open(a.Config)
	return slices.ContainsFunc(open, func(s configs.Setting) bool { return s.Key == f.Name })
}

// drawsBy reports whether a factor can matter in a cell as far as demonstrations go: how they are chosen does not where there
// are none, and counting such cells would make its effect smaller than it is.
func (a *answers) drawsBy(f Factor) bool {
	chooses := f.Name == "strategy" || IsSource(f.Name) || strings.HasPrefix(f.Name, "exemplars.") && f.Name != "exemplars.k"
	return !chooses || !a.Known || a.Config.Exemplars.K > 0
}

// with returns the cell that differs from another in one factor, where it has the value; nil where the run lacks it.
func (c compared) with(like *answers, f Factor, value string) *answers {
	if f.at == 0 {
		return c.at(value, like.Point)
	}
	point := slices.Clone(like.Point)
	point[f.at-1] = value
	return c.at(like.Arm, point)
}
