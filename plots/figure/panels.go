package figure

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panels is several plots that are to be compared, on one page. They share one y axis and one legend: series of the same
// name look the same in every panel.
type Panels struct {
	ID      string // its name in errors
	Title   string
	XLabel  string   // below all; a panel's own XLabel stands below it
	YLabel  string   // of the shared axis
	Panels  []*Spec  // in reading order; of each, Title is printed above it, and YLabel and Caption are not used
	Columns int      // panels side by side; 0: 2, or 3 of more than 4, or 1 in a column of an article
	Caption []string // paragraphs under the panels
}

// mostPanels is how many panels can be read on one page.
const mostPanels = 24

func (p *Panels) check() error {
	if len(p.Panels) > mostPanels {
		return fmt.Errorf("%d panels, of which %d can be read", len(p.Panels), mostPanels)
	}
	if p.Columns < 0 || p.Columns > 4 {
		return fmt.Errorf("%d panels side by side; 1 to 4 can be drawn", p.Columns)
	}
	drawn := 0
	for i, s := range p.Panels {
		err := s.check()
		if err != nil && !errors.Is(err, errEmpty) {
			return fmt.Errorf("panel %d, %q: %w", i+1, s.Title, err)
		}
		if err == nil {
			drawn++
		}
	}
	if drawn == 0 {
		return errEmpty
	}
	if n := len(p.names()); n > MostSeries {
		return fmt.Errorf("%d series in all panels, of which %d can be told apart", n, MostSeries)
	}
	return nil
}

// names lists the series of all panels.
func (p *Panels) names() (out []string) {
	for _, s := range p.Panels {
		for _, r := range s.Series {
			if !slices.Contains(out, r.Name) {
				out = append(out, r.Name)
			}
		}
	}
	return out
}

// alike returns copies of the panels with one axis and one style per name, and one legend for all.
func (p *Panels) alike() (panels []*Spec, legend []entry) {
	names, shared := p.names(), p.ruler()
	seen := map[string]bool{}
	for _, s := range p.Panels {
		one := *s
		one.YLabel, one.shared, one.styles = "", &shared, make([]int, len(s.Series))
		for k, r := range s.Series {
			one.styles[k] = slices.Index(names, r.Name)
		}
		for _, e := range one.legend() {
			if !seen[e.name] {
				seen[e.name] = true
				legend = append(legend, e)
			}
		}
		panels = append(panels, &one)
	}
	return panels, legend
}

// ruler returns the y axis of all values.
func (p *Panels) ruler() (r ruler) {
	all := Spec{}
	for _, s := range p.Panels {
		if s.Kind == Bars {
			all.Kind = Bars
		}
		all.Counts = all.Counts || s.Counts
		all.Series = append(all.Series, s.Series...)
	}
	r.lo, r.hi, r.ticks = all.scale()
	return r
}

// The height of a panel's plot, the height of the name above it, and the gap between panels.
const (
	panelHigh = vg.Length(140)
	nameHigh  = vg.Length(17)
	panelAir  = vg.Length(12)
)

// grid is where panels stand.
type grid struct {
	panels  []*Spec
	columns int
	wide    vg.Length // of one panel
	high    vg.Length // of one panel, with its name
	inside  []layout
}

// arrange implements Drawing.
func (p *Panels) arrange(l Look) page {
	panels, legend := p.alike()
	g := grid{panels: panels, columns: p.Columns}
	if g.columns == 0 {
		switch {
		case l.Width == Column:
			g.columns = 1
		case len(panels) > 4:
			g.columns = 3
		default:
			g.columns = 2
		}
	}
	g.columns = min(g.columns, len(panels))
	n := vg.Length(g.columns)
	g.wide = (l.wide() - 2*margin - p.side() - panelAir*(n-1)) / n
	for _, s := range panels {
		g.wide = max(g.wide, vg.Length(len(s.Groups))*8+50)
	}
	width := g.wide*n + panelAir*(n-1) + p.side() + 2*margin
	below := vg.Length(0)
	for _, s := range panels {
		in := s.layout(g.wide)
		g.inside = append(g.inside, in)
		if s.XLabel != "" {
			in.below += labelStyle().Font.Size * leading
		}
		below = max(below, in.below)
	}
	g.high = nameHigh + panelHigh + below
	rows := vg.Length((len(panels) + g.columns - 1) / g.columns)
	f := newFrame(l, width, rows*(g.high+panelAir)+p.foot(), p.Title, p.notes(panels[0]), legend)
	return f.page(func(c draw.Canvas) { p.paint(c, g) })
}

// side returns the width of the y axis's name, and foot the height of the x axis's.
func (p *Panels) side() vg.Length { return named(p.YLabel) }
func (p *Panels) foot() vg.Length { return named(p.XLabel) }

// named returns the space that an axis's name takes.
func named(label string) vg.Length {
	if label == "" {
		return 0
	}
	return labelStyle().Font.Size * leading
}

// notes returns the caption with what the reader must know about the drawing.
func (p *Panels) notes(first *Spec) []string {
	out := slices.Clone(p.Caption)
	if lo, _, ticks := first.scale(); first.cutOff() {
		out = append(out, offZero("y", ticks[0].Label, lo))
	}
	return out
}

// paint draws the panels row by row, and the names of the axes once.
func (p *Panels) paint(c draw.Canvas, g grid) {
	inner := draw.Crop(c, p.side(), 0, p.foot(), 0)
	for i, s := range g.panels {
		x := inner.Min.X + vg.Length(i%g.columns)*(g.wide+panelAir)
		y := inner.Max.Y - vg.Length(i/g.columns)*(g.high+panelAir)
		box := c
		box.Rectangle = vg.Rectangle{Min: vg.Point{X: x, Y: y - g.high}, Max: vg.Point{X: x + g.wide, Y: y}}
		sty := labelStyle()
		c.FillText(sty, vg.Point{X: x + 20, Y: y - 1}, shortened(drawable(s.Title), sty, g.wide-20))
		box.Max.Y -= nameHigh
		s.plot(g.inside[i], panelHigh).Draw(draw.Crop(box, 0, -4, 0, 0))
	}
	if p.YLabel != "" {
		sideways(c, p.YLabel, vg.Point{X: c.Min.X + labelStyle().Font.Size, Y: (inner.Min.Y + inner.Max.Y) / 2}, inner.Max.Y-inner.Min.Y)
	}
	if p.XLabel != "" {
		sty := labelStyle()
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
		c.FillText(sty, vg.Point{X: (inner.Min.X + inner.Max.X) / 2, Y: c.Min.Y + 2}, cut(drawable(p.XLabel), sty, inner.Max.X-inner.Min.X))
	}
}
