package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"assay/prompting/llm"
)

var _ llm.EmbeddingModel = (*Model)(nil)

// Vectors implements [llm.EmbeddingModel], for any number of texts. A vector is a completion whose request names one text, so
// all that holds for completions holds for it: what the ledger has is looked up, all texts in one query; the inner model is
// asked for the others, as many at once as it takes, each text once however often it is named or in flight; and every vector
// is stored before it is used. If the provider refuses several texts together they are asked for in halves, so that a text
// that it cannot take has a failure of its own: the error is then the first [*llm.Failure], and the vectors of the other texts
// are returned with it.
func (m *Model) Vectors(ctx context.Context, r llm.EmbeddingRequest) (llm.Embedding, error) {
	slots, all, err := m.slotsOf(ctx, r)
	if err == nil {
		err = m.fillVectors(ctx, r, slots)
	}
	if err != nil {
		return llm.Embedding{}, err
	}
	out := llm.Embedding{Vectors: make([]llm.Vector, len(all))}
	var first error
	for i, s := range all {
		if s.err != nil {
			first = cmp.Or(first, s.err)
			continue
		}
		if out.Vectors[i], err = llm.VectorOf(s.resp); err != nil {
			return llm.Embedding{}, fmt.Errorf("ledger: get %q from %q: damaged record: %w: `assay ledger verify` lists what is damaged", s.key, m.ledger.path, err)
		}
		out.Model = s.resp.Model
	}
	for _, s := range slots {
		m.heard(s)
	}
	return out, first
}

// heard counts a vector that is returned to the caller, and notes who gave it.
func (m *Model) heard(s *slot) {
	if !s.ok {
		return
	}
	if s.resp.Cached {
		m.recalled.Add(1)
	}
	m.voice(s)
}

// slotsOf returns a slot for each different key, those that the ledger holds answered, and the slot of every text.
func (m *Model) slotsOf(ctx context.Context, r llm.EmbeddingRequest) (slots, all []*slot, err error) {
	byKey := make(map[string]*slot, len(r.Texts)) // texts that are no UTF-8 may share a key
	for _, t := range r.Texts {
		s := &slot{request: r.Request(t)}
		s.key = s.request.Key()
		if same := byKey[s.key]; same != nil {
			s = same
		} else {
			byKey[s.key] = s
			slots = append(slots, s)
		}
		all = append(all, s)
	}
	return slots, all, m.ledger.getMany(ctx, slots)
}

// mostKeys bounds the keys of one query.
const mostKeys = 1000

// getMany answers the slots whose completion the ledger holds. It reads what a vector has: neither reasoning nor tools.
func (l *Ledger) getMany(ctx context.Context, slots []*slot) error {
	for len(slots) > 0 {
		n := min(len(slots), mostKeys)
		if err := l.getSome(ctx, slots[:n]); err != nil {
			return fmt.Errorf("ledger: get %d vectors from %q: %w", n, l.path, explain(err))
		}
		slots = slots[n:]
	}
	return nil
}

func (l *Ledger) getSome(ctx context.Context, slots []*slot) error {
	byKey := make(map[string]*slot, len(slots))
	keys := make([]string, len(slots))
	for i, s := range slots {
		byKey[s.key], keys[i] = s, s.key
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	rows, err := l.read.QueryContext(ctx, `SELECT c.key, body, finish, prompt_tokens, estimated, answered_by
		FROM json_each(?) w JOIN completions c ON c.key = w.value`, string(list))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		var body sql.RawBytes
		resp := llm.Response{Cached: true}
		if err := rows.Scan(&key, &body, &resp.Finish, &resp.Usage.PromptTokens, &resp.Usage.Estimated, &resp.Model); err != nil {
			return err
		}
		if resp.Text, err = l.unpack(body); err != nil {
			return err
		}
		byKey[key].resp, byKey[key].ok = resp, true
	}
	return rows.Err()
}

