package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/prompting/llm"
)

// BatchState is how far a batch is.
type BatchState string

// The states of a batch. The intention to send one is stored, with all its requests, before anything is sent, so that a
// process that dies at any moment leaves a batch that can be looked for.
const (
	BatchSending BatchState = "sending" // stored here; the provider may have it or not
	BatchSent    BatchState = "sent"    // the provider has it, or a file has been written
	BatchDone    BatchState = "done"    // every request has an outcome
)

// The states of one request of a batch. At most one request of a key is open, which the file itself enforces.
const (
	requestGathered = "gathered" // wanted by a run, and in no batch yet
	requestOpen     = "open"     // in a batch whose outcome is not known
	requestAnswered = "answered" // its completion is stored
	requestFailed   = "failed"   // it got no completion, and would get none
	requestAgain    = "again"    // it failed in a way that may pass
	requestDropped  = "dropped"  // the batch ended without it: expired, cancelled, refused as a whole
)

// FileService is the Service of a batch that was written to a file for others to answer.
const FileService = "file"

// Batch is requests that are sent together, and answered within a day. The Author is of all of them.
type Batch struct {
	ID      string // given here, and sent along where the provider has a place for it
	Remote  string // the provider's id, or the file's name; empty while State is BatchSending
	Service string // FileService, or empty for the provider's own
	Author  llm.Author
	API     string // as [llm.Params].API
	Run     string // the id of the run that needed the requests
	State   BatchState
	Note    string // what the provider said of a batch that it refused as a whole

	Requests int
	Bytes    int64 // of the requests as they are sent

	Created, Sent, Ended time.Time // Sent is when it was last tried to be sent; Sent and Ended are zero before that

	// How many requests are open, answered, failed, failed in a way that may pass, and left out by the provider.
	Open, Answered, Failed, Again, Dropped int
}

// NotSentError is a request that is not made because a batch that has it is under way.
type NotSentError struct {
	Key   string
	Batch Batch
}

// Error names the batch and the remedies.
func (e *NotSentError) Error() string {
	b := e.Batch
	how := "`assay run --batch` collects it"
	if b.Service == FileService {
		how = fmt.Sprintf("`assay batch import` takes the answers to %q", b.Remote)
	}
	return fmt.Sprintf("ledger: request %s is in the batch %s of %d requests, under way since %s: it is not bought twice: %s, and `assay batch cancel %s` gives it up",
		e.Key, b.ID, b.Requests, b.Created.Format(time.RFC3339), how, b.ID)
}

// Gathered is a request that a run needs and that is in no batch.
type Gathered struct {
	Request llm.Request
	Group   string // requests of one group may be in one batch
	Place   string // the order within the group; no two are equal
	Bytes   int    // of the request as it is sent
}

