package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ruler is one axis: a range and its ticks.
type ruler struct {
	lo, hi float64
	log    bool
	ticks  []plot.Tick
}

// linear is a ruler from round number to round number that has all the values on it.
func linear(values ...float64) ruler {
	lo, hi := extent(values)
	r := ruler{}
	r.lo, r.hi, r.ticks = rounded(lo, hi)
	return r
}

// counting is a linear ruler of whole numbers of things, without a tick between two.
func counting(values ...float64) ruler {
	lo, hi := extent(values)
	r := ruler{}
	r.lo, r.hi, r.ticks = stepped(lo, hi, 1)
	return r
}

// extent is the least and the greatest of some values.
func extent(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// logarithmic is a ruler with some air at both ends, and ticks at 1, 2 and 5 times a power of ten, or at powers of ten
// where there are many. The values are above zero.
func logarithmic(values ...float64) ruler {
	lo, hi := extent(values)
	air := max(0.05*math.Log10(hi/lo), 0.1)
	r := ruler{lo: lo * math.Pow(10, -air), hi: hi * math.Pow(10, air), log: true}
	decades := math.Log10(r.hi / r.lo)
	steps, every := []float64{1, 2, 5}, 1
	if decades > 3 {
		steps, every = steps[:1], 1+int(decades/8)
	}
	for e := int(math.Floor(math.Log10(r.lo))); e <= int(math.Ceil(math.Log10(r.hi))); e += every {
		for _, m := range steps {
			if v := m * math.Pow(10, float64(e)); v >= r.lo && v <= r.hi {
				r.ticks = append(r.ticks, plot.Tick{Value: v, Label: number(v, math.Pow(10, float64(e)))})
			}
		}
	}
	return r
}

// at is where a value stands between two ends; a value off the ruler stands at its end.
func (r ruler) at(v float64, from, to vg.Length) vg.Length {
	v = min(max(v, r.lo), r.hi)
	f := (v - r.lo) / (r.hi - r.lo)
	if r.log {
		f = math.Log(v/r.lo) / math.Log(r.hi/r.lo)
	}
	return from + vg.Length(f)*(to-from)
}

// offZero is what the caption has to say of an axis of that name; nil where it has zero on it, or none.
func (r ruler) offZero(name string) []string {
	if r.log {
		return []string{fmt.Sprintf("The %s axis is logarithmic.", name)}
	}
	if r.lo > 0 || r.hi < 0 {
		return []string{offZero(name, r.ticks[0].Label, r.lo)}
	}
	return nil
}

// left is the room that labels of an upright axis need, with a name beside them or without.
func (r ruler) left(name string) vg.Length {
	w := vg.Length(0)
	for _, t := range r.ticks {
		w = max(w, tickStyle().Width(t.Label))
	}
	if name != "" {
		w += labelStyle().Font.Size * leading
	}
	return w + 8
}

// below is the room that labels of a level axis need.
func below(name string) vg.Length {
	h := tickStyle().Font.Size*leading + 6
	if name != "" {
		h += labelStyle().Font.Size * leading
	}
	return h
}

// beyond is how far the labels of a level axis may reach out at its ends.
func (r ruler) beyond() vg.Length {
	w := vg.Length(0)
	for _, t := range r.ticks {
		w = max(w, tickStyle().Width(t.Label)/2)
	}
	return w
}

// level draws the ruler along the foot of a box, with grid lines up through it. Labels that would touch are left out.
func (r ruler) level(c draw.Canvas, box vg.Rectangle, name string) {
	sty := tickStyle()
	sty.XAlign = draw.XCenter
	last := vg.Length(math.Inf(-1))
	for _, t := range r.ticks {
		x, half := r.at(t.Value, box.Min.X, box.Max.X), sty.Width(t.Label)/2
		if x > box.Min.X {
			c.StrokeLine2(gridLine, x, box.Min.Y, x, box.Max.Y)
		}
		if x-half < last+4 {
			continue
		}
		last = x + half
		c.StrokeLine2(axisLine, x, box.Min.Y-3, x, box.Min.Y)
		c.FillText(sty, vg.Point{X: x, Y: box.Min.Y - 5}, t.Label)
	}
	c.StrokeLine2(axisLine, box.Min.X, box.Min.Y, box.Max.X, box.Min.Y)
	if name != "" {
		sty = labelStyle()
		name = cut(drawable(name), sty, c.Max.X-c.Min.X)
		half := sty.Width(name) / 2 // within the canvas even where the box is narrow
		x := min(max((box.Min.X+box.Max.X)/2, c.Min.X+half), c.Max.X-half)
		sty.XAlign = draw.XCenter
		c.FillText(sty, vg.Point{X: x, Y: box.Min.Y - 6 - tickStyle().Font.Size*leading}, name)
	}
}

// upright draws the ruler along the left edge of a box, with grid lines through it.
func (r ruler) upright(c draw.Canvas, box vg.Rectangle, name string) {
	sty := tickStyle()
	sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
	for _, t := range r.ticks {
		y := r.at(t.Value, box.Min.Y, box.Max.Y)
		if y > box.Min.Y {
			c.StrokeLine2(gridLine, box.Min.X, y, box.Max.X, y)
		}
		c.StrokeLine2(axisLine, box.Min.X-3, y, box.Min.X, y)
		centred(c, sty, vg.Point{X: box.Min.X - 5, Y: y}, t.Label)
	}
	c.StrokeLine2(axisLine, box.Min.X, box.Min.Y, box.Min.X, box.Max.Y)
	if !r.log && (r.lo > 0 || r.hi < 0) {
		torn(c, box.Min)
	}
	if name != "" {
		sideways(c, name, vg.Point{X: box.Min.X - r.left("") - 2, Y: (box.Min.Y + box.Max.Y) / 2}, box.Max.Y-box.Min.Y)
	}
}

// sideways prints a text that reads upwards, with its foot in the middle at that point.
func sideways(c draw.Canvas, text string, at vg.Point, most vg.Length) {
	sty := labelStyle()
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, draw.XCenter, draw.YBottom
	c.FillText(sty, at, cut(drawable(text), sty, most))
}

var (
	gridLine = draw.LineStyle{Color: faint, Width: 0.5}
	axisLine = draw.LineStyle{Color: ink, Width: 0.8}
)
