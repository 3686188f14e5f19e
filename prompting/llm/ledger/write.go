package ledger

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"assay/prompting/llm"
)

// maxBatch bounds the number of completions per transaction.
const maxBatch = 256

// pending is one completion on its way to the file; done receives the result of the commit.
type pending struct {
	key      string
	request  llm.Request
	response llm.Response
	created  time.Time
	run      string // the run that asked; empty if unknown
	lost     bool   // another completion of the same request was stored first
	form     form
	done     chan error
}

// form is a request as it is stored, with its parameters and messages as the JSON that the key was computed over. The
// JSON is kept because encoding the parsed request again may differ: bytes that are not UTF-8 become \ufffd, which
// parses as U+FFFD and is then written as that character.
type form struct {
	llm.Author
	Params   json.RawMessage `json:"params"`
	Messages json.RawMessage `json:"messages"`
	Sample   int             `json:"sample"`
	Tools    json.RawMessage `json:"tools,omitempty"` // nil for none, as in the key
}

// formOf returns the stored form of a request.
func formOf(r llm.Request) (f form, err error) {
	f = form{Author: r.Author, Sample: r.Sample}
	if f.Params, err = json.Marshal(r.Params); err == nil {
		f.Messages, err = json.Marshal(r.Messages)
	}
	if err == nil && len(r.Tools) > 0 {
		f.Tools, err = json.Marshal(r.Tools)
	}
	return f, err
}

// key returns the [llm.Request.Key] of the request that the form was made of.
func (f form) key() (string, error) {
	f.Author = f.Author.Identity()
	b, err := json.Marshal(f)
	return sumOf(b), err
}

// request parses the form back into a request. Numbers keep their digits.
func (f form) request() (llm.Request, error) {
	r := llm.Request{Author: f.Author, Sample: f.Sample}
	if err := strict(f.Params, &r.Params); err != nil {
		return r, err
	}
	if len(f.Tools) > 0 {
		if err := strict(f.Tools, &r.Tools); err != nil {
			return r, err
		}
	}
	return r, strict(f.Messages, &r.Messages)
}

// Put stores a finished completion and returns once it is on disk. If the key exists its first completion stays,
// because results already depend on it. If it cannot be stored the error is a [*notStoredError].
//
// Concurrent Puts share a transaction (one fsync), so many workers write as fast as one large batch.
func (l *Ledger) Put(ctx context.Context, r llm.Request, resp llm.Response) error {
	return l.putAll(ctx, []*pending{{key: r.Key(), request: r, response: resp}})
}

// putAll stores the completions of one call, each as its own row, and returns the first error.
func (l *Ledger) putAll(ctx context.Context, all []*pending) error {
	now := time.Now()
	for _, p := range all { // ignores a cancelled context, because the completion is already paid for
		p.created, p.done = now, make(chan error, 1)
		var err error
		p.form, err = formOf(p.request)
		if err == nil && l.write == nil {
			err = &readOnlyError{l.path, l.why}
		}
		if err != nil {
			p.done <- err
			continue
		}
		l.queue <- p
	}
	// Wait for every one of them, so that each completion that was not stored goes to the rescue file.
	var first error
	for _, p := range all {
		if err := <-p.done; err != nil {
			err = l.notStored(p, err)
			if first == nil {
				first = err
			}
		}
	}
	if first != nil {
		return first
	}
	return ctx.Err()
}

// writer commits the queue until it is closed; each transaction takes all the completions that are waiting.
func (l *Ledger) writer() {
	defer close(l.closed)
	// One writer, because SQLite allows one transaction at a time and each commit waits for the disk: what arrives
	// during a commit shares the next one.
	for first := range l.queue {
		batch := []*pending{first}
	fill:
		for len(batch) < maxBatch {
			select {
			case p, ok := <-l.queue:
				if !ok {
					break fill
				}
				batch = append(batch, p)
			default:
				break fill
			}
		}
		l.commitOrSplit(batch)
	}
}

// commitOrSplit commits a batch. If that fails it commits each completion alone, so that one that is too large for the
// disk does not lose those that would fit.
func (l *Ledger) commitOrSplit(batch []*pending) {
	err := l.commit(batch)
	// A busy file would be busy for each completion too; only what concerns single completions is worth a second try.
	if err == nil || len(batch) == 1 || busy(err) {
		for _, p := range batch {
			p.done <- err
		}
		return
	}
	for _, p := range batch {
		p.done <- l.commit([]*pending{p})
	}
}

// commit inserts a batch in one transaction. It marks the completions that were there already as lost.
func (l *Ledger) commit(batch []*pending) error {
	tx, err := l.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, p := range batch {
		added, err := l.insert(tx, p)
		if err != nil {
			return err
		}
		p.lost = !added
	}
	return tx.Commit()
}

// insert adds a completion unless its key exists, and reports whether it was added.
func (l *Ledger) insert(tx *sql.Tx, p *pending) (added bool, err error) {
	prompt, err := l.promptID(tx, p.form.Messages)
	if err != nil {
		return false, err
	}
	tools, err := l.referenceID(tx, p.form.Tools)
	if err != nil {
		return false, err
	}
	card, err := l.referenceID(tx, []byte(p.response.Card))
	if err != nil {
		return false, err
	}
	more, err := l.grownOf(p.request.Author, p.response)
	if err != nil {
		return false, err
	}
	r, a := &p.request, &p.response
	res, err := tx.Exec(insertSQL, append([]any{p.key, prompt, r.Provider, r.Model, string(p.form.Params), r.Sample, l.pack([]byte(a.Text)), a.Finish,
		a.Usage.PromptTokens, a.Usage.CompletionTokens, a.Usage.Estimated, a.Model,
		p.created.UTC().Format(time.RFC3339), tools, card, text(p.run)}, more.values()...)...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// insertSQL leaves an existing completion alone: the first answer counts.
var insertSQL = func() string {
	columns := []string{"key", "prompt", "provider", "model", "params", "sample", "body", "finish", "prompt_tokens", "completion_tokens",
		"estimated", "answered_by", "created", "tools", "card", "run"}
	for _, c := range grownColumns {
		columns = append(columns, c.name)
	}
	return "INSERT INTO completions (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(",?", len(columns)-1) +
		") ON CONFLICT (key) DO NOTHING"
}()

// referenceID is promptID for a text that may be empty; empty gives NULL.
func (l *Ledger) referenceID(tx *sql.Tx, body []byte) (id sql.NullInt64, err error) {
	if len(body) > 0 {
		id.Valid = true
		id.Int64, err = l.promptID(tx, body)
	}
	return id, err
}

// promptID returns the row id of the JSON of a message list or tool list, storing it first if it is new.
func (l *Ledger) promptID(tx *sql.Tx, body []byte) (id int64, err error) {
	// Prompts are shared: the samples of an item, and a prompt sent to several models, have the same message list.
	hash := promptHash(body)
	err = tx.QueryRow("SELECT id FROM prompts WHERE hash = ?", hash).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	res, err := tx.Exec("INSERT INTO prompts (hash, body) VALUES (?, ?)", hash, l.pack(body))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// promptHash returns the identity of a list in table prompts.
func promptHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
