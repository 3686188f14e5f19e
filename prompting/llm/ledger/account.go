package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"assay/prompting/llm"
)

// Paid counts completions, or vectors, that took the same number of tokens, as the provider counted them, by the same service.
// Of the completions of one call the first alone has prompt tokens: the prompt is paid for once.
type Paid struct {
	Author llm.Author // without its As: the price depends on model and address
	Usage  llm.Usage  // of each; Estimated and ReasoningTokens are not set
	Tier   string     // of each, see llm.Response
	Times  int64      // number of such completions
	Vector bool       // they are vectors of texts
	// Longest are the prompt tokens of the call, also where another of its completions has them: a price may depend on it.
	Longest int64
}

// paidSQL groups instead of summing, because the price of a token may depend on the length of its prompt. tier and the two
// columns of the prompt cache are %s: a file of version 3 lacks some.
const paidSQL = `SELECT provider, model, coalesce(server, ''), prompt_tokens, completion_tokens, cached, written, tier, count(*), vector, longest FROM (
	SELECT provider, model, server, prompt_tokens, completion_tokens, coalesce(cached_tokens, 0) AS cached, %s AS written, %s AS tier,
		finish = '` + llm.FinishVector + `' AS vector, max(prompt_tokens) OVER (PARTITION BY prompt, provider, model, server) AS longest
		FROM completions WHERE run = ?1
	UNION ALL SELECT provider, model, server, prompt_tokens, completion_tokens, %s, %s, %s, false, prompt_tokens FROM charges WHERE run = ?1
) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 10, 11 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 10, 11`

// paidQuery is paidSQL for a file of a version.
func paidQuery(version int) string {
	const cached, written, tier = "coalesce(cached_tokens, 0)", "coalesce(cache_write_tokens, 0)", "coalesce(tier, '')"
	if version < 4 {
		return fmt.Sprintf(paidSQL, "0", "''", "0", "0", "''")
	}
	return fmt.Sprintf(paidSQL, written, tier, cached, written, tier)
}

// Paid lists what a run's calls cost in tokens, over every time the run was started. A completion and its token counts
// are one row of the file, so a process that died between the two cannot make them disagree.
func (l *Ledger) Paid(ctx context.Context, run string) ([]Paid, error) {
	if l.format < 3 {
		return nil, nil
	}
	rows, err := l.read.QueryContext(ctx, paidQuery(l.format), run)
	if err != nil {
		return nil, fmt.Errorf("ledger: sum run %q in %q: %w", run, l.path, explain(err))
	}
	defer rows.Close()
	var out []Paid
	for rows.Next() {
		var p Paid
		if err := rows.Scan(&p.Author.Provider, &p.Author.Model, &p.Author.Server, &p.Usage.PromptTokens, &p.Usage.CompletionTokens,
			&p.Usage.CachedTokens, &p.Usage.CacheWriteTokens, &p.Tier, &p.Times, &p.Vector, &p.Longest); err != nil {
			return nil, fmt.Errorf("ledger: sum run %q in %q: %w", run, l.path, explain(err))
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// Charge stores the tokens of a call of a run that was paid for and gave no completion to store: the answer was blocked
// after it was made, or another process had stored a completion of the same request first. tier is that of its response.
func (l *Ledger) Charge(ctx context.Context, run string, a llm.Author, u llm.Usage, tier string) error {
	if l.write == nil {
		return &readOnlyError{l.path, l.why}
	}
	_, err := l.write.ExecContext(context.WithoutCancel(ctx), `INSERT INTO charges (run, provider, model, server, named, prompt_tokens, completion_tokens, cached_tokens,
		cache_write_tokens, tier, created) VALUES (?,?,?,?,?,?,?,?,?,?,?)`, run, a.Provider, a.Model, text(a.Server), text(a.As), u.PromptTokens, u.CompletionTokens,
		count(u.CachedTokens), count(u.CacheWriteTokens), text(tier), time.Now().UTC().Format(time.RFC3339))
	if err != nil {
		return fmt.Errorf("ledger: charge run %q in %q: %w", run, l.path, explain(err))
	}
	return nil
}

// Responder is who answered, with the number of completions it gave.
type Responder struct {
	llm.Voice
	Completions int
}

// Voices lists who answered requests to an author, in the provider's own words, the most frequent first. The list is
// empty for a file of an older version, which did not store it.
func (l *Ledger) Voices(ctx context.Context, a llm.Author) (out []Responder, err error) {
	if l.format < 3 {
		return nil, nil
	}
	where, args := byAuthor(a)
	rows, err := l.read.QueryContext(ctx, `SELECT answered_by, coalesce(print, ''), card IS NOT NULL, coalesce((SELECT body FROM prompts WHERE id = card), `+missing+`), n
		FROM (SELECT answered_by, print, card, count(*) AS n, min(id) AS first FROM completions c WHERE `+where+` GROUP BY 1, 2, 3)
		ORDER BY n DESC, first`, args...)
	if err != nil {
		return nil, fmt.Errorf("ledger: list who answered for %q in %q: %w", a, l.path, explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		h, err := l.heard(rows, a)
		if err != nil {
			return nil, fmt.Errorf("ledger: list who answered for %q in %q: %w", a, l.path, explain(err))
		}
		out = append(out, h)
	}
	return out, rows.Err()
}

// byAuthor returns the SQL condition on a completion c of an author, and the condition's arguments.
func byAuthor(a llm.Author) (where string, args []any) {
	if a.As != "" {
		return "c.provider = ? AND c.named = ?", []any{a.Provider, a.As}
	}
	return "c.provider = ? AND c.model = ? AND c.named IS NULL AND c.server IS ?", []any{a.Provider, a.Model, text(a.Server)}
}

// heard scans one row of Voices.
func (l *Ledger) heard(rows *sql.Rows, a llm.Author) (h Responder, err error) {
	var hasCard bool
	var card []byte
	h.Author = a.Identity()
	if err = rows.Scan(&h.Model, &h.Print, &hasCard, &card, &h.Completions); err == nil && hasCard {
		h.Card, err = l.unpackReferred(card, "card's words")
	}
	return h, err
}
