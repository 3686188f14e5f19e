// Package ledger stores every completion under its whole request and sample number, so that no finished call is ever
// made twice. [Ledger.Wrap] puts it around a model: a request is looked up by its key; if it is missing, the model is
// called, the completion is written to disk, and only then returned. The package must never return a completion that is
// not stored, replace a stored one, or store a failed call as a completion: results would depend on when they were
// asked.
//
// The file is one SQLite database (WAL, synchronous=FULL). Table prompts holds each distinct message list once, as
// zstd-compressed JSON, each distinct list of tools, and each distinct card (the server's own description of its
// model). Table completions holds one row per request key: its author, the generation parameters, the completion
// (zstd), its token counts, who answered, the run that asked, and if present the reasoning before the answer, the tool
// calls and the sum of the log-probabilities. A text's vector is such a completion too: its request names the text
// ([llm.EmbeddingRequest]), and its completion is the numbers, as 4 bytes each. Table charges holds calls that were paid for
// and gave no completion to store. Tables batches and batch_requests hold what was sent as batches, see [Batch]. To delete
// everything, delete the file and its -wal.
//
// A file of an older format version is upgraded when it is opened for writing, with keys and completions unchanged;
// when it is opened for reading it is read as it is. Version 1 has neither tools nor log-probabilities. Version 2 did
// not store the address of the server, so its completions answer only requests to a provider's own address.
//
// # One writer
//
// SQLite keeps the file consistent however many processes use it. [Ledger.Acquire] keeps two processes from making the
// same call: it takes an advisory lock on the file <ledger>.lock, which the kernel releases when the holder dies.
//
// # Trouble
//
// A completion that arrived and could not be stored (a full disk, a failing disk) is a [*notStoredError], which ends
// the run. It is first appended to ledger.rescue.jsonl next to the ledger or, if that fails too, to a file in the
// system's temporary folder. The error names the file, and [Ledger.Import] reads it. A ledger that cannot be written (a
// read-only file or medium) opens for reading, and a call whose answer could not be stored is refused before it is
// made. A damaged file is an error that names the remedy, SQLite's .recover.
//
// # The exchange file
//
// [Ledger.Export] writes completions as JSON lines, zstd-compressed if the file's name ends in .zst. The first line is
// the header, with the number of lines that follow (absent in a rescue file, which is appended to):
//
//	{"format":"assay-ledger","version":2,"completions":2}
//
// Each further line is one completion, ordered by key, so that equal content gives equal bytes:
//
//	{"key":"sha256:...","request":{...},"response":{...},"sum":"sha256:..."}
//
//	key       identity of the request: SHA-256 of its canonical JSON (llm.Request.Key)
//	request   provider, model, server and as (if present), params, messages, sample and tools (if present), as
//	          llm.Request
//	response  text (or bytes, in base64, if the completion is not UTF-8), finish, prompt_tokens, completion_tokens,
//	          estimated, model (the version that answered), created (RFC 3339), tool_calls, and logprob: the sum of the
//	          tokens' log-probabilities ("total") and their number ("tokens"), if the request asked for them;
//	          cached_tokens, cache_write_tokens, reasoning_tokens, reasoning, print, card and tier, as llm.Response,
//	          if present
//	sum       SHA-256 of the bytes of response exactly as the line has them
//
// An import recomputes both hashes of every line and counts the lines. It is one transaction: a truncated or altered
// file, or an interruption, imports nothing, unless the caller asks for the good lines.
//
// Recordings made by other programs are imported as [Foreign] lines.
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

	"assay/configs/input"
	"assay/prompting/llm"

	"github.com/klauspost/compress/zstd"
	_ "github.com/mattn/go-sqlite3" // the driver of the ledger's file
)

// version is the file format's number, kept in PRAGMA user_version.
const version = 4

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

// growSQL upgrades the file by one version per element, from version 1 on. The added columns are NULL in existing rows.
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
`, `
ALTER TABLE completions ADD COLUMN tier TEXT;
ALTER TABLE charges ADD COLUMN tier TEXT;
ALTER TABLE completions ADD COLUMN cache_write_tokens INTEGER;
ALTER TABLE charges ADD COLUMN cached_tokens INTEGER;
ALTER TABLE charges ADD COLUMN cache_write_tokens INTEGER;
CREATE TABLE batches (
  id       TEXT PRIMARY KEY,
  remote   TEXT,
  service  TEXT,
  provider TEXT NOT NULL,
  model    TEXT NOT NULL,
  server   TEXT,
  named    TEXT,
  api      TEXT,
  run      TEXT NOT NULL,
  state    TEXT NOT NULL,
  requests INTEGER NOT NULL,
  bytes    INTEGER NOT NULL,
  note     TEXT,
  created  TEXT NOT NULL,
  sent     TEXT,
  ended    TEXT
);
CREATE TABLE batch_requests (
  id       INTEGER PRIMARY KEY,
  batch    TEXT REFERENCES batches(id),
  key      TEXT NOT NULL,
  author   TEXT NOT NULL,
  place    TEXT NOT NULL,
  bytes    INTEGER NOT NULL,
  state    TEXT NOT NULL,
  why      TEXT,
  request  BLOB
);
CREATE UNIQUE INDEX batch_requests_open ON batch_requests (key) WHERE state = 'open';
CREATE UNIQUE INDEX batch_requests_gathered ON batch_requests (author, place) WHERE state = 'gathered';
CREATE UNIQUE INDEX batch_requests_batch ON batch_requests (batch, key) WHERE batch IS NOT NULL;
CREATE INDEX batch_requests_place ON batch_requests (batch, state, place);
CREATE INDEX batch_requests_key ON batch_requests (key);
PRAGMA user_version = 4;
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
	why    error // why the file is open for reading only; nil if it can be written
	still  bool  // the file is on a read-only medium and is read as immutable
	format int   // the file's version, below version only if it is open for reading

	mu      sync.Mutex
	flights map[string]*flight // calls in progress, by request key, of all Models of this ledger
	left    map[string]outcome // outcomes that a GenerateN met and did not return, by key, until they are asked for

	lock   holding
	rescue struct {
		sync.Mutex
		path string // of the rescue file in use; empty before the first rescue
	}
}

