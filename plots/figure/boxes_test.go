package figure

import (
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tracer is a canvas that records the positions of texts and how far drawing reaches, in page coordinates.
type tracer struct {
	now   matrix
	stack []matrix
	texts []textBox
	reach []vg.Point // of paths
}

// matrix is x' = a x + c y + e, y' = b x + d y + f.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) at(p vg.Point) vg.Point {
	x, y := float64(p.X), float64(p.Y)
	return vg.Point{X: vg.Length(m.a*x + m.c*y + m.e), Y: vg.Length(m.b*x + m.d*y + m.f)}
}

func (m matrix) then(n matrix) matrix { // n first
	return matrix{m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f}
}

// textBox has the four corners of a printed text, in order round it.
type textBox struct {
	text    string
	corners [4]vg.Point
}

func (t *tracer) SetLineWidth(vg.Length)             {}
func (t *tracer) SetLineDash([]vg.Length, vg.Length) {}
func (t *tracer) SetColor(color.Color)               {}
func (t *tracer) Rotate(r float64) {
	s, c := math.Sincos(r)
	t.now = t.now.then(matrix{c, s, -s, c, 0, 0})
}
func (t *tracer) Translate(p vg.Point) {
	t.now = t.now.then(matrix{1, 0, 0, 1, float64(p.X), float64(p.Y)})
}
func (t *tracer) Scale(x, y float64) { t.now = t.now.then(matrix{x, 0, 0, y, 0, 0}) }
func (t *tracer) Push()              { t.stack = append(t.stack, t.now) }
func (t *tracer) Pop()               { t.now, t.stack = t.stack[len(t.stack)-1], t.stack[:len(t.stack)-1] }
func (t *tracer) Stroke(p vg.Path)   { t.Fill(p) }

func (t *tracer) Fill(p vg.Path) {
	for _, s := range p {
		if s.Type == vg.ArcComp {
			for _, d := range []vg.Point{{X: -1}, {X: 1}, {Y: -1}, {Y: 1}} {
				t.reach = append(t.reach, t.now.at(s.Pos.Add(d.Scale(s.Radius))))
			}
		} else if s.Type != vg.CloseComp {
			t.reach = append(t.reach, t.now.at(s.Pos))
		}
	}
}

func (t *tracer) DrawImage(r vg.Rectangle, _ image.Image) { t.Fill(r.Path()) }

// FillString notes the box from the letters' feet to the top of capitals; what hangs below may touch nothing either.
func (t *tracer) FillString(f font.Face, p vg.Point, s string) {
	w, up, down := f.Width(s), f.Font.Size*0.72, f.Font.Size*0.2
	t.texts = append(t.texts, textBox{s, [4]vg.Point{
		t.now.at(vg.Point{X: p.X, Y: p.Y - down}), t.now.at(vg.Point{X: p.X + w, Y: p.Y - down}),
		t.now.at(vg.Point{X: p.X + w, Y: p.Y + up}), t.now.at(vg.Point{X: p.X, Y: p.Y + up})}})
}

// apart is whether an axis of one of the boxes separates them; touching by less than a twentieth of a point is apart.
func apart(a, b textBox) bool {
	for _, box := range []textBox{a, b} {
		for i := range 2 {
			d := box.corners[i+1].Sub(box.corners[i])
			n := math.Hypot(float64(d.X), float64(d.Y))
			span := func(t textBox) (lo, hi float64) {
				lo, hi = math.Inf(1), math.Inf(-1)
				for _, p := range t.corners {
					v := float64(p.X*d.X+p.Y*d.Y) / n
					lo, hi = min(lo, v), max(hi, v)
				}
				return lo, hi
			}
			alo, ahi := span(a)
			blo, bhi := span(b)
			if ahi < blo+0.05 || bhi < alo+0.05 {
				return true
			}
		}
	}
	return false
}

// checkPage draws and says which texts overlap or leave the page, and what else leaves it.
// It does so for every place of a figure.
func checkPage(t *testing.T, name string, d Drawing) {
	t.Helper()
	checkLook(t, name, d, Look{})
	for _, w := range []Width{Page, Column} {
		checkLook(t, name+", bare, "+string(w), d, Look{Bare: true, Width: w})
	}
}

func checkLook(t *testing.T, name string, p Drawing, l Look) {
	t.Helper()
	if err := p.check(); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	page := p.arrange(l)
	z, on := page.size, page.paint
	tr := &tracer{now: matrix{a: 1, d: 1}}
	on(draw.NewCanvas(tr, z.width, z.height))
	out := func(p vg.Point) bool {
		x, y := float64(p.X), float64(p.Y)
		return !(x >= -0.01 && y >= -0.01 && x <= float64(z.width)+0.01 && y <= float64(z.height)+0.01) // NaN too
	}
	for i, a := range tr.texts {
		for _, c := range a.corners {
			if out(c) {
				t.Errorf("%s: %q leaves the page: %.1f of %.1f", name, a.text, c, z)
				break
			}
		}
		for _, b := range tr.texts[:i] {
			if a.text != "" && b.text != "" && !apart(a, b) {
				t.Errorf("%s: %q overlaps %q", name, a.text, b.text)
			}
		}
	}
	for _, p := range tr.reach {
		if out(p) {
			t.Errorf("%s: a line leaves the page: %.1f of %.1f", name, p, z)
			break
		}
	}
	if len(tr.texts) == 0 {
		t.Errorf("%s: no text at all", name)
	}
}

func TestTracer(t *testing.T) {
	check := func(want bool, turn float64, dx, dy vg.Length) {
		t.Helper()
		tr := &tracer{now: matrix{a: 1, d: 1}}
		c := draw.NewCanvas(tr, 100, 100)
		sty := tickStyle()
		c.FillText(sty, vg.Point{X: 10, Y: 50}, "label")
		sty.Rotation = turn
		c.FillText(sty, vg.Point{X: 10 + dx, Y: 50 + dy}, "label")
		if got := apart(tr.texts[0], tr.texts[1]); got != want {
			t.Errorf("turned by %.2f and moved by %v, %v: apart is %v", turn, dx, dy, got)
		}
	}
	check(false, 0, 0, 0)
	check(false, 0, 10, 5)
	check(true, 0, 0, 12)
	check(true, 0, 30, 0)
	check(false, math.Pi/4, 5, 0)
	check(true, math.Pi/2, -8, 0)
}

func TestSpecPages(t *testing.T) {
	for name, s := range cases() {
		checkPage(t, name, s)
	}
	for _, n := range []int{1, 2, 20, 40} {
		checkPage(t, "values", valued(1, n+1))
		checkPage(t, "values by arms", valued(min(n, MostSeries), 3))
		checkPage(t, "bars", made(Bars, 1, n, long))
		checkPage(t, "bars by arms", made(Bars, min(n, MostSeries), 3, long))
		for _, arms := range []int{1, 3, 8} {
			gaps := made(Bars, arms, n, short)
			for k := range gaps.Series {
				clear(gaps.Series[k].Points[1:])
			}
			checkPage(t, "gaps", gaps)
		}
		lines := made(Lines, 8, n, short)
		checkPage(t, "lines", lines)
		checkPage(t, "sweep", sweep(8, n, true))
		big := made(Bars, 1, n, short)
		big.Series[0].Points[0].Y = 1e15
		checkPage(t, "large", big)
	}
}
