package figure

import (
	"bytes"
	"fmt"
	"io"
	"regexp"

	"assay/plots/terminal"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Drawing is a figure of any kind. Writing is deterministic: equal Drawings give equal bytes. A figure that cannot be
// drawn is an error.
type Drawing interface {
	Words() (title string, caption []string) // the texts of the figure
	WriteSVG(io.Writer) error
	WritePNG(io.Writer) error
	WritePDF(io.Writer) error
}

var _ = []Drawing{(*Spec)(nil), (*Scatter)(nil), (*Heat)(nil), (*Sets)(nil), (*Stack)(nil), (*Forest)(nil), (*Seeds)(nil)}

// picture is what the writers need from each kind of figure.
type picture interface {
	check() error           // fails for what cannot be drawn
	arrange() (size, paint) // decides the layout
	Words() (string, []string)
}

type (
	size  struct{ width, height vg.Length }
	paint func(draw.Canvas)
)

// largest is the greatest width and height of a page, in points. Nobody reads a larger page, and its image may not fit
// in memory.
const largest = 4000

func (z size) check() error {
	if z.width > largest || z.height > largest {
		return fmt.Errorf("the page would have %.0f by %.0f points, and %d is the most: draw fewer", float64(z.width), float64(z.height), largest)
	}
	return nil
}

// Words returns the title and the caption.
func (s *Spec) Words() (title string, caption []string) { return s.Title, s.Caption }

// WriteSVG writes the figure as SVG. Text stays text; the fallback font is Arial, which has the same widths.
func (s *Spec) WriteSVG(w io.Writer) error { return writeSVG(w, s.ID, s) }

// WritePNG writes the figure as PNG with 200 dots per inch.
func (s *Spec) WritePNG(w io.Writer) error { return writePNG(w, s.ID, s) }

// WritePDF writes the figure as PDF with its font embedded. Its dates are fixed, so that equal figures give equal
// bytes.
func (s *Spec) WritePDF(w io.Writer) error { return writePDF(w, s.ID, s) }

// resolution of PNG files, in dots per inch.
const resolution = 200

// writeSVG writes a figure as SVG. The canvas knows one font name; fallbacks are added so that other machines show
// similar text.
func writeSVG(w io.Writer, id string, p picture) error {
	return write("svg", w, id, p, func(z size) (vg.CanvasSizer, func(io.Writer) error) {
		c := vgsvg.New(z.width, z.height)
		return c, func(w io.Writer) error {
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return err
			}
			out := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
				[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
			_, err := io.WriteString(w, terminal.Visible(string(out))) // some controls are no XML, and a label may turn those after it round
			return err
		}
	})
}

// writePNG writes a figure as PNG at resolution.
func writePNG(w io.Writer, id string, p picture) error {
	return write("png", w, id, p, func(z size) (vg.CanvasSizer, func(io.Writer) error) {
		c := vgimg.NewWith(vgimg.UseWH(z.width, z.height), vgimg.UseDPI(resolution))
		return c, func(w io.Writer) error {
			_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
			return err
		}
	})
}

// created matches the dates in a PDF file, which differ each time.
var created = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}`)

// writePDF writes a figure as PDF without the time at which it was made.
func writePDF(w io.Writer, id string, p picture) error {
	return write("pdf", w, id, p, func(z size) (vg.CanvasSizer, func(io.Writer) error) {
		c := vgpdf.New(z.width, z.height)
		return c, func(w io.Writer) error {
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return err
			}
			// The replacement has the same length, so that the offsets in the file stay right.
			_, err := w.Write(created.ReplaceAll(b.Bytes(), []byte("/$1 (D:20000101000000")))
			return err
		}
	})
}

// write checks and draws a figure; open returns a canvas of the size that the figure needs, and the function that
// writes it.
func write(format string, w io.Writer, id string, p picture, open func(size) (vg.CanvasSizer, func(io.Writer) error)) error {
	err := p.check()
	if err == nil {
		z, on := p.arrange()
		if err = z.check(); err == nil {
			c, save := open(z)
			on(draw.New(c))
			err = save(w)
		}
	}
	if err != nil {
		return fmt.Errorf("figure: write %s %q: %w", format, id, err)
	}
	return nil
}

// Words returns the title and the caption.
func (s *Scatter) Words() (title string, caption []string) { return s.Title, s.Caption }

// WriteSVG writes the figure as SVG.
func (s *Scatter) WriteSVG(w io.Writer) error { return writeSVG(w, s.ID, s) }

// WritePNG writes the figure as PNG.
func (s *Scatter) WritePNG(w io.Writer) error { return writePNG(w, s.ID, s) }

// WritePDF writes the figure as PDF.
func (s *Scatter) WritePDF(w io.Writer) error { return writePDF(w, s.ID, s) }

// Words returns the title and the caption.
func (f *Forest) Words() (title string, caption []string) { return f.Title, f.Caption }

// WriteSVG writes the figure as SVG.
func (f *Forest) WriteSVG(w io.Writer) error { return writeSVG(w, f.ID, f) }

// WritePNG writes the figure as PNG.
func (f *Forest) WritePNG(w io.Writer) error { return writePNG(w, f.ID, f) }

// WritePDF writes the figure as PDF.
func (f *Forest) WritePDF(w io.Writer) error { return writePDF(w, f.ID, f) }

// Words returns the title and the caption.
func (s *Seeds) Words() (title string, caption []string) { return s.Title, s.Caption }

// WriteSVG writes the figure as SVG.
func (s *Seeds) WriteSVG(w io.Writer) error { return writeSVG(w, s.ID, s) }

// WritePNG writes the figure as PNG.
func (s *Seeds) WritePNG(w io.Writer) error { return writePNG(w, s.ID, s) }

// WritePDF writes the figure as PDF.
func (s *Seeds) WritePDF(w io.Writer) error { return writePDF(w, s.ID, s) }

// Words returns the title and the caption.
func (s *Stack) Words() (title string, caption []string) { return s.Title, s.Caption }

// WriteSVG writes the figure as SVG.
func (s *Stack) WriteSVG(w io.Writer) error { return writeSVG(w, s.ID, s) }

// WritePNG writes the figure as PNG.
func (s *Stack) WritePNG(w io.Writer) error { return writePNG(w, s.ID, s) }

// WritePDF writes the figure as PDF.
func (s *Stack) WritePDF(w io.Writer) error { return writePDF(w, s.ID, s) }

// Words returns the title and the caption.
func (h *Heat) Words() (title string, caption []string) { return h.Title, h.Caption }

// WriteSVG writes the figure as SVG.
func (h *Heat) WriteSVG(w io.Writer) error { return writeSVG(w, h.ID, h) }

// WritePNG writes the figure as PNG.
func (h *Heat) WritePNG(w io.Writer) error { return writePNG(w, h.ID, h) }

// WritePDF writes the figure as PDF.
func (h *Heat) WritePDF(w io.Writer) error { return writePDF(w, h.ID, h) }

// Words returns the title and the caption.
func (s *Sets) Words() (title string, caption []string) { return s.Title, s.Caption }

// WriteSVG writes the figure as SVG.
func (s *Sets) WriteSVG(w io.Writer) error { return writeSVG(w, s.ID, s) }

// WritePNG writes the figure as PNG.
func (s *Sets) WritePNG(w io.Writer) error { return writePNG(w, s.ID, s) }

// WritePDF writes the figure as PDF.
func (s *Sets) WritePDF(w io.Writer) error { return writePDF(w, s.ID, s) }
