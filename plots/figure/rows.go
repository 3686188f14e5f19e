package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rowed is the layout of figures with one row per name: names at the left, data over a horizontal axis, texts at the
// right.
type rowed struct {
	rail  rail
	texts []string // one per row; nil: none
	ruler ruler
	label string // of the axis

	headings map[int]string // above rows
	row      vg.Length      // height of one row
	right    vg.Length      // width of the texts' column
	short    [][]string     // the texts as printed
}

// fit computes the heights and the width of the texts.
func (v *rowed) fit(l Look, least vg.Length, headings map[int]string) {
	v.headings = headings
	for _, t := range v.texts {
		v.short = append(v.short, within(t, captionStyle(), l.part(textWide), 3))
		for _, line := range v.short[len(v.short)-1] {
			v.right = max(v.right, captionStyle().Width(line))
		}
		if n := len(v.short[len(v.short)-1]); n > 1 {
			least = max(least, captionStyle().Font.Size*1.2*vg.Length(n)+4)
		}
	}
	v.row = v.rail.rowHeight(least)
}

const headingHigh = vg.Length(17)

// height returns the height of the rows, the headings and the axis together.
func (v *rowed) height() vg.Length {
	return vg.Length(len(v.rail.names))*v.row + vg.Length(len(v.headings))*headingHigh + below(v.label)
}

// box returns the rectangle of the data.
func (v *rowed) box(c draw.Canvas) vg.Rectangle {
	right := max(v.ruler.beyond(), 4)
	if v.right > 0 {
		right = max(right, v.right+8)
	}
	low := c.Min.Y + below(v.label)
	return vg.Rectangle{
		Min: vg.Point{X: c.Min.X + max(v.rail.width+8, v.ruler.beyond()), Y: low},
		Max: vg.Point{X: c.Max.X - right, Y: low + v.height() - below(v.label)},
	}
}

// middle returns the y of row i's middle.
func (v *rowed) middle(i int, box vg.Rectangle) vg.Length {
	y := box.Max.Y - v.row*(vg.Length(i)+0.5)
	for at := range v.headings {
		if at <= i {
			y -= headingHigh
		}
	}
	return y
}

// paint draws the axis and all texts, and returns the rectangle of the data.
func (v *rowed) paint(c draw.Canvas) vg.Rectangle {
	box := v.box(c)
	v.ruler.level(c, box, v.label)
	for i := range v.rail.names {
		y := v.middle(i, box)
		v.rail.paint(c, i, box.Min.X-6, y)
		if v.short != nil {
			sty := captionStyle()
			sty.YAlign = draw.YCenter
			mid := vg.Length(len(v.short[i])-1) / 2
			for k, l := range v.short[i] {
				centred(c, sty, vg.Point{X: box.Max.X + 8, Y: y + (mid-vg.Length(k))*sty.Font.Size*1.2}, l)
			}
		}
		if h := v.headings[i]; h != "" {
			top := y + v.row/2 + headingHigh
			shade := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top - headingHigh + 1}, Max: vg.Point{X: c.Max.X, Y: top - 1}}
			c.FillPolygon(faint, corners(shade))
			sty := labelStyle()
			sty.YAlign = draw.YCenter
			centred(c, sty, vg.Point{X: c.Min.X + 4, Y: top - headingHigh/2}, cut(drawable(h), sty, c.Max.X-c.Min.X-8))
		}
	}
	return box
}
