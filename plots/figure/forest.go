package figure

import (
	"cmp"
	"fmt"

	"assay/metrics/stats"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Forest shows differences with their intervals, one per row, around the line of no difference.
type Forest struct {
	ID      string // its name in errors
	Title   string
	XLabel  string
	Rows    []Effect
	Places  int      // decimals of the numbers at the right; at most 6
	Filled  string   // meaning of a filled marker; empty: "significant"
	Hollow  string   // meaning of a hollow marker; empty: "not significant"
	Caption []string // paragraphs under the plot
}

// Effect is one difference. If it is not OK its row says "no value".
type Effect struct {
	Group       string // heading above consecutive rows with the same Group; empty: none
	Name        string
	Value       float64
	Range       Interval
	Significant bool
	Note        string // printed at the right, such as a p-value
	OK          bool
}

func (f *Forest) check() error {
	drawn := 0
	for _, e := range f.Rows {
		if !e.OK {
			continue
		}
		if drawn++; !finite(e.Value) {
			return fmt.Errorf("row %q has a value that is not a number", e.Name)
		}
		if err := e.Range.check(); err != nil {
			return fmt.Errorf("row %q has %w", e.Name, err)
		}
	}
	if drawn == 0 {
		return errEmpty
	}
	return checkPlaces(f.Places)
}

// The height of a row, and the greatest widths of the names at the left and of the text at the right.
const (
	rowHigh  = vg.Length(17)
	nameWide = vg.Length(150)
	textWide = vg.Length(150)
	dataWide = vg.Length(140) // least width between the two
)

// arrange implements Drawing.
func (f *Forest) arrange(l Look) page {
	var names, texts []string
	values := []float64{0}
	for _, e := range f.Rows {
		names = append(names, e.Name)
		texts = append(texts, f.text(e))
		if e.OK {
			values = e.Range.with(append(values, e.Value))
		}
	}
	v := rowed{rail: newRail(names, l.part(nameWide)), texts: texts, ruler: linear(values...), label: f.XLabel}
	v.fit(l, rowHigh, f.headings())
	legend := []entry{
		{cmp.Or(f.Filled, "significant"), func(c draw.Canvas) { effectMark(c, c.Center(), true) }},
		{cmp.Or(f.Hollow, "not significant"), func(c draw.Canvas) { effectMark(c, c.Center(), false) }},
	}
	frame := newFrame(l, l.wide(), v.height(), f.Title, f.Caption, legend)
	return frame.page(func(c draw.Canvas) {
		f.paint(c, v)
	})
}

// headings returns the groups' names, by the first row of each group.
func (f *Forest) headings() map[int]string {
	out := map[int]string{}
	last := ""
	for i, e := range f.Rows {
		if e.Group != last && e.Group != "" {
			out[i] = e.Group
		}
		last = e.Group
	}
	return out
}

// text returns the text at the right of a row.
func (f *Forest) text(e Effect) string {
	if !e.OK {
		return "no value"
	}
	signed := func(v float64) string {
		s := stats.Fixed(v, f.Places)
		if v > 0 {
			return "+" + s
		}
		return s
	}
	s := signed(e.Value)
	if e.Range.OK {
		s += " [" + signed(e.Range.Low) + ", " + signed(e.Range.High) + "]"
	}
	if e.Note != "" {
		s += "; " + e.Note
	}
	return s
}

func (f *Forest) paint(c draw.Canvas, v rowed) {
	box := v.paint(c)
	zero := v.ruler.at(0, box.Min.X, box.Max.X)
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.9, Dashes: []vg.Length{4, 2}}, zero, box.Min.Y, zero, box.Max.Y)
	for i, e := range f.Rows {
		if !e.OK {
			continue
		}
		y := v.middle(i, box)
		x := func(value float64) vg.Length { return v.ruler.at(value, box.Min.X, box.Max.X) }
		if e.Range.OK {
			tips(c, draw.LineStyle{Color: strokes[0], Width: 1.1}, vg.Point{X: x(e.Range.Low), Y: y}, vg.Point{X: x(e.Range.High), Y: y})
		}
		effectMark(c, vg.Point{X: x(e.Value), Y: y}, e.Significant)
	}
}

// effectMark draws a square, hollow if the effect is not significant.
func effectMark(c draw.Canvas, at vg.Point, filled bool) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: strokes[0], Radius: 3.6, Shape: draw.BoxGlyph{}}, at)
	if !filled {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: 2.5, Shape: draw.BoxGlyph{}}, at)
	}
}
