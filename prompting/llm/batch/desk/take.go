package desk

import (
	"context"
	"errors"
	"fmt"

	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/ledger"
)

// takeAtOnce is how many answers are stored in one transaction.
const takeAtOnce = 128

// taker stores the answers of a batch as their lines come.
type taker struct {
	ledger   *ledger.Ledger
	batch    ledger.Batch
	format   batch.Format
	attempts int
	used     func(llm.Request, *llm.Failure) llm.Usage
	report   *Report
	seen     map[string]bool // custom_ids of this reading
	held     []ledger.Delivery
	bytes    int
}

// take reads one file of answers. A connection that breaks is tried again: what was stored before it is not stored twice.
func (d *Desk) take(ctx context.Context, b ledger.Batch, file string, rep *Report) error {
	var own error
	err := d.Again(ctx, func(ctx context.Context) error {
		t := &taker{ledger: d.Ledger, batch: b, format: d.Service, attempts: max(d.Attempts, 1), used: d.Used, report: rep, seen: map[string]bool{}}
		err := d.Service.Results(ctx, file, func(line []byte) error {
			own = t.line(ctx, line)
			return own
		})
		if own == nil {
			own = t.store(ctx) // also what came before the connection broke
		}
		if own != nil {
			return own
		}
		return err
	})
	if own != nil {
		return own
	}
	return err
}

// line takes one line. Lines that are no answer to a request of the batch are warnings: the request, if there is one, is
// asked again.
func (t *taker) line(ctx context.Context, line []byte) error {
	id := batch.IDOf(line)
	if id == "" {
		t.report.warn("a line of the answers of %s cannot be read: its request is sent again", t.batch.ID)
		return nil
	}
	q, ok, err := t.ledger.BatchRequest(ctx, t.batch.ID, batch.Key(id))
	switch {
	case err != nil:
		return err
	case !ok:
		t.report.warn("the answers of %s have one to a request that is not in it (%q): it is ignored", t.batch.ID, clip(id))
		return nil
	case t.seen[id]:
		t.report.warn("the answers of %s have a second one to %s: the first is kept", t.batch.ID, id)
		return nil
	}
	if t.seen[id] = true; !q.Open {
		return nil
	}
	resp, err := t.format.Read(line, q.Request)
	if errors.Is(err, batch.ErrLeftOut) {
		return nil // EndBatch has it
	}
	t.hold(q, resp, err)
	if t.bytes += len(line); len(t.held) >= takeAtOnce || t.bytes > 4<<20 {
		return t.store(ctx)
	}
	return nil
}

// hold makes a delivery of an answer.
func (t *taker) hold(q ledger.BatchedRequest, resp llm.Response, err error) {
	d := ledger.Delivery{Request: q.Request, Response: resp}
	if err == nil {
		if t.batch.Service == "" {
			d.Response.Tier = llm.Batch
		}
		t.report.Answered++
		t.held = append(t.held, d)
		return
	}
	var f *llm.Failure
	if !errors.As(err, &f) { // all others would meet it: it is no failure of this request
		if t.report.Err == nil {
			t.report.Err = fmt.Errorf("batch: %s: %w", t.batch.ID, err)
		}
		f = &llm.Failure{Reason: err.Error(), Retryable: true}
	} else if f.Retryable && q.Tries+1 >= t.attempts {
		final := *f
		f, final.Retryable = &final, false
	}
	if d.Failure = f; f.Retryable {
		t.report.Again++
	} else {
		t.report.Failed++
	}
	if d.Charged = f.Usage; t.used != nil {
		d.Charged = t.used(q.Request, f)
	}
	t.held = append(t.held, d)
}

// store stores the answers that are held.
func (t *taker) store(ctx context.Context) error {
	err := t.ledger.Deliver(ctx, t.batch, t.held)
	t.held, t.bytes = nil, 0
	return err
}

// mostWarnings bounds the warnings of a report.
const mostWarnings = 5

func (r *Report) warn(format string, args ...any) {
	if len(r.Warnings) < mostWarnings {
		r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
	}
}

// clip bounds a text of others.
func clip(s string) string { return s[:min(len(s), 80)] }
