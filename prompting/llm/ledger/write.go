package ledger

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"assay/prompting/llm"
)

// maxBatch bounds how many completions one transaction commits.
const maxBatch = 256

// pending is one completion on its way to the file; done receives the commit's outcome.
type pending struct {
	key      string
	request  llm.Request
	response llm.Response
	done     chan error
}

// Put stores a finished completion and returns once it is on disk. A key that is there already keeps its first
// completion: the first answer paid for is the answer.
//
// Concurrent Puts share a transaction (one fsync), so many workers write as fast as one large batch.
func (l *Ledger) Put(ctx context.Context, r llm.Request, resp llm.Response) error {
	p := &pending{key: r.Key(), request: r, response: resp, done: make(chan error, 1)}
	l.queue <- p // never abandoned on a cancelled context: the completion is paid for
	if err := <-p.done; err != nil {
		return fmt.Errorf("ledger: put %q into %q: %w", p.key, l.path, err)
	}
	return ctx.Err()
}

// writer commits what is queued until the queue is closed, as many at once as are waiting.
func (l *Ledger) writer() {
	defer close(l.closed)
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
		err := l.commit(batch)
		for _, p := range batch {
			p.done <- err
		}
	}
}

func (l *Ledger) commit(batch []*pending) error {
	tx, err := l.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, p := range batch {
		if err := l.insert(tx, p); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (l *Ledger) insert(tx *sql.Tx, p *pending) error {
	prompt, err := l.promptID(tx, p.request.Messages)
	if err != nil {
		return err
	}
	params, err := json.Marshal(p.request.Params)
	if err != nil {
		return err
	}
	r, a := p.request, p.response
	_, err = tx.Exec(`INSERT INTO completions (key, prompt, provider, model, params, sample, body, finish,
		prompt_tokens, completion_tokens, estimated, answered_by, created) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (key) DO NOTHING`,
		p.key, prompt, r.Provider, r.Model, string(params), r.Sample, l.pack([]byte(a.Text)), a.Finish,
		a.Usage.PromptTokens, a.Usage.CompletionTokens, a.Usage.Estimated, a.Model,
		time.Now().UTC().Format(time.RFC3339))
	return err
}

// promptID returns the row of a message list, storing it first where it is new.
func (l *Ledger) promptID(tx *sql.Tx, messages []llm.Message) (id int64, err error) {
	body, err := json.Marshal(messages)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	err = tx.QueryRow("SELECT id FROM prompts WHERE hash = ?", hash).Scan(&id)
	if err != sql.ErrNoRows {
		return id, err
	}
	res, err := tx.Exec("INSERT INTO prompts (hash, body) VALUES (?, ?)", hash, l.pack(body))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}
