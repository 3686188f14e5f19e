package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter shows labelled points over two measures, such as accuracy against tokens or money.
type Scatter struct {
	ID      string // its name in errors
	Title   string
	XLabel  string
	YLabel  string
	Series  []Cloud
	LogX    bool     // a logarithmic x axis; every x must be above zero
	Front   bool     // draw the Pareto front: points that no other dominates by as much y for no more x; the others are hollow
	Caption []string // paragraphs under the plot
}

// Cloud is the points that share a marker.
type Cloud struct {
	Name string // in the legend, which lists clouds if there are several
	Dots []Dot
}

// Dot is one point. A Dot that is not OK is not drawn, and the caption names it.
type Dot struct {
	Label  string // printed next to it; empty: none
	X, Y   float64
	XRange Interval // error bars
	YRange Interval
	OK     bool
}

// Interval is a range of values; the zero Interval is a missing one.
type Interval struct {
	Low, High float64
	OK        bool
}

func (i Interval) check() error {
	if i.OK && (!finite(i.Low) || !finite(i.High) || i.Low > i.High) {
		return fmt.Errorf("an interval from %v to %v", i.Low, i.High)
	}
	return nil
}

// with appends the ends to values.
func (i Interval) with(values []float64) []float64 {
	if i.OK {
		values = append(values, i.Low, i.High)
	}
	return values
}

// mostDots is the largest number of points that is still readable.
const mostDots = 300

func (s *Scatter) check() error {
	drawn := 0
	if len(s.Series) > MostSeries {
		return fmt.Errorf("%d series, of which %d can be told apart", len(s.Series), MostSeries)
	}
	for _, r := range s.Series {
		for _, d := range r.Dots {
			if !d.OK {
				continue
			}
			drawn++
			if !finite(d.X) || !finite(d.Y) {
				return fmt.Errorf("point %q has a value that is not a number", d.Label)
			}
			if s.LogX && d.X <= 0 {
				return fmt.Errorf("point %q has x %v, which a logarithmic axis cannot show", d.Label, d.X)
			}
			for _, i := range []Interval{d.XRange, d.YRange} {
				if err := i.check(); err != nil {
					return fmt.Errorf("point %q has %w", d.Label, err)
				}
			}
		}
	}
	if drawn == 0 {
		return errEmpty
	}
	if drawn > mostDots {
		return fmt.Errorf("%d points; at most %d can be read", drawn, mostDots)
	}
	return nil
}

// scattered is a scatter with its labels placed, in coordinates of the plot's box.
type scattered struct {
	*Scatter
	x, y    ruler
	box     vg.Rectangle
	dots    []dot
	numbers bool // labels are numbers, explained in the legend
}

type dot struct {
	Dot
	series int
	at     vg.Point
	text   string // as printed
	where  placed
	fits   bool
}

// arrange implements Drawing.
func (s *Scatter) arrange(l Look) page {
	p := s.scales()
	left, right := p.y.left(s.YLabel), max(p.x.beyond(), 6)
	p.box.Max = vg.Point{X: l.wide() - 2*margin - left - right, Y: plotHeight + 25}
	p.locate()
	if !p.place(false) {
		p.numbers = true
		p.place(true)
	}
	f := newFrame(l, l.wide(), p.box.Max.Y+below(s.XLabel), s.Title, p.notes(), p.legend())
	return f.page(func(c draw.Canvas) {
		p.paint(c, vg.Point{X: c.Min.X + left, Y: c.Min.Y + below(s.XLabel)})
	})
}

