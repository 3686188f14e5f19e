package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"assay/prompting/llm"
)

// Bad is one defect that [Ledger.Verify] found.
type Bad struct {
	Table string // "completions" or "prompts"; empty for the file itself
	Row   int64  // rowid in the table
	Key   string // of the request; empty outside completions
	What  string
}

// String names the row and its defect.
func (b Bad) String() string {
	switch {
	case b.Table == "":
		return "file: " + b.What
	case b.Key == "":
		return fmt.Sprintf("%s row %d: %s", b.Table, b.Row, b.What)
	}
	return fmt.Sprintf("%s row %d (%s): %s", b.Table, b.Row, b.Key, b.What)
}

// Verified counts what [Ledger.Verify] checked.
type Verified struct {
	Completions, Prompts int
	Bad                  int
}

// Verify runs SQLite's integrity check, unpacks everything (each packed text has a checksum), and recomputes the hash
// of every prompt and the key of every request. It reports each defect to bad. The error says what kept it from
// checking.
func (l *Ledger) Verify(ctx context.Context, bad func(Bad)) (v Verified, err error) {
	report := func(b Bad) {
		v.Bad++
		bad(b)
	}
	err = l.snapshot(ctx, func(tx *sql.Tx) error {
		for _, part := range []func(context.Context, *sql.Tx, *Verified, func(Bad)) error{l.verifyFile, l.verifyPrompts, l.verifyCompletions} {
			if err := part(ctx, tx, &v, report); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil { // an unreadable part is a defect, and the other parts may still be readable
				report(Bad{What: explain(err).Error()})
			}
		}
		return nil
	})
	if err != nil {
		return v, fmt.Errorf("ledger: verify %q: %w", l.path, explain(err))
	}
	return v, nil
}

// verifyFile runs SQLite's own integrity check.
func (l *Ledger) verifyFile(ctx context.Context, tx *sql.Tx, _ *Verified, report func(Bad)) error {
	rows, err := tx.QueryContext(ctx, "PRAGMA integrity_check")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return err
		}
		if s != "ok" {
			report(Bad{What: "SQLite's integrity check: " + s})
		}
	}
	return rows.Err()
}

// verifyPrompts unpacks each prompt and recomputes its hash.
func (l *Ledger) verifyPrompts(ctx context.Context, tx *sql.Tx, v *Verified, report func(Bad)) error {
	rows, err := tx.QueryContext(ctx, "SELECT id, hash, body FROM prompts")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var hash string
		var body []byte
		if err := rows.Scan(&id, &hash, &body); err != nil {
			return err
		}
		v.Prompts++
		if text, err := l.unpack(body); err != nil {
			report(Bad{Table: "prompts", Row: id, What: err.Error()})
		} else if got := promptHash([]byte(text)); got != hash {
			report(Bad{Table: "prompts", Row: id, What: fmt.Sprintf("its hash is %s, and the row says %q", got, hash)})
		}
	}
	return rows.Err()
}

// verifyCompletions unpacks each completion and recomputes its key.
func (l *Ledger) verifyCompletions(ctx context.Context, tx *sql.Tx, v *Verified, report func(Bad)) error {
	return l.each(ctx, tx, "completions c LEFT JOIN prompts p ON p.id = c.prompt", func(r *row) error {
		v.Completions++
		if p, err := l.decodeRow(r); err != nil {
			report(Bad{Table: "completions", Row: r.id, Key: r.key, What: err.Error()})
		} else if got, err := p.form.key(); err != nil || got != r.key {
			report(Bad{Table: "completions", Row: r.id, Key: r.key, What: "the request's key is " + got})
		}
		return nil
	})
}

// Total counts completions of one author.
type Total struct {
	llm.Author
	Completions      int   `json:"completions"`
	Prompts          int   `json:"prompts"` // distinct message lists; one that was sent to two models counts for both
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	Estimated        int   `json:"estimated"` // completions whose token counts are estimates
	Bytes            int64 `json:"bytes"`     // of the packed completions, without their prompts
}

// Stats is what a ledger holds.
type Stats struct {
	Models      []Total `json:"models"` // by author
	Completions int     `json:"completions"`
	Prompts     int     `json:"prompts"`      // distinct message lists, and lists of tools
	PromptBytes int64   `json:"prompt_bytes"` // packed
	FileBytes   int64   `json:"file_bytes"`   // of the file with its -wal
}

// totalsSQL returns the SQL that counts the completions where, grouped by author.
func (l *Ledger) totalsSQL(where string) string {
	server, as := "NULL", "NULL"
	if l.format >= 3 {
		server, as = "server", "named"
	}
	return fmt.Sprintf(`SELECT provider, model, coalesce(%s, ''), coalesce(%s, ''), count(*), count(DISTINCT prompt), sum(prompt_tokens), sum(completion_tokens),
	sum(estimated), sum(length(body)) FROM completions %s GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`, server, as, where)
}