// fillVectors answers the slots that are open: by a failure that is known, by a call, by waiting for another goroutine's.
func (m *Model) fillVectors(ctx context.Context, r llm.EmbeddingRequest, slots []*slot) error {
	var open []*slot
	for _, s := range slots {
		if !s.ok && !m.isKnown(s) {
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if m.o.Offline {
		return &MissError{open[0].request, m.ledger.path}
	}
	mine, theirs, flights := m.claim(open)
	err := m.askVectors(ctx, r, mine)
	m.land(mine)
	for i, s := range theirs {
		if err == nil {
			err = m.awaitVector(ctx, r, s, flights[i])
		}
	}
	return err
}

// isKnown answers a slot by a failure that must not be tried again, and reports whether there is one.
func (m *Model) isKnown(s *slot) bool {
	reason, known := m.o.Known[s.key]
	if known {
		m.known.Add(1)
		s.err = &llm.Failure{Reason: reason}
	}
	return known
}

// askVectors makes the calls for the slots. A failure is the slots' own; any other error is returned, and is theirs too.
func (m *Model) askVectors(ctx context.Context, r llm.EmbeddingRequest, slots []*slot) error {
	if len(slots) == 0 {
		return nil
	}
	err := m.ready(ctx)
	if err == nil { // another goroutine or process may have stored some in the meantime
		err = m.ledger.getMany(ctx, slots)
	}
	open := map[string]*slot{}
	r.Texts = nil
	for _, s := range slots {
		if text := s.request.Messages[0].Text; !s.ok {
			open[text], r.Texts = s, append(r.Texts, text)
		}
	}
	for batch := range r.Batches() {
		if err == nil {
			err = m.askBatch(ctx, batch, open)
		}
	}
	fail(slots, err)
	return err
}

// askBatch makes one call, and stores its vectors before it answers the slots of its texts with them.
func (m *Model) askBatch(ctx context.Context, r llm.EmbeddingRequest, slots map[string]*slot) error {
	got, err := llm.VectorsBy(ctx, m.inner, r)
	var f *llm.Failure
	switch {
	case errors.As(err, &f) && !f.Retryable && len(r.Texts) > 1:
		half := r
		half.Texts, r.Texts = r.Texts[:len(r.Texts)/2], r.Texts[len(r.Texts)/2:]
		if err := m.askBatch(ctx, half, slots); err != nil {
			return err
		}
		return m.askBatch(ctx, r, slots)
	case errors.As(err, &f):
		return m.refuse(r, f, slots)
	case err != nil:
		return err
	}
	if err := llm.CheckEmbedding(r, got); err != nil {
		return fmt.Errorf("ledger: embed with %q: %w", r.Author, err)
	}
	return m.storeVectors(ctx, r, got, slots)
}

// mostRefused is how many texts in a row a provider may refuse, each alone, before that is no text's fault.
const mostRefused = 20

// refuse gives the texts of a call its failure. It ends the run if nothing but refusals came for a while: a parameter that
// the provider does not take is refused with every text.
func (m *Model) refuse(r llm.EmbeddingRequest, f *llm.Failure, slots map[string]*slot) error {
	for _, t := range r.Texts {
		slots[t].err = f
	}
	m.failed.Add(int64(len(r.Texts)))
	if n := m.refused.Add(1); n >= mostRefused && !f.Retryable {
		return fmt.Errorf("ledger: embed with %q: the provider refused the last %d texts, each asked for alone: %s", r.Author, n, f.Why())
	}
	return nil
}

// storeVectors stores the vectors of one call and answers the slots.
func (m *Model) storeVectors(ctx context.Context, r llm.EmbeddingRequest, got llm.Embedding, slots map[string]*slot) error {
	m.embedded.Add(int64(len(r.Texts)))
	m.refused.Store(0)
	all := make([]*pending, len(r.Texts))
	for i, t := range r.Texts {
		all[i] = &pending{key: slots[t].key, request: slots[t].request, response: got.Response(i), run: m.o.Run}
	}
	if err := m.ledger.putAll(ctx, all); err != nil {
		return err
	}
	for i, p := range all {
		s := slots[r.Texts[i]]
		s.resp, s.ok = p.response, true
		if !p.lost {
			continue
		}
		if err := m.first(ctx, s, p.response); err != nil {
			return err
		}
	}
	return nil
}

// awaitVector copies the outcome of another goroutine's call. If that was cancelled with its goroutine, this one asks.
func (m *Model) awaitVector(ctx context.Context, r llm.EmbeddingRequest, s *slot, f *flight) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-f.done:
	}
	cancelled := errors.Is(f.out.err, context.Canceled) || errors.Is(f.out.err, context.DeadlineExceeded)
	switch {
	case cancelled:
		return m.fillVectors(ctx, r, []*slot{s})
	case f.out.err != nil && !isFailure(f.out.err):
		return f.out.err
	}
	s.outcome = f.out
	s.resp.Cached = s.ok // the other goroutine reports the call
	return nil
}
