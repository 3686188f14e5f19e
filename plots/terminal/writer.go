package terminal

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Sequence is a control sequence of our own. Other packages have those below alone: no text can become one.
type Sequence struct{ code string }

// The sequences that assay writes (ECMA-48).
var (
	Bold      = Sequence{"\x1b[1m"}
	Faint     = Sequence{"\x1b[2m"}
	Underline = Sequence{"\x1b[4m"}
	Red       = Sequence{"\x1b[31m"}
	Green     = Sequence{"\x1b[32m"}
	reset     = Sequence{"\x1b[0m"}

	carriageReturn = Sequence{"\r"}
	clearScreen    = Sequence{"\x1b[H\x1b[2J"}
)

// styles are what Styled passes, and strokes what Bar passes.
var (
	styles  = []Sequence{Bold, Faint, Underline, Red, Green, reset}
	strokes = []Sequence{carriageReturn}
)

// Paint returns a text in a style, to be written to [Writer.Styled].
func (s Sequence) Paint(text string) string { return s.code + text + reset.code }

// Writer writes text to a stream, hidden characters as escapes. It keeps the beginning of a character, or a carriage
// return, until the rest arrives; Flush writes what is kept. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	text filter
	buf  []byte
}

// New returns a Writer on a stream, such as os.Stdout.
func New(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer. The count is that of p, as long as there is no error.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.text.pending) == 0 && len(p) > 0 && plain(p) == len(p) {
		w.text.last = rune(p[len(p)-1])
		return w.to.Write(p)
	}
	w.buf = w.text.add(w.buf[:0], p)
	return w.put(w.buf, len(p))
}

// put writes what became of n bytes.
func (w *Writer) put(b []byte, n int) (int, error) {
	if len(b) > 0 {
		if _, err := w.to.Write(b); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// Flush writes what waits for a rest that did not come.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.put(w.text.end(nil), 0)
	return err
}

// Styled returns a writer of the same stream that also passes styles; what is written to it at once is whole. Texts in it
// must have gone through Visible or Line before, or a text could choose its own style; nothing else passes even then.
func (w *Writer) Styled() io.Writer { return &passing{w, styles} }

// Bar returns a writer of the same stream for a progress bar, which draws over its own line; what is written to it at once
// is whole. Texts in the bar must have gone through Line before.
func (w *Writer) Bar() io.Writer { return &passing{w, strokes} }

// passing is a writer that passes some sequences.
type passing struct {
	w   *Writer
	own []Sequence
}

func (p *passing) Write(b []byte) (int, error) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	f := filter{own: p.own}
	return p.w.put(f.end(f.add(nil, b)), len(b))
}

// Clear empties the screen where the stream is a terminal, and else does nothing.
func (w *Writer) Clear() error {
	if _, ok := w.Terminal(); !ok {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.to, clearScreen.code)
	return err
}

// Terminal returns the width in columns of the terminal that the stream is; ok is false where it is none. The width is 0
// where the terminal does not tell.
func (w *Writer) Terminal() (columns int, ok bool) {
	f, is := w.to.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns = 0
	}
	return columns, true
}
