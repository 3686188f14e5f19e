package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/optimize"
)

// circle is a set. Before scaling to the page its area is the set's count.
type circle struct{ x, y, r float64 }

// venn is circles whose areas are the sets' sizes, placed so that each two overlap by the size of their intersection.
type venn struct {
	*Sets
	circles []circle  // in units of the counts
	drawn   []circle  // in points, within the box
	areas   []float64 // of the regions, by mask, in units of the counts
	labels  []vennLabel
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

// lens returns the area that two circles of radii a and b share at distance d.
func lens(a, b, d float64) float64 {
	if d >= a+b {
		return 0
	}
	if small := min(a, b); d <= math.Abs(a-b) {
		return math.Pi * small * small
	}
	part := func(r, other float64) float64 { // a circular sector minus its triangle
		h := (d*d + r*r - other*other) / (2 * d)
		cos := min(max(h/r, -1), 1)
		return r*r*math.Acos(cos) - h*math.Sqrt(max(r*r-h*h, 0))
	}
	return part(a, b) + part(b, a)
}

// apartness is the range of distances allowed between two circles, and the best one.
type apartness struct{ least, best, most float64 }

// distance returns the distance at which two circles share that area, by bisection. It is a range if they share
// nothing, or if one contains the other.
func distance(a, b, area float64) apartness {
	lo, hi := math.Abs(a-b), a+b
	if area <= 0 {
		return apartness{hi, hi * 1.06, math.Inf(1)} // the best distance keeps the outlines apart
	}
	if area >= lens(a, b, lo)*(1-1e-9) {
		return apartness{0, lo * 0.8, lo}
	}
	// lens falls as the distance grows; 100 halvings are below the precision of a double.
	for range 100 {
		if mid := (lo + hi) / 2; lens(a, b, mid) > area {
			lo = mid
		} else {
			hi = mid
		}
	}
	return apartness{lo, lo, lo}
}

// triangle adjusts three distances within their bounds so that they are the sides of a triangle; false if that cannot
// be. Only one side can be longer than the other two together, so a triangle exists if that side's least is at most the
// sum of the others' most.
func triangle(sides *[3]apartness) bool {
	for i := range sides {
		long, p, q := &sides[i], &sides[(i+1)%3], &sides[(i+2)%3]
		if long.best <= p.best+q.best {
			continue
		}
		if long.least > (p.most+q.most)*(1+1e-12) {
			return false
		}
		for _, o := range []*apartness{p, q} { // shorten the long side first, then lengthen the others
			long.best = max(long.least, min(long.best, p.best+q.best))
			o.best = max(o.best, min(o.most, o.best+long.best-p.best-q.best))
		}
		return true
	}
	return true
}

// place moves circles so that each pair shares its area: two circles at their distance, three as a triangle of
// distances. If there is no such triangle it searches for the nearest positions.
func place(cs []circle, share func(i, j int) float64) {
	ab := distance(cs[0].r, cs[1].r, share(0, 1))
	cs[1].x = ab.best
	if len(cs) < 3 {
		return
	}
	sides := [3]apartness{ab, distance(cs[0].r, cs[2].r, share(0, 2)), distance(cs[1].r, cs[2].r, share(1, 2))}
	possible := triangle(&sides)
	// The sides opposite to circles 2, 1 and 0, in this order.
	c, b, a := sides[0].best, sides[1].best, sides[2].best
	if possible {
		cs[1].x, cs[2].x = c, b
		if c > 0 {
			cs[2].x = (c*c + b*b - a*a) / (2 * c)
		}
		cs[2].y = -math.Sqrt(max(0, b*b-cs[2].x*cs[2].x))
		return
	}
	least := math.Inf(1)
	for turn := range 12 { // from several starts, because a search may end in a local minimum
		sin, cos := math.Sincos(float64(turn) * math.Pi / 6)
		if at, err := settle(cs, share, []float64{c, b * cos, b * sin}); err < least {
			least = err
			cs[1].x, cs[2].x, cs[2].y = at[0], at[1], at[2]
		}
	}
}

// settle searches for positions that share nearly the right areas. It returns them with the sum of squared errors,
// relative to the largest circle.
func settle(cs []circle, share func(i, j int) float64, from []float64) ([]float64, float64) {
	unit := max(cs[0].r, cs[1].r, cs[2].r)
	whole := math.Pi * unit * unit
	wrong := func(at []float64) (sum float64) {
		// Circle 0 is fixed at the origin and circle 1 on the x axis, because only relative positions matter.
		xs, ys := []float64{0, at[0] * unit, at[1] * unit}, []float64{0, 0, at[2] * unit}
		for i := range cs {
			for j := range i {
				d := math.Hypot(xs[i]-xs[j], ys[i]-ys[j])
				e := (lens(cs[i].r, cs[j].r, d) - share(j, i)) / whole
				sum += e * e
			}
		}
		return sum
	}
	start := []float64{from[0] / unit, from[1] / unit, from[2] / unit}
	// Not concurrent and with fixed bounds, so that equal figures give equal bytes.
	settings := &optimize.Settings{MajorIterations: 2000, Concurrent: 1, Converger: &optimize.FunctionConverge{Absolute: 1e-14, Iterations: 200}}
	got, _ := optimize.Minimize(optimize.Problem{Func: wrong}, start, settings, &optimize.NelderMead{})
	if got == nil || got.X == nil {
		return from, wrong(start)
	}
	return []float64{got.X[0] * unit, got.X[1] * unit, got.X[2] * unit}, got.F
}

// regionAreas measures each combination's area by slices, on each of which the circles are intervals.
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
	for m := len(areas) - 1; m > 0; m-- { // from "at least these sets" to "exactly these", from the largest combination down
		for more := m + 1; more < len(areas); more++ {
			if more&m == m {
				areas[m] -= areas[more]
			}
		}
	}
	return areas
}

// untrue lists the regions whose area differs from their count by more than half an item and a hundredth of all.
func (v *venn) untrue() (out []int) {
	all := float64(v.all() - v.Counts[0])
	for _, m := range regions(len(v.Names)) {
		if math.Abs(v.areas[m]-float64(v.Counts[m])) > max(0.5, all/100) {
			out = append(out, m)
		}
	}
	return out
}

// notes says which parts of the drawing are true to the counts.
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
	if n := len(parts); n > 0 && pairs == nil { // the region of all three is wrong, so all others are by the same amount
		parts = []string{parts[n-1] + ", and each other region is off by as much"}
	}
	if parts != nil {
		out = append(out, "Circles cannot make every region true: "+strings.Join(parts, "; ")+".")
	}
	return out
}
