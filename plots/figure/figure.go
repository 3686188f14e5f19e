// Package figure draws with gonum/plot: one function a kind of figure.
package figure

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Spec is a figure before it is drawn. The same Spec gives the same bytes.
type Spec struct {
	ID      string // its name in errors, such as "bars-hardness"
	Title   string
	XLabel  string
	YLabel  string
	Kind    Kind
	Groups  []string  // what stands along x
	X       []float64 // Lines: where each group stands; nil: groups are categories, evenly spaced and not joined
	Series  []Series
	Bands   bool     // Lines: ranges as bands in place of error bars
	Caption []string // paragraphs under the plot: what the error bars are, n
}

// Kind is a kind of figure.
type Kind int

// The kinds.
const (
	Bars  Kind = iota // a bar a series in each group
	Lines             // a line a series across the groups
)

// Series is one arm's points, one a group.
type Series struct {
	Name   string
	Points []Point
}

// Point is one value. The zero Point is a missing one: it leaves a gap, never a zero.
type Point struct {
	Y        float64
	Low      float64 // ends of the error bar; meaningless unless HasRange
	High     float64
	OK       bool
	HasRange bool
}

// resolution of PNG files, in dots an inch.
const resolution = 200

// WriteSVG writes the figure as SVG. Text stays text; the font falls back to Arial, of the same widths.
func (s *Spec) WriteSVG(w io.Writer) error {
	return s.write("svg", w, func(width, height vg.Length) (vg.CanvasSizer, func(io.Writer) error) {
		c := vgsvg.New(width, height)
		return c, func(w io.Writer) error {
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return err
			}
			out := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
				[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
			_, err := w.Write(out)
			return err
		}
	})
}

// WritePNG writes the figure as PNG with 200 dots an inch.
func (s *Spec) WritePNG(w io.Writer) error {
	return s.write("png", w, func(width, height vg.Length) (vg.CanvasSizer, func(io.Writer) error) {
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(resolution))
		return c, func(w io.Writer) error {
			_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
			return err
		}
	})
}

// created are the dates in a PDF file, which would make each one different.
var created = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}`)

// WritePDF writes the figure as PDF with its font embedded. The dates in it are fixed.
func (s *Spec) WritePDF(w io.Writer) error {
	return s.write("pdf", w, func(width, height vg.Length) (vg.CanvasSizer, func(io.Writer) error) {
		c := vgpdf.New(width, height)
		return c, func(w io.Writer) error {
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return err
			}
			// As long as before, so that the offsets in the file stay right.
			_, err := w.Write(created.ReplaceAll(b.Bytes(), []byte("/$1 (D:20000101000000")))
			return err
		}
	})
}

// write checks and draws; open makes a canvas of the size the figure needs, and what writes it.
func (s *Spec) write(format string, w io.Writer,
	open func(width, height vg.Length) (vg.CanvasSizer, func(io.Writer) error)) error {
	err := s.check()
	if err == nil {
		l := s.layout()
		c, save := open(l.width, l.height)
		s.draw(draw.New(c), l)
		err = save(w)
	}
	if err != nil {
		return fmt.Errorf("figure: write %s %q: %w", format, s.ID, err)
	}
	return nil
}

// check finds what cannot be drawn.
func (s *Spec) check() error {
	if s.Kind != Bars && s.Kind != Lines {
		return fmt.Errorf("unknown kind %d", s.Kind)
	}
	if s.X != nil && len(s.X) != len(s.Groups) {
		return fmt.Errorf("%d positions for %d groups", len(s.X), len(s.Groups))
	}
	for _, x := range s.X {
		if !finite(x) {
			return fmt.Errorf("position %v is no number", x)
		}
	}
	values := 0
	for _, r := range s.Series {
		if len(r.Points) != len(s.Groups) {
			return fmt.Errorf("series %q has %d points for %d groups", r.Name, len(r.Points), len(s.Groups))
		}
		for _, p := range r.Points {
			if !p.OK {
				continue
			}
			if values++; !finite(p.Y) || p.HasRange && (!finite(p.Low) || !finite(p.High)) {
				return fmt.Errorf("series %q has a value that is no number", r.Name)
			}
			if s.Kind == Bars && p.Y < 0 {
				return fmt.Errorf("series %q has the bar %v below zero", r.Name, p.Y)
			}
		}
	}
	if values == 0 {
		return fmt.Errorf("no values to draw")
	}
	return nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
