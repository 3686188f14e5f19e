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

// sharing returns copies of the panels with one axis and one style per name, and one legend for all.
func (p *Panels) sharing() (panels []*Spec, legend []entry) {
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
	all := Spec{Kind: Lines}
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

// The height of a panel's plot, with its tick labels, and of a line of the name above it, and the gap between panels.
const (
	panelHigh = vg.Length(140)
	nameHigh  = vg.Length(13)
	nameAir   = vg.Length(4)
	nameLeft  = vg.Length(20)
	panelAir  = vg.Length(12)
)

// grid is where panels stand.
type grid struct {
	panels  []*Spec
	columns int
	rows    int
	wide    vg.Length  // of one panel
	high    vg.Length  // of one panel, with its name
	below   vg.Length  // of that, below the axis
	names   [][]string // the panels' names, up to four lines each
	named   vg.Length  // height of the longest name
	air     vg.Length  // above each plot, for values
	inside  []layout
}

// arrange implements Drawing.
func (p *Panels) arrange(l Look) page {
	panels, legend := p.sharing()
	g := grid{panels: panels, columns: p.abreast(l)}
	g.rows = (len(panels) + g.columns - 1) / g.columns
	n := vg.Length(g.columns)
	g.wide = (l.wide() - 2*margin - p.side() - panelAir*(n-1)) / n
	for _, s := range panels {
		g.wide = max(g.wide, vg.Length(len(s.Groups))*8+50)
	}
	g.fit()
	width := g.wide*n + panelAir*(n-1) + p.side() + 2*margin
	f := newFrame(l, width, vg.Length(g.rows)*(g.high+panelAir)-panelAir+p.foot(), p.Title, p.notes(panels[0]), legend)
	return f.page(func(c draw.Canvas) { p.paint(c, g) })
}

// abreast returns the number of panels side by side.
func (p *Panels) abreast(l Look) int {
	n := p.Columns
	switch {
	case n > 0:
	case l.Width == Column:
		n = 1
	case len(p.Panels) > 4:
		n = 3
	default:
		n = 2
	}
	return min(n, len(p.Panels))
}

// fit computes the heights, for panels of that width.
func (g *grid) fit() {
	most, extra := 1, vg.Length(0)
	for _, s := range g.panels {
		in := s.layout(g.wide)
		g.air = max(g.air, in.print.air)
		g.inside = append(g.inside, in)
		if s.XLabel != "" {
			in.below += labelStyle().Font.Size * leading
		}
		extra = max(extra, in.below)
		name := within(s.Title, labelStyle(), g.wide-nameLeft, 4)
		g.names, most = append(g.names, name), max(most, len(name))
	}
	g.named = vg.Length(most)*nameHigh + nameAir
	g.high = g.named + g.air + panelHigh + extra
	g.below = extra + tickStyle().Font.Size*leading + 8
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

// paint draws the panels row by row, and the names of the axes once, in the middle of the plots.
func (p *Panels) paint(c draw.Canvas, g grid) {
	inner := draw.Crop(c, p.side(), 0, p.foot(), 0)
	sty := labelStyle()
	for i, s := range g.panels {
		x := inner.Min.X + vg.Length(i%g.columns)*(g.wide+panelAir)
		y := inner.Max.Y - vg.Length(i/g.columns)*(g.high+panelAir)
		box := c
		box.Rectangle = vg.Rectangle{Min: vg.Point{X: x, Y: y - g.high}, Max: vg.Point{X: x + g.wide, Y: y}}
		for k, line := range g.names[i] { // a short name stands as near to its plot as a long one
			up := vg.Length(len(g.names[i])-k) * nameHigh
			c.FillText(sty, vg.Point{X: x + nameLeft, Y: y - g.named + nameAir - 1 + up}, line)
		}
		box.Max.Y -= g.named
		s.plot(g.inside[i], panelHigh).Draw(draw.Crop(box, 0, -4, 0, -g.air))
	}
	if p.YLabel != "" {
		last := inner.Max.Y - vg.Length(g.rows)*(g.high+panelAir) + panelAir // the lower edge of the last row
		top, foot := inner.Max.Y-g.named-g.air, last+g.below
		sideways(c, p.YLabel, vg.Point{X: c.Min.X + sty.Font.Size, Y: (top + foot) / 2}, top-foot)
	}
	if p.XLabel != "" {
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
		c.FillText(sty, vg.Point{X: (inner.Min.X + inner.Max.X) / 2, Y: c.Min.Y + 2}, cut(drawable(p.XLabel), sty, inner.Max.X-inner.Min.X))
	}
}
