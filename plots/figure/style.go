package figure

import (
	"image/color"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series differ in three ways at once: by colour, by hatching or line style, and by marker, so that figures can be read
// in grey and by the colour-blind.

// colours are those of Okabe and Ito, which stay distinct under the common forms of colour blindness. Grey replaces
// their black, on which neither hatching nor error bars would show. In this order neighbours differ in lightness too,
// so that a print in grey keeps them apart.
var colours = []color.RGBA{
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermillion
	{0xF0, 0xE4, 0x42, 0xFF}, // yellow
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xC4, 0xC4, 0xC4, 0xFF}, // grey
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
}

// strokes are the colours of lines and markers: black and brown in place of yellow and light grey, which would not show
// on white.
var strokes = []color.RGBA{
	colours[3], colours[4], colours[5], {0, 0, 0, 0xFF}, colours[1], colours[0], {0x5A, 0x3A, 0x00, 0xFF}, colours[7],
}

// hatches are the directions in which a bar is striped.
var hatches = []struct{ up, down, across, along bool }{
	{}, {up: true}, {down: true}, {up: true, down: true},
	{across: true}, {along: true}, {across: true, along: true}, {up: true, across: true},
}

// dashes are line styles in points; nil is a whole line.
var dashes = [][]vg.Length{
	nil, {6, 3}, {1.5, 2}, {8, 2.5, 1.5, 2.5}, {3, 2}, {10, 3}, {6, 2, 1.5, 2, 1.5, 2}, {1, 4},
}

// markers are four shapes, filled and then open.
var markers = []struct {
	shape draw.GlyphDrawer
	open  bool
}{
	{draw.CircleGlyph{}, false}, {draw.BoxGlyph{}, false}, {draw.PyramidGlyph{}, false}, {diamond{}, false},
	{draw.CircleGlyph{}, true}, {draw.BoxGlyph{}, true}, {draw.PyramidGlyph{}, true}, {diamond{}, true},
}

// diamond is a filled square on its corner.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius * 1.2
	c.FillPolygon(sty.Color, []vg.Point{
		{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r},
	})
}

var (
	black = color.RGBA{A: 0xFF}
	white = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
	faint = color.RGBA{0xDD, 0xDD, 0xDD, 0xFF}
	pale  = color.RGBA{0xF2, 0xF2, 0xF2, 0xFF}
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xFF}
)

// letters returns a text style in the sans-serif face, anchored at its top left.
func letters(size vg.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  draw.XLeft,
		YAlign:  draw.YTop,
		Handler: plot.DefaultTextHandler,
	}
}

var (
	titleStyle   = func() text.Style { return letters(12) }
	labelStyle   = func() text.Style { return letters(10) }
	tickStyle    = func() text.Style { return letters(9) }
	captionStyle = func() text.Style { return letters(8) }
)

// drawable returns a text as it is printed: one line, "?" for what is no letter, and at most 1000 letters.
func drawable(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range strings.ToValidUTF8(s, "?") {
		if r == '\n' || r == '\t' || r == '\r' {
			r = ' '
		} else if !unicode.IsPrint(r) {
			r = '?'
		}
		if out = append(out, r); len(out) == 1000 {
			out = append(out, '…')
			break
		}
	}
	return strings.TrimSpace(string(out))
}

// wrapped breaks a text into lines no wider than width; a wider word is broken inside.
func wrapped(s string, sty text.Style, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range words(s, sty, width) {
		longer := strings.TrimSpace(line + " " + word)
		if sty.Width(longer) <= width {
			line = longer
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for line = word; sty.Width(line) > width; {
			n := fitting(line, sty, width)
			lines, line = append(lines, line[:n]), line[n:]
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// words returns what stays on one line of a text where it fits: its words, "k = 4" being one.
func words(s string, sty text.Style, width vg.Length) (out []string) {
	fields := strings.Fields(s)
	for i := 0; i < len(fields); i++ {
		word := fields[i]
		if i+2 < len(fields) && fields[i+1] == "=" {
			if whole := strings.Join(fields[i:i+3], " "); sty.Width(whole) <= width {
				word, i = whole, i+2
			}
		}
		out = append(out, word)
	}
	return out
}

// fitting returns the number of bytes of s that fit, at least one letter.
func fitting(s string, sty text.Style, width vg.Length) int {
	last := len(s)
	for i := range s {
		if i > 0 && sty.Width(s[:i]) > width {
			break
		}
		last = i
	}
	if last == 0 {
		for i := range s {
			if i > 0 {
				return i
			}
		}
		return len(s)
	}
	return last
}

// cut shortens a text to width, and marks that it did.
func cut(s string, sty text.Style, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	return strings.TrimSpace(s[:fitting(s, sty, width-sty.Width("…"))]) + "…"
}

// shortened removes letters from the middle of a text, because names often differ at their ends.
func shortened(s string, sty text.Style, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	rs := []rune(s)
	for n := len(rs) - 1; n > 1; n-- { // number of letters kept, two thirds of them at the start
		tail := n / 3
		short := strings.TrimSpace(string(rs[:n-tail])) + "…" + strings.TrimSpace(string(rs[len(rs)-tail:]))
		if sty.Width(short) <= width {
			return short
		}
	}
	return cut(s, sty, width)
}