// Gather stores requests for Form. One that is open in a batch, or gathered already, is left out.
func (l *Ledger) Gather(ctx context.Context, all []Gathered) error {
	return l.change(ctx, "gather requests", func(tx *sql.Tx) error {
		for _, g := range all {
			f, err := formOf(g.Request)
			if err != nil {
				return err
			}
			body, err := marshalLine(f)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `INSERT INTO batch_requests (key, author, place, bytes, state, request) SELECT ?1, ?2, ?3, ?4, '`+requestGathered+`', ?5
				WHERE NOT EXISTS (SELECT 1 FROM batch_requests WHERE key = ?1 AND state = '`+requestOpen+`') ON CONFLICT DO NOTHING`,
				g.Request.Key(), g.Group, g.Place, g.Bytes, l.pack(body))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Ungather forgets what is gathered: a run that was stopped before it sent anything gathers again.
func (l *Ledger) Ungather(ctx context.Context) error {
	return l.change(ctx, "forget gathered requests", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM batch_requests WHERE state = '"+requestGathered+"'")
		return err
	})
}

// Form takes requests from the front of what is gathered, in the order of groups and places, and stores them as a batch in
// state BatchSending: as many of one group as take accepts. take is called with each request and its size in bytes, in
// order, until it returns false; requests that serves refuses, by their Author, are passed over. ok is false where nothing was
// taken. b has what describes the batch, without its Author.
func (l *Ledger) Form(ctx context.Context, b Batch, serves func(Batch) bool, take func(r llm.Request, bytes int) (bool, error)) (formed Batch, ok bool, err error) {
	err = l.change(ctx, "form a batch", func(tx *sql.Tx) error {
		ids, err := l.front(ctx, tx, &b, serves, take)
		if err != nil || len(ids) == 0 {
			return err
		}
		ok = true
		b.State, b.Requests, b.Open, b.Created = BatchSending, len(ids), len(ids), now()
		_, err = tx.ExecContext(ctx, `INSERT INTO batches (id, service, remote, provider, model, server, named, api, run, state, requests, bytes, created) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			b.ID, text(b.Service), text(b.Remote), b.Author.Provider, b.Author.Model, text(b.Author.Server), text(b.Author.As), text(b.API), b.Run, string(b.State),
			b.Requests, b.Bytes, stamp(b.Created))
		for _, id := range ids {
			if err == nil {
				_, err = tx.ExecContext(ctx, "UPDATE batch_requests SET batch = ?, state = '"+requestOpen+"' WHERE id = ?", b.ID, id)
			}
		}
		return err
	})
	return b, ok, err
}

// front returns the rows that take accepts, and sets what they say of the batch.
func (l *Ledger) front(ctx context.Context, tx *sql.Tx, b *Batch, serves func(Batch) bool, take func(llm.Request, int) (bool, error)) (ids []int64, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, author, bytes, request FROM batch_requests WHERE state = '"+requestGathered+"' ORDER BY author, place")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	first, passed := "", ""
	for rows.Next() {
		var id int64
		var group string
		var bytes int
		var packed []byte
		if err := rows.Scan(&id, &group, &bytes, &packed); err != nil {
			return nil, err
		}
		if len(ids) > 0 && group != first {
			break
		}
		if group == passed {
			continue
		}
		r, err := l.unpackRequest(packed)
		if err != nil {
			return nil, err
		}
		if !serves(Batch{Author: r.Author}) {
			passed = group
			continue
		}
		if more, err := take(r, bytes); err != nil || !more {
			return ids, err
		}
		first, b.Author, b.API = group, r.Author, r.Params.API
		b.Bytes += int64(bytes)
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// unpackRequest reads a packed request.
func (l *Ledger) unpackRequest(packed []byte) (llm.Request, error) {
	body, err := l.unpack(packed)
	if err != nil {
		return llm.Request{}, err
	}
	var f form
	if err := strict([]byte(body), &f); err != nil {
		return llm.Request{}, fmt.Errorf("damaged record: %w", err)
	}
	return f.request()
}

// TryBatch stores that a batch is about to be sent, at this time, once more.
func (l *Ledger) TryBatch(ctx context.Context, id string) error {
	return l.change(ctx, "store when a batch is sent", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE batches SET sent = ? WHERE id = ?", stamp(now()), id)
		return err
	})
}

// SentBatch stores the provider's id of a batch that it has.
func (l *Ledger) SentBatch(ctx context.Context, id, remote string) error {
	return l.change(ctx, "store a sent batch", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE batches SET state = '"+string(BatchSent)+"', remote = ?, sent = ? WHERE id = ? AND state = '"+string(BatchSending)+"'",
			remote, stamp(now()), id)
		return err
	})
}

// EndBatch ends a batch. A request that is still open goes into the next batch of a run that needs it; one of a file still
// takes an answer. attempts is not 0 where this was a try of it, as the provider did not say why it has no answer: the last of
// as many is a failure, and failed counts those. note is what the provider said of the batch as a whole; empty for nothing.
func (l *Ledger) EndBatch(ctx context.Context, id, note string, attempts int) (failed int, err error) {
	err = l.change(ctx, "end a batch", func(tx *sql.Tx) error {
		rest := requestDropped
		if attempts > 0 {
			rest = requestAgain
			res, err := tx.ExecContext(ctx, `UPDATE batch_requests SET state = '`+requestFailed+`', why = 'no answer in the results of its batch', request = NULL
				WHERE batch = ?1 AND state = '`+requestOpen+`' AND (SELECT count(*) FROM batch_requests o WHERE o.key = batch_requests.key AND o.state = '`+requestAgain+`') + 1 >= ?2`, id, attempts)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if failed = int(n); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE batch_requests SET state = ?1, request = iif((SELECT service FROM batches WHERE id = ?2) = '"+FileService+"', request, NULL) WHERE batch = ?2 AND state = '"+requestOpen+"'", rest, id)
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE batches SET state = '"+string(BatchDone)+"', note = ?, ended = ? WHERE id = ?", text(note), stamp(now()), id)
		}
		return err
	})
	return failed, err
}

// change runs f in one transaction of the writing connection.
func (l *Ledger) change(ctx context.Context, what string, f func(tx *sql.Tx) error) error {
	if l.write == nil {
		return &readOnlyError{l.path, l.why}
	}
	tx, err := l.write.BeginTx(ctx, nil)
	if err == nil {
		defer tx.Rollback()
		if err = f(tx); err == nil {
			err = tx.Commit()
		}
	}
	if err != nil {
		return fmt.Errorf("ledger: %s in %q: %w", what, l.path, explain(err))
	}
	return nil
}

const batchColumns = `b.id, coalesce(remote, ''), coalesce(service, ''), provider, model, coalesce(server, ''), coalesce(named, ''), coalesce(api, ''), run, b.state, coalesce(note, ''),
	requests, b.bytes, created, coalesce(sent, ''), coalesce(ended, ''),
	total(r.state = '` + requestOpen + `'), total(r.state = '` + requestAnswered + `'), total(r.state = '` + requestFailed + `'), total(r.state = '` + requestAgain + `'), total(r.state = '` + requestDropped + `')`

// Batches lists the batches, the oldest first; with open only those that are not done.
func (l *Ledger) Batches(ctx context.Context, open bool) (out []Batch, err error) {
	where := ""
	if open {
		where = "WHERE b.state != '" + string(BatchDone) + "'"
	}
	return l.batches(ctx, where)
}

// Batch returns the batch with an id, given here or by the provider.
func (l *Ledger) Batch(ctx context.Context, id string) (Batch, error) {
	found, err := l.batches(ctx, "WHERE b.id = ?1 OR remote = ?1", id)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("ledger: %q has no batch %q: `assay batch list` lists them", l.path, id)
	}
	if err != nil {
		return Batch{}, err
	}
	return found[0], nil
}

func (l *Ledger) batches(ctx context.Context, where string, args ...any) (out []Batch, err error) {
	if l.format < 4 {
		return nil, nil
	}
	rows, err := l.read.QueryContext(ctx, "SELECT "+batchColumns+" FROM batches b LEFT JOIN batch_requests r ON r.batch = b.id "+where+" GROUP BY b.rowid ORDER BY b.rowid", args...)
	if err != nil {
		return nil, fmt.Errorf("ledger: list batches of %q: %w", l.path, explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		b, err := scanBatch(rows)
		if err != nil {
			return nil, fmt.Errorf("ledger: list batches of %q: %w", l.path, explain(err))
		}
		out = append(out, b)
	}
	return out, rows.Err()
}

// scanBatch scans the columns of batchColumns.
func scanBatch(rows *sql.Rows) (b Batch, err error) {
	var created, sent, ended string
	var counts [5]float64
	err = rows.Scan(&b.ID, &b.Remote, &b.Service, &b.Author.Provider, &b.Author.Model, &b.Author.Server, &b.Author.As, &b.API, &b.Run, &b.State, &b.Note,
		&b.Requests, &b.Bytes, &created, &sent, &ended, &counts[0], &counts[1], &counts[2], &counts[3], &counts[4])
	if err != nil {
		return b, err
	}
	b.Open, b.Answered, b.Failed, b.Again, b.Dropped = int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3]), int(counts[4])
	for _, at := range []struct {
		text string
		to   *time.Time
	}{{created, &b.Created}, {sent, &b.Sent}, {ended, &b.Ended}} {
		if at.text == "" {
			continue
		}
		if *at.to, err = time.Parse(time.RFC3339, at.text); err != nil {
			return b, fmt.Errorf("damaged record: %w", err)
		}
	}
	return b, nil
}

// now is the time with the precision that is stored.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Awaited returns the batch that a request is open in; ok is false where there is none.
func (l *Ledger) Awaited(ctx context.Context, key string) (b Batch, ok bool, err error) {
	if l.format < 4 {
		return Batch{}, false, nil
	}
	var id string
	err = l.read.QueryRowContext(ctx, "SELECT batch FROM batch_requests WHERE key = ? AND state = '"+requestOpen+"'", key).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return Batch{}, false, nil
	}
	if err != nil {
		return Batch{}, false, fmt.Errorf("ledger: look for %q in the batches of %q: %w", key, l.path, explain(err))
	}
	b, err = l.Batch(ctx, id)
	return b, err == nil, err
}

// BatchOf returns the batch that a request is open in or, where it is in none, the last that it was in; ok is false for a
// request that was never in one.
func (l *Ledger) BatchOf(ctx context.Context, key string) (b Batch, ok bool, err error) {
	var id string
	err = l.read.QueryRowContext(ctx, "SELECT batch FROM batch_requests WHERE key = ? AND batch IS NOT NULL ORDER BY state = '"+requestOpen+"' DESC, id DESC LIMIT 1", key).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return Batch{}, false, nil
	}
	if err != nil {
		return Batch{}, false, fmt.Errorf("ledger: look for %q in the batches of %q: %w", key, l.path, explain(err))
	}
	b, err = l.Batch(ctx, id)
	return b, err == nil, err
}