// scales computes the rulers and lists the points to draw, in order.
func (s *Scatter) scales() *scattered {
	p := &scattered{Scatter: s}
	var xs, ys []float64
	for k, r := range s.Series {
		for _, d := range r.Dots {
			if !d.OK {
				continue
			}
			p.dots = append(p.dots, dot{Dot: d, series: k})
			x := d.XRange.with([]float64{d.X})
			// An error bar may reach zero or below, where a logarithmic axis has no place.
			if s.LogX {
				x = slices.DeleteFunc(x, func(v float64) bool { return v <= 0 })
			}
			xs, ys = append(xs, x...), d.YRange.with(append(ys, d.Y))
		}
	}
	if p.y = linear(ys...); s.LogX {
		p.x = logarithmic(xs...)
	} else {
		p.x = linear(xs...)
	}
	return p
}

// on returns the position of a pair of values in the plot's box.
func (p *scattered) on(x, y float64) vg.Point {
	return vg.Point{X: p.x.at(x, p.box.Min.X, p.box.Max.X), Y: p.y.at(y, p.box.Min.Y, p.box.Max.Y)}
}

// locate computes the points' positions in the box.
func (p *scattered) locate() {
	for i := range p.dots {
		p.dots[i].at = p.on(p.dots[i].X, p.dots[i].Y)
	}
}

// longLabel is the greatest width of a label; longer texts go into the legend.
const longLabel = vg.Length(150)

// place positions each label, as a number or in full, and reports whether all have a place.
func (p *scattered) place(numbers bool) bool {
	room := placer{box: p.box, radius: 4}
	room.box.Min.X += 6 // distance from the axis and its mark
	for i, s := 1, p.front(vg.Point{}); p.Front && i < len(s); i++ {
		room.leads = append(room.leads, [2]vg.Point{s[i-1], s[i]})
	}
	// Markers and error bars reserve their space before any label, so that no label covers one that is drawn later.
	for _, d := range p.dots {
		r := vg.Point{X: room.radius, Y: room.radius}
		room.mark(vg.Rectangle{Min: d.at.Sub(r), Max: d.at.Add(r)})
		for _, bar := range p.errorBars(d) {
			room.bars = append(room.bars, vg.Rectangle{Min: bar[0], Max: bar[1]})
		}
	}
	all, n, sty := true, 0, captionStyle()
	for i := range p.dots {
		d := &p.dots[i]
		if d.text, d.fits = drawable(d.Label), false; d.text == "" {
			continue
		}
		if n++; numbers {
			d.text = strconv.Itoa(n)
		}
		w := sty.Width(d.text)
		if d.fits = w <= longLabel; d.fits {
			d.where, d.fits = room.put(d.at, w, sty.Font.Size)
		}
		all = all && d.fits
	}
	return all
}

// errorBars returns the ends of a point's error bars, the lower left one first.
func (p *scattered) errorBars(d dot) (bars [][2]vg.Point) {
	if d.XRange.OK {
		bars = append(bars, [2]vg.Point{p.on(d.XRange.Low, d.Y), p.on(d.XRange.High, d.Y)})
	}
	if d.YRange.OK {
		bars = append(bars, [2]vg.Point{p.on(d.X, d.YRange.Low), p.on(d.X, d.YRange.High)})
	}
	return bars
}

func (p *scattered) legend() (out []entry) {
	for k, r := range p.Series {
		if len(p.Series) > 1 {
			out = append(out, entry{r.Name, func(box draw.Canvas) { marker(box, k, box.Center()) }})
		}
	}
	if p.Front {
		out = append(out, entry{"Pareto front", func(box draw.Canvas) {
			box.StrokeLine2(frontLine, box.Min.X, box.Center().Y, box.Max.X, box.Center().Y)
			shape(box, 0, box.Center(), false)
		}})
		if slices.ContainsFunc(p.dots, p.dominated) {
			out = append(out, entry{"another is as good for no more", func(box draw.Canvas) { shape(box, 0, box.Center(), true) }})
		}
	}
	for _, d := range p.dots {
		if p.numbers && d.text != "" {
			out = append(out, entry{d.Label, func(box draw.Canvas) {
				sty := captionStyle()
				sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
				p.mark(box, d, vg.Point{X: box.Min.X + 5, Y: box.Center().Y})
				centred(box, sty, vg.Point{X: box.Max.X, Y: box.Center().Y}, d.text)
			}})
		}
	}
	return out
}

