package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// circle is a set; its area is its count until it is scaled to the page.
type circle struct{ x, y, r float64 }

// venn is circles whose areas are the sets' sizes, placed so that they overlap by what the sets have in common.
type venn struct {
	*Sets
	circles []circle  // in the counts' own unit
	drawn   []circle  // in points, within the box they fit
	areas   []float64 // of the regions, as counts; by mask
}

// solveVenn places the circles.
func solveVenn(s *Sets) *venn {
	v := &venn{Sets: s}
	for i := range s.Names {
		v.circles = append(v.circles, circle{r: math.Sqrt(float64(s.within(1<<i)) / math.Pi)})
	}
	place(v.circles, func(i, j int) float64 { return float64(s.within(1<<i | 1<<j)) })
	v.areas = regionAreas(v.circles)
	return v
}

// lens is the area that two circles share at that distance.
func lens(a, b, d float64) float64 {
	if d >= a+b {
		return 0
	}
	if small := min(a, b); d <= math.Abs(a-b) {
		return math.Pi * small * small
	}
	part := func(r, other float64) float64 { // a sector without its triangle
		h := (d*d + r*r - other*other) / (2 * d)
		cos := min(max(h/r, -1), 1)
		return r*r*math.Acos(cos) - h*math.Sqrt(max(r*r-h*h, 0))
	}
	return part(a, b) + part(b, a)
}

