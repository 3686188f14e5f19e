// Package figure draws figures with gonum/plot: each kind is one plain value with Write methods.
//
// A value is checked, its layout is arranged (texts are broken into lines and the page gets its height), and then it is
// painted on an SVG, PNG or PDF canvas. The package must never draw a missing value as zero, let two texts overlap, or
// depend on the clock or on map order: equal values give equal bytes.
package figure

import (
	"fmt"
	"math"
)

// Spec is a figure of bars or lines.
type Spec struct {
	ID      string // its name in errors, such as "bars-hardness"
	Title   string
	XLabel  string
	YLabel  string
	Kind    Kind
	Groups  []string  // names along the x axis
	X       []float64 // Lines: the position of each group; nil: groups are categories, evenly spaced and not joined
	Series  []Series
	Counts  bool     // values are counts, so the y axis has no ticks between whole numbers
	Values  bool     // Bars: print each value above its bar, upright where bars are narrow; not where they are narrower still
	Places  int      // Bars: decimals of these values; at most 6
	Bands   bool     // Lines: draw ranges as bands instead of error bars
	Fills   []Fill   // Lines: areas between two series, such as an upper and a lower bound
	Caption []string // paragraphs under the plot, which say what the error bars are, and n

	styles []int  // Panels: of each series; nil: its position
	shared *ruler // Panels: the y axis of all
}

// Kind is a kind of Spec.
type Kind int

// The kinds.
const (
	Bars  Kind = iota // one bar per series in each group
	Lines             // one line per series across the groups
)

// MostSeries is how many series one figure can have without a colour twice.
const MostSeries = 8

// Series is one arm's points, one per group.
type Series struct {
	Name   string
	Points []Point
}

// Fill is the shaded area between two series.
type Fill struct {
	Low, High int    // indices into Series
	Name      string // in the legend; empty: not listed
}

// Point is one value. The zero Point is a missing value: it leaves a gap and is never drawn as zero.
type Point struct {
	Y        float64
	Low      float64 // ends of the error bar; meaningless unless HasRange
	High     float64
	OK       bool
	HasRange bool
}

// check returns an error for what cannot be drawn.
func (s *Spec) check() error {
	if s.Kind != Bars && s.Kind != Lines {
		return fmt.Errorf("unknown kind %d", s.Kind)
	}
	if s.X != nil && len(s.X) != len(s.Groups) {
		return fmt.Errorf("%d positions for %d groups", len(s.X), len(s.Groups))
	}
	for _, x := range s.X {
		if !finite(x) {
			return fmt.Errorf("position %v is not a number", x)
		}
	}
	for _, f := range s.Fills {
		if min(f.Low, f.High) < 0 || max(f.Low, f.High) >= len(s.Series) {
			return fmt.Errorf("fill %q is between series %d and %d of %d", f.Name, f.Low, f.High, len(s.Series))
		}
	}
	if len(s.Series) > MostSeries {
		return fmt.Errorf("%d series, of which %d can be told apart", len(s.Series), MostSeries)
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
				return fmt.Errorf("series %q has a value that is not a number", r.Name)
			}
			if s.Kind == Bars && p.Y < 0 {
				return fmt.Errorf("series %q has the bar %v below zero", r.Name, p.Y)
			}
		}
	}
	if values == 0 {
		return errEmpty
	}
	return checkPlaces(s.Places)
}

// finite reports whether f is a number that an axis can show. Beyond 1e15 differences between values would be lost.
func finite(f float64) bool { return math.Abs(f) <= 1e15 }

// Readable returns the figure itself, or the same values as a heat map where it has more than MostSeries series. The
// map's caption is the given one, because a map shows no ranges.
func (s *Spec) Readable(caption ...string) Drawing {
	if len(s.Series) <= MostSeries {
		return s
	}
	h := &Heat{ID: s.ID, Title: s.Title, XLabel: s.XLabel, Unit: s.YLabel, Columns: s.Groups, Caption: caption}
	if !s.Counts && len(s.Groups) <= 12 {
		h.Places = 1
	}
	for _, r := range s.Series {
		cells := make([]Cell, len(r.Points))
		for g, p := range r.Points {
			cells[g] = Cell{Value: p.Y, OK: p.OK}
		}
		h.Rows, h.Cells = append(h.Rows, r.Name), append(h.Cells, cells)
	}
	return h
}
