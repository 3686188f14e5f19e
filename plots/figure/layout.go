package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const plotHeight = vg.Length(215)

// layout is where the words of a Spec stand.
type layout struct {
	ticks []plot.Tick // along x
	turn  float64     // of the tick labels, in radians
	below vg.Length   // height of the tick labels beyond one line
	wide  vg.Length   // of the plot with its axis
	print printing    // of the bars' values
}

// arrange implements Drawing.
func (s *Spec) arrange(l Look) page {
	width := l.wide()
	if s.Kind == Bars && l.Width == Screen {
		width = min(max(width, vg.Length(len(s.Groups)*(len(s.Series)+1))*9+60), 800)
	}
	if s.X == nil {
		width = max(width, vg.Length(len(s.Groups))*13+74)
	}
	in := s.layout(width - 2*margin)
	air := in.print.air
	f := newFrame(l, width, plotHeight+in.below+air, s.Title, s.notes(in), s.legend())
	return f.page(func(c draw.Canvas) { s.plot(in, plotHeight).Draw(draw.Crop(c, 0, -4, 0, -air)) })
}

// layout places the tick labels below a plot that is so wide with its axis.
func (s *Spec) layout(wide vg.Length) layout {
	in := layout{wide: wide}
	in.below = s.tickLabels(&in, wide-50)
	in.print = s.printing(in)
	return in
}

// legend explains the series and the areas between them.
func (s *Spec) legend() (out []entry) {
	for i, r := range s.Series {
		k := s.style(i)
		out = append(out, entry{r.Name, func(box draw.Canvas) {
			if s.Kind == Bars {
				bar(box, k)
			} else {
				sample(box, k, s.X != nil)
			}
		}})
	}
	for _, f := range s.Fills {
		if f.Name != "" {
			out = append(out, entry{f.Name, func(box draw.Canvas) { box.FillPolygon(thin(s.style(f.Low)), corners(box.Rectangle)) }})
		}
	}
	return out
}

// style returns the number of the colour, hatch, dash and marker of series k.
func (s *Spec) style(k int) int {
	if s.styles != nil {
		return s.styles[k]
	}
	return k
}

// notes returns the caption with what the reader must know about the drawing.
func (s *Spec) notes(in layout) []string {
	out := slices.Clone(s.Caption)
	if lo, _, ticks := s.scale(); s.cutOff() {
		out = append(out, offZero("y", ticks[0].Label, lo))
	}
	if s.Kind == Bars && s.gaps() && s.nearly(in) < legible+1 {
		out = append(out, "Where no bar stands, not even a line at zero, there is no value.")
	}
	return out
}

// nearly returns the width of a bar before the y axis has its final one.
func (s *Spec) nearly(in layout) vg.Length {
	return s.barWidth((in.wide - 54) / vg.Length(len(s.Groups)))
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
func (s *Spec) plot(l layout, high vg.Length) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = cut(drawable(s.XLabel), labelStyle(), l.wide-76), cut(drawable(s.YLabel), labelStyle(), high-40)
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
	p.Add(drawers[s.Kind](s, l))
	return p
}