// Stats counts completions, tokens and bytes.
func (l *Ledger) Stats(ctx context.Context) (s Stats, err error) {
	err = l.snapshot(ctx, func(tx *sql.Tx) error {
		if s.Models, err = totals(ctx, tx, l.totalsSQL("")); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(length(body)), 0) FROM prompts").Scan(&s.Prompts, &s.PromptBytes)
	})
	if err != nil {
		return Stats{}, fmt.Errorf("ledger: count %q: %w", l.path, explain(err))
	}
	for _, m := range s.Models {
		s.Completions += m.Completions
	}
	s.FileBytes = l.fileBytes()
	return s, nil
}

// totals scans the rows of totalsSQL.
func totals(ctx context.Context, tx *sql.Tx, query string) (out []Total, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t Total
		if err := rows.Scan(&t.Provider, &t.Model, &t.Server, &t.As, &t.Completions, &t.Prompts, &t.PromptTokens, &t.CompletionTokens,
			&t.Estimated, &t.Bytes); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, rows.Err()
}

// fileBytes returns the size of the file with its -wal, in bytes; a missing file counts 0.
func (l *Ledger) fileBytes() (n int64) {
	for _, p := range []string{l.path, l.path + "-wal"} {
		if st, err := os.Stat(p); err == nil {
			n += st.Size()
		}
	}
	return n
}

// Collected says what [Ledger.Collect] deleted, or in a dry run would delete.
type Collected struct {
	Models      []Total `json:"models"`
	Completions int     `json:"completions"`
	Prompts     int     `json:"prompts"`     // that no remaining completion refers to
	Bytes       int64   `json:"bytes"`       // packed, of completions and prompts
	Kept        int     `json:"kept"`        // completions that remain
	FileBefore  int64   `json:"file_before"` // bytes of the file with its -wal
	FileAfter   int64   `json:"file_after"`  // the same afterwards; a dry run leaves it unchanged
}

// Collect deletes the completions whose key is not in keep, and the prompts that none refers to any more, in one
// transaction. It then compacts the file, which needs as much free disk space as the file has. A dry run changes
// nothing. Take the lock ([Ledger.Acquire]) first: a run in progress stores completions that no run folder lists yet.
func (l *Ledger) Collect(ctx context.Context, keep Keys, dryRun bool) (c Collected, err error) {
	c.FileBefore = l.fileBytes()
	switch {
	case dryRun:
		err = l.snapshot(ctx, func(tx *sql.Tx) error { return c.count(ctx, l, tx, keep) })
	case l.write == nil:
		err = &readOnlyError{l.path, l.why}
	default:
		err = l.collect(ctx, &c, keep)
	}
	if err != nil {
		return Collected{}, fmt.Errorf("ledger: collect %q: %w", l.path, explain(err))
	}
	c.FileAfter = l.fileBytes()
	return c, nil
}

// count stores keep in the temporary table wanted, and counts the completions that are not in it.
func (c *Collected) count(ctx context.Context, l *Ledger, tx *sql.Tx, keep Keys) (err error) {
	if _, err = fillKeys(ctx, tx, keep); err != nil {
		return err
	}
	c.Models, err = totals(ctx, tx, l.totalsSQL("WHERE key NOT IN (SELECT key FROM temp.wanted)"))
	if err != nil {
		return err
	}
	for _, m := range c.Models {
		c.Completions += m.Completions
		c.Bytes += m.Bytes
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM completions").Scan(&c.Kept); err != nil {
		return err
	}
	c.Kept -= c.Completions
	var bytes int64
	err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(length(body)), 0) FROM prompts WHERE id NOT IN
		(`+l.used("key IN (SELECT key FROM temp.wanted)")+`)`).Scan(&c.Prompts, &bytes)
	c.Bytes += bytes
	return err
}

// collect deletes in one transaction and then compacts, which SQLite cannot do inside one.
func (l *Ledger) collect(ctx context.Context, c *Collected, keep Keys) error {
	tx, err := l.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := c.count(ctx, l, tx, keep); err != nil {
		return err
	}
	for _, do := range []string{
		"DELETE FROM completions WHERE key NOT IN (SELECT key FROM temp.wanted)",
		"DELETE FROM prompts WHERE id NOT IN (" + l.used("true") + ")",
		"DROP TABLE temp.wanted",
	} {
		if _, err := tx.ExecContext(ctx, do); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	for _, do := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := l.write.ExecContext(ctx, do); err != nil {
			return fmt.Errorf("the completions are deleted, but the file is not compacted: %w", err)
		}
	}
	return nil
}
