package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// placer finds space for labels next to their points, within a box.
type placer struct {
	box    vg.Rectangle
	taken  []vg.Rectangle
	bars   []vg.Rectangle // error bars, which a lead line crosses only where it cannot go round them
	leads  [][2]vg.Point  // lines from points to far labels
	radius vg.Length      // of the points' markers
}

// placed is the position of a label, and the end of its lead line if it needs one.
type placed struct {
	box  vg.Rectangle
	lead *[2]vg.Point
}

// sides are the directions in which a label may be placed, the best first.
var sides = []float64{0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202, 67, 293, 113, 247}

// put finds space for a label of that size: the nearest that touches no marker, error bar, label or lead line.
func (p *placer) put(at vg.Point, width, height vg.Length) (placed, bool) {
	l, ok := p.near(at, width, height, p.bars)
	if !ok {
		l, ok = p.near(at, width, height, nil)
	}
	if ok {
		p.take(l)
	}
	return l, ok
}

// near is put for a label whose lead line crosses none of some error bars.
func (p *placer) near(at vg.Point, width, height vg.Length, bars []vg.Rectangle) (placed, bool) {
	for ring := range 30 {
		away := p.radius + 2 + vg.Length(ring)*6
		for _, s := range sides {
			sin, cos := math.Sincos(s * math.Pi / 180)
			mid := at.Add(vg.Point{X: vg.Length(cos) * (away + width/2), Y: vg.Length(sin) * (away + height/2)})
			half := vg.Point{X: width / 2, Y: height / 2}
			l := placed{box: vg.Rectangle{Min: mid.Sub(half), Max: mid.Add(half)}}
			if ring > 0 {
				end := vg.Point{X: min(max(at.X, l.box.Min.X), l.box.Max.X), Y: min(max(at.Y, l.box.Min.Y), l.box.Max.Y)}
				l.lead = &[2]vg.Point{at, end}
			}
			if p.free(l) && !p.over(l, bars) {
				return l, true
			}
		}
	}
	return placed{}, false
}

// mark reserves the space of a marker.
func (p *placer) mark(r vg.Rectangle) { p.taken = append(p.taken, r) }

func (p *placer) take(l placed) {
	p.taken = append(p.taken, l.box)
	if l.lead != nil {
		p.leads = append(p.leads, *l.lead)
	}
}

// free reports whether a label is in the box and covers nothing, and neither does its lead line outside its own marker.
func (p *placer) free(l placed) bool {
	if l.box.Min.X < p.box.Min.X || l.box.Min.Y < p.box.Min.Y || l.box.Max.X > p.box.Max.X || l.box.Max.Y > p.box.Max.Y {
		return false
	}
	if slices.ContainsFunc(p.taken, l.touches) || slices.ContainsFunc(p.bars, l.touches) || p.over(l, p.taken) {
		return false
	}
	for _, lead := range p.leads {
		if crosses(lead, l.box) {
			return false
		}
	}
	return true
}

// touches reports whether a label is nearer than a point to a rectangle.
func (l placed) touches(t vg.Rectangle) bool {
	return l.box.Min.X < t.Max.X+1 && t.Min.X-1 < l.box.Max.X && l.box.Min.Y < t.Max.Y+1 && t.Min.Y-1 < l.box.Max.Y
}

// over reports whether a label's lead line, outside its own marker, crosses one of some rectangles.
func (p *placer) over(l placed, what []vg.Rectangle) bool {
	return l.lead != nil && slices.ContainsFunc(what, func(r vg.Rectangle) bool { return crosses(p.outside(*l.lead), r) })
}

// outside returns the part of a lead line that is outside its marker, corners included.
func (p *placer) outside(lead [2]vg.Point) [2]vg.Point {
	d := lead[1].Sub(lead[0])
	long := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	return [2]vg.Point{lead[0].Add(d.Scale(min(1, 1.5*p.radius/max(long, 1e-9)))), lead[1]}
}

// crosses reports whether a line segment meets a rectangle (Liang and Barsky's clipping).
func crosses(s [2]vg.Point, r vg.Rectangle) bool {
	d, from, to := s[1].Sub(s[0]), vg.Length(0), vg.Length(1)
	for _, e := range [][2]vg.Length{{-d.X, s[0].X - r.Min.X}, {d.X, r.Max.X - s[0].X}, {-d.Y, s[0].Y - r.Min.Y}, {d.Y, r.Max.Y - s[0].Y}} {
		if e[0] == 0 {
			if e[1] < 0 {
				return false
			}
			continue
		}
		if t := e[1] / e[0]; e[0] < 0 {
			from = max(from, t)
		} else {
			to = min(to, t)
		}
	}
	return from <= to
}
