package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawers maps each kind to its plotter.
var drawers = map[Kind]func(*Spec, layout) plot.Plotter{
	Bars:  func(s *Spec, l layout) plot.Plotter { return bars{s, l.print} },
	Lines: func(s *Spec, l layout) plot.Plotter { return curves{s} },
}

// scale returns the y axis on round numbers: bars begin at zero, lines where the values do.
func (s *Spec) scale() (lo, hi float64, ticks []plot.Tick) {
	if s.shared != nil {
		return s.shared.lo, s.shared.hi, s.shared.ticks
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, r := range s.Series {
		for _, p := range r.Points {
			if !p.OK {
				continue
			}
			lo, hi = min(lo, p.Y), max(hi, p.Y)
			if p.HasRange {
				lo, hi = min(lo, p.Low), max(hi, p.High)
			}
		}
	}
	// The length of a bar is read as its value, which is only right if the axis begins at zero.
	if s.Kind == Bars {
		if lo = min(lo, 0); hi <= 0 {
			hi = 1
		}
	}
	if s.Counts {
		return stepped(lo, hi, 1)
	}
	return rounded(fromZero(lo, hi))
}

// fromZero moves the begin of a range to zero where that costs no more than half of the axis, or where there is but one
// value: an axis of its neighbourhood would say nothing.
func fromZero(lo, hi float64) (float64, float64) {
	if lo > 0 && (lo <= hi-lo || alike(lo, hi)) {
		lo = 0
	}
	return lo, hi
}

// alike reports whether two values differ by no more than rounding.
func alike(lo, hi float64) bool { return hi-lo < 1e-9*max(math.Abs(lo), math.Abs(hi)) }

// rounded widens a range to round numbers, with a tick at each.
func rounded(lo, hi float64) (float64, float64, []plot.Tick) { return stepped(lo, hi, 0) }

// stepped is rounded with ticks at least that far apart.
func stepped(lo, hi, least float64) (float64, float64, []plot.Tick) {
	// A range of rounding error only would give ticks that all have the same label.
	if alike(lo, hi) {
		lo = hi
	}
	// At most about seven steps; the 1e-9 keeps a bound that is already round from moving to the next step.
	step := max(round((hi-lo)/7), least)
	lo, hi = math.Floor(lo/step+1e-9)*step, math.Ceil(hi/step-1e-9)*step
	if lo == hi {
		lo, hi = lo-step, hi+step
	}
	var ticks []plot.Tick
	for i := 0; lo+float64(i)*step <= hi+step/2; i++ {
		v := lo + float64(i)*step
		ticks = append(ticks, plot.Tick{Value: v, Label: number(v, step)})
	}
	return lo, hi, ticks
}

// number prints a tick's value with as many decimals as the step between ticks has.
func number(v, step float64) string {
	places := max(0, int(-math.Floor(math.Log10(step))))
	// v+0 turns -0 into 0, which would otherwise be printed with its sign.
	if places > 6 || math.Abs(v) >= 1e7 {
		return strconv.FormatFloat(v+0, 'g', 6, 64)
	}
	return strconv.FormatFloat(v+0, 'f', places, 64)
}

// round returns the least of 1, 2 and 5 times a power of ten that is not below f.
func round(f float64) float64 {
	if f <= 0 {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(f)))
	for _, m := range []float64{1, 2, 5} {
		if f <= m*p*(1+1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// gridLines draws horizontal grid lines only: groups need none between them.
func gridLines(c draw.Canvas, p *plot.Plot) {
	g := plotter.NewGrid()
	g.Vertical.Color = nil
	g.Horizontal = draw.LineStyle{Color: faint, Width: 0.5}
	g.Plot(c, p)
}

// onBar and onWhite are the strokes of an error bar: black with a white halo is visible on any colour.
var onBar = []draw.LineStyle{{Color: white, Width: 2.2}, {Color: black, Width: 0.8}}

// onWhite returns the stroke of an error bar of series k outside of bars.
func onWhite(k int) []draw.LineStyle {
	return []draw.LineStyle{{Color: strokes[k], Width: 0.8}}
}

// whisker draws an error bar.
func whisker(c draw.Canvas, strokes []draw.LineStyle, x, low, high, cap vg.Length) {
	for _, sty := range strokes {
		c.StrokeLine2(sty, x, low, x, high)
		c.StrokeLine2(sty, x-cap, low, x+cap, low)
		c.StrokeLine2(sty, x-cap, high, x+cap, high)
	}
}

// bars draws grouped bars with error bars.
type bars struct {
	*Spec
	print printing
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	gridLines(c, p)
	x, y := p.Transforms(&c)
	width := b.barWidth(x(1) - x(0))
	for k, r := range b.Series {
		for g, pt := range r.Points {
			left := x(float64(g)) + (vg.Length(k)-vg.Length(len(b.Series))/2)*width
			if !pt.OK {
				if width >= legible {
					missing(c, left+width/2, y(0))
				}
				continue
			}
			box := c
			box.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: y(0)}, Max: vg.Point{X: left + width, Y: y(pt.Y)}}
			bar(box, b.style(k))
			if pt.HasRange {
				whisker(c, onBar, left+width/2, y(pt.Low), y(pt.High), min(width/4, 4))
			}
			b.print.value(c, b.text(pt), vg.Point{X: left + width/2, Y: max(y(pt.Y), y(pt.top()))})
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.8}, c.Min.X, y(0), c.Max.X, y(0))
}

// barWidth returns the width of a bar in a group of the given width.
func (s *Spec) barWidth(group vg.Length) vg.Length {
	return min(group*0.84/vg.Length(len(s.Series)), 48)
}

// legible is the least width of a bar's place in which an upright word fits.
const legible = vg.Length(9)

// missing prints "no value" where a bar would be, because a missing bar looks like one of height zero.
func missing(c draw.Canvas, x, y vg.Length) {
	sty := letters(7)
	sty.Rotation = math.Pi / 2
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	c.FillText(sty, vg.Point{X: x, Y: y + 3}, "no value")
}

// bar fills the canvas's rectangle in the style of series i.
func bar(c draw.Canvas, i int) {
	c.FillPolygon(colours[i], corners(c.Rectangle))
	hatch(c, i, 4.5)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.6}, corners(c.Rectangle))
}

