package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"assay/prompting/llm"
)

// BatchedRequest is a request of a batch.
type BatchedRequest struct {
	Request llm.Request // empty where Open is false
	Open    bool        // its outcome is not known, or it has none and a file may still answer it
	Tries   int         // earlier batches in which it failed in a way that may pass
}

// page is how many requests are read at a time: sending a batch may take long, and must not hold a snapshot of the file.
const page = 64

// OpenRequests yields the requests of a batch that are open, in their order.
func (l *Ledger) OpenRequests(ctx context.Context, batch string) iter.Seq2[llm.Request, error] {
	return func(yield func(llm.Request, error) bool) {
		place := ""
		for {
			got, last, err := l.openAfter(ctx, batch, place)
			if err != nil {
				yield(llm.Request{}, fmt.Errorf("ledger: read batch %q of %q: %w", batch, l.path, explain(err)))
				return
			}
			for _, r := range got {
				if !yield(r, nil) {
					return
				}
			}
			if len(got) < page {
				return
			}
			place = last
		}
	}
}

// openAfter returns the next open requests of a batch after a place.
func (l *Ledger) openAfter(ctx context.Context, batch, place string) (out []llm.Request, last string, err error) {
	rows, err := l.read.QueryContext(ctx, "SELECT place, request FROM batch_requests WHERE batch = ? AND state = '"+requestOpen+"' AND place > ? ORDER BY place LIMIT ?", batch, place, page)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		var packed []byte
		if err := rows.Scan(&last, &packed); err != nil {
			return nil, "", err
		}
		r, err := l.unpackRequest(packed)
		if err != nil {
			return nil, "", err
		}
		out = append(out, r)
	}
	return out, last, rows.Err()
}

// BatchRequest returns the request of a batch with a key; ok is false for a key that the batch does not have.
func (l *Ledger) BatchRequest(ctx context.Context, batch, key string) (r BatchedRequest, ok bool, err error) {
	var packed []byte
	err = l.read.QueryRowContext(ctx, `SELECT `+answerable+`, request, (SELECT count(*) FROM batch_requests WHERE key = ?1 AND state = '`+requestAgain+`')
		FROM batch_requests WHERE batch = ?2 AND key = ?1`, key, batch).Scan(&r.Open, &packed, &r.Tries)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err == nil && r.Open {
		r.Request, err = l.unpackRequest(packed)
	}
	if err != nil {
		return r, false, fmt.Errorf("ledger: read %q of batch %q in %q: %w", key, batch, l.path, explain(err))
	}
	return r, true, nil
}

// answerable is the condition of a request that takes an answer: it is open, or was in a file and has no outcome that lasts. A
// file may be answered again.
const answerable = `(state = '` + requestOpen + `' OR state IN ('` + requestAgain + `', '` + requestDropped + `') AND request IS NOT NULL)`

// Delivery is the outcome of one request of a batch: a completion, or why there is none.
type Delivery struct {
	Request  llm.Request
	Response llm.Response
	Failure  *llm.Failure // nil for a completion; Retryable makes it one that is asked again
	Charged  llm.Usage    // of a failure that costs tokens
}

// Deliver stores the outcomes of requests of a batch in one transaction, so that an answer is stored and its request closed,
// or neither: no answer is lost, and none is asked for twice. A request that takes no answer is left alone. Where
// the ledger has another completion of a request, that stays, and the tokens of the second are charged to the batch's run.
func (l *Ledger) Deliver(ctx context.Context, b Batch, all []Delivery) error {
	return l.change(ctx, "store answers of batch "+b.ID, func(tx *sql.Tx) error {
		for _, d := range all {
			if err := l.deliver(ctx, tx, b, d); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Ledger) deliver(ctx context.Context, tx *sql.Tx, b Batch, d Delivery) error {
	state, why := requestAnswered, ""
	if f := d.Failure; f != nil {
		state, why = requestFailed, f.Why()
		if f.Retryable {
			state = requestAgain
		}
	}
	key := d.Request.Key()
	res, err := tx.ExecContext(ctx, "UPDATE batch_requests SET state = ?, why = ?, request = iif(?, request, NULL) WHERE batch = ? AND key = ? AND "+answerable,
		state, text(why), b.Service == FileService && state == requestAgain, b.ID, key)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if d.Failure != nil {
		return chargeIn(ctx, tx, b, d.Charged)
	}
	p := &pending{key: key, request: d.Request, response: d.Response, created: now(), run: b.Run}
	if p.form, err = formOf(d.Request); err != nil {
		return err
	}
	added, err := l.insert(tx, p)
	if err != nil || added {
		return err
	}
	return chargeIn(ctx, tx, b, d.Response.Usage)
}

// chargeIn stores tokens that were paid for and gave no completion.
func chargeIn(ctx context.Context, tx *sql.Tx, b Batch, u llm.Usage) error {
	if u == (llm.Usage{}) {
		return nil
	}
	a := b.Author
	_, err := tx.ExecContext(ctx, `INSERT INTO charges (run, provider, model, server, named, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, tier, created) VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
		b.Run, a.Provider, a.Model, text(a.Server), text(a.As), u.PromptTokens, u.CompletionTokens, count(u.CachedTokens), count(u.CacheWriteTokens), tierOf(b), stamp(now()))
	return err
}

// tierOf is the tier of a batch's completions: what answers a file has the price of a call.
func tierOf(b Batch) sql.NullString {
	if b.Service == FileService {
		return sql.NullString{}
	}
	return text(llm.Batch)
}

// BatchFailures returns the reasons of the requests of a run that failed in its batches, by request key: the last outcome of
// each counts.
func (l *Ledger) BatchFailures(ctx context.Context, run string) (out map[string]string, err error) {
	out = map[string]string{}
	if l.format < 4 {
		return out, nil
	}
	rows, err := l.read.QueryContext(ctx, `SELECT key, why FROM batch_requests r WHERE state = '`+requestFailed+`' AND batch IN (SELECT id FROM batches WHERE run = ?)
		AND NOT EXISTS (SELECT 1 FROM batch_requests later WHERE later.key = r.key AND later.id > r.id)`, run)
	if err != nil {
		return nil, fmt.Errorf("ledger: list failed requests of run %q in %q: %w", run, l.path, explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var key, why string
		if err := rows.Scan(&key, &why); err != nil {
			return nil, fmt.Errorf("ledger: list failed requests of run %q in %q: %w", run, l.path, explain(err))
		}
		out[key] = why
	}
	return out, rows.Err()
}

// BatchPaid lists what the completions of a batch cost in tokens, as [Ledger.Paid] does for a run.
func (l *Ledger) BatchPaid(ctx context.Context, b Batch) (out []Paid, err error) {
	rows, err := l.read.QueryContext(ctx, `SELECT prompt_tokens, completion_tokens, coalesce(cached_tokens, 0), coalesce(cache_write_tokens, 0), coalesce(tier, ''), count(*)
		FROM completions WHERE key IN (SELECT key FROM batch_requests WHERE batch = ? AND state = '`+requestAnswered+`') GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`, b.ID)
	if err != nil {
		return nil, fmt.Errorf("ledger: sum batch %q of %q: %w", b.ID, l.path, explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		p := Paid{Author: b.Author}
		u := &p.Usage
		if err := rows.Scan(&u.PromptTokens, &u.CompletionTokens, &u.CachedTokens, &u.CacheWriteTokens, &p.Tier, &p.Times); err != nil {
			return nil, fmt.Errorf("ledger: sum batch %q of %q: %w", b.ID, l.path, explain(err))
		}
		out = append(out, p)
	}
	return out, rows.Err()
}
