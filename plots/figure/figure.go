// Package figure draws with gonum/plot: one plain value a kind of figure.
package figure

import (
	"fmt"
	"math"
)

// Spec is bars or lines before they are drawn. The same Spec gives the same bytes.
type Spec struct {
	ID      string // its name in errors, such as "bars-hardness"
	Title   string
	XLabel  string
	YLabel  string
	Kind    Kind
	Groups  []string  // what stands along x
	X       []float64 // Lines: where each group stands; nil: groups are categories, evenly spaced and not joined
	Series  []Series
	Counts  bool     // values are whole numbers of things, so that the y axis has no tick between two
	Bands   bool     // Lines: ranges as bands in place of error bars
	Fills   []Fill   // Lines: areas between two series, such as an upper and a lower bound
	Caption []string // paragraphs under the plot: what the error bars are, n
}

// Kind is a kind of figure.
type Kind int

// The kinds.
const (
	Bars  Kind = iota // a bar a series in each group
	Lines             // a line a series across the groups
)

// Series is one arm's points, one a group.
type Series struct {
	Name   string
	Points []Point
}

// Fill is the shaded area between two series.
type Fill struct {
	Low, High int    // indices into Series
	Name      string // in the legend; empty: not there
}

// Point is one value. The zero Point is a missing one: it leaves a gap, never a zero.
type Point struct {
	Y        float64
	Low      float64 // ends of the error bar; meaningless unless HasRange
	High     float64
	OK       bool
	HasRange bool
}

// check finds what cannot be drawn.
func (s *Spec) check() error {
	if s.Kind != Bars && s.Kind != Lines {
		return fmt.Errorf("unknown kind %d", s.Kind)
	}
	if s.X != nil && len(s.X) != len(s.Groups) {
		return fmt.Errorf("%d positions for %d groups", len(s.X), len(s.Groups))
	}
	for _, x := range s.X {
		if !finite(x) {
			return fmt.Errorf("position %v is no number", x)
		}
	}
	for _, f := range s.Fills {
		if min(f.Low, f.High) < 0 || max(f.Low, f.High) >= len(s.Series) {
			return fmt.Errorf("fill %q is between series %d and %d of %d", f.Name, f.Low, f.High, len(s.Series))
		}
	}
	values := 0
	for _, r := range s.Series {
		if len(r.Points) != len(s.Groups) {
			return fmt.Errorf("series %q has %d points for %d groups", r.Name, len(r.Points), len(s.Groups))
		}
		for _, p := range r.Points {
			if !p.OK {
				continue
			}
			if values++; !finite(p.Y) || p.HasRange && (!finite(p.Low) || !finite(p.High)) {
				return fmt.Errorf("series %q has a value that is no number", r.Name)
			}
			if s.Kind == Bars && p.Y < 0 {
				return fmt.Errorf("series %q has the bar %v below zero", r.Name, p.Y)
			}
		}
	}
	if values == 0 {
		return errEmpty
	}
	return nil
}

// finite is whether f is a number that an axis can reach; beyond, differences would be lost.
func finite(f float64) bool { return math.Abs(f) <= 1e15 }
