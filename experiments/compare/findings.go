package compare

import (
	"slices"

	"assay/experiments/record"
)

// Inquiry is a question to a run with several factors: what values of one are worth or, where Other names another factor, how
// far that depends on the values of the other. A factor that the run does not vary gives no finding.
type Inquiry struct {
	Axis, Other string
	From, To    string // the two values; empty: each value against the factor's reference
}

// Finding is what a run says to an inquiry.
type Finding struct {
	Of    Inquiry // with the values filled in
	At    string  // the other factor's value, of an interaction; it is held against that factor's reference
	Cells int     // pairs or quadruples of cells that are averaged
	Group         // see Effect and Interaction
}

// Findings answers several inquiries, each as Effects or Interactions does, with Holm's correction over all findings together.
// The findings are in the order of the inquiries. The options are those of Within.
func Findings(x *record.Index, list []Inquiry, o Options) (out [][]Finding, err error) {
	o = o.filled()
	all, err := everything(x, o)
	if err != nil {
		return nil, err
	}
	factors, family := Factors(x), []*Group{}
	for _, q := range list {
		found := all.find(factors, q, o)
		for i := range found {
			family = append(family, &found[i].Group)
		}
		out = append(out, found)
	}
	correct(family, o.Level)
	return out, nil
}

// find answers one inquiry.
func (c compared) find(factors []Factor, q Inquiry, o Options) (out []Finding) {
	i := slices.IndexFunc(factors, func(f Factor) bool { return f.Name == q.Axis })
	k := slices.IndexFunc(factors, func(f Factor) bool { return f.Name == q.Other })
	switch {
	case i < 0 || k < 0 && q.Other != "":
		return nil
	case q.Other != "":
		o.effects = true
		for _, n := range c.interactions(factors[i], factors[k], o) {
			out = append(out, Finding{Inquiry{n.Axis, n.Other, n.From, n.To}, n.OtherTo, n.Cells, n.Group})
		}
	case q.To != "":
		e := c.effect(factors[i], q.From, q.To, o)
		out = append(out, Finding{q, "", e.Cells, e.Group})
	default:
		for _, to := range factors[i].Values[1:] {
			e := c.effect(factors[i], factors[i].Values[0], to, o)
			out = append(out, Finding{Inquiry{q.Axis, "", e.From, e.To}, "", e.Cells, e.Group})
		}
	}
	return out
}
