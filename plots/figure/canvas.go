package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// canvas is a page of one file format.
type canvas interface {
	vg.CanvasSizer
	lacks() bool // a letter was printed as "?", for want of a glyph
}

// svgCanvas notes how long each text is, because a reader without the font has another one, with wider letters.
type svgCanvas struct {
	*vgsvg.Canvas
	lengths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, s string) {
	c.lengths = append(c.lengths, f.Width(s))
	c.Canvas.FillString(f, at, s)
}

// lacks implements canvas: a browser takes letters that one font lacks from another.
func (c *svgCanvas) lacks() bool { return false }

// fitted returns the document with the length of each text, in the order in which they were drawn. Glyphs and the space
// between them are stretched alike.
func (c *svgCanvas) fitted(doc string) string {
	var b strings.Builder
	for i, part := range strings.SplitAfter(doc, "<text ") {
		b.WriteString(part)
		if i < len(c.lengths) && c.lengths[i] > 0 {
			fmt.Fprintf(&b, `textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, float64(c.lengths[i]))
		}
	}
	return b.String()
}

// oneFont is a canvas of a format that has one font. It prints "?" for a letter that the font lacks, where gonum would
// print nothing.
type oneFont struct {
	vg.CanvasSizer
	lacking bool
}

// FillString implements vg.Canvas.
func (c *oneFont) FillString(f font.Face, at vg.Point, s string) {
	known := strings.Map(func(r rune) rune {
		if has(f, r) {
			return r
		}
		c.lacking = true
		return '?'
	}, s)
	c.CanvasSizer.FillString(f, at, known)
}

func (c *oneFont) lacks() bool { return c.lacking }

// has reports whether a font has a letter.
func has(f font.Face, r rune) bool {
	g, err := f.Face.GlyphIndex(nil, r)
	return err == nil && g != 0
}
