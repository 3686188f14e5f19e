package figure

import (
	"math"
	"strconv"

	"assay/metrics/stats"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The page of two or three circles: names and the counts of narrow regions stand around the circles, the list of all
// regions beside them or, in a column of an article, below.
const (
	listWide = vg.Length(140)
	listRow  = vg.Length(15)
	rimWide  = vg.Length(34) // room around the circles for texts
	rimHigh  = vg.Length(20)
)

// vennLabel is a text of the drawing, at its place.
type vennLabel struct {
	text string
	sty  text.Style
	mid  vg.Point
	lead *[2]vg.Point // from a region too narrow for its count
}

// arrangeCircles lays out two or three circles, with a list of the regions.
func (s *Sets) arrangeCircles(l Look) page {
	wide, high := l.wide()-2*margin-listWide-16, vg.Length(245)
	rows := vg.Length(len(s.Counts)+2) * listRow
	body, beside := max(high, rows), true
	if l.Width == Column {
		wide, body, beside = l.wide()-2*margin, high+rows+8, false
	}
	v := solveVenn(s)
	v.scale(wide, high)
	v.label(wide, high)
	f := newFrame(l, l.wide(), body+8, s.Title, append(s.Caption[:len(s.Caption):len(s.Caption)], v.notes()...), s.setEntries())
	return f.page(func(c draw.Canvas) {
		v.paint(c, vg.Point{X: c.Min.X, Y: c.Max.Y - 4 - high})
		at := vg.Point{X: c.Max.X - listWide, Y: c.Max.Y - 4}
		if !beside {
			at = vg.Point{X: (c.Min.X + c.Max.X - listWide) / 2, Y: c.Max.Y - 12 - high}
		}
		v.paintList(c, at)
	})
}

// scale fits the circles into a box, with room around them.
func (v *venn) scale(wide, high vg.Length) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, c := range v.circles {
		lo, hi = [2]float64{min(lo[0], c.x-c.r), min(lo[1], c.y-c.r)}, [2]float64{max(hi[0], c.x+c.r), max(hi[1], c.y+c.r)}
	}
	unit := min(float64(wide-2*rimWide)/(hi[0]-lo[0]), float64(high-2*rimHigh)/(hi[1]-lo[1]))
	push, lift := (float64(wide)-(hi[0]-lo[0])*unit)/2, (float64(high)-(hi[1]-lo[1])*unit)/2
	for _, c := range v.circles {
		v.drawn = append(v.drawn, circle{(c.x-lo[0])*unit + push, (c.y-lo[1])*unit + lift, c.r * unit})
	}
}

// label finds a place for the name of every circle, and for the count of every region: inside where it fits, else
// outside of all circles with a line to it.
func (v *venn) label(wide, high vg.Length) {
	room := placer{box: vg.Rectangle{Max: vg.Point{X: wide, Y: high}}}
	var narrow []vennLabel
	for _, m := range regions(len(v.Names)) {
		p, free := v.widest(m, wide, high)
		l := vennLabel{text: strconv.Itoa(v.Counts[m]), sty: labelStyle(), mid: p}
		half := l.half()
		switch fits := math.Hypot(float64(half.X), float64(half.Y)) <= float64(free)-1.5; {
		case fits:
			v.labels = append(v.labels, l)
			room.mark(vg.Rectangle{Min: p.Sub(half), Max: p.Add(half)})
		case v.Counts[m] > 0 && free > 0:
			narrow = append(narrow, l)
		}
	}
	for i := range v.drawn {
		sty := tickStyle()
		l := vennLabel{text: cut(drawable(v.Names[i]), sty, 110), sty: sty}
		from := v.away(i)
		if v.outside(&room, &l, from, false) {
			if l.far(from) > 14 { // it may be a circle within others
				l.lead = l.line(from)
				room.leads = append(room.leads, *l.lead)
			}
			v.labels = append(v.labels, l)
		}
	}
	for _, l := range narrow {
		from := l.mid
		if l.sty = tickStyle(); v.outside(&room, &l, from, true) {
			l.lead = l.line(from)
			room.leads = append(room.leads, *l.lead)
			v.labels = append(v.labels, l)
		}
	}
}

// half returns half the size of a label's box.
func (l vennLabel) half() vg.Point {
	return vg.Point{X: l.sty.Width(l.text)/2 + 1, Y: l.sty.Font.Size*0.5 + 1}
}

// line returns the line from a point to the nearest of a label's box, and far its length.
func (l vennLabel) line(from vg.Point) *[2]vg.Point {
	half := l.half()
	return &[2]vg.Point{from, {X: min(max(from.X, l.mid.X-half.X), l.mid.X+half.X), Y: min(max(from.Y, l.mid.Y-half.Y), l.mid.Y+half.Y)}}
}

func (l vennLabel) far(from vg.Point) float64 {
	d := l.line(from)[1].Sub(from)
	return math.Hypot(float64(d.X), float64(d.Y))
}

// centre returns the middle of all circles.
func (v *venn) centre() (mid vg.Point) {
	for _, k := range v.drawn {
		mid = mid.Add(vg.Point{X: vg.Length(k.x), Y: vg.Length(k.y)}.Scale(1 / vg.Length(len(v.drawn))))
	}
	return mid
}

