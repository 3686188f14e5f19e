package figure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"assay/plots/terminal"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Drawing is a figure of any kind of this package. Writing is deterministic: equal Drawings and Looks give equal bytes.
// A figure that cannot be drawn is an error.
type Drawing interface {
	Words() (title string, caption []string) // the texts of the figure

	name() string      // in errors
	check() error      // fails for what cannot be drawn
	arrange(Look) page // decides the layout
}

var _ = []Drawing{(*Spec)(nil), (*Panels)(nil), (*Scatter)(nil), (*Heat)(nil), (*Sets)(nil), (*Stack)(nil), (*Forest)(nil), (*Seeds)(nil)}

// size is the size of a page in points.
type size struct{ width, height vg.Length }

// page is a figure with its layout.
type page struct {
	size
	paint   func(draw.Canvas)
	caption []string // paragraphs, with what the layout adds
}

// Caption returns all that a figure's caption says: its own paragraphs, and what the layout adds, such as where an axis
// begins, or that letters are lacking. It fails for what cannot be drawn.
func Caption(d Drawing, l Look) ([]string, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("figure: caption of %q: %w", d.name(), err)
	}
	l.lacks = l.prints(d)
	return d.arrange(l).caption, nil
}

// prints reports whether a letter of the figure is printed as "?" in PDF files, whose font has fewer than that of PNG files.
func (l Look) prints(d Drawing) bool {
	p := l.reduced(d.arrange(l))
	c := &pdfCanvas{Canvas: vgpdf.New(p.width, p.height)}
	p.paint(draw.New(c))
	return c.lacks()
}

// Doubts returns what whoever puts a figure into a text must know and does not see in it: that it is wider than asked
// for, and that a bare one has "?" for letters. It fails for what cannot be drawn.
func Doubts(d Drawing, l Look) (out []string, err error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("figure: doubts of %q: %w", d.name(), err)
	}
	p, asked := l.reduced(d.arrange(l)), l.asked()
	if l.Width != Screen && p.width > asked+0.5 {
		out = append(out, fmt.Sprintf("It is %.1f in wide, not %.1f in, for the number of its columns or bars.", p.width/vg.Inch, asked/vg.Inch))
	}
	if l.Bare && l.prints(d) {
		out = append(out, lacking)
	}
	return out, nil
}

// largest is the greatest width and height of a page, in points. Nobody reads a larger page, and its image may not fit
// in memory.
const largest = 4000

func (z size) check() error {
	if z.width > largest || z.height > largest {
		return fmt.Errorf("the page would have %.0f by %.0f points, and %d is the most: draw fewer", float64(z.width), float64(z.height), largest)
	}
	return nil
}

// Format is a file format of figures.
type Format struct {
	Name  string // and the ending of its files
	Write func(io.Writer, Drawing, Look) error
}

// Formats are all file formats, in the order in which reports write them.
var Formats = []Format{{"svg", SVG}, {"png", PNG}, {"pdf", PDF}}

// SVG writes a figure as SVG. Text stays text, to be searched, read aloud and shown in any script. Each text has the
// length that the layout gave it, whichever font the reader has.
func SVG(w io.Writer, d Drawing, l Look) error {
	return write("svg", w, d, l, func(z size) (canvas, func(io.Writer) error) {
		c := &svgCanvas{Canvas: vgsvg.New(z.width, z.height)}
		return c, func(w io.Writer) error {
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return err
			}
			out := strings.ReplaceAll(c.fitted(b.String()), "font-family:Liberation Sans;",
				"font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;")
			_, err := io.WriteString(w, terminal.Visible(out)) // some controls are no XML, and a label may turn those after it round
			return err
		}
	})
}

// resolution of PNG files, in dots per inch.
const resolution = 200

// PNG writes a figure as PNG with 200 dots per inch.
func PNG(w io.Writer, d Drawing, l Look) error {
	return write("png", w, d, l, func(z size) (canvas, func(io.Writer) error) {
		c := vgimg.NewWith(vgimg.UseWH(z.width, z.height), vgimg.UseDPI(resolution))
		return &imageCanvas{Canvas: c}, func(w io.Writer) error {
			_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
			return err
		}
	})
}

// created matches the dates in a PDF file, which differ each time.
var created = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}`)

// PDF writes a figure as PDF with its font embedded, and with fixed dates, so that equal figures give equal bytes.
func PDF(w io.Writer, d Drawing, l Look) error {
	return write("pdf", w, d, l, func(z size) (canvas, func(io.Writer) error) {
		c := vgpdf.New(z.width, z.height)
		return &pdfCanvas{Canvas: c}, func(w io.Writer) error {
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
// writes it. A figure with letters that the canvas lacks is drawn again, with a caption that says so.
func write(format string, w io.Writer, d Drawing, l Look, open func(size) (canvas, func(io.Writer) error)) error {
	err := errors.Join(d.check(), l.check())
	for err == nil {
		p := l.reduced(d.arrange(l))
		if err = p.size.check(); err != nil {
			break
		}
		c, save := open(p.size)
		p.paint(draw.New(c))
		if !c.lacks() || l.lacks {
			err = save(w)
			break
		}
		l.lacks = true
	}
	if err != nil {
		return fmt.Errorf("figure: write %s %q: %w", format, d.name(), err)
	}
	return nil
}

// Words returns the title and the caption.
func (s *Spec) Words() (title string, caption []string) { return s.Title, s.Caption }

// Words returns the title and the caption.
func (p *Panels) Words() (title string, caption []string) { return p.Title, p.Caption }

// Words returns the title and the caption.
func (s *Scatter) Words() (title string, caption []string) { return s.Title, s.Caption }

// Words returns the title and the caption.
func (f *Forest) Words() (title string, caption []string) { return f.Title, f.Caption }

// Words returns the title and the caption.
func (s *Seeds) Words() (title string, caption []string) { return s.Title, s.Caption }

// Words returns the title and the caption.
func (s *Stack) Words() (title string, caption []string) { return s.Title, s.Caption }

// Words returns the title and the caption.
func (h *Heat) Words() (title string, caption []string) { return h.Title, h.Caption }

// Words returns the title and the caption.
func (s *Sets) Words() (title string, caption []string) { return s.Title, s.Caption }

func (s *Spec) name() string    { return s.ID }
func (p *Panels) name() string  { return p.ID }
func (s *Scatter) name() string { return s.ID }
func (f *Forest) name() string  { return f.ID }
func (s *Seeds) name() string   { return s.ID }
func (s *Stack) name() string   { return s.ID }
func (h *Heat) name() string    { return h.ID }
func (s *Sets) name() string    { return s.ID }
