package figure

import (
	"fmt"
	"image/color"
	"math"

	"assay/metrics/stats"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a map of rows by columns, such as arms by databases, with each value printed in its cell.
type Heat struct {
	ID        string // its name in errors
	Title     string
	XLabel    string
	YLabel    string
	Unit      string // of the values, printed at the scale
	Rows      []string
	Columns   []string
	Cells     [][]Cell // one row per row, one Cell per column
	Low, High float64  // ends of the scale, widened if a value is beyond them; both zero: from the values
	Places    int      // decimals in the cells; at most 6
	Caption   []string // paragraphs under the plot
}

// Cell is one value. The zero Cell is a missing value, drawn hatched.
type Cell struct {
	Value float64
	OK    bool
}

func (h *Heat) check() error {
	if len(h.Cells) != len(h.Rows) {
		return fmt.Errorf("%d rows of cells for %d rows", len(h.Cells), len(h.Rows))
	}
	drawn := 0
	for i, r := range h.Cells {
		if len(r) != len(h.Columns) {
			return fmt.Errorf("row %q has %d cells for %d columns", h.Rows[i], len(r), len(h.Columns))
		}
		for _, c := range r {
			if !c.OK {
				continue
			}
			if drawn++; !finite(c.Value) {
				return fmt.Errorf("row %q has a value that is not a number", h.Rows[i])
			}
		}
	}
	if drawn == 0 {
		return errEmpty
	}
	if !finite(h.Low) || !finite(h.High) || h.Low > h.High {
		return fmt.Errorf("a scale from %v to %v", h.Low, h.High)
	}
	return checkPlaces(h.Places)
}

// heated is the layout of a Heat.
type heated struct {
	*Heat
	rail    rail
	feet    footing
	scale   ruler
	cell    vg.Point // size of one cell
	missing bool
	body    vg.Length // height of the cells, or of the scale if that is higher
}

// The width of the scale's bar at the right, and of the margin before it.
const (
	barWide = vg.Length(12)
	barAir  = vg.Length(14)
)

// arrange implements Drawing.
func (h *Heat) arrange(l Look) page {
	v := heated{Heat: h, rail: newRail(h.Rows, l.part(nameWide))}
	var values []float64
	widest := vg.Length(12)
	for _, r := range h.Cells {
		for _, c := range r {
			if v.missing = v.missing || !c.OK; c.OK {
				values = append(values, c.Value)
				widest = max(widest, cellStyle().Width(h.print(c.Value))+5)
			}
		}
	}
	if h.Low != 0 || h.High != 0 {
		values = append(values, h.Low, h.High)
	}
	v.scale = linear(values...)
	n := vg.Length(len(h.Columns))
	width := max(l.wide(), n*widest+v.around()+2*margin)
	v.cell = vg.Point{X: min((width-2*margin-v.around())/n, 64), Y: v.rail.rowHeight(19)}
	v.feet = newFooting(h.Columns, v.cell.X, v.left()-v.nameColumn())
	v.body = max(v.cell.Y*vg.Length(len(h.Rows)), 90)
	f := newFrame(l, width, v.body+v.foot()+4, h.Title, h.Caption, v.legend())
	return f.page(v.paint)
}

var cellStyle = captionStyle

func (h *Heat) print(v float64) string { return stats.Fixed(v, h.Places) }

// nameColumn returns the width of the y axis's name, which has a column of its own at the left edge.
func (v *heated) nameColumn() vg.Length {
	if v.YLabel == "" {
		return 0
	}
	return labelStyle().Font.Size * leading
}

// left returns the width to the left of the cells; around adds that of the scale.
func (v *heated) left() vg.Length   { return v.nameColumn() + v.rail.width + 8 }
func (v *heated) around() vg.Length { return v.left() + barAir + barWide + v.scale.left(v.Unit) + 4 }

// foot returns the height below the cells.
func (v *heated) foot() vg.Length {
	if v.XLabel == "" {
		return v.feet.height()
	}
	return v.feet.height() + labelStyle().Font.Size*leading
}

// legend explains hatched cells, if there are any.
func (v *heated) legend() []entry {
	if !v.missing {
		return nil
	}
	return []entry{{"no value", func(c draw.Canvas) { absent(c) }}}
}

// absent fills the canvas's rectangle as a missing cell is drawn.
func absent(c draw.Canvas) {
	c.FillPolygon(white, corners(c.Rectangle))
	hatch(c, 1, 4)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.4}, corners(c.Rectangle))
}

