// Package desk sends what runs need as providers' batches, which cost half and answer within a day, and takes the answers
// into the ledger.
//
// Data flows so: a [Gatherer] stands in the place of a run's model, makes no call, and notes each request that the ledger
// lacks. [Desk.Send] puts what was noted into batches of the provider's sizes. A later start calls [Desk.Collect], which
// stores the answers as completions; then the run goes as far as those carry it. [Export] and [Import] do the same by files
// that others answer.
//
// Nothing lives in the process. The ledger has a batch with all its requests before anything is sent, under an id made here
// that goes along where the provider has a place for it. A batch of which it is not known whether the provider has it is
// looked for in the provider's own list before it is sent again. So the package must never send a request whose outcome is
// open, and never drop an answer that it has not stored.
package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/ledger"
)

// Desk sends the batches of one service and collects them.
type Desk struct {
	Ledger  *ledger.Ledger
	Service batch.Service
	// Again makes a call until it succeeds or a repetition cannot help, within the provider's limits, see retry.Model.Do.
	Again func(context.Context, func(context.Context) error) error
	// Attempts is how many batches may try one request before its failure counts; 0: 1.
	Attempts int
	// Settle is how long a batch may take to appear in the provider's list after it was sent; 0: at once.
	Settle time.Duration
	// Used returns the tokens that a failure is charged; nil: those that it states.
	Used func(r llm.Request, f *llm.Failure) llm.Usage

	// Serves reports whether a batch of the ledger is of this service.
	Serves func(ledger.Batch) bool
}

// NewID returns the id of a new batch.
func NewID() string { return "b-" + strings.ToLower(rand.Text()[:10]) }

// Report is what became of a batch that was asked about.
type Report struct {
	Batch  ledger.Batch
	Status batch.Status // empty for a batch that the provider does not have yet
	// Unsure is a batch of the provider's that may be this one; empty where that is known.
	Unsure string

	Answered, Failed, Again, LeftOut int      // requests
	Warnings                         []string // of lines that are no answer to a request of the batch
	// Err is what all requests would meet (a parameter that the model refuses, an account without credit), or why the
	// provider refused the batch.
	Err error
}

// Send makes batches of what was gathered for this service and sends them. reserve is asked for each request in order; its
// first error ends the batch before that request, which is sent, and is returned with those sent. One of which it is not known
// whether the provider has it is among them, in state BatchSending.
func (d *Desk) Send(ctx context.Context, run string, reserve func(llm.Request) error) (sent []ledger.Batch, err error) {
	most, single, err := d.room(ctx)
	for err == nil && most.Requests > 0 {
		b, ok, refused, err := d.form(ctx, run, most, reserve)
		if err != nil || !ok {
			return sent, errors.Join(err, refused)
		}
		var unsure *UnsureError
		if err := d.deliver(ctx, &b, true); err != nil && !errors.As(err, &unsure) {
			return sent, err
		}
		if sent = append(sent, b); refused != nil || single {
			return sent, refused
		}
	}
	return sent, err
}

// form makes one batch of at most that many requests and bytes. refused is reserve's error.
func (d *Desk) form(ctx context.Context, run string, most batch.Limits, reserve func(llm.Request) error) (b ledger.Batch, ok bool, refused, err error) {
	n, bytes := 0, int64(0)
	b, ok, err = d.Ledger.Form(ctx, ledger.Batch{ID: NewID(), Run: run}, d.Serves, func(r llm.Request, size int) (bool, error) {
		if n >= most.Requests || n > 0 && bytes+int64(size) > most.Bytes {
			return false, nil
		}
		if refused = reserve(r); refused != nil {
			return false, nil
		}
		n, bytes = n+1, bytes+int64(size)
		return true, nil
	})
	return b, ok, refused, err
}

// memory is how long a provider's word counts that its queue is full.
const memory = 24 * time.Hour

