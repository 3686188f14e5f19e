package figure

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// From top to bottom: the title, the legend in columns, the plot, the caption. Nothing shares space, so that nothing
// overlaps whatever its length.

const (
	margin     = vg.Length(12)
	plotHeight = vg.Length(215)
	leading    = vg.Length(1.3) // line distance, in font sizes
	swatch     = vg.Length(24)  // width of a legend entry's sample
)

type layout struct {
	width, height  vg.Length
	title, caption []string
	legend         []string    // names as printed
	columns        int         // of the legend
	entry          vg.Length   // width of one of them
	ticks          []plot.Tick // along x
	tilt           bool        // the tick labels are at an angle
	below          vg.Length   // what tick labels at an angle need more
}

// arrange implements picture.
func (s *Spec) arrange() (size, paint) {
	l := s.layout()
	return size{l.width, l.height}, func(c draw.Canvas) { s.draw(c, l) }
}

// layout decides the size and breaks the texts.
func (s *Spec) layout() layout {
	l := layout{width: 455} // 16 cm
	if s.Kind == Bars {
		l.width = min(max(l.width, vg.Length(len(s.Groups)*(len(s.Series)+1))*9+60), 800)
	}
	inner := l.width - 2*margin
	l.title = wrapped(drawable(s.Title), titleStyle(), inner)
	for _, c := range s.Caption {
		l.caption = append(l.caption, wrapped(drawable(c), captionStyle(), inner)...)
	}
	widest := vg.Length(0)
	for _, r := range s.Series {
		name := cut(drawable(r.Name), tickStyle(), inner-swatch-8)
		l.legend = append(l.legend, name)
		widest = max(widest, tickStyle().Width(name)+swatch+20)
	}
	l.columns, l.entry = max(1, min(len(l.legend), int((inner+12)/widest))), widest
	s.tickLabels(&l, inner-50)
	l.height = plotHeight + l.below + 2*margin + block(l.title, titleStyle()) + block(l.caption, captionStyle()) +
		vg.Length(l.legendRows())*tickStyle().Font.Size*1.5 + 8
	return l
}

func (l layout) legendRows() int { return (len(l.legend) + l.columns - 1) / l.columns }

// block is the height of lines with some air below.
func block(lines []string, sty text.Style) vg.Length {
	if len(lines) == 0 {
		return 0
	}
	return vg.Length(len(lines))*sty.Font.Size*leading + 6
}

// tickLabels puts the groups' names at their places: wrapped where they fit their slot so, else at an angle. Numbers
// that would touch the one before are left out.
func (s *Spec) tickLabels(l *layout, room vg.Length) {
	sty := tickStyle()
	lo, hi := s.span()
	if s.X != nil {
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
		return
	}
	slot := room/vg.Length(len(s.Groups)) - 6
	names := make([]string, len(s.Groups))
	for i, g := range s.Groups {
		lines := wrapped(drawable(g), sty, slot)
		for _, word := range strings.Fields(drawable(g)) {
			l.tilt = l.tilt || sty.Width(word) > slot
		}
		l.tilt = l.tilt || len(lines) > 3
		names[i] = strings.Join(lines, "\n")
	}
	for i, g := range s.Groups {
		if l.tilt {
			reach := 50 + (slot+6)*(vg.Length(i)+0.5) // to the left edge
			names[i] = cut(drawable(g), sty, min(130, reach/cosine))
			l.below = max(l.below, sty.Width(names[i])*sine)
		} else {
			l.below = max(l.below, vg.Length(strings.Count(names[i], "\n"))*sty.Font.Size)
		}
		l.ticks = append(l.ticks, plot.Tick{Value: float64(i), Label: names[i]})
	}
}

// angle of long tick labels, 30 degrees.
const (
	angle  = math.Pi / 6
	sine   = vg.Length(0.5)
	cosine = vg.Length(0.87)
)

// span is the x axis's range.
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

// draw puts everything on the canvas.
func (s *Spec) draw(c draw.Canvas, l layout) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := lines(c, l.title, titleStyle(), c.Max.Y)
	y = s.drawLegend(c, l, y)
	foot := c.Min.Y + block(l.caption, captionStyle())
	lines(c, l.caption, captionStyle(), foot-6)
	c.Max.Y, c.Min.Y = y-4, foot
	s.plot(l).Draw(draw.Crop(c, 0, -4, 0, 0))
}

// lines prints lines from y down, and returns where the next thing may begin.
func lines(c draw.Canvas, ls []string, sty text.Style, y vg.Length) vg.Length {
	for i, line := range ls {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: y - vg.Length(i)*sty.Font.Size*leading}, line)
	}
	return y - block(ls, sty)
}

// drawLegend prints the entries row by row.
func (s *Spec) drawLegend(c draw.Canvas, l layout, y vg.Length) vg.Length {
	sty := tickStyle()
	row := sty.Font.Size * 1.5
	for i, name := range l.legend {
		at := vg.Point{X: c.Min.X + vg.Length(i%l.columns)*l.entry, Y: y - vg.Length(i/l.columns)*row}
		box := c
		box.Rectangle = vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - sty.Font.Size - 1.5}, Max: vg.Point{X: at.X + swatch, Y: at.Y - 2}}
		if s.Kind == Bars {
			bar(box, i)
		} else {
			sample(box, i, s.X != nil)
		}
		c.FillText(sty, vg.Point{X: at.X + swatch + 6, Y: at.Y}, name)
	}
	return y - vg.Length(l.legendRows())*row
}

// plot is the axes with the data, without title and legend.
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
	if l.tilt {
		p.X.Tick.Label.Rotation = angle
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	p.X.Min, p.X.Max = s.span()
	p.X.Tick.Marker = plot.ConstantTicks(l.ticks)
	if s.X == nil {
		p.X.Tick.LineStyle.Color, p.X.Tick.Length = white, 3 // no ticks, but their room
		if l.tilt {
			p.X.Tick.Length = 8
		}
	}
	var ticks []plot.Tick
	p.Y.Min, p.Y.Max, ticks = s.scale()
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Add(drawers[s.Kind](s))
	return p
}