// corners returns the rectangle's outline.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Min.X, Y: r.Max.Y}, r.Max, {X: r.Max.X, Y: r.Min.Y}, r.Min}
}

// hatch stripes the canvas's rectangle in one of the ways of hatches.
func hatch(c draw.Canvas, way int, gap vg.Length) {
	r, h := c.Rectangle, hatches[way]
	var p vg.Path // one path for all the lines, because they are most of the file's bytes
	if h.up {
		stripes(&p, r, 1, gap)
	}
	if h.down {
		stripes(&p, r, -1, gap)
	}
	for y := r.Min.Y + gap; h.across && y < r.Max.Y; y += gap {
		segment(&p, vg.Point{X: r.Min.X, Y: y}, vg.Point{X: r.Max.X, Y: y})
	}
	for x := r.Min.X + gap/1.5; h.along && x < r.Max.X; x += gap / 1.5 {
		segment(&p, vg.Point{X: x, Y: r.Min.Y}, vg.Point{X: x, Y: r.Max.Y})
	}
	if p != nil {
		c.SetLineStyle(draw.LineStyle{Color: color.RGBA{A: 0xAA}, Width: 0.5})
		c.Stroke(p)
	}
}

func segment(p *vg.Path, a, b vg.Point) {
	p.Move(a)
	p.Line(b)
}

// stripes adds diagonals, rising (1) or falling (-1), clipped to the rectangle.
func stripes(p *vg.Path, r vg.Rectangle, slope, gap vg.Length) {
	w, h := r.Size().X, r.Size().Y
	for d := gap - w; d < h; d += gap {
		from, to := max(0, -d), min(w, h-d) // along x, for the rising line y = x + d
		if from >= to {
			continue
		}
		a, b := vg.Point{X: from, Y: from + d}, vg.Point{X: to, Y: to + d}
		if slope < 0 {
			a.X, b.X = w-a.X, w-b.X
		}
		segment(p, r.Min.Add(a), r.Min.Add(b))
	}
}

// curves draws one line per series, or only markers if the groups have no order.
type curves struct{ *Spec }

// Plot implements plot.Plotter.
func (l curves) Plot(c draw.Canvas, p *plot.Plot) {
	gridLines(c, p)
	x, y := p.Transforms(&c)
	at := func(k, g int) vg.Length {
		if l.X == nil {
			return x(float64(g)) + l.dodge(k, (x(1)-x(0))*0.6)
		}
		return x(l.X[g]) + l.dodge(k, vg.Length(len(l.Series)-1)*3)
	}
	for _, f := range l.Fills {
		l.between(c, f, (x(1)-x(0))*0.3, func(g int) vg.Length { return at(f.Low, g) }, y)
	}
	for k, r := range l.Series {
		if l.Bands {
			band(c, r.Points, thin(l.style(k)), func(g int) vg.Length { return at(k, g) }, y)
		}
	}
	for k, r := range l.Series {
		for g, pt := range r.Points {
			if !l.Bands && pt.OK && pt.HasRange {
				whisker(c, onWhite(l.style(k)), at(k, g), y(pt.Low), y(pt.High), 2.5)
			}
		}
		if l.X != nil {
			for _, stretch := range stretches(r.Points) {
				var pts []vg.Point
				for g := stretch[0]; g < stretch[1]; g++ {
					pts = append(pts, vg.Point{X: at(k, g), Y: y(r.Points[g].Y)})
				}
				c.StrokeLines(line(l.style(k)), pts)
			}
		}
		for g, pt := range r.Points {
			if pt.OK {
				marker(c, l.style(k), vg.Point{X: at(k, g), Y: y(pt.Y)})
			}
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.8}, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	if l.cutOff() {
		torn(c, c.Min)
	}
}

// torn marks a vertical axis as one that does not begin at zero, and tornLevel a horizontal one.
func torn(c draw.Canvas, foot vg.Point) {
	tear(c, foot.Add(vg.Point{X: -4, Y: 5}), foot.Add(vg.Point{X: 4, Y: 9}), vg.Point{Y: 4})
}

func tornLevel(c draw.Canvas, foot vg.Point) {
	tear(c, foot.Add(vg.Point{X: 5, Y: -4}), foot.Add(vg.Point{X: 9, Y: 4}), vg.Point{X: 4})
}

// tear interrupts an axis by two strokes, the second so far from the first.
func tear(c draw.Canvas, a, b, apart vg.Point) {
	c.FillPolygon(white, []vg.Point{a, b, b.Add(apart), a.Add(apart)})
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.8}, []vg.Point{a, b}, []vg.Point{a.Add(apart), b.Add(apart)})
}

