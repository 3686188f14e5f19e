package ledger

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"assay/prompting/llm"

	"github.com/klauspost/compress/zstd"
)

// maxLine bounds one line of an exchange file, in bytes, so that a file without line ends cannot fill the memory.
const maxLine = 256 << 20

// zstdMagic starts every zstd frame (RFC 8878, section 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// ImportOptions says what the file is and what to do about bad lines.
type ImportOptions struct {
	Foreign *ForeignOptions // set: the lines are recordings of another program; nil: an export of a ledger

	// Author returns the canonical spelling of a foreign line's author: its address is empty if it is the provider's
	// own. Nil leaves authors as they are.
	Author func(llm.Author) (llm.Author, error)

	// Partial imports the good lines and reports each bad one to Bad (which may be nil). Without it the first bad line
	// is the error, and nothing is imported.
	Partial bool
	Bad     func(*LineError)
}

// Imported says what an import did.
type Imported struct {
	Completions int // added
	Present     int // already there, with the same text
	Differ      int // already there, with another text or tool call; the stored one is kept, because the first answer counts
	Bad         int // lines skipped
}

// LineError is a bad line of an imported file.
type LineError struct {
	Line int // 1-based
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Import adds the completions of the file path, compressed or not, in one transaction: on an error, or if the process
// dies, the ledger is unchanged. Other writers wait meanwhile, so take the lock ([Ledger.Acquire]) first. Memory does
// not grow with the number of completions.
func (l *Ledger) Import(ctx context.Context, path string, o ImportOptions) (Imported, error) {
	out, err := l.importFile(ctx, path, o)
	if err != nil {
		return Imported{}, fmt.Errorf("ledger: import %q into %q: %w", path, l.path, explain(err))
	}
	return out, nil
}

// importFile is Import without its error prefix.
func (l *Ledger) importFile(ctx context.Context, path string, o ImportOptions) (out Imported, err error) {
	if l.write == nil {
		return out, &readOnlyError{l.path, l.why}
	}
	f, err := os.Open(path)
	if err != nil {
		return out, err
	}
	defer f.Close()
	in, end, err := plain(f)
	if err != nil {
		return out, err
	}
	defer end()
	tx, err := l.write.BeginTx(ctx, nil)
	if err != nil {
		return out, err
	}
	defer tx.Rollback()
	im := importing{l: l, tx: tx, o: o}
	if err := im.lines(ctx, in); err != nil {
		if bad := (*LineError)(nil); errors.As(err, &bad) {
			return out, fmt.Errorf("%w: nothing is imported (--partial takes the good lines)", err)
		}
		return out, err
	}
	return im.out, tx.Commit()
}

// plain returns a reader of the file's text, decompressing it if it is compressed, and a function that closes the
// reader.
func plain(f io.Reader) (*bufio.Reader, func(), error) {
	b := bufio.NewReaderSize(f, 1<<16)
	if start, err := b.Peek(len(zstdMagic)); err != nil || !bytes.Equal(start, zstdMagic) {
		return b, func() {}, nil // a file too short for a zstd frame fails later, at its first line
	}
	z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<40), zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return nil, nil, err
	}
	return bufio.NewReaderSize(z, 1<<16), z.Close, nil
}

// importing is an import in progress.
type importing struct {
	l   *Ledger
	tx  *sql.Tx
	o   ImportOptions
	out Imported
}

// lines imports the lines one by one.
func (im *importing) lines(ctx context.Context, in *bufio.Reader) error {
	decode, n := decodeLine, 0
	var head header
	if im.o.Foreign != nil {
		d, err := newForeign(ctx, im.tx, *im.o.Foreign, im.o.Author)
		if err != nil {
			return err
		}
		defer d.close()
		decode = d.decode
	} else {
		text, err := readLine(in)
		if err == nil || err == io.EOF {
			head, err = decodeHeader(text)
		}
		if err != nil { // without a header no line can be trusted
			return &LineError{1, err}
		}
		n = 1
	}
	first := n
	for {
		text, err := readLine(in)
		if err == io.EOF {
			return im.end(n, first, head)
		}
		n++
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := im.one(ctx, n, text, err, decode); err != nil {
			return err
		}
		if err != nil { // the stream is broken, so no line follows
			return nil
		}
	}
}

// one imports line n. broken is the error met while reading it, nil if none.
func (im *importing) one(ctx context.Context, n int, text []byte, broken error, decode func([]byte) (*pending, error)) error {
	var p *pending
	err := broken
	if err == nil {
		p, err = decode(text)
	}
	if err != nil {
		return im.bad(n, err)
	}
	return im.add(ctx, p)
}

// bad reports a bad line, or returns it as the error if the import is not partial.
func (im *importing) bad(n int, err error) error {
	if own := (*sqlError)(nil); errors.As(err, &own) {
		return own.error
	}
	e := &LineError{n, err}
	if !im.o.Partial {
		return e
	}
	im.out.Bad++
	if im.o.Bad != nil {
		im.o.Bad(e)
	}
	return nil
}

// end compares the number of lines with the header's, because a file cut between two lines looks whole otherwise.
func (im *importing) end(n, first int, head header) error {
	if head.Completions == nil || *head.Completions == n-first {
		return nil
	}
	return im.bad(n+1, fmt.Errorf("the file ends after %d completions, and its header says %d", n-first, *head.Completions))
}

// add inserts a completion and counts it as new, present or different.
func (im *importing) add(ctx context.Context, p *pending) error {
	added, err := im.l.insert(im.tx, p)
	if err != nil {
		return err
	}
	if added {
		im.out.Completions++
		return nil
	}
	var body []byte
	var calls sql.NullString
	if err := im.tx.QueryRowContext(ctx, "SELECT body, tool_calls FROM completions WHERE key = ?", p.key).Scan(&body, &calls); err != nil {
		return err
	}
	more, err := im.l.grownOf(p.request.Author, p.response)
	if err != nil {
		return err
	}
	if text, err := im.l.unpack(body); err != nil || text != p.response.Text || calls != more.calls {
		im.out.Differ++
	} else {
		im.out.Present++
	}
	return nil
}

// readLine returns the next line without its end, or io.EOF after the last. After any other error (a line longer than
// maxLine, a broken stream) nothing more can be read.
func readLine(in *bufio.Reader) (text []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxLine:
			return nil, fmt.Errorf("the line is longer than %d MB", maxLine>>20)
		case err == nil:
			return bytes.TrimRight(text, "\r\n"), nil
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(text) > 0:
			return text, nil // a last line without an end: if it is truncated, its checksum fails
		case err == io.EOF:
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("the compressed data is incomplete or damaged: %s", strings.TrimPrefix(err.Error(), "zstd: "))
		}
	}
}
