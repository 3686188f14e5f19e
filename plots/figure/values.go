package figure

import (
	"math"

	"assay/metrics/stats"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// printing is how the values of bars are printed, all of a figure alike.
type printing struct {
	air  vg.Length // room above the plot; 0: they are not printed
	turn float64   // of the texts, in radians
}

// printing chooses the form for the width of the bars.
func (s *Spec) printing(in layout) printing {
	if !s.Values || s.Kind != Bars {
		return printing{}
	}
	sty, widest := captionStyle(), vg.Length(0)
	for _, r := range s.Series {
		for _, p := range r.Points {
			if p.OK {
				widest = max(widest, sty.Width(s.text(p)))
			}
		}
	}
	switch width := s.nearly(in); {
	case width >= widest+2:
		return printing{air: sty.Font.Size + 3}
	case width >= legible:
		return printing{air: widest + 5, turn: math.Pi / 2}
	}
	return printing{}
}

// text is a value as it is printed.
func (s *Spec) text(p Point) string { return stats.Fixed(p.Y, s.Places) }

// top returns the upper end of the bar with its error bar.
func (p Point) top() float64 {
	if p.HasRange {
		return max(p.Y, p.High)
	}
	return p.Y
}

// value prints a value above that point.
func (f printing) value(c draw.Canvas, text string, at vg.Point) {
	if f.air == 0 {
		return
	}
	sty := captionStyle()
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
	if f.turn != 0 {
		sty.Rotation, sty.XAlign, sty.YAlign = f.turn, draw.XLeft, draw.YCenter
	}
	c.FillText(sty, vg.Point{X: at.X, Y: at.Y + 2}, text)
}
