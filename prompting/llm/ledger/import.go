package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/configs/input"
	"assay/prompting/llm"

	"github.com/klauspost/compress/zstd"
)

// Bounds of one line of an exchange file: its bytes, the values of its JSON, and how deep they lie, so that no file can fill the
// memory. The longest prompts of models today are some 4 MB.
const (
	maxLine   = 16 << 20
	maxValues = 500_000
	maxDepth  = 200
	maxBlank  = 1_000_000 // blank lines of a whole file
)

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
	f, err := input.Open(path, input.Exchange)
	if err != nil {
		return out, input.Cause(err)
	}
	defer f.Close()
	in, err := input.NewLines(ctx, f, maxLine)
	if err != nil {
		return out, err
	}
	defer in.Close()
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

// importing is an import in progress.
type importing struct {
	l    *Ledger
	tx   *sql.Tx
	o    ImportOptions
	head header // of an export; without a number for a recording
	out  Imported
}

// lines imports the lines one by one.
func (im *importing) lines(ctx context.Context, in *input.Lines) error {
	decode, end, err := im.decoder(ctx, in)
	if err != nil {
		return err
	}
	defer end()
	for count, blank := 0, 0; ; {
		text, err := in.Next()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == io.EOF {
			return im.end(in.Line(), count)
		}
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			if blank++; blank > maxBlank {
				return im.bad(in.Line(), fmt.Errorf("more than %d blank lines", maxBlank))
			}
			continue
		}
		if count++; !im.o.Partial && im.head.Completions != nil && count > *im.head.Completions {
			return im.bad(in.Line(), fmt.Errorf("the file goes on after %[1]d completions, and its header says %[1]d", *im.head.Completions))
		}
		if e := im.one(ctx, in.Line(), text, err, decode); e != nil || err != nil { // after a broken line none follows
			return e
		}
	}
}

// decoder reads what comes before the first completion, and returns what parses a completion's line and what ends that.
func (im *importing) decoder(ctx context.Context, in *input.Lines) (decode func([]byte) (*pending, error), end func(), err error) {
	if im.o.Foreign != nil {
		d, err := newForeign(ctx, im.tx, *im.o.Foreign, im.o.Author)
		if err != nil {
			return nil, nil, err
		}
		return d.decode, d.close, nil
	}
	text, err := in.Next()
	if err != nil && err != io.EOF {
		err = broken(err)
	} else {
		im.head, err = decodeHeader(text)
	}
	if err != nil { // without a header no line can be trusted
		return nil, nil, &LineError{1, err}
	}
	return decodeLine, func() {}, nil
}

// one imports line n. unread is the error met while reading it, nil if none.
func (im *importing) one(ctx context.Context, n int, text []byte, unread error, decode func([]byte) (*pending, error)) error {
	var p *pending
	err := unread
	if err != nil {
		err = broken(err)
	} else if err = input.Shape(text, maxDepth, maxValues); err == nil {
		p, err = decode(text)
	}
	if err != nil {
		return im.bad(n, err)
	}
	return im.add(ctx, p)
}

// broken words an error of the decompression.
func broken(err error) error {
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errors.New("the data is compressed with a window that is too large: compress it again without --long or --ultra")
	case errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "zstd"), errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, zstd.ErrCRCMismatch):
		return fmt.Errorf("the compressed data is incomplete or damaged: %s", strings.TrimPrefix(err.Error(), "zstd: "))
	}
	return err
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

// end compares the number of lines with the header's, because a file cut between two lines looks whole otherwise; n is the
// line after the last.
func (im *importing) end(n, count int) error {
	if im.head.Completions == nil || *im.head.Completions == count {
		return nil
	}
	return im.bad(n, fmt.Errorf("the file ends after %d completions, and its header says %d", count, *im.head.Completions))
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
