package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// window bounds the memory of a zstd decoder, in bytes: the window of the strongest ordinary level, 19, is 8 MB.
const window = 32 << 20

// zstdMagic starts every zstd frame (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// gzipMagic starts every gzip member (RFC 1952, section 2.3.1).
var gzipMagic = []byte{0x1f, 0x8b}

// ErrLongLine is a line that is longer than it may be. The next one can be read.
var ErrLongLine = errors.New("the line is longer")

// Lines reads a text line by line, decompressing it where it is compressed with zstd or gzip.
type Lines struct {
	ctx   context.Context
	in    *bufio.Reader
	close func()
	most  int   // bytes of a line
	total Bound // of the text, decompressed
	left  int64
	buf   []byte
	n     int
}

// NewLines reads lines of at most `most` bytes from f, and no more of the decompressed text than the file's bound. Reading ends
// with the context. The caller closes both.
func NewLines(ctx context.Context, f *File, most int) (*Lines, error) {
	l := &Lines{ctx: ctx, in: bufio.NewReaderSize(f.Until(ctx), 1<<16), close: func() {}, most: most, total: f.bound, left: f.bound.Most}
	start, _ := l.in.Peek(len(zstdMagic)) // what cannot be read fails at the first line
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		g, err := gzip.NewReader(l.in)
		if err != nil {
			return nil, err
		}
		l.in = bufio.NewReaderSize(g, 1<<16)
		return l, nil
	case !bytes.Equal(start, zstdMagic):
		return l, nil
	}
	z, err := zstd.NewReader(l.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	l.in, l.close = bufio.NewReaderSize(z, 1<<16), z.Close
	return l, nil
}

// Close ends the decompression.
func (l *Lines) Close() { l.close() }

// Line returns the number of the line that Next returned, from 1.
func (l *Lines) Line() int { return l.n }

// Next returns the next line without its end, valid until the next call, or io.EOF after the last. After any other error than
// [ErrLongLine] nothing more can be read.
func (l *Lines) Next() ([]byte, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	l.buf = l.buf[:0]
	long := false
	for l.n++; ; {
		part, err := l.in.ReadSlice('\n')
		if l.left -= int64(len(part)); l.left < 0 {
			return nil, l.total.over(0)
		}
		if long = long || len(l.buf)+len(part) > l.most; !long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case long && (err == nil || err == io.EOF):
			return nil, fmt.Errorf("%w than the %d bytes that a line of %s may have", ErrLongLine, l.most, l.total.What)
		case err == nil, err == io.EOF && len(l.buf) > 0:
			return bytes.TrimRight(l.buf, "\r\n"), nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}
