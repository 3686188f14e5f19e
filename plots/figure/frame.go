package figure

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// From top to bottom a page has the title, the legend in columns, the body and the caption. Each has space of its own,
// so that nothing overlaps however long a text is.

const (
	margin   = vg.Length(12)
	pageWide = vg.Length(455) // 16 cm
	leading  = vg.Length(1.3) // line spacing, in font sizes
	swatch   = vg.Length(24)  // width of a legend entry's sample
)

// entry is one line of a legend.
type entry struct {
	name   string
	sample func(draw.Canvas) // draws into a box as wide as swatch
}

// frame is everything around the body of a figure.
type frame struct {
	size
	title, caption []string // lines
	says           []string // the caption's paragraphs
	legend         []entry
	columns        int       // of the legend
	entry          vg.Length // width of one column
}

const lacking = "A question mark may stand for a letter that the font of a PDF or PNG file lacks; the SVG file has it."

// newFrame breaks the texts into lines and computes the height of a page with a body of the given height.
// A bare page has neither title nor caption.
func newFrame(l Look, width, body vg.Length, title string, caption []string, legend []entry) frame {
	if l.lacks {
		caption = append(slices.Clone(caption), lacking)
	}
	f := frame{size: size{width: width}, says: caption}
	inner := width - 2*margin
	if l.Bare {
		title, caption = "", nil
	}
	f.title = wrapped(drawable(title), titleStyle(), inner)
	for _, c := range caption {
		f.caption = append(f.caption, wrapped(drawable(c), captionStyle(), inner)...)
	}
	widest := vg.Length(0)
	for _, e := range legend {
		e.name = shortened(drawable(e.name), tickStyle(), inner-swatch-8)
		f.legend = append(f.legend, e)
		widest = max(widest, tickStyle().Width(e.name)+swatch+20)
	}
	f.columns, f.entry = max(1, min(len(legend), int((inner+12)/max(widest, 1)))), widest
	f.height = body + 2*margin + block(f.title, titleStyle()) + block(f.caption, captionStyle()) +
		vg.Length(f.legendRows())*tickStyle().Font.Size*1.5 + 8
	return f
}

// page returns the page whose body the given function paints.
func (f frame) page(body func(draw.Canvas)) page {
	return page{f.size, func(c draw.Canvas) { body(f.paint(c)) }, f.says}
}

// legendRows returns the number of rows that the legend needs.
func (f frame) legendRows() int { return (len(f.legend) + f.columns - 1) / f.columns }

// block returns the height of lines with a margin below.
func block(lines []string, sty text.Style) vg.Length {
	if len(lines) == 0 {
		return 0
	}
	return vg.Length(len(lines))*sty.Font.Size*leading + 6
}

// paint draws the frame and returns the body's canvas, which is 4 points higher than asked for.
func (f frame) paint(c draw.Canvas) draw.Canvas {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := lines(c, f.title, titleStyle(), c.Max.Y)
	y = f.paintLegend(c, y)
	foot := c.Min.Y + block(f.caption, captionStyle())
	lines(c, f.caption, captionStyle(), foot-6)
	c.Max.Y, c.Min.Y = y-4, foot
	return c
}

// lines prints lines downwards from y, and returns the y at which the next element may begin.
func lines(c draw.Canvas, ls []string, sty text.Style, y vg.Length) vg.Length {
	for i, line := range ls {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: y - vg.Length(i)*sty.Font.Size*leading}, line)
	}
	return y - block(ls, sty)
}

// paintLegend prints the entries row by row.
func (f frame) paintLegend(c draw.Canvas, y vg.Length) vg.Length {
	sty := tickStyle()
	row := sty.Font.Size * 1.5
	for i, e := range f.legend {
		at := vg.Point{X: c.Min.X + vg.Length(i%f.columns)*f.entry, Y: y - vg.Length(i/f.columns)*row}
		box := c
		box.Rectangle = vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - sty.Font.Size - 1.5}, Max: vg.Point{X: at.X + swatch, Y: at.Y - 2}}
		e.sample(box)
		c.FillText(sty, vg.Point{X: at.X + swatch + 6, Y: at.Y}, e.name)
	}
	return y - vg.Length(f.legendRows())*row
}