// room returns the bounds on the next batch. Once the provider has refused one because too much waits already, batches go one
// at a time, each at most half as large as the smallest that was refused. No requests: wait for the one under way.
func (d *Desk) room(ctx context.Context) (most batch.Limits, single bool, err error) {
	most = d.Service.Limits()
	all, err := d.Ledger.Batches(ctx, false)
	busy := false
	for _, b := range all {
		if b.Service != "" || !d.Serves(b) {
			continue
		}
		busy = busy || b.State != ledger.BatchDone
		if strings.HasPrefix(b.Note, batch.QueueFull) && time.Since(b.Ended) < memory {
			single, most.Requests = true, min(most.Requests, max(b.Requests/2, 1))
		}
	}
	if single && busy {
		most.Requests = 0
	}
	return most, single, err
}

// deliver sends a batch, unless the provider has it. fresh says that it was never tried before.
func (d *Desk) deliver(ctx context.Context, b *ledger.Batch, fresh bool) error {
	out, err := d.outgoing(ctx, *b)
	if err != nil {
		return err
	}
	tried := b.Sent
	remote, unsure, refused := "", "", false
	err = d.Again(ctx, func(ctx context.Context) (err error) {
		if !fresh {
			if remote, unsure, err = d.find(ctx, out, tried); err != nil || remote != "" || unsure != "" {
				return err
			}
		}
		if err := d.Ledger.TryBatch(ctx, b.ID); err != nil {
			return err
		}
		fresh, tried = false, time.Now()
		remote, err = d.Service.Send(ctx, out)
		refused = definite(ctx, err)
		return err
	})
	switch {
	case refused:
		_, ended := d.Ledger.EndBatch(ctx, b.ID, err.Error(), 0)
		return errors.Join(fmt.Errorf("batch: send %q: %w", b.ID, err), ended)
	case err != nil:
		return fmt.Errorf("batch: send %q: %w", b.ID, err)
	case unsure != "":
		return &UnsureError{b.ID, unsure}
	}
	b.Remote, b.State = remote, ledger.BatchSent
	return d.Ledger.SentBatch(ctx, b.ID, remote)
}

// UnsureError is a batch of which it is not known whether the provider has it.
type UnsureError struct{ ID, Remote string }

// Error names both batches.
func (e *UnsureError) Error() string {
	return fmt.Sprintf("batch: %s was being sent when the connection or the process ended, and the provider's batch %s may be it: nothing is sent again before that has ended and its answers tell; `assay batch cancel %s --forget` gives it up",
		e.ID, e.Remote, e.ID)
}

// find looks for a batch, at least Settle after it was last tried to be sent.
func (d *Desk) find(ctx context.Context, out batch.Outgoing, tried time.Time) (remote, unsure string, err error) {
	remote, sure, err := d.Service.Find(ctx, out)
	if err == nil && remote == "" {
		if wait := d.Settle - time.Since(tried); wait > 0 {
			if err := sleep(ctx, min(wait, d.Settle)); err != nil {
				return "", "", err
			}
			remote, sure, err = d.Service.Find(ctx, out)
		}
	}
	if !sure {
		remote, unsure = "", remote
	}
	return remote, unsure, err
}

// definite reports whether an error of Send says that the provider did not take the batch, nor will.
func definite(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var f *llm.Failure
	if errors.As(err, &f) {
		return !f.Retryable && f.Status >= http.StatusBadRequest
	}
	return true
}

// outgoing describes a batch that the ledger has.
func (d *Desk) outgoing(ctx context.Context, b ledger.Batch) (batch.Outgoing, error) {
	all, err := d.Ledger.Batches(ctx, false)
	known := func(remote string) bool {
		return slices.ContainsFunc(all, func(o ledger.Batch) bool { return o.Remote == remote && o.Service == "" })
	}
	return batch.Outgoing{ID: b.ID, API: b.API, Requests: b.Open, Created: b.Created, Known: known,
		Lines: func() iter.Seq2[[]byte, error] { return lines(ctx, d.Ledger, d.Service, b.ID) },
		Has: func(id string) bool {
			_, ok, err := d.Ledger.BatchRequest(ctx, b.ID, batch.Key(id))
			return ok && err == nil
		}}, err
}

