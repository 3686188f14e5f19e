package process

import (
	"fmt"
	"io"
	"sync"
)

// mostLog bounds what a log passes on, in bytes.
const mostLog = 4 << 20

// Log passes on the beginning of what processes write to standard error, and keeps it until it knows where to. The zero value
// is ready for Options.Stderr.
type Log struct {
	mu    sync.Mutex
	open  func() (io.Writer, error) // nil until known, and once it was called
	out   io.Writer
	kept  []byte
	taken int
	last  byte
}

// To says where the log goes: open is called once there is something to pass on. The writer is the caller's to close; what it
// does not take is lost.
func (l *Log) To(open func() (io.Writer, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = open
	l.flush()
}

// Write implements io.Writer. It never fails: a program must not end because its messages cannot be kept.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := mostLog - l.taken; room > 0 {
		l.kept = append(l.kept, l.inert(b[:min(len(b), room)])...)
		if len(b) >= room {
			l.kept = fmt.Appendf(l.kept, "\nassay: what follows these %d bytes is left out\n", mostLog)
		}
		l.taken += len(b)
		l.flush()
	}
	return len(b), nil
}

// flush passes on what is kept.
func (l *Log) flush() {
	if l.open != nil && len(l.kept) > 0 {
		l.out, _ = l.open() // without a file the tail in errors is all there is
		l.open = nil
	}
	if l.out != nil {
		_, _ = l.out.Write(l.kept)
		l.kept = nil
	}
}

// inert returns a copy in which nothing steers a terminal that prints it. A carriage return, which progress bars write, is a
// line break.
func (l *Log) inert(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = c
		switch {
		case c == '\r':
			out[i] = '\n'
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f, l.last == 0xc2 && c >= 0x80 && c < 0xa0:
			out[i] = '?'
		}
		l.last = c
	}
	return out
}
