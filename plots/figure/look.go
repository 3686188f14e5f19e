package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Look says for which place a figure is drawn. The zero Look is a report on a screen.
type Look struct {
	Bare  bool  // leave the title and the caption to the text around the figure, as a paper does
	Width Width // of the page

	lacks bool // the format's font lacks letters of the figure
}

// Width is how wide a figure is. A figure with more columns or bars than fit is wider.
type Width string

// The widths.
const (
	Screen Width = ""       // 16 cm; bars and categories may widen it before they grow thin
	Column Width = "column" // 8.4 cm (3.3 in), one column of a two-column article, with letters of 7 to 9 points
	Page   Width = "page"   // 16 cm (6.3 in), the width of an article's text
)

// Widths are the names that [ParseWidth] takes.
var Widths = []string{"screen", string(Page), string(Column)}

// ParseWidth reads a width as a flag states it: one of [Widths].
func ParseWidth(name string) (Width, error) {
	switch w := Width(name); w {
	case "screen":
		return Screen, nil
	case Column, Page:
		return w, nil
	}
	return Screen, fmt.Errorf("figure: width %q: there are %s", name, strings.Join(Widths, ", "))
}

func (l Look) check() error {
	if l.Width != Screen && l.Width != Column && l.Width != Page {
		return fmt.Errorf("unknown width %q", l.Width)
	}
	return nil
}

// A column is laid out with the letters of a page and then reduced, so that its smallest letters have 7 points.
const (
	columnWide = vg.Length(238) // 3.3 in
	reduction  = 0.875
)

// wide returns the width to lay out for, in points before reduction.
func (l Look) wide() vg.Length {
	if l.Width == Column {
		return columnWide / reduction
	}
	return pageWide
}

// asked returns the width of the figure that is asked for, in points.
func (l Look) asked() vg.Length {
	if l.Width == Column {
		return columnWide
	}
	return pageWide
}

// part returns a width that is n points of a page, and as large a part of a narrower figure.
func (l Look) part(n vg.Length) vg.Length { return n * l.wide() / pageWide }

// reduced reduces what was laid out for a column.
func (l Look) reduced(p page) page {
	if l.Width != Column {
		return p
	}
	return page{size{p.width * reduction, p.height * reduction}, func(c draw.Canvas) {
		c.Push()
		c.Scale(reduction, reduction)
		p.paint(draw.NewCanvas(c.Canvas, p.width, p.height))
		c.Pop()
	}, p.caption}
}
