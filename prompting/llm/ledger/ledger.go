// Package ledger stores every completion under the whole request and its sample number, so that no finished call is
// ever made twice.
//
// The file is one SQLite database (WAL, synchronous=FULL). Table prompts holds each distinct message list once, as
// zstd-compressed JSON, each distinct list of tools, and each distinct card (what a server said of its model); table
// completions holds one row a request key with its author, the generation parameters, the completion (zstd), its token
// counts, who answered, the run that asked, and where there are some the reasoning before the answer, its tool calls
// and the sum of its log-probabilities. A failed call is never stored as a completion; one that was paid for all the
// same is a row of table charges. To forget everything, delete the file and its -wal.
//
// A file of an older format version is brought to this one when it is opened for writing, keys and completions
// untouched, and read as it is where it is opened for reading. Version 1 has neither tools nor log-probabilities;
// version 2 does not know at which address a completion was made, so that its completions answer for a provider's own
// address alone.
//
// # One writer
//
// SQLite keeps the file whole however many processes use it. That no call is made by two of them at once is the work
// of [Ledger.Acquire]: an advisory lock on the file <ledger>.lock, which the kernel gives back when its holder dies.
//
// # Trouble
//
// A completion that came and could not be stored (a full disk, a disk that fails) is a [*NotStoredError], which ends
// the run. Its text is first appended to ledger.rescue.jsonl beside the ledger, or where that fails too to a file of
// the system's temporary folder; the error names the file, and [Ledger.Import] takes it in. A ledger that cannot be
// written (a read-only file or medium) opens for reading, and a call whose answer could not be kept is refused before
// it is made. A damaged file is an error that names the remedy, SQLite's .recover.
//
// # The exchange file
//
// [Ledger.Export] writes completions as JSON lines, zstd-compressed where the file's name ends in .zst. The first line is
// the header, with the number of lines that follow (left out in a rescue file, which does not know):
//
//	{"format":"assay-ledger","version":2,"completions":2}
//
// Each further line is one completion, ordered by key, so that equal content gives equal bytes:
//
//	{"key":"sha256:...","request":{...},"response":{...},"sum":"sha256:..."}
//
//	key       identity of the request: SHA-256 of its canonical JSON (llm.Request.Key)
//	request   provider, model, server and as (where there are such), params, messages, sample and tools (where there are
//	          some), as llm.Request
//	response  text (or bytes, in base64, where the completion is not UTF-8), finish, prompt_tokens, completion_tokens,
//	          estimated, model (the version that answered), created (RFC 3339), tool_calls, and logprob: the sum of the
//	          tokens' log-probabilities ("total") and their number ("tokens"), where the request asked for them;
//	          cached_tokens, reasoning_tokens, reasoning, print and card, as llm.Response, where there are such
//	sum       SHA-256 of the bytes of response as they stand in the line
//
// An import recomputes both hashes of every line and counts the lines. It is one transaction: a truncated or altered
// file, or an interruption, imports nothing, unless the good part is asked for.
//
// Recordings made by other programs come as [Foreign] lines.
package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"assay/prompting/llm"

	"github.com/klauspost/compress/zstd"
	_ "github.com/mattn/go-sqlite3" // the driver of the ledger's file
)

// version is the file format's number, kept in PRAGMA user_version.
const version = 3

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

// growSQL makes each version of the one before, the second the first: columns that are NULL in every row that is there.
var growSQL = []string{`
ALTER TABLE completions ADD COLUMN tools INTEGER REFERENCES prompts(id);
ALTER TABLE completions ADD COLUMN tool_calls TEXT;
ALTER TABLE completions ADD COLUMN logprob REAL;
ALTER TABLE completions ADD COLUMN logprob_tokens INTEGER;
PRAGMA user_version = 2;
`, `
ALTER TABLE completions ADD COLUMN print TEXT;
ALTER TABLE completions ADD COLUMN cached_tokens INTEGER;
ALTER TABLE completions ADD COLUMN reasoning_tokens INTEGER;
ALTER TABLE completions ADD COLUMN reasoning BLOB;
ALTER TABLE completions ADD COLUMN server TEXT;
ALTER TABLE completions ADD COLUMN named TEXT;
ALTER TABLE completions ADD COLUMN card INTEGER REFERENCES prompts(id);
ALTER TABLE completions ADD COLUMN run TEXT;
CREATE INDEX completions_run ON completions (run) WHERE run IS NOT NULL;
CREATE TABLE charges (
  id                INTEGER PRIMARY KEY,
  run               TEXT NOT NULL,
  provider          TEXT NOT NULL,
  model             TEXT NOT NULL,
  server            TEXT,
  named             TEXT,
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  created           TEXT NOT NULL
);
CREATE INDEX charges_run ON charges (run);
PRAGMA user_version = 3;
`}