// distance is how far two circles stand apart to share that area, by bisection.
func distance(a, b, area float64) float64 {
	lo, hi := math.Abs(a-b), a+b
	if area <= 0 {
		return hi * 1.06 // so that the lines do not touch
	}
	if area >= lens(a, b, lo)*(1-1e-9) {
		return lo * 0.8
	}
	for range 100 {
		if mid := (lo + hi) / 2; lens(a, b, mid) > area {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// place moves circles so that each pair shares its area: two at their distance, three as a triangle of distances, or
// where there is no such triangle as near to it as can be.
func place(cs []circle, share func(i, j int) float64) {
	ab := distance(cs[0].r, cs[1].r, share(0, 1))
	cs[1].x = ab
	if len(cs) < 3 {
		return
	}
	ac, bc := distance(cs[0].r, cs[2].r, share(0, 2)), distance(cs[1].r, cs[2].r, share(1, 2))
	if x := (ab*ab + ac*ac - bc*bc) / (2 * max(ab, 1e-9)); ab > 0 && ac*ac >= x*x {
		cs[2].x, cs[2].y = x, -math.Sqrt(ac*ac-x*x)
		return
	}
	best := math.Inf(1)
	for turn := range 12 { // from several places, since a search may end in a hollow
		sin, cos := math.Sincos(float64(turn) * math.Pi / 6)
		at, err := settle(cs, share, []float64{ab, ac * cos, ac * sin})
		if err < best {
			best = err
			cs[1].x, cs[2].x, cs[2].y = at[0], at[1], at[2]
		}
	}
}

// settle searches for places that share the right areas, and returns them with the sum of squared errors.
func settle(cs []circle, share func(i, j int) float64, from []float64) ([]float64, float64) {
	wrong := func(at []float64) (sum float64) {
		xs, ys := []float64{0, at[0], at[1]}, []float64{0, 0, at[2]}
		for i := range cs {
			for j := range i {
				d := math.Hypot(xs[i]-xs[j], ys[i]-ys[j])
				e := lens(cs[i].r, cs[j].r, d) - share(j, i)
				sum += e * e
				if share(j, i) == 0 { // stand apart, rather than touch
					e = max(0, (cs[i].r+cs[j].r)*1.03-d)
					sum += e * e * 1e-3
				}
			}
		}
		return sum
	}
	got, err := optimize.Minimize(optimize.Problem{Func: wrong}, from,
		&optimize.Settings{MajorIterations: 2000, Concurrent: 1}, &optimize.NelderMead{})
	if got == nil || err != nil && got.X == nil {
		return from, wrong(from)
	}
	return got.X, got.F
}

// regionAreas measures each combination's area, by slices: along each the circles are stretches.
func regionAreas(cs []circle) []float64 {
	areas := make([]float64, 1<<len(cs))
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range cs {
		lo, hi = min(lo, c.x-c.r), max(hi, c.x+c.r)
	}
	const steps = 4000
	wide := (hi - lo) / steps
	for i := range steps {
		x := lo + (float64(i)+0.5)*wide
		for m := 1; m < len(areas); m++ {
			bottom, top := math.Inf(-1), math.Inf(1)
			for k, c := range cs {
				if m>>k&1 == 1 {
					half := math.Sqrt(max(c.r*c.r-(x-c.x)*(x-c.x), 0))
					bottom, top = max(bottom, c.y-half), min(top, c.y+half)
				}
			}
			areas[m] += max(0, top-bottom) * wide
		}
	}
	for m := len(areas) - 1; m > 0; m-- { // from "at least these" to "exactly these", where what has more is known
		for more := m + 1; more < len(areas); more++ {
			if more&m == m {
				areas[m] -= areas[more]
			}
		}
	}
	return areas
}

// untrue lists the regions whose area is not their count: by more than half an item and a hundredth of all.
func (v *venn) untrue() (out []int) {
	all := float64(v.all() - v.Counts[0])
	for _, m := range regions(len(v.Names)) {
		if math.Abs(v.areas[m]-float64(v.Counts[m])) > max(0.5, all/100) {
			out = append(out, m)
		}
	}
	return out
}

// notes tells what in the drawing is true.
func (v *venn) notes() []string {
	out := []string{"Areas of circles, and of what two circles share, are true to the counts."}
	var pairs, parts []string
	for i, a := range v.circles {
		for j, b := range v.circles[:i] {
			both := float64(v.within(1<<i | 1<<j))
			shared := lens(a.r, b.r, math.Hypot(a.x-b.x, a.y-b.y))
			if math.Abs(shared-both) > max(0.5, both/100) {
				pairs = append(pairs, fmt.Sprintf("%s and %s share %.0f and are drawn as %.1f", letter(j), letter(i), both, shared))
			}
		}
	}
	if pairs != nil {
		out = []string{"Areas of circles are true to the counts. No three circles can share what these sets do: " + strings.Join(pairs, "; ") + "."}
	}
	for _, m := range v.untrue() {
		parts = append(parts, fmt.Sprintf("%s has %d and is drawn as %.1f", combination(m), v.Counts[m], max(0, v.areas[m])))
	}
	if n := len(parts); n > 0 && pairs == nil { // what three share is too large or small, and so are all others by as much
		parts = []string{parts[n-1] + ", and each other region is off by as much"}
	}
	if parts != nil {
		out = append(out, "Circles cannot make every region true: "+strings.Join(parts, "; ")+".")
	}
	return out
}

// scale fits the circles into a box.
func (v *venn) scale(wide, high vg.Length) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, c := range v.circles {
		lo, hi = [2]float64{min(lo[0], c.x-c.r), min(lo[1], c.y-c.r)}, [2]float64{max(hi[0], c.x+c.r), max(hi[1], c.y+c.r)}
	}
	const air = 3
	unit := min(float64(wide-2*air)/(hi[0]-lo[0]), float64(high-2*air)/(hi[1]-lo[1]))
	push, lift := (float64(wide)-(hi[0]-lo[0])*unit)/2, (float64(high)-(hi[1]-lo[1])*unit)/2
	for _, c := range v.circles {
		v.drawn = append(v.drawn, circle{(c.x-lo[0])*unit + push, (c.y-lo[1])*unit + lift, c.r * unit})
	}
}

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
	sty := labelStyle()
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	for _, m := range regions(len(v.Names)) {
		p, free := v.widest(m)
		for _, text := range v.inside(m) {
			if math.Hypot(float64(sty.Width(text)), float64(sty.Font.Size)*0.9) <= 2*float64(free)-3 {
				centred(c, sty, at.Add(p), text)
				break
			}
		}
	}
}

// inside is what may be printed in a region, the first that fits: its count, with the set's letter where it is one set's
// alone. The list beside the circles has what does not fit.
func (v *venn) inside(mask int) []string {
	n := strconv.Itoa(v.Counts[mask])
	if mask&(mask-1) == 0 {
		return []string{strings.TrimSuffix(combination(mask), " only") + ": " + n, n}
	}
	return []string{n}
}

// widest is the point of a region that is farthest from every circle's line, and how far it is; negative: no region.
func (v *venn) widest(mask int) (best vg.Point, free vg.Length) {
	free = -1
	for x := 1.0; x < 235; x += 1.5 {
	points:
		for y := 1.0; y < 235; y += 1.5 {
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

// paintList prints every region with its count and its share, from that point down.
func (v *venn) paintList(c draw.Canvas, at vg.Point) {
	sty := tickStyle()
	all := v.all() - v.Counts[0]
	print := func(name, count, share string) {
		sty.XAlign = draw.XLeft
		c.FillText(sty, at, name)
		sty.XAlign = draw.XRight
		c.FillText(sty, vg.Point{X: at.X + 120, Y: at.Y}, count)
		c.FillText(sty, vg.Point{X: c.Max.X, Y: at.Y}, share)
		at.Y -= 15
	}
	for _, m := range regions(len(v.Names)) {
		print(combination(m), strconv.Itoa(v.Counts[m]), strconv.FormatFloat(100*float64(v.Counts[m])/float64(all), 'f', 1, 64)+" %")
	}
	c.StrokeLine2(gridLine, at.X, at.Y+2, c.Max.X, at.Y+2)
	print("in any", strconv.Itoa(all), "100 %")
	print("in none", strconv.Itoa(v.Counts[0]), "")
}
