package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// upset shows combinations as bars over a matrix of the sets that each combination has.
type upset struct {
	*Sets
	masks  []int // the combinations drawn, the largest first
	rail   rail
	ruler  ruler
	column vg.Length
	row    vg.Length
}

const barHigh = vg.Length(140)

// arrangeBars lays the bars out.
func (s *Sets) arrangeBars(l Look) page {
	u := upset{Sets: s}
	for m, n := range s.Counts {
		if m > 0 && n > 0 {
			u.masks = append(u.masks, m)
		}
	}
	slices.SortStableFunc(u.masks, func(a, b int) int { return cmp.Compare(s.Counts[b], s.Counts[a]) })
	var names []string
	for i, n := range s.Names {
		names = append(names, fmt.Sprintf("%s (%d)", n, s.within(1<<i)))
	}
	u.rail = newRail(names, l.part(nameWide))
	u.row = u.rail.rowHeight(17)
	u.ruler = counting(0, float64(s.Counts[u.masks[0]]))
	caption := slices.Clone(s.Caption)
	if most := u.most(l); len(u.masks) > most {
		rest := 0
		for _, m := range u.masks[most:] {
			rest += s.Counts[m]
		}
		caption = append(caption, fmt.Sprintf("Not drawn: %d smaller combinations, with %d %s together.", len(u.masks)-most, rest, s.noun()))
		u.masks = u.masks[:most]
	}
	caption = append(caption, fmt.Sprintf("A bar counts the %s in exactly the sets with a filled dot below it; %d are in none.", s.noun(), s.Counts[0]))
	width := u.fit(l)
	f := newFrame(l, width, barHigh+18+u.row*vg.Length(len(s.Names)), s.Title, caption, nil)
	return f.page(u.paint)
}

// left returns the width of the names and of the axis.
func (u *upset) left() vg.Length { return max(u.rail.width+10, u.ruler.left(u.noun())) }

// least returns the width of a column whose count does not touch the next.
func (u *upset) least() vg.Length {
	return captionStyle().Width(strconv.Itoa(u.Counts[u.masks[0]])) + 5
}

// most returns how many combinations are drawn: unless somebody says so, no more than fit, but the first few.
func (u *upset) most(l Look) int {
	const many, few = 24, 6
	fits := int((l.wide() - 2*margin - 4 - u.left()) / u.least())
	return cmp.Or(u.Most, min(many, max(few, fits)))
}

// fit chooses the columns' width so that the counts above the bars do not touch, and returns the page's width.
func (u *upset) fit(l Look) vg.Length {
	n := vg.Length(len(u.masks))
	width := max(l.wide(), u.left()+n*u.least()+2*margin+4)
	u.column = min((width-2*margin-4-u.left())/n, 40)
	return width
}

// paint draws the bars above the matrix.
func (u *upset) paint(c draw.Canvas) {
	left := c.Min.X + u.left()
	foot := c.Min.Y + u.row*vg.Length(len(u.Names))
	box := vg.Rectangle{Min: vg.Point{X: left, Y: foot + 6}, Max: vg.Point{X: left + u.column*vg.Length(len(u.masks)), Y: foot + 6 + barHigh}}
	for i := range u.Names {
		y := foot - u.row*(vg.Length(i)+0.5)
		if i%2 == 0 {
			c.FillPolygon(pale, corners(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y - u.row/2}, Max: vg.Point{X: box.Max.X, Y: y + u.row/2}}))
		}
		u.rail.paint(c, i, left-8, y)
	}
	u.ruler.upright(c, box, u.noun())
	sty := captionStyle()
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
	for k, m := range u.masks {
		x := left + u.column*(vg.Length(k)+0.5)
		b := c
		b.Rectangle = vg.Rectangle{Min: vg.Point{X: x - u.column*0.36, Y: box.Min.Y}, Max: vg.Point{X: x + u.column*0.36, Y: u.ruler.at(float64(u.Counts[m]), box.Min.Y, box.Max.Y)}}
		bar(b, 3)
		c.FillText(sty, vg.Point{X: x, Y: b.Max.Y + 2}, strconv.Itoa(u.Counts[m]))
		u.dots(c, m, x, foot)
	}
	c.StrokeLine2(axisLine, box.Min.X, box.Min.Y, box.Max.X, box.Min.Y)
}

// dots draws one column of the matrix.
func (u *upset) dots(c draw.Canvas, mask int, x, foot vg.Length) {
	var in []vg.Point
	for i := range u.Names {
		at := vg.Point{X: x, Y: foot - u.row*(vg.Length(i)+0.5)}
		if mask>>i&1 == 1 {
			in = append(in, at)
			continue
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: colours[6], Radius: 1.6, Shape: draw.CircleGlyph{}}, at)
	}
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 1.6}, []vg.Point{in[0], in[len(in)-1]})
	for _, at := range in {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 3.4, Shape: draw.CircleGlyph{}}, at)
	}
}