// lines yields the lines of a batch's open requests.
func lines(ctx context.Context, l *ledger.Ledger, f batch.Format, id string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for r, err := range l.OpenRequests(ctx, id) {
			var line []byte
			if err == nil {
				line, err = f.Line(batch.CustomID(r.Key()), r)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// Collect asks about a batch that is not done. It sends one that the provider turns out not to have, and stores the answers
// of one that has ended.
func (d *Desk) Collect(ctx context.Context, b ledger.Batch) (Report, error) {
	if b.State == ledger.BatchSending {
		err := d.deliver(ctx, &b, false)
		var unsure *UnsureError
		if errors.As(err, &unsure) {
			return Report{Batch: b, Unsure: unsure.Remote}, nil
		}
		return Report{Batch: b}, err
	}
	rep := Report{Batch: b}
	err := d.Again(ctx, func(ctx context.Context) (err error) {
		rep.Status, err = d.Service.Status(ctx, b.Remote)
		return err
	})
	if err != nil || !rep.Status.Ended {
		return rep, d.about(b, "status", err)
	}
	for _, file := range rep.Status.Files {
		if err := d.take(ctx, b, file, &rep); err != nil {
			return rep, d.about(b, "results", err)
		}
	}
	note := ""
	if rep.Status.Refusal != "" {
		note = ended(rep.Status)
		if !strings.HasPrefix(note, batch.QueueFull) || b.Requests == 1 {
			rep.Err = fmt.Errorf("batch: %s was refused by the provider: %s", b.ID, note)
		}
	}
	tries := 0
	if rep.Status.Complete {
		tries = max(d.Attempts, 1)
	}
	failed, err := d.Ledger.EndBatch(ctx, b.ID, note, tries)
	rep.Failed += failed
	rep.LeftOut = b.Open - rep.Answered - rep.Failed - rep.Again
	return rep, err
}

// Look asks how far a batch is, and changes nothing. For one that may not have arrived it looks in the provider's list: its
// State stays BatchSending, and Unsure names one that may be it.
func (d *Desk) Look(ctx context.Context, b ledger.Batch) (rep Report, err error) {
	rep.Batch = b
	if b.State == ledger.BatchSending {
		_, rep.Unsure, err = d.lookFor(ctx, b)
		return rep, d.about(b, "status", err)
	}
	err = d.Again(ctx, func(ctx context.Context) (err error) {
		rep.Status, err = d.Service.Status(ctx, b.Remote)
		return err
	})
	return rep, d.about(b, "status", err)
}

// lookFor is find with what the ledger has of a batch, and with retries.
func (d *Desk) lookFor(ctx context.Context, b ledger.Batch) (remote, unsure string, err error) {
	out, err := d.outgoing(ctx, b)
	if err != nil {
		return "", "", err
	}
	err = d.Again(ctx, func(ctx context.Context) (err error) {
		remote, unsure, err = d.find(ctx, out, b.Sent)
		return err
	})
	return remote, unsure, err
}

// Cancel asks the provider to end a batch early; what it has answered until then is collected as usual. One that the provider
// does not have is ended here. With forget the provider is not asked, and the answers of the batch are given up.
func (d *Desk) Cancel(ctx context.Context, b ledger.Batch, forget bool) error {
	if b.State == ledger.BatchSending && !forget {
		remote, unsure, err := d.lookFor(ctx, b)
		switch {
		case err != nil:
			return d.about(b, "cancel", err)
		case unsure != "":
			return &UnsureError{b.ID, unsure}
		case remote != "":
			if err := d.Ledger.SentBatch(ctx, b.ID, remote); err != nil {
				return err
			}
		}
		b.Remote = remote
	}
	if forget || b.Remote == "" {
		_, err := d.Ledger.EndBatch(ctx, b.ID, "given up", 0)
		return err
	}
	return d.about(b, "cancel", d.Again(ctx, func(ctx context.Context) error { return d.Service.Cancel(ctx, b.Remote) }))
}

// about names the batch and the remedy where the provider does not know it any more.
func (d *Desk) about(b ledger.Batch, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("batch: %s of %s (%s): %w; if the provider does not have it any more, `assay batch cancel %s --forget` gives it up, and its requests are sent anew",
		what, b.ID, b.Remote, err, b.ID)
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended describes how a batch ended that gave nothing.
func ended(s batch.Status) string {
	if s.Refusal != "" {
		return s.Refusal
	}
	return fmt.Sprintf("ended as %q", s.Word)
}
