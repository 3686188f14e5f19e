package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const plotHeight = vg.Length(215)

type layout struct {
	frame
	ticks []plot.Tick // along x
	turn  float64     // of the tick labels, in radians
}

// arrange implements picture.
func (s *Spec) arrange() (size, paint) {
	l := s.layout()
	return l.size, func(c draw.Canvas) {
		c = l.paint(c)
		s.plot(l).Draw(draw.Crop(c, 0, -4, 0, 0))
	}
}

// layout computes the size and breaks the texts into lines.
func (s *Spec) layout() layout {
	width := pageWide
	if s.Kind == Bars {
		width = min(max(width, vg.Length(len(s.Groups)*(len(s.Series)+1))*9+60), 800)
	}
	if s.X == nil {
		width = max(width, vg.Length(len(s.Groups))*13+74)
	}
	var l layout
	below := s.tickLabels(&l, width-2*margin-50)
	var legend []entry
	for i, r := range s.Series {
		legend = append(legend, entry{r.Name, func(box draw.Canvas) {
			if s.Kind == Bars {
				bar(box, i)
			} else {
				sample(box, i, s.X != nil)
			}
		}})
	}
	for _, f := range s.Fills {
		if f.Name != "" {
			legend = append(legend, entry{f.Name, func(box draw.Canvas) { box.FillPolygon(f.shade(), corners(box.Rectangle)) }})
		}
	}
	caption := s.Caption
	if lo, _, ticks := s.scale(); s.cutOff() {
		caption = append(caption[:len(caption):len(caption)], offZero("y", ticks[0].Label, lo))
	}
	if s.Kind == Bars && s.gaps() && s.barWidth((width-2*margin-54)/vg.Length(len(s.Groups))) < legible+1 {
		caption = append(caption[:len(caption):len(caption)], "Where no bar stands, not even a line at zero, there is no value.")
	}
	l.frame = newFrame(width, plotHeight+below, s.Title, caption, legend)
	return l
}

// gaps reports whether a value is missing.
func (s *Spec) gaps() bool {
	for _, r := range s.Series {
		for _, p := range r.Points {
			if !p.OK {
				return true
			}
		}
	}
	return false
}

// cutOff reports whether the y axis leaves zero out.
func (s *Spec) cutOff() bool {
	lo, hi, _ := s.scale()
	return lo > 0 || hi < 0
}

// offZero returns the sentence that says that an axis does not begin at zero.
func offZero(axis, first string, lo float64) string {
	if lo < 0 {
		return fmt.Sprintf("The %s axis ends below zero.", axis)
	}
	return fmt.Sprintf("The %s axis begins at %s, not at zero.", axis, first)
}

// tickLabels places the groups' names, and returns the height they need beyond one line. It omits numbers that would
// touch the one before.
func (s *Spec) tickLabels(l *layout, room vg.Length) (below vg.Length) {
	sty := tickStyle()
	if s.X == nil {
		f := newFooting(s.Groups, room/vg.Length(max(1, len(s.Groups))), 50)
		for i, name := range f.names {
			l.ticks = append(l.ticks, plot.Tick{Value: float64(i), Label: name})
		}
		l.turn = f.turn
		return f.below
	}
	lo, hi := s.span()
	last := vg.Length(math.Inf(-1))
	for i, g := range s.Groups {
		name := cut(drawable(g), sty, 80)
		at, half := vg.Length((s.X[i]-lo)/(hi-lo))*room, sty.Width(name)/2
		if at-half < last+4 {
			name = ""
		} else {
			last = at + half
		}
		l.ticks = append(l.ticks, plot.Tick{Value: s.X[i], Label: name})
	}
	return 0
}

// span returns the range of the x axis.
func (s *Spec) span() (lo, hi float64) {
	if s.X == nil {
		return -0.5, float64(len(s.Groups)) - 0.5
	}
	lo, hi = s.X[0], s.X[0]
	for _, x := range s.X {
		lo, hi = min(lo, x), max(hi, x)
	}
	if lo == hi {
		return lo - 1, hi + 1
	}
	air := (hi - lo) * 0.04
	return lo - air, hi + air
}

// plot returns the axes with the data, without title and legend.
func (s *Spec) plot(l layout) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = cut(drawable(s.XLabel), labelStyle(), l.width-100), cut(drawable(s.YLabel), labelStyle(), plotHeight-40)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		x, y := a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = tickStyle()
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = x, y
		x, y = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		a.Label.TextStyle = labelStyle()
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = x, y
		a.Padding, a.Label.Padding = 0, 3
	}
	if l.turn != 0 {
		p.X.Tick.Label.Rotation = l.turn
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	p.X.Min, p.X.Max = s.span()
	p.X.Tick.Marker = plot.ConstantTicks(l.ticks)
	if s.X == nil {
		p.X.Tick.LineStyle.Color, p.X.Tick.Length = white, 3 // invisible ticks that keep their space
		if l.turn != 0 {
			p.X.Tick.Length = 8
		}
	}
	var ticks []plot.Tick
	p.Y.Min, p.Y.Max, ticks = s.scale()
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Add(drawers[s.Kind](s))
	return p
}
