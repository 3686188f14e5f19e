package ledger

import (
	"context"
	"database/sql"
	"fmt"

	"assay/prompting/llm"
)

// Adopted says what [Ledger.Adopt] did.
type Adopted struct {
	Completions int // copied to the new author
	Present     int // skipped, because the new author already has a completion of the same request
}

// Adopt copies the completions of one author to another, in one transaction, so that they answer requests to both. It
// serves a ledger written before addresses were stored (copied to the server that gave the completions), and an
// experiment that names its author (copied to that name). The caller must know that the two are the same model: nothing
// here can check it. The existing completions stay as they are.
func (l *Ledger) Adopt(ctx context.Context, from, to llm.Author) (out Adopted, err error) {
	if l.write == nil {
		return out, &readOnlyError{l.path, l.why}
	}
	if out, err = l.adopt(ctx, from, to); err != nil {
		return Adopted{}, fmt.Errorf("ledger: adopt %q as %q in %q: %w", from, to, l.path, explain(err))
	}
	return out, nil
}

// adopt lists the completions before it copies any, because it cannot read and write the table at once.
func (l *Ledger) adopt(ctx context.Context, from, to llm.Author) (out Adopted, err error) {
	tx, err := l.write.BeginTx(ctx, nil)
	if err != nil {
		return out, err
	}
	defer tx.Rollback()
	where, args := byAuthor(from)
	rows, err := tx.QueryContext(ctx, "SELECT id FROM completions c WHERE "+where+" ORDER BY id", args...)
	if err != nil {
		return out, err
	}
	all, err := numbers(rows)
	for _, id := range all {
		if err == nil {
			err = l.adoptOne(ctx, tx, id, to, &out)
		}
	}
	if err != nil {
		return out, err
	}
	return out, tx.Commit()
}

// adoptOne copies one completion under its new key. The completion keeps its model if the new author states none.
func (l *Ledger) adoptOne(ctx context.Context, tx *sql.Tx, id int64, to llm.Author, out *Adopted) error {
	var p *pending
	err := l.each(ctx, tx, fmt.Sprintf("completions c LEFT JOIN prompts p ON p.id = c.prompt WHERE c.id = %d", id), func(r *row) (err error) {
		p, err = l.decodeRow(r)
		return err
	})
	if err != nil {
		return err
	}
	if to.Model == "" {
		to.Model = p.form.Model
	}
	p.form.Author, p.request.Author = to, to
	if p.key, err = p.form.key(); err != nil {
		return err
	}
	added, err := l.insert(tx, p)
	if added {
		out.Completions++
	} else {
		out.Present++
	}
	return err
}

// numbers returns the one integer column of rows, and closes them.
func numbers(rows *sql.Rows) (out []int64, err error) {
	defer rows.Close()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, rows.Err()
}