// Ledger is an open ledger file. It is safe for concurrent use.
type Ledger struct {
	path   string
	write  *sql.DB // nil where the file is open for reading only
	read   *sql.DB
	get    *sql.Stmt
	enc    *zstd.Encoder
	dec    *zstd.Decoder
	queue  chan *pending
	closed chan struct{}
	why    error // why the file is open for reading only; nil where it is not
	still  bool  // the file is read as one that nobody changes
	format int   // version of the file, below version only where it is open for reading

	mu      sync.Mutex
	flights map[string]*flight // requests being asked, by key, through whichever Model
	left    map[string]outcome // what GenerateN learnt and did not return, by key, until it is asked for

	lock   holding
	rescue struct {
		sync.Mutex
		path string // of the rescue file in use; empty before the first
	}
}

// Entry is one stored completion with the request that it answers.
type Entry struct {
	Key      string
	Request  llm.Request
	Response llm.Response
	Created  time.Time
}

// Open opens the ledger at path, creating file and folder where there are none. A file that is there and cannot be
// written is opened for reading, which [Ledger.ReadOnly] tells. The error names the file and what to do: another
// version's ledger, a file that is no ledger or a damaged one, a folder that cannot be written.
func Open(path string) (*Ledger, error) {
	l, err := open(path)
	if err != nil && unwritable(err) {
		if st, e := os.Stat(path); e == nil && st.Size() > 0 {
			l, err = openRead(path, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: open %q: %w", path, explain(err))
	}
	return l, nil
}

// OpenRead opens the ledger at path for reading alone. It creates and changes nothing: a missing file is an error.
func OpenRead(path string) (*Ledger, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ledger: open %q: there is no such ledger: a run makes it, or `assay ledger import`", path)
	}
	l, err := openRead(path, errors.New("it was opened for reading"))
	if err != nil {
		return nil, fmt.Errorf("ledger: open %q: %w", path, explain(err))
	}
	return l, nil
}

func open(path string) (*Ledger, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	w, err := sql.Open("sqlite3", dsn(path, "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_stmt_cache_size=16"))
	if err != nil {
		return nil, err
	}
	w.SetMaxOpenConns(1)
	if err := migrate(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	l := newLedger(path)
	l.write, l.queue, l.closed = w, make(chan *pending, maxBatch), make(chan struct{})
	if err := l.openReaders("_query_only=1"); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	go l.writer()
	return l, nil
}

func newLedger(path string) *Ledger {
	return &Ledger{path: path, flights: map[string]*flight{}, left: map[string]outcome{}}
}

// openRead opens for reading only, because of why. A file on a medium where SQLite cannot keep the files beside a WAL
// database is read as one that nobody changes, unless a -wal is there, which that would leave out.
func openRead(path string, why error) (*Ledger, error) {
	l := newLedger(path)
	l.why = why
	err := l.openReaders("mode=ro&_query_only=1")
	if err != nil && unwritable(err) {
		if st, e := os.Stat(path + "-wal"); e != nil || st.Size() == 0 {
			l.still = true
			err = l.openReaders("immutable=1&mode=ro&_query_only=1")
		}
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// openReaders opens the pool of reading connections and checks that the file is a ledger of this version.
func (l *Ledger) openReaders(query string) error {
	r, err := sql.Open("sqlite3", dsn(l.path, query+"&_stmt_cache_size=16"))
	if err != nil {
		return err
	}
	r.SetMaxOpenConns(runtime.NumCPU() + 1)
	r.SetMaxIdleConns(runtime.NumCPU() + 1)
	l.read = r
	v, tables, err := formatOf(r)
	if err == nil && (v < 1 || v > version || tables == 0) {
		err = refuse(v, tables)
	}
	l.format = v
	if err == nil {
		err = l.prepare()
	}
	if err != nil {
		return errors.Join(err, r.Close())
	}
	return nil
}

func (l *Ledger) prepare() (err error) {
	if l.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return err
	}
	if l.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0)); err != nil {
		return err
	}
	l.get, err = l.read.Prepare(`SELECT body, finish, prompt_tokens, completion_tokens, estimated, answered_by, ` + l.cardOf("c") + `, ` + l.grown("c") + `
		FROM completions c WHERE key = ?`)
	return err
}

// dsn escapes path for SQLite's URI form, where ?, # and % have a meaning.
func dsn(path, query string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_busy_timeout=30000&" + query
}

// formatOf returns the file format's number and the number of tables and indexes in the file.
func formatOf(db interface {
	QueryRow(query string, args ...any) *sql.Row
}) (v, tables int, err error) {
	if err = db.QueryRow("PRAGMA user_version").Scan(&v); err == nil {
		err = db.QueryRow("SELECT count(*) FROM sqlite_master").Scan(&tables)
	}
	return v, tables, err
}

func refuse(v, tables int) error {
	switch {
	case v != 0:
		return fmt.Errorf("it has format version %d and this assay writes %d: use another --store, or that assay", v, version)
	case tables != 0:
		return errors.New("it is an SQLite file of something else: use another --store")
	}
	return errors.New("it is empty")
}

func migrate(db *sql.DB) error {
	tx, err := db.Begin() // immediate: two processes creating one file take turns
	if err != nil {
		return err
	}
	defer tx.Rollback()
	v, tables, err := formatOf(tx)
	switch {
	case err != nil:
		return err
	case v == version:
		return nil
	case v == 0 && tables == 0:
		_, err = tx.Exec(createSQL)
		v = 1
	case v < 1 || v > version:
		return refuse(v, tables)
	}
	for _, grow := range growSQL[v-1:] {
		if err == nil {
			_, err = tx.Exec(grow)
		}
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// ReadOnly returns why the ledger is open for reading only, nil where it can be written.
func (l *Ledger) ReadOnly() error { return l.why }

// Path returns the ledger's file.
func (l *Ledger) Path() string { return l.path }

// Close waits for the writes under way, gives back the lock and closes the file. It must be called once, after every
// Put has returned.
func (l *Ledger) Close() error {
	var w io.Closer = io.NopCloser(nil)
	if l.write != nil {
		close(l.queue)
		<-l.closed
		w = l.write
	}
	l.dec.Close()
	l.lock.drop()
	if err := errors.Join(l.get.Close(), l.read.Close(), w.Close()); err != nil {
		return fmt.Errorf("ledger: close %q: %w", l.path, explain(err))
	}
	return nil
}

// Get returns the stored completion of a request key; ok is false where there is none.
func (l *Ledger) Get(ctx context.Context, key string) (r llm.Response, ok bool, err error) {
	var body, card []byte
	var more grown
	err = l.get.QueryRowContext(ctx, key).Scan(append([]any{&body, &r.Finish, &r.Usage.PromptTokens, &r.Usage.CompletionTokens,
		&r.Usage.Estimated, &r.Model, &card}, more.fields()...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return llm.Response{}, false, nil
	}
	if err == nil {
		r.Text, err = l.unpack(body)
	}
	if err == nil {
		r.Card, err = l.unpackReferred(card, "card's words")
	}
	if err == nil {
		err = l.into(more, &r)
	}
	if err != nil {
		return llm.Response{}, false, fmt.Errorf("ledger: get %q from %q: %w", key, l.path, explain(err))
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
	var prompt, tools []byte
	var f form
	var more grown
	err = l.read.QueryRowContext(ctx, `SELECT c.provider, c.model, c.params, c.sample, c.created, p.body, `+l.toolsOf("c")+`, `+l.grown("c")+`
		FROM completions c JOIN prompts p ON p.id = c.prompt WHERE c.key = ?`, key).
		Scan(append([]any{&f.Provider, &f.Model, &params, &f.Sample, &created, &prompt, &tools}, more.fields()...)...)
	if err == nil {
		f.Server, f.As = more.server.String, more.as.String
		f.Params = json.RawMessage(params)
		f.Messages, f.Tools, err = l.unpackPrompt(prompt, tools)
	}
	if err == nil {
		e.Request, err = f.request()
	}
	if err == nil {
		e.Key = key
		e.Created, err = time.Parse(time.RFC3339, created)
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("ledger: get %q from %q: %w", key, l.path, explain(err))
	}
	return e, true, nil
}

// Count returns how many completions the ledger holds.
func (l *Ledger) Count(ctx context.Context) (n int, err error) {
	if err = l.read.QueryRowContext(ctx, "SELECT count(*) FROM completions").Scan(&n); err != nil {
		return 0, fmt.Errorf("ledger: count %q: %w", l.path, explain(err))
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
