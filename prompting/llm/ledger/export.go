package ledger

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"assay/prompting/llm"

	"github.com/klauspost/compress/zstd"
)

// Keys yields request keys one by one, or an error that ends the sequence. [Ledger.Export] and [Ledger.Collect] write
// them to a temporary table, so memory does not grow with their number.
type Keys = iter.Seq2[string, error]

// Exported says what an export wrote.
type Exported struct {
	Completions int
	Missing     int // keys that the ledger does not hold, because the call failed or the completion was lost
}

// Export writes completions to w, in the exchange format of the package comment, compressed where compress says so. It writes
// the completions of keys, or all of them if keys is nil.
func (l *Ledger) Export(ctx context.Context, w io.Writer, compress bool, keys Keys) (Exported, error) {
	out, err := l.exportTo(ctx, w, compress, keys)
	if err != nil {
		return Exported{}, fmt.Errorf("ledger: export %q: %w", l.path, explain(err))
	}
	return out, nil
}

// exportTo writes the export to w, through a compressor if asked for.
func (l *Ledger) exportTo(ctx context.Context, w io.Writer, compress bool, keys Keys) (out Exported, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	if !compress {
		if out, err = l.exportLines(ctx, b, keys); err != nil {
			return out, err
		}
		return out, b.Flush()
	}
	z, err := zstd.NewWriter(b, zstd.WithEncoderConcurrency(1)) // one: the same bytes on every machine
	if err != nil {
		return out, err
	}
	if out, err = l.exportLines(ctx, z, keys); err != nil {
		return out, errors.Join(err, z.Close())
	}
	return out, errors.Join(z.Close(), b.Flush())
}

// exportLines writes the header and the lines from one snapshot, so that concurrent writes do not show.
func (l *Ledger) exportLines(ctx context.Context, w io.Writer, keys Keys) (out Exported, err error) {
	err = l.snapshot(ctx, func(tx *sql.Tx) error {
		from := "completions c"
		if keys != nil {
			asked, err := fillKeys(ctx, tx, keys)
			if err != nil {
				return err
			}
			from = "temp.wanted w JOIN completions c ON c.key = w.key"
			defer func() { out.Missing = asked - out.Completions }()
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+from).Scan(&out.Completions); err != nil {
			return err
		}
		if _, err := w.Write(encodeHeader(&out.Completions)); err != nil {
			return err
		}
		return l.each(ctx, tx, from+" LEFT JOIN prompts p ON p.id = c.prompt ORDER BY c.key", func(r *row) error {
			text, err := l.lineOf(r)
			if err != nil {
				return fmt.Errorf("completion %q: %w: `assay ledger verify` lists what is damaged", r.key, err)
			}
			_, err = w.Write(text)
			return err
		})
	})
	return out, err
}

// lineOf returns a completion's line. It recomputes the key, so that damage is not exported.
func (l *Ledger) lineOf(r *row) ([]byte, error) {
	p, err := l.decodeRow(r)
	if err != nil {
		return nil, err
	}
	if got, err := p.form.key(); err != nil || got != r.key {
		return nil, fmt.Errorf("the request has another key, %s", got)
	}
	return encodeLine(p)
}

// snapshot runs f in a transaction on a connection of its own, because temporary tables belong to one connection.
func (l *Ledger) snapshot(ctx context.Context, f func(*sql.Tx) error) error {
	query := "mode=ro"
	if l.still {
		query = "immutable=1&mode=ro"
	}
	db, err := sql.Open("sqlite3", dsn(l.path, query+"&_stmt_cache_size=16"))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}

// fillKeys stores each distinct key in the temporary table wanted, and returns their number.
func fillKeys(ctx context.Context, tx *sql.Tx, keys Keys) (n int, err error) {
	if _, err := tx.ExecContext(ctx, "CREATE TEMP TABLE wanted (key TEXT PRIMARY KEY) WITHOUT ROWID"); err != nil {
		return 0, err
	}
	add, err := tx.PrepareContext(ctx, "INSERT OR IGNORE INTO temp.wanted VALUES (?)")
	if err != nil {
		return 0, err
	}
	defer add.Close()
	for k, err := range keys {
		if err != nil {
			return 0, err
		}
		if _, err := add.ExecContext(ctx, k); err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM temp.wanted").Scan(&n)
	return n, err
}

// row is a completion as it is stored.
type row struct {
	id                                 int64
	key, provider, model, params       string
	finish, answeredBy, created        string
	sample, promptTokens, answerTokens int
	estimated                          bool
	body, prompt                       []byte // prompt is nil if its row is missing
	tools, card                        []byte // nil if the completion has none
	more                               grown
	promptHash                         sql.NullString
}

// each calls f with each row of the completions c and prompts p that the FROM clause selects. f must not keep the row.
func (l *Ledger) each(ctx context.Context, tx *sql.Tx, from string, f func(*row) error) error {
	rows, err := tx.QueryContext(ctx, `SELECT c.id, c.key, c.provider, c.model, c.params, c.sample, c.body, c.finish,
		c.prompt_tokens, c.completion_tokens, c.estimated, c.answered_by, c.created, p.body, p.hash, `+l.toolsOf("c")+", "+
		l.cardOf("c")+", "+l.grown("c")+" FROM "+from)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		if err := rows.Scan(append([]any{&r.id, &r.key, &r.provider, &r.model, &r.params, &r.sample, &r.body, &r.finish, &r.promptTokens,
			&r.answerTokens, &r.estimated, &r.answeredBy, &r.created, &r.prompt, &r.promptHash,
			&r.tools, &r.card}, r.more.fields()...)...); err != nil {
			return err
		}
		if err := f(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// decodeRow unpacks a row. It does not recompute the key: that is for Verify, which reports all damage and not only the
// first.
func (l *Ledger) decodeRow(r *row) (*pending, error) {
	if r.prompt == nil {
		return nil, errors.New("its prompt is missing")
	}
	messages, tools, err := l.unpackPrompt(r.prompt, r.tools)
	if err != nil {
		return nil, err
	}
	p := &pending{key: r.key, form: form{llm.Author{Provider: r.provider, Model: r.model, Server: r.more.server.String, As: r.more.as.String},
		json.RawMessage(r.params), messages, r.sample, tools}}
	if p.request, err = p.form.request(); err != nil {
		return nil, err
	}
	text, err := l.unpack(r.body)
	if err != nil {
		return nil, err
	}
	p.response = llm.Response{Text: text, Finish: r.finish, Model: r.answeredBy,
		Usage: llm.Usage{PromptTokens: r.promptTokens, CompletionTokens: r.answerTokens, Estimated: r.estimated}}
	if p.response.Card, err = l.unpackReferred(r.card, "card's words"); err != nil {
		return nil, err
	}
	if err := l.into(r.more, &p.response); err != nil {
		return nil, err
	}
	if p.created, err = time.Parse(time.RFC3339, r.created); err != nil {
		return nil, err
	}
	return p, p.check()
}
