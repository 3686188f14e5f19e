// Package ledger stores every completion under the whole request and its sample number, so that no finished call is ever made twice.
//
// The file is one SQLite database (WAL, synchronous=FULL). Table prompts holds each distinct message list once, as
// zstd-compressed JSON; table completions holds one row a request key with the generation parameters, the completion
// (zstd) and its token counts. A failed call is never stored. To forget everything, delete the file and its -wal.
package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"assay/prompting/llm"

	"github.com/klauspost/compress/zstd"
	_ "github.com/mattn/go-sqlite3" // the driver of the ledger's file
)

// version is the file format's number, kept in PRAGMA user_version.
const version = 1

const createSQL = `
CREATE TABLE prompts (
  id   INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  body BLOB NOT NULL
);
CREATE TABLE completions (
  id                INTEGER PRIMARY KEY,
  key               TEXT NOT NULL UNIQUE,
  prompt            INTEGER NOT NULL REFERENCES prompts(id),
  provider          TEXT NOT NULL,
  model             TEXT NOT NULL,
  params            TEXT NOT NULL,
  sample            INTEGER NOT NULL,
  body              BLOB NOT NULL,
  finish            TEXT NOT NULL,
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  estimated         INTEGER NOT NULL,
  answered_by       TEXT NOT NULL,
  created           TEXT NOT NULL
);
PRAGMA user_version = 1;
`

// Ledger is an open ledger file. It is safe for concurrent use.
type Ledger struct {
	path   string
	write  *sql.DB
	read   *sql.DB
	get    *sql.Stmt
	enc    *zstd.Encoder
	dec    *zstd.Decoder
	queue  chan *pending
	closed chan struct{}
}

// Entry is one stored completion with the request that it answers.
type Entry struct {
	Key      string
	Request  llm.Request
	Response llm.Response
	Created  time.Time
}

// Open opens the ledger at path, creating file and folder where there are none. The error names the file and what to
// do: another version's ledger, a file that is no ledger, a folder that cannot be written.
func Open(path string) (*Ledger, error) {
	l, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: open %q: %w", path, err)
	}
	return l, nil
}

func open(path string) (*Ledger, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	w, err := sql.Open("sqlite3", dsn(path, "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate"))
	if err != nil {
		return nil, err
	}
	w.SetMaxOpenConns(1)
	if err := migrate(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r, err := sql.Open("sqlite3", dsn(path, "_query_only=1"))
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r.SetMaxOpenConns(runtime.NumCPU() + 1)
	r.SetMaxIdleConns(runtime.NumCPU() + 1)
	l := &Ledger{path: path, write: w, read: r, queue: make(chan *pending, maxBatch), closed: make(chan struct{})}
	if err := l.prepare(); err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	go l.writer()
	return l, nil
}

func (l *Ledger) prepare() (err error) {
	if l.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return err
	}
	if l.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)); err != nil {
		return err
	}
	l.get, err = l.read.Prepare(`SELECT body, finish, prompt_tokens, completion_tokens, estimated, answered_by
		FROM completions WHERE key = ?`)
	return err
}

// dsn escapes path for SQLite's URI form, where ?, # and % have a meaning.
func dsn(path, query string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_busy_timeout=30000&" + query
}

func migrate(db *sql.DB) error {
	tx, err := db.Begin() // immediate: two processes creating one file take turns
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var v, tables int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	switch {
	case v == version:
		return nil
	case v != 0:
		return fmt.Errorf("it has format version %d and this assay writes %d: use another --store, or that assay", v, version)
	case tables != 0:
		return errors.New("it is an SQLite file of something else: use another --store")
	}
	if _, err := tx.Exec(createSQL); err != nil {
		return err
	}
	return tx.Commit()
}

// Path returns the ledger's file.
func (l *Ledger) Path() string { return l.path }

// Close waits for the writes under way and closes the file.
func (l *Ledger) Close() error {
	close(l.queue)
	<-l.closed
	l.dec.Close()
	if err := errors.Join(l.get.Close(), l.read.Close(), l.write.Close()); err != nil {
		return fmt.Errorf("ledger: close %q: %w", l.path, err)
	}
	return nil
}

// Get returns the stored completion of a request key; ok is false where there is none.
func (l *Ledger) Get(ctx context.Context, key string) (r llm.Response, ok bool, err error) {
	var body []byte
	err = l.get.QueryRowContext(ctx, key).Scan(&body, &r.Finish, &r.Usage.PromptTokens, &r.Usage.CompletionTokens,
		&r.Usage.Estimated, &r.Model)
	if errors.Is(err, sql.ErrNoRows) {
		return llm.Response{}, false, nil
	}
	if err == nil {
		r.Text, err = l.unpack(body)
	}
	if err != nil {
		return llm.Response{}, false, fmt.Errorf("ledger: get %q from %q: %w", key, l.path, err)
	}
	r.Cached = true
	return r, true, nil
}

// Entry returns a stored completion with its whole request; ok is false where there is none.
func (l *Ledger) Entry(ctx context.Context, key string) (e Entry, ok bool, err error) {
	e.Response, ok, err = l.Get(ctx, key)
	if err != nil || !ok {
		return Entry{}, false, err
	}
	var params, created string
	var prompt []byte
	r := &e.Request
	err = l.read.QueryRowContext(ctx, `SELECT c.provider, c.model, c.params, c.sample, c.created, p.body
		FROM completions c JOIN prompts p ON p.id = c.prompt WHERE c.key = ?`, key).
		Scan(&r.Provider, &r.Model, &params, &r.Sample, &created, &prompt)
	if err == nil {
		err = l.decodeRequest(r, params, prompt)
	}
	if err == nil {
		e.Key = key
		e.Created, err = time.Parse(time.RFC3339, created)
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("ledger: get %q from %q: %w", key, l.path, err)
	}
	return e, true, nil
}

func (l *Ledger) decodeRequest(r *llm.Request, params string, prompt []byte) error {
	if err := json.Unmarshal([]byte(params), &r.Params); err != nil {
		return err
	}
	text, err := l.unpack(prompt)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), &r.Messages)
}

// Count returns how many completions the ledger holds.
func (l *Ledger) Count(ctx context.Context) (n int, err error) {
	if err = l.read.QueryRowContext(ctx, "SELECT count(*) FROM completions").Scan(&n); err != nil {
		return 0, fmt.Errorf("ledger: count %q: %w", l.path, err)
	}
	return n, nil
}

func (l *Ledger) pack(text []byte) []byte { return l.enc.EncodeAll(text, nil) }

func (l *Ledger) unpack(body []byte) (string, error) {
	b, err := l.dec.DecodeAll(body, nil)
	if err != nil {
		return "", fmt.Errorf("damaged record: %w", err)
	}
	return string(b), nil
}