// footing is how category names are printed below their slots: level and wrapped if they fit, else at an angle, else
// upright.
type footing struct {
	names []string
	turn  float64   // of the text, in radians
	below vg.Length // height beyond one line
}

// The sine and cosine of the angle of long tick labels, 30 degrees.
const (
	angle  = math.Pi / 6
	sine   = vg.Length(0.5)
	cosine = vg.Length(0.87)
)

// newFooting chooses the form for slots of the given width; the first slot begins left points from the canvas's left
// edge.
func newFooting(groups []string, slot, left vg.Length) footing {
	sty := tickStyle()
	f := footing{names: make([]string, len(groups))}
	for i, g := range groups {
		ls := wrapped(drawable(g), sty, slot-6)
		for _, word := range strings.Fields(drawable(g)) {
			if sty.Width(word) > slot-6 {
				f.turn = angle
			}
		}
		if len(ls) > 3 {
			f.turn = angle
		}
		f.names[i] = strings.Join(ls, "\n")
	}
	// Slanted lines of text would touch if the slots are too narrow for their height, so they are put upright.
	if f.turn != 0 && slot < sty.Font.Size*leading/sine {
		f.turn = math.Pi / 2
	}
	for i, g := range groups {
		switch f.turn {
		case 0:
			f.below = max(f.below, vg.Length(strings.Count(f.names[i], "\n"))*sty.Font.Size)
		case angle:
			// A slanted name extends to the left and must not leave the page.
			reach := left + slot*(vg.Length(i)+0.5) // distance to the left edge
			f.names[i] = shortened(drawable(g), sty, min(130, reach/cosine))
			f.below = max(f.below, sty.Width(f.names[i])*sine)
		default:
			f.names[i] = shortened(drawable(g), sty, 130)
			f.below = max(f.below, sty.Width(f.names[i]))
		}
	}
	return f
}

// height returns the height that the names need below the axis.
func (f footing) height() vg.Length { return f.below + tickStyle().Font.Size*leading + 6 }

// paint prints name i below the given point.
func (f footing) paint(c draw.Canvas, i int, at vg.Point) {
	sty := tickStyle()
	sty.Rotation, sty.XAlign, sty.YAlign = f.turn, draw.XCenter, draw.YTop
	at.Y -= 4
	if f.turn != 0 {
		sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
		at.Y -= 4
	}
	c.FillText(sty, at, f.names[i])
}

// rail is the column of row names at the left.
type rail struct {
	names [][]string // as printed, up to three lines each
	width vg.Length
}

// newRail breaks names into at most three lines, each at most most wide.
func newRail(names []string, most vg.Length) rail {
	var r rail
	for _, n := range names {
		r.names = append(r.names, within(n, tickStyle(), most, 3))
		for _, l := range r.names[len(r.names)-1] {
			r.width = max(r.width, tickStyle().Width(l))
		}
	}
	return r
}

// within breaks a text into at most n lines no wider than width; a longer text loses letters from the middle of its
// last line.
func within(s string, sty text.Style, width vg.Length, n int) []string {
	ls := wrapped(drawable(s), sty, width)
	if len(ls) > n {
		rest := strings.Join(ls[n-1:], " ")
		ls = append(ls[:n-1:n-1], shortened(rest, sty, width))
	}
	return ls
}

// paint prints name i to the left of x, centred at y.
func (r rail) paint(c draw.Canvas, i int, x, y vg.Length) {
	sty := tickStyle()
	sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
	mid := vg.Length(len(r.names[i])-1) / 2
	for k, l := range r.names[i] {
		centred(c, sty, vg.Point{X: x, Y: y + (mid-vg.Length(k))*sty.Font.Size*1.1}, l)
	}
}

// rowHeight returns a height, at least least, that fits every name.
func (r rail) rowHeight(least vg.Length) vg.Length {
	for _, n := range r.names {
		least = max(least, vg.Length(len(n))*tickStyle().Font.Size*1.1+4)
	}
	return least
}

// centred prints a level text whose digits and capitals, not the font's whole height, are centred at that point.
func centred(c draw.Canvas, sty text.Style, at vg.Point, txt string) {
	at.Y += sty.Font.Size * 0.1
	c.FillText(sty, at, txt)
}
