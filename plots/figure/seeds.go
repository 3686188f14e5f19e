package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/metrics/stats"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Seeds shows the effect of the choice of exemplars: per arm the score under every exemplar seed, their mean and
// standard deviation, and below them the interval that chance alone would give.
type Seeds struct {
	ID       string // its name in errors
	Title    string
	XLabel   string
	Arms     []SeedArm
	Expected string   // meaning of the Expected intervals; empty: "expected of binomial sampling alone"
	Places   int      // decimals of the numbers at the right; at most 6
	Caption  []string // paragraphs under the plot
}

// SeedArm is one row. The row of an arm without values says "no value".
type SeedArm struct {
	Name     string
	Values   []float64 // one per seed
	Expected Interval  // on the scale of the values
}

func (s *Seeds) check() error {
	drawn := 0
	for _, a := range s.Arms {
		for _, v := range a.Values {
			if drawn++; !finite(v) {
				return fmt.Errorf("arm %q has a value that is not a number", a.Name)
			}
		}
		if err := a.Expected.check(); err != nil {
			return fmt.Errorf("arm %q has %w", a.Name, err)
		}
	}
	if drawn == 0 {
		return errEmpty
	}
	return checkPlaces(s.Places)
}

// moments returns the mean and the sample standard deviation, which is 0 for fewer than two values.
func moments(vs []float64) (mean, sd float64) {
	for _, v := range vs {
		mean += v / float64(len(vs))
	}
	for _, v := range vs {
		sd += (v - mean) * (v - mean)
	}
	if len(vs) < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(sd / float64(len(vs)-1))
}

// arrange implements Drawing.
func (s *Seeds) arrange(l Look) page {
	var names, texts []string
	var values []float64
	for _, a := range s.Arms {
		names, texts = append(names, a.Name), append(texts, s.text(a))
		if mean, sd := moments(a.Values); len(a.Values) > 0 {
			values = append(append(values, a.Values...), mean-sd, mean+sd)
		}
		values = a.Expected.with(values)
	}
	v := rowed{rail: newRail(names, l.part(nameWide)), texts: texts, ruler: linear(values...), label: s.XLabel}
	v.fit(l, 42, nil)
	caption := append(slices.Clone(s.Caption), v.ruler.offZero("x")...)
	f := newFrame(l, l.wide(), v.height(), s.Title, caption, s.legend())
	return f.page(func(c draw.Canvas) {
		s.paint(c, v)
	})
}

func (s *Seeds) legend() []entry {
	return []entry{
		{"one exemplar seed", func(c draw.Canvas) { seedMark(c, c.Center()) }},
		{"mean ± sample standard deviation", func(c draw.Canvas) {
			mid := c.Center()
			meanMark(c, vg.Point{X: c.Min.X + 1, Y: mid.Y}, mid, vg.Point{X: c.Max.X - 1, Y: mid.Y})
		}},
		{cmp.Or(s.Expected, "expected of binomial sampling alone"), func(c draw.Canvas) {
			c.Min.Y, c.Max.Y = c.Center().Y-3, c.Center().Y+3
			expectedBar(c)
		}},
	}
}

// text returns the text at the right of an arm's row.
func (s *Seeds) text(a SeedArm) string {
	print := func(v float64) string { return stats.Fixed(v, s.Places) }
	out := "no value"
	if mean, sd := moments(a.Values); len(a.Values) > 1 {
		out = print(mean) + " ± " + print(sd)
	} else if len(a.Values) == 1 {
		out = print(mean) + ", one seed"
	}
	if a.Expected.OK {
		out += ", expected " + print(a.Expected.Low) + "–" + print(a.Expected.High)
	}
	return out
}

func (s *Seeds) paint(c draw.Canvas, v rowed) {
	box := v.paint(c)
	x := func(value float64) vg.Length { return v.ruler.at(value, box.Min.X, box.Max.X) }
	for i, a := range s.Arms {
		y := v.middle(i, box)
		if i > 0 {
			c.StrokeLine2(gridLine, c.Min.X, y+v.row/2, c.Max.X, y+v.row/2)
		}
		if a.Expected.OK {
			bar := c
			bar.Rectangle = vg.Rectangle{Min: vg.Point{X: x(a.Expected.Low), Y: y - 15}, Max: vg.Point{X: x(a.Expected.High), Y: y - 9}}
			expectedBar(bar)
		}
		if len(a.Values) == 0 {
			continue
		}
		mean, sd := moments(a.Values)
		meanMark(c, vg.Point{X: x(mean - sd), Y: y - 2}, vg.Point{X: x(mean), Y: y - 2}, vg.Point{X: x(mean + sd), Y: y - 2})
		stack(a.Values, x, func(at vg.Length, level int) { seedMark(c, vg.Point{X: at, Y: y + 7 + 5*vg.Length(level)}) })
	}
}

// stack puts points that would cover one another at levels 0 to 2; beyond three they do overlap.
func stack(values []float64, x func(float64) vg.Length, put func(at vg.Length, level int)) {
	last := [3]vg.Length{-1e9, -1e9, -1e9}
	for _, v := range slices.Sorted(slices.Values(values)) {
		at, level := x(v), 0
		for level < 2 && at-last[level] < 5 {
			level++
		}
		last[level] = at
		put(at, level)
	}
}

func seedMark(c draw.Canvas, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: strokes[0], Radius: 2.6, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: 1.7, Shape: draw.CircleGlyph{}}, at)
}

// meanMark draws a diamond with the deviation to both sides.
func meanMark(c draw.Canvas, low, mid, high vg.Point) {
	tips(c, draw.LineStyle{Color: strokes[1], Width: 1.1}, low, high)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: strokes[1], Radius: 3.2, Shape: diamond{}}, mid)
}

// expectedBar fills the canvas's rectangle with vertical stripes.
func expectedBar(c draw.Canvas) {
	c.FillPolygon(colours[6], corners(c.Rectangle))
	hatch(c, 5, 4.5)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.6}, corners(c.Rectangle))
}