// notes returns the caption with what the reader must know about the drawing.
func (p *scattered) notes() []string {
	out := slices.Clone(p.Caption)
	var missing, unmarked []string
	for _, r := range p.Series {
		for _, d := range r.Dots {
			if !d.OK {
				missing = append(missing, cmp.Or(d.Label, r.Name))
			}
		}
	}
	for _, d := range p.dots {
		if d.text != "" && !d.fits {
			unmarked = append(unmarked, d.text)
		}
	}
	out = append(out, listed("Not drawn, for want of a value: ", missing)...)
	out = append(out, listed("Without a number at their points, for want of room: ", unmarked)...)
	return append(out, append(p.y.offZero("y"), p.x.offZero("x")...)...)
}

var frontLine = draw.LineStyle{Color: ink, Width: 0.9, Dashes: []vg.Length{5, 3}}

// paint draws with the box's lower left corner at that point.
func (p *scattered) paint(c draw.Canvas, at vg.Point) {
	box := vg.Rectangle{Min: at, Max: at.Add(p.box.Max)}
	p.x.level(c, box, p.XLabel)
	p.y.upright(c, box, p.YLabel)
	if p.Front {
		c.StrokeLines(frontLine, p.front(at))
	}
	for _, d := range p.dots {
		sty := draw.LineStyle{Color: strokes[d.series], Width: 0.8}
		for _, bar := range p.errorBars(d) {
			tips(c, sty, bar[0].Add(at), bar[1].Add(at))
		}
		if l := d.where.lead; d.fits && l != nil {
			c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.4}, []vg.Point{l[0].Add(at), l[1].Add(at)})
		}
	}
	for _, hollow := range []bool{true, false} { // a dominated point must not cover one of the front
		for _, d := range p.dots {
			if p.dominated(d) == hollow {
				p.mark(c, d, d.at.Add(at))
			}
		}
	}
	sty := captionStyle()
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	for _, d := range p.dots {
		if !d.fits {
			continue
		}
		centred(c, sty, at.Add(d.where.box.Min.Add(d.where.box.Max).Scale(0.5)), d.text)
	}
}

// tips draws an error bar between two points on one horizontal or vertical line.
func tips(c draw.Canvas, sty draw.LineStyle, a, b vg.Point) {
	across := vg.Point{X: 2.5}
	if a.Y == b.Y {
		across = vg.Point{Y: 2.5}
	}
	c.StrokeLines(sty, []vg.Point{a, b}, []vg.Point{a.Sub(across), a.Add(across)}, []vg.Point{b.Sub(across), b.Add(across)})
}

// dominated reports whether another point has at least as much y for no more x, and is better in one of them.
func (p *scattered) dominated(d dot) bool {
	return slices.ContainsFunc(p.dots, func(o dot) bool {
		return o.X <= d.X && o.Y >= d.Y && (o.X < d.X || o.Y > d.Y)
	})
}

// mark draws a point, hollow if it is dominated.
func (p *scattered) mark(c draw.Canvas, d dot, at vg.Point) {
	if !p.Front {
		marker(c, d.series, at)
		return
	}
	shape(c, d.series, at, p.dominated(d))
}

// front returns the points of the Pareto front from the left. A line straight from each to the next touches no other
// point: one between two of them is above the line only if it is on the front itself.
func (p *scattered) front(at vg.Point) (line []vg.Point) {
	ds := slices.DeleteFunc(slices.Clone(p.dots), p.dominated)
	slices.SortStableFunc(ds, func(a, b dot) int { return cmp.Compare(a.X, b.X) })
	for _, d := range ds {
		line = append(line, at.Add(p.on(d.X, d.Y)))
	}
	return line
}
