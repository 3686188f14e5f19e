package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"assay/configs/input"
	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/ledger"
)

// Release ends the batches of which no file was written, because the export was stopped.
func Release(ctx context.Context, l *ledger.Ledger) error {
	open, err := l.Batches(ctx, true)
	for _, b := range open {
		if err == nil && b.Service == ledger.FileService && b.State == ledger.BatchSending {
			_, err = l.EndBatch(ctx, b.ID, "the file was not written", 0)
		}
	}
	return err
}

// Written says that the file of batches is in its place.
func Written(ctx context.Context, l *ledger.Ledger, all []ledger.Batch) error {
	for _, b := range all {
		if err := l.SentBatch(ctx, b.ID, b.Remote); err != nil {
			return err
		}
	}
	return nil
}

// Export writes what was gathered as lines, and stores it as batches of the service [ledger.FileService]: one per model. A
// batch is stored before it is written; once the file is in its place, Written says so. formatOf returns the format of a batch.
func Export(ctx context.Context, l *ledger.Ledger, run, name string, formatOf func(ledger.Batch) (batch.Format, error), w io.Writer) (out []ledger.Batch, err error) {
	for {
		b, ok, err := l.Form(ctx, ledger.Batch{ID: NewID(), Run: run, Service: ledger.FileService, Remote: name}, func(ledger.Batch) bool { return true }, func(llm.Request, int) (bool, error) { return true, nil })
		if err != nil {
			return out, err
		}
		if !ok {
			break
		}
		out = append(out, b)
		if err := write(ctx, l, b, formatOf, w); err != nil {
			return out, fmt.Errorf("batch: export %q: %w", name, err)
		}
	}
	return out, nil
}

func write(ctx context.Context, l *ledger.Ledger, b ledger.Batch, formatOf func(ledger.Batch) (batch.Format, error), w io.Writer) error {
	f, err := formatOf(b)
	if err != nil {
		return err
	}
	for line, err := range lines(ctx, l, f, b.ID) {
		if err == nil {
			_, err = w.Write(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Imported counts what an import took from a file.
type Imported struct {
	Answered int `json:"answered"` // completions that were stored
	Failed   int `json:"failed"`   // requests that got none, and would get none
	Again    int `json:"again"`    // requests that failed in a way that may pass, or were left out: the next export has them
	Known    int `json:"known"`    // lines whose request has its outcome already
	Bad      int `json:"bad"`      // lines that are no answer to a request that was exported or sent
	Open     int `json:"open"`     // requests of the same batches that have no outcome yet

	Warnings []string `json:"warnings"` // of the first bad lines, with their numbers
}

// mostLines bounds a line of an imported file, in bytes.
const mostLines = batch.MostLine

// Import reads the answers of a file, each to a request that the ledger has in a batch: the request is never taken from the
// file. Lines that are no answers are left out, so that a file that is cut off loses its last line alone, and a second import
// changes nothing. The error is also of a file that has lines, and no answer to any request of the ledger.
func Import(ctx context.Context, l *ledger.Ledger, path string, formatOf func(ledger.Batch) (batch.Format, error)) (out Imported, err error) {
	f, err := input.Open(path, input.Exchange)
	if err != nil {
		return out, err
	}
	defer f.Close()
	in, err := input.NewLines(ctx, f, mostLines)
	if err != nil {
		return out, fmt.Errorf("batch: import %q: %w", path, err)
	}
	defer in.Close()
	im := &importer{ledger: l, formatOf: formatOf, path: path, takers: map[string]*taker{}}
	for {
		line, err := in.Next()
		switch {
		case err == io.EOF:
			return im.out, im.end(ctx)
		case errors.Is(err, input.ErrLongLine):
			im.bad("%s:%d: %v: it is left out", path, in.Line(), err)
			continue
		case err == nil:
			err = im.line(ctx, bytes.TrimPrefix(line, byteOrder), in.Line())
		}
		if err != nil {
			return im.out, fmt.Errorf("batch: import %q: line %d: %w", path, in.Line(), err)
		}
	}
}

// byteOrder is the mark that some editors begin a file with.
var byteOrder = []byte("\ufeff")

// importer is an import under way.
type importer struct {
	ledger   *ledger.Ledger
	formatOf func(ledger.Batch) (batch.Format, error)
	path     string
	takers   map[string]*taker // by batch
	out      Imported
}

// line takes one line.
func (m *importer) line(ctx context.Context, line []byte, n int) error {
	id := batch.IDOf(line)
	if id == "" {
		if len(line) > 0 {
			m.bad("%s:%d: no answer with a custom_id: the line is left out", m.path, n)
		}
		return nil
	}
	b, ok, err := m.ledger.BatchOf(ctx, batch.Key(id))
	if err != nil {
		return err
	}
	if !ok {
		m.bad("%s:%d: no request with the custom_id %q was exported or sent from this store: the line is left out", m.path, n, clip(id))
		return nil
	}
	t, err := m.taker(b)
	if err != nil {
		return err
	}
	q, _, err := m.ledger.BatchRequest(ctx, b.ID, batch.Key(id))
	if err != nil {
		return err
	}
	if t.seen[id] || !q.Open {
		m.out.Known++
		return nil
	}
	return t.line(ctx, line)
}

// taker returns what takes the answers of a batch.
func (m *importer) taker(b ledger.Batch) (*taker, error) {
	if t, ok := m.takers[b.ID]; ok {
		return t, nil
	}
	f, err := m.formatOf(b)
	if err != nil {
		return nil, err
	}
	t := &taker{ledger: m.ledger, batch: b, format: f, attempts: fileAttempts, report: &Report{}, seen: map[string]bool{}}
	m.takers[b.ID] = t
	return t, nil
}

// fileAttempts is how many files may try a request before its failure counts.
const fileAttempts = 3

func (m *importer) bad(format string, args ...any) {
	if m.out.Bad++; len(m.out.Warnings) < mostWarnings {
		m.out.Warnings = append(m.out.Warnings, fmt.Sprintf(format, args...))
	}
}

// end stores what is held, and ends the batches of which every request has its outcome.
func (m *importer) end(ctx context.Context) error {
	if len(m.takers) == 0 && m.out.Bad > 0 {
		return fmt.Errorf("batch: import %q: none of its %d lines answers a request that was exported or sent from this store: is it the file of answers, and --store the store of the export?", m.path, m.out.Bad)
	}
	for id, t := range m.takers {
		if err := t.store(ctx); err != nil {
			return err
		}
		m.out.Answered, m.out.Failed, m.out.Again = m.out.Answered+t.report.Answered, m.out.Failed+t.report.Failed, m.out.Again+t.report.Again
		if t.report.Err != nil {
			m.out.Warnings = append(m.out.Warnings, t.report.Err.Error())
		}
		b, err := m.ledger.Batch(ctx, id)
		if err != nil {
			return err
		}
		if m.out.Open += b.Open; b.Open == 0 && b.State != ledger.BatchDone {
			if _, err := m.ledger.EndBatch(ctx, id, "", 0); err != nil {
				return err
			}
		}
	}
	return nil
}
