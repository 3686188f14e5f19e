package figure

import (
	"fmt"
	"strconv"

	"assay/metrics/stats"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Stack shows bars made of parts, such as the statuses of each arm's answers.
type Stack struct {
	ID      string // its name in errors
	Title   string
	Label   string   // of the value axis
	Rows    []string // one per bar, from the top, or from the left if Upright
	Parts   []Part   // in stacking order
	Share   bool     // bars of equal length, in percent of their sums, which are printed next to them
	Upright bool     // vertical bars; otherwise horizontal, which leaves more space for long names
	Places  int      // decimals of the numbers on the parts; at most 6
	Caption []string // paragraphs under the plot
}

// Part is one kind of part, with its value in every bar.
type Part struct {
	Name   string
	Values []float64 // one per row, not below zero
}

func (s *Stack) check() error {
	if len(s.Parts) > MostSeries {
		return fmt.Errorf("%d parts, of which %d can be told apart", len(s.Parts), MostSeries)
	}
	total := 0.0
	for _, p := range s.Parts {
		if len(p.Values) != len(s.Rows) {
			return fmt.Errorf("part %q has %d values for %d rows", p.Name, len(p.Values), len(s.Rows))
		}
		for _, v := range p.Values {
			if !finite(v) || v < 0 {
				return fmt.Errorf("part %q has the value %v", p.Name, v)
			}
			total += v
		}
	}
	if total == 0 {
		return errEmpty
	}
	return checkPlaces(s.Places)
}

// sum returns the length of bar i.
func (s *Stack) sum(i int) (total float64) {
	for _, p := range s.Parts {
		total += p.Values[i]
	}
	return total
}

// portion is one part of one bar: its begin and end along the axis, and the number printed on it.
type portion struct {
	part     int
	from, to float64
	text     string
}

// portions returns the parts of bar i that have a value.
func (s *Stack) portions(i int) (out []portion) {
	at, scale := 0.0, 1.0
	if s.Share {
		scale = 100 / max(s.sum(i), 1e-300)
	}
	for k, p := range s.Parts {
		if v := p.Values[i] * scale; v > 0 {
			out = append(out, portion{k, at, at + v, stats.Fixed(v, s.Places)})
			at += v
		}
	}
	return out
}

// ruler returns the value axis.
func (s *Stack) ruler() ruler {
	if s.Share {
		return linear(0, 100)
	}
	values := []float64{0}
	for i := range s.Rows {
		values = append(values, s.sum(i))
	}
	return linear(values...)
}

func (s *Stack) legend() (out []entry) {
	for k, p := range s.Parts {
		out = append(out, entry{p.Name, func(box draw.Canvas) { bar(box, k) }})
	}
	return out
}

// whole returns the text next to bar i.
func (s *Stack) whole(i int) string {
	if s.sum(i) == 0 {
		return "no value"
	}
	t := stats.Fixed(s.sum(i), s.Places)
	if s.Share {
		return "of " + strconv.FormatFloat(s.sum(i), 'f', -1, 64)
	}
	return t
}

// arrange implements Drawing.
func (s *Stack) arrange(l Look) page {
	if s.Upright {
		return s.arrangeUpright(l)
	}
	var wholes []string
	for i := range s.Rows {
		wholes = append(wholes, s.whole(i))
	}
	v := rowed{rail: newRail(s.Rows, l.part(nameWide)), texts: wholes, ruler: s.ruler(), label: s.Label}
	v.fit(l, 24, nil)
	f := newFrame(l, l.wide(), v.height(), s.Title, s.Caption, s.legend())
	return f.page(func(c draw.Canvas) {
		box := v.paint(c)
		for i := range s.Rows {
			y, half := v.middle(i, box), min(v.row*0.36, 11)
			s.paintBar(c, i, func(from, to float64) vg.Rectangle {
				return vg.Rectangle{
					Min: vg.Point{X: v.ruler.at(from, box.Min.X, box.Max.X), Y: y - half},
					Max: vg.Point{X: v.ruler.at(to, box.Min.X, box.Max.X), Y: y + half}}
			})
		}
		c.StrokeLine2(axisLine, box.Min.X, box.Min.Y, box.Min.X, box.Max.Y)
	})
}

func (s *Stack) arrangeUpright(l Look) page {
	r, n := s.ruler(), vg.Length(len(s.Rows))
	left := r.left(s.Label)
	most := vg.Length(0) // width of the widest sum above a bar
	for i := range s.Rows {
		most = max(most, captionStyle().Width(s.whole(i)))
	}
	width := max(l.wide(), n*max(26, most+4)+left+2*margin+4)
	slot := (width - 2*margin - left - 4) / n
	feet := newFooting(s.Rows, slot, left)
	f := newFrame(l, width, plotHeight+feet.height()+12, s.Title, s.Caption, s.legend())
	return f.page(func(c draw.Canvas) {
		low := c.Min.Y + feet.height()
		box := vg.Rectangle{Min: vg.Point{X: c.Min.X + left, Y: low}, Max: vg.Point{X: c.Max.X - 4, Y: low + plotHeight}}
		r.upright(c, box, s.Label)
		sty := captionStyle()
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
		for i := range s.Rows {
			x, half := box.Min.X+slot*(vg.Length(i)+0.5), min(slot*0.36, 24)
			top := box.Min.Y
			s.paintBar(c, i, func(from, to float64) vg.Rectangle {
				top = max(top, r.at(to, box.Min.Y, box.Max.Y))
				return vg.Rectangle{
					Min: vg.Point{X: x - half, Y: r.at(from, box.Min.Y, box.Max.Y)},
					Max: vg.Point{X: x + half, Y: r.at(to, box.Min.Y, box.Max.Y)}}
			})
			c.FillText(sty, vg.Point{X: x, Y: top + 2}, s.whole(i))
			feet.paint(c, i, vg.Point{X: x, Y: box.Min.Y})
		}
		c.StrokeLine2(axisLine, box.Min.X, box.Min.Y, box.Max.X, box.Min.Y)
	})
}

// paintBar draws the portions of bar i, and those of their numbers that fit.
func (s *Stack) paintBar(c draw.Canvas, i int, place func(from, to float64) vg.Rectangle) {
	sty := captionStyle()
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	for _, p := range s.portions(i) {
		box := c
		box.Rectangle = place(p.from, p.to)
		bar(box, p.part)
		w, h := sty.Width(p.text)/2+1.5, sty.Font.Size*0.6
		if 2*w+2 > box.Size().X || 2*h > box.Size().Y {
			continue
		}
		plate := vg.Rectangle{Min: box.Center().Sub(vg.Point{X: w, Y: h}), Max: box.Center().Add(vg.Point{X: w, Y: h})}
		c.FillPolygon(white, corners(plate))
		centred(c, sty, box.Center(), p.text)
	}
}