// between shades the area from one line to another, or one box per group if the groups have no order.
func (l curves) between(c draw.Canvas, f Fill, half vg.Length, x func(int) vg.Length, y func(float64) vg.Length) {
	both := make([]Point, len(l.Groups))
	for g := range both {
		a, b := l.Series[f.Low].Points[g], l.Series[f.High].Points[g]
		both[g] = Point{Low: a.Y, High: b.Y, OK: a.OK && b.OK, HasRange: true}
		if l.X == nil && both[g].OK {
			c.FillPolygon(thin(l.style(f.Low)), corners(vg.Rectangle{Min: vg.Point{X: x(g) - half, Y: y(a.Y)}, Max: vg.Point{X: x(g) + half, Y: y(b.Y)}}))
		}
	}
	if l.X != nil {
		band(c, both, thin(l.style(f.Low)), x, y)
	}
}

// thin returns the colour of series k as an area behind lines.
func thin(k int) color.Color {
	colour := strokes[k]
	return color.NRGBA{colour.R, colour.G, colour.B, 0x30}
}

// dodge returns the horizontal shift of series k, so that error bars do not cover each other. Without error bars a shift
// would be read as another x. Bands need none, and the two series of a fill stay one above the other.
func (l curves) dodge(k int, width vg.Length) vg.Length {
	n := vg.Length(len(l.Series))
	end := slices.ContainsFunc(l.Fills, func(f Fill) bool { return k == f.Low || k == f.High })
	if l.Bands || n < 2 || end || !l.ranged() {
		return 0
	}
	return (vg.Length(k)/(n-1) - 0.5) * width
}

// ranged reports whether a point has an error bar of any length.
func (s *Spec) ranged() bool {
	return slices.ContainsFunc(s.Series, func(r Series) bool {
		return slices.ContainsFunc(r.Points, func(p Point) bool { return p.OK && p.HasRange && p.Low < p.High })
	})
}

// stretches lists the runs of points that have a value, as [from, to).
func stretches(ps []Point) (out [][2]int) {
	for i, p := range ps {
		if n := len(out); p.OK && n > 0 && out[n-1][1] == i {
			out[n-1][1] = i + 1
		} else if p.OK {
			out = append(out, [2]int{i, i + 1})
		}
	}
	return out
}

func band(c draw.Canvas, ps []Point, shade color.Color, x func(int) vg.Length, y func(float64) vg.Length) {
	for _, s := range stretches(ps) {
		var low, high []vg.Point
		for g := s[0]; g < s[1]; g++ {
			p := ps[g]
			if !p.HasRange {
				p.Low, p.High = p.Y, p.Y
			}
			low = append([]vg.Point{{X: x(g), Y: y(p.Low)}}, low...)
			high = append(high, vg.Point{X: x(g), Y: y(p.High)})
		}
		c.FillPolygon(shade, append(high, low...))
	}
}

func line(k int) draw.LineStyle {
	return draw.LineStyle{Color: strokes[k], Width: 1.3, Dashes: dashes[k]}
}

func marker(c draw.Canvas, k int, at vg.Point) {
	shape(c, k, at, markers[k].open)
}

// shape draws the marker of series k, filled or open.
func shape(c draw.Canvas, k int, at vg.Point, open bool) {
	m := markers[k].shape
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: strokes[k], Radius: 3.4, Shape: m}, at)
	if open {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: 2, Shape: m}, at)
	}
}

// sample is a legend entry of a curve.
func sample(c draw.Canvas, k int, joined bool) {
	mid := c.Center()
	if joined {
		c.StrokeLine2(line(k), c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	marker(c, k, mid)
}
