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

// linear returns a ruler from one round number to another that covers all the values.
func linear(values ...float64) ruler {
	r := ruler{}
	r.lo, r.hi, r.ticks = rounded(fromZero(extent(values)))
	return r
}

// counting returns a linear ruler for counts, without ticks between whole numbers.
func counting(values ...float64) ruler {
	lo, hi := extent(values)
	r := ruler{}
	r.lo, r.hi, r.ticks = stepped(lo, hi, 1)
	return r
}

// extent returns the least and the greatest of some values.
func extent(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// logarithmic returns a ruler with a margin at both ends, and ticks at 1, 2 and 5 times a power of ten, or only at
// powers of ten if there are many. The values must be above zero.
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

// at returns the position of a value between two ends; a value outside the range is put at the nearer end.
func (r ruler) at(v float64, from, to vg.Length) vg.Length {
	v = min(max(v, r.lo), r.hi)
	f := (v - r.lo) / (r.hi - r.lo)
	if r.log {
		f = math.Log(v/r.lo) / math.Log(r.hi/r.lo)
	}
	return from + vg.Length(f)*(to-from)
}

// offZero returns what the caption must say about an axis of that name; nil if the axis contains zero, or has no name.
func (r ruler) offZero(name string) []string {
	if r.log {
		return []string{fmt.Sprintf("The %s axis is logarithmic.", name)}
	}
	if r.broken() {
		return []string{offZero(name, r.ticks[0].Label, r.lo)}
	}
	return nil
}

// broken reports whether the axis leaves zero out without being logarithmic.
func (r ruler) broken() bool { return !r.log && (r.lo > 0 || r.hi < 0) }

// left returns the width that the labels of a vertical axis need, and its name if there is one.
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

// below returns the height that the labels of a horizontal axis need, and its name if there is one.
func below(name string) vg.Length {
	h := tickStyle().Font.Size*leading + 6
	if name != "" {
		h += labelStyle().Font.Size * leading
	}
	return h
}

// beyond returns how far the labels of a horizontal axis may extend past its ends.
func (r ruler) beyond() vg.Length {
	w := vg.Length(0)
	for _, t := range r.ticks {
		w = max(w, tickStyle().Width(t.Label)/2)
	}
	return w
}

// level draws the ruler along the bottom of a box, with grid lines up through it. It omits labels that would touch.
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
	if r.broken() {
		tornLevel(c, box.Min)
	}
	if name != "" {
		sty = labelStyle()
		name = cut(drawable(name), sty, c.Max.X-c.Min.X)
		half := sty.Width(name) / 2 // keeps the name on the canvas even if the box is narrow
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
	if r.broken() {
		torn(c, box.Min)
	}
	if name != "" {
		sideways(c, name, vg.Point{X: box.Min.X - r.left("") - 2, Y: (box.Min.Y + box.Max.Y) / 2}, box.Max.Y-box.Min.Y)
	}
}

// sideways prints a text that runs upwards; at is the middle of its base line.
func sideways(c draw.Canvas, text string, at vg.Point, most vg.Length) {
	sty := labelStyle()
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, draw.XCenter, draw.YBottom
	c.FillText(sty, at, cut(drawable(text), sty, most))
}

var (
	gridLine = draw.LineStyle{Color: faint, Width: 0.5}
	axisLine = draw.LineStyle{Color: ink, Width: 0.8}
)