// Entry is one stored completion with the request that it answers.
type Entry struct {
	Key      string
	Request  llm.Request
	Response llm.Response
	Created  time.Time
}

// Open opens the ledger at path, creating file and folder if needed. An existing file that cannot be written is opened
// for reading, and [Ledger.ReadOnly] says why. The error names the file and what to do. It fails for another version's
// ledger, another kind of file, a damaged file, and a folder that cannot be written.
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

// OpenRead opens the ledger at path for reading only. It creates and changes nothing: a missing file is an error.
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

// open opens the file for writing, upgrades it if needed, and starts the writer.
func open(path string) (*Ledger, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	if err := input.Regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, input.Cause(err)
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

// newLedger returns a ledger whose file is not open yet.
func newLedger(path string) *Ledger {
	return &Ledger{path: path, flights: map[string]*flight{}, left: map[string]outcome{}}
}

// openRead opens for reading only; why is the reason. On a read-only medium SQLite cannot create the files that a WAL
// database needs next to it, so the file is then opened as immutable. That would ignore a -wal, so it needs one to be
// absent or empty.
func openRead(path string, why error) (*Ledger, error) {
	if err := input.Regular(path); err != nil {
		return nil, input.Cause(err)
	}
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

// prepare makes what all reads share: the coders and the statement of Get.
func (l *Ledger) prepare() (err error) {
	if l.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return err
	}
	if l.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxStored)); err != nil {
		return err
	}
	l.get, err = l.read.Prepare(`SELECT body, finish, prompt_tokens, completion_tokens, estimated, answered_by, created, ` + l.cardOf("c") + `, ` + l.grown("c") + `
		FROM completions c WHERE key = ?`)
	return err
}

// maxStored bounds a stored text once it is decompressed, in bytes: a damaged record must not fill the memory.
const maxStored = 64 << 20

// dsn escapes path for SQLite's URI form, in which ?, # and % are special.
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

// refuse returns the error for a file that is not a ledger of a known version.
func refuse(v, tables int) error {
	switch {
	case v != 0:
		return fmt.Errorf("the file has format version %d and this assay writes %d: use another --store, or that assay", v, version)
	case tables != 0:
		return errors.New("the file is an SQLite database of another program: use another --store")
	}
	return errors.New("the file is empty")
}

// migrate creates the tables of an empty file, or upgrades an older one, in one transaction: a killed process leaves
// the old version.
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

// ReadOnly returns why the ledger is open for reading only, nil if it can be written.
func (l *Ledger) ReadOnly() error { return l.why }

// Path returns the ledger's file.
func (l *Ledger) Path() string { return l.path }

// Close waits for pending writes, releases the lock and closes the file. Call it once, after every Put has returned.
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

// Get returns the stored completion of a request key; ok is false if there is none.
func (l *Ledger) Get(ctx context.Context, key string) (r llm.Response, ok bool, err error) {
	var body, card []byte
	var created string
	var more grown
	err = l.get.QueryRowContext(ctx, key).Scan(append([]any{&body, &r.Finish, &r.Usage.PromptTokens, &r.Usage.CompletionTokens,
		&r.Usage.Estimated, &r.Model, &created, &card}, more.fields()...)...)
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
	if at, wrong := time.Parse(time.RFC3339, created); wrong == nil { // a time that is damaged costs no completion
		r.Stored = at.Unix()
	}
	if err != nil {
		return llm.Response{}, false, fmt.Errorf("ledger: get %q from %q: %w", key, l.path, explain(err))
	}
	r.Cached = true
	return r, true, nil
}

// Entry returns a stored completion with its whole request; ok is false if there is none.
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

// unpack decompresses a stored text and checks its checksum.
func (l *Ledger) unpack(body []byte) (string, error) {
	b, err := l.dec.DecodeAll(body, nil)
	if err != nil {
		return "", fmt.Errorf("damaged record: %w", err)
	}
	return string(b), nil
}