func (v *heated) paint(c draw.Canvas) {
	top, left := c.Min.Y+v.foot()+v.body, c.Min.X+v.left()
	sty := cellStyle()
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	for i, r := range v.Cells {
		for k, cell := range r {
			box := c
			box.Min = vg.Point{X: left + vg.Length(k)*v.cell.X, Y: top - vg.Length(i+1)*v.cell.Y}
			box.Max = box.Min.Add(v.cell)
			if !cell.OK {
				absent(box)
				continue
			}
			shade := heatColour(float64(v.scale.at(cell.Value, 0, 1)))
			c.FillPolygon(shade, corners(box.Rectangle))
			c.StrokeLines(draw.LineStyle{Color: white, Width: 0.6}, corners(box.Rectangle))
			if sty.Color = black; luminance(shade) < 0.179 {
				sty.Color = white
			}
			centred(c, sty, box.Center(), v.print(cell.Value))
		}
		v.rail.paint(c, i, left-6, top-(vg.Length(i)+0.5)*v.cell.Y)
	}
	low := top - v.cell.Y*vg.Length(len(v.Rows))
	for k := range v.Columns {
		v.feet.paint(c, k, vg.Point{X: left + (vg.Length(k)+0.5)*v.cell.X, Y: low})
	}
	v.paintNames(c, vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: left + v.cell.X*vg.Length(len(v.Columns)), Y: top}})
	v.paintScale(c, left+v.cell.X*vg.Length(len(v.Columns))+barAir, top)
}

// paintNames prints the axes' names; x's is centred between the column of y's and the scale.
func (v *heated) paintNames(c draw.Canvas, cells vg.Rectangle) {
	sty := labelStyle()
	sty.XAlign = draw.XCenter
	if v.XLabel != "" {
		from, to := c.Min.X+v.nameColumn(), cells.Max.X+barAir-4
		name := cut(drawable(v.XLabel), sty, to-from)
		half := sty.Width(name) / 2
		x := min(max((cells.Min.X+cells.Max.X)/2, from+half), to-half)
		c.FillText(sty, vg.Point{X: x, Y: cells.Min.Y - v.feet.height() + 2}, name)
	}
	if v.YLabel != "" {
		height := max(cells.Max.Y-cells.Min.Y, 60)
		sideways(c, v.YLabel, vg.Point{X: c.Min.X + sty.Font.Size, Y: cells.Max.Y - height/2}, height)
	}
}

// paintScale draws the colour bar with its ticks to the right.
func (v *heated) paintScale(c draw.Canvas, x, top vg.Length) {
	box := vg.Rectangle{Min: vg.Point{X: x, Y: top - min(v.body, 160)}, Max: vg.Point{X: x + barWide, Y: top}}
	const steps = 64
	high := (box.Max.Y - box.Min.Y) / steps
	for i := range steps {
		y := box.Min.Y + vg.Length(i)*high
		c.FillPolygon(heatColour((float64(i)+0.5)/steps), corners(vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: box.Max.X, Y: min(y+2*high, box.Max.Y)}})) // overlaps the next step, so that no gap shows
	}
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.6}, corners(box))
	sty := captionStyle()
	sty.YAlign = draw.YCenter
	for _, t := range v.scale.ticks {
		y := v.scale.at(t.Value, box.Min.Y, box.Max.Y)
		c.StrokeLine2(axisLine, box.Max.X, y, box.Max.X+3, y)
		centred(c, sty, vg.Point{X: box.Max.X + 5, Y: y}, t.Label)
	}
	if v.Unit != "" {
		at := vg.Point{X: box.Max.X + v.scale.left(v.Unit), Y: (box.Min.Y + box.Max.Y) / 2}
		sideways(c, v.Unit, at, box.Max.Y-box.Min.Y)
	}
}

// heats are the colours of a scale from its low end. Each is darker than the one before, so that a grey print shows the
// order.
var heats = []color.RGBA{{0xF5, 0xF9, 0xE8, 0xFF}, {0xA6, 0xD8, 0xC6, 0xFF}, {0x3F, 0x9F, 0xB8, 0xFF}, {0x22, 0x5E, 0xA0, 0xFF}, {0x0B, 0x1F, 0x57, 0xFF}}

// heatColour returns the colour at position f of the scale, 0 to 1.
func heatColour(f float64) color.RGBA {
	f = min(max(f, 0), 1) * float64(len(heats)-1)
	i := min(int(f), len(heats)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*(f-float64(i)) + 0.5) }
	a, b := heats[i], heats[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// luminance returns the relative luminance of a colour, 0 to 1 (WCAG 2.1). From 0.179 on, black text has more contrast
// than white; on either side the contrast is at least 4.5 to 1.
func luminance(c color.RGBA) float64 {
	part := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}