// away returns a point on the rim of circle i, on the side that no other circle has.
func (v *venn) away(i int) vg.Point {
	k, mid := v.drawn[i], v.centre()
	dx, dy := k.x-float64(mid.X), k.y-float64(mid.Y)
	if long := math.Hypot(dx, dy); long > 1e-6 {
		return vg.Point{X: vg.Length(k.x + dx/long*k.r), Y: vg.Length(k.y + dy/long*k.r)}
	}
	return vg.Point{X: vg.Length(k.x), Y: vg.Length(k.y + k.r)}
}

// outside moves a label to the nearest place that is in no circle and on no other text or line, seen from a point; it
// reports whether there is one. The line to a count may cross no text, and that to a name only where it must.
func (v *venn) outside(room *placer, l *vennLabel, from vg.Point, count bool) bool {
	if !v.seek(room, l, from, true) && (count || !v.seek(room, l, from, false)) {
		return false
	}
	half, air := l.half(), vg.Point{X: 9, Y: 1} // side by side, a name and a count would read as one
	room.mark(vg.Rectangle{Min: l.mid.Sub(half).Sub(air), Max: l.mid.Add(half).Add(air)})
	return true
}

// seek moves a label to the nearest place outside, led to by a line that crosses no text, or by any.
func (v *venn) seek(room *placer, l *vennLabel, from vg.Point, led bool) bool {
	half, best := l.half(), math.Inf(1)
	for turn := 0.0; turn < 360; turn += 5 {
		sin, cos := math.Sincos(turn * math.Pi / 180)
		for far := vg.Length(6); float64(far) < min(best, 300); far += 3 {
			mid := from.Add(vg.Point{X: vg.Length(cos) * far, Y: vg.Length(sin) * far})
			p := placed{box: vg.Rectangle{Min: mid.Sub(half), Max: mid.Add(half)}}
			if led {
				p.lead = vennLabel{text: l.text, sty: l.sty, mid: mid}.line(from)
			}
			if v.clear(p.box) && room.free(p) {
				l.mid, best = mid, float64(far)
			}
		}
	}
	return !math.IsInf(best, 1)
}

// clear reports whether a box is outside of all circles.
func (v *venn) clear(box vg.Rectangle) bool {
	for _, k := range v.drawn {
		x := min(max(k.x, float64(box.Min.X)), float64(box.Max.X))
		y := min(max(k.y, float64(box.Min.Y)), float64(box.Max.Y))
		if math.Hypot(x-k.x, y-k.y) < k.r+3 {
			return false
		}
	}
	return true
}

// widest returns the point of a region that is farthest from every outline, and that distance; negative: no region.
func (v *venn) widest(mask int, wide, high vg.Length) (best vg.Point, free vg.Length) {
	free = -1
	for x := 1.0; x < float64(wide); x++ {
	points:
		for y := 1.0; y < float64(high); y++ {
			near := math.Inf(1)
			for k, c := range v.drawn {
				d := math.Hypot(x-c.x, y-c.y)
				if (d < c.r) != (mask>>k&1 == 1) {
					continue points
				}
				near = min(near, math.Abs(d-c.r))
			}
			if vg.Length(near) > free {
				best, free = vg.Point{X: vg.Length(x), Y: vg.Length(y)}, vg.Length(near)
			}
		}
	}
	return best, free
}

// paint draws the circles and their texts.
func (v *venn) paint(c draw.Canvas, at vg.Point) {
	ring := func(k circle) vg.Path {
		var p vg.Path
		mid := at.Add(vg.Point{X: vg.Length(k.x), Y: vg.Length(k.y)})
		p.Move(mid.Add(vg.Point{X: vg.Length(k.r)}))
		p.Arc(mid, vg.Length(k.r), 0, 2*math.Pi)
		p.Close()
		return p
	}
	for i, k := range v.drawn {
		c.SetColor(thin(i))
		c.Fill(ring(k))
	}
	for i, k := range v.drawn {
		c.SetLineStyle(outline(i))
		c.Stroke(ring(k))
	}
	for _, l := range v.labels {
		if l.lead != nil {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.5}, at.X+l.lead[0].X, at.Y+l.lead[0].Y, at.X+l.lead[1].X, at.Y+l.lead[1].Y)
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 1.4, Shape: draw.CircleGlyph{}}, at.Add(l.lead[0]))
		}
		l.sty.XAlign, l.sty.YAlign = draw.XCenter, draw.YCenter
		centred(c, l.sty, at.Add(l.mid), l.text)
	}
}

// paintList prints every region with its count and its share of all, downwards from that point.
func (v *venn) paintList(c draw.Canvas, at vg.Point) {
	sty, right := tickStyle(), at.X+listWide
	print := func(name, count, share string) {
		sty.XAlign = draw.XLeft
		c.FillText(sty, at, name)
		sty.XAlign = draw.XRight
		c.FillText(sty, vg.Point{X: right - 45, Y: at.Y}, count)
		c.FillText(sty, vg.Point{X: right, Y: at.Y}, share)
		at.Y -= listRow
	}
	share := func(n int) string { return stats.Fixed(100*float64(n)/float64(v.all()), 1) + " %" }
	for _, m := range regions(len(v.Names)) {
		print(combination(m), strconv.Itoa(v.Counts[m]), share(v.Counts[m]))
	}
	print("none", strconv.Itoa(v.Counts[0]), share(v.Counts[0]))
	c.StrokeLine2(gridLine, at.X, at.Y+2, right, at.Y+2)
	print(cut(drawable("all "+v.noun()), sty, 85), strconv.Itoa(v.all()), "100 %")
}
