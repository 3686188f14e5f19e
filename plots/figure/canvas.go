package figure

import (
	"fmt"
	"image/color"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
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

// imageCanvas prints "?" for a letter that the font lacks, where gonum would print nothing.
type imageCanvas struct {
	*vgimg.Canvas
	lacking bool
}

// FillString implements vg.Canvas.
func (c *imageCanvas) FillString(f font.Face, at vg.Point, s string) {
	c.Canvas.FillString(f, at, strings.Map(func(r rune) rune {
		if g, err := f.Face.GlyphIndex(nil, r); err == nil && g != 0 {
			return r
		}
		c.lacking = true
		return '?'
	}, s))
}

func (c *imageCanvas) lacks() bool { return c.lacking }

// pdfCanvas hands gonum's PDF canvas texts in the code page of its font, and colours as they are: it takes texts as
// bytes of Windows-1252, and colours that are darkened by their transparency already as if they were not.
type pdfCanvas struct {
	*vgpdf.Canvas
	lacking bool
}

// FillString implements vg.Canvas. Letters that the code page lacks are "?".
func (c *pdfCanvas) FillString(f font.Face, at vg.Point, s string) {
	var b strings.Builder
	for _, r := range s {
		code, known := charmap.Windows1252.EncodeRune(r)
		if !known {
			c.lacking, code = true, '?'
		}
		b.WriteByte(code)
	}
	c.Canvas.FillString(f, at, b.String())
}

// SetColor implements vg.Canvas.
func (c *pdfCanvas) SetColor(shade color.Color) {
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(shade).(color.NRGBA)})
}

func (c *pdfCanvas) lacks() bool { return c.lacking }

// straight is a colour whose parts are not multiplied by its opacity.
type straight struct{ color.NRGBA }

// RGBA implements color.Color, but for the multiplication.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}
