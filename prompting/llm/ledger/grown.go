package ledger

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"assay/prompting/llm"
)

// grown holds the columns of a completion that later format versions added. They are NULL in rows of version 1. Its
// fields are in the order of grownColumns.
type grown struct {
	calls     sql.NullString // JSON, as []llm.ToolCall
	logprob   sql.NullFloat64
	tokens    sql.NullInt64
	print     sql.NullString
	cached    sql.NullInt64
	reasoned  sql.NullInt64
	reasoning []byte // packed
	server    sql.NullString
	as        sql.NullString
	tier      sql.NullString
	written   sql.NullInt64
}

// grownColumns are the columns of grown, each with the format version that added it.
var grownColumns = []struct {
	name  string
	since int
}{
	{"tool_calls", 2}, {"logprob", 2}, {"logprob_tokens", 2},
	{"print", 3}, {"cached_tokens", 3}, {"reasoning_tokens", 3}, {"reasoning", 3}, {"server", 3}, {"named", 3},
	{"tier", 4}, {"cache_write_tokens", 4},
}

// fields returns the destinations for scanning a row, in the order of grownColumns.
func (g *grown) fields() []any {
	return []any{&g.calls, &g.logprob, &g.tokens, &g.print, &g.cached, &g.reasoned, &g.reasoning, &g.server, &g.as, &g.tier, &g.written}
}

// values returns the values to insert, in the order of grownColumns.
func (g *grown) values() []any {
	return []any{g.calls, g.logprob, g.tokens, g.print, g.cached, g.reasoned, g.reasoning, g.server, g.as, g.tier, g.written}
}

// text returns NULL for the empty string.
func text(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// count returns NULL for 0.
func count(n int) sql.NullInt64 { return sql.NullInt64{Int64: int64(n), Valid: n != 0} }

// grownOf returns the later columns of a completion. What is empty becomes NULL, so that rows stay small.
func (l *Ledger) grownOf(a llm.Author, r llm.Response) (g grown, err error) {
	g = grown{print: text(r.Print), cached: count(r.Usage.CachedTokens), reasoned: count(r.Usage.ReasoningTokens),
		server: text(a.Server), as: text(a.As), tier: text(r.Tier), written: count(r.Usage.CacheWriteTokens)}
	if r.Reasoning != "" {
		g.reasoning = l.pack([]byte(r.Reasoning))
	}
	if len(r.ToolCalls) > 0 {
		var b []byte
		b, err = json.Marshal(r.ToolCalls)
		g.calls = text(string(b))
	}
	if r.Logprob != nil {
		g.logprob = sql.NullFloat64{Float64: r.Logprob.Total, Valid: true}
		g.tokens = sql.NullInt64{Int64: int64(r.Logprob.Tokens), Valid: true}
	}
	return g, err
}

// into copies g into a response.
func (l *Ledger) into(g grown, r *llm.Response) (err error) {
	r.Print, r.Usage.CachedTokens, r.Usage.ReasoningTokens = g.print.String, int(g.cached.Int64), int(g.reasoned.Int64)
	r.Tier, r.Usage.CacheWriteTokens = g.tier.String, int(g.written.Int64)
	if g.logprob.Valid {
		r.Logprob = &llm.Logprob{Total: g.logprob.Float64, Tokens: int(g.tokens.Int64)}
	}
	if g.reasoning != nil {
		if r.Reasoning, err = l.unpack(g.reasoning); err != nil {
			return err
		}
	}
	if !g.calls.Valid {
		return nil
	}
	if err := strict([]byte(g.calls.String), &r.ToolCalls); err != nil {
		return fmt.Errorf("damaged record: tool calls: %w", err)
	}
	return nil
}

// grown returns the SQL names of the columns of grown in the table alias, NULL for those that the file lacks.
func (l *Ledger) grown(alias string) string {
	names := make([]string, len(grownColumns))
	for i, c := range grownColumns {
		names[i] = "NULL"
		if l.format >= c.since {
			names[i] = alias + "." + c.name
		}
	}
	return strings.Join(names, ", ")
}

// missing replaces a text that a row refers to and that table prompts lacks. It unpacks to the empty text, which no
// stored text is, so that damage differs from NULL (no reference).
const missing = "x''"

// reference returns the SQL of the packed text in table prompts that a completion's column refers to; NULL if none.
func (l *Ledger) reference(alias, column string, since int) string {
	if l.format < since {
		return "NULL"
	}
	return fmt.Sprintf("CASE WHEN %[1]s.%[2]s IS NULL THEN NULL ELSE coalesce((SELECT body FROM prompts WHERE id = %[1]s.%[2]s), %[3]s) END", alias, column, missing)
}

func (l *Ledger) toolsOf(alias string) string { return l.reference(alias, "tools", 2) }
func (l *Ledger) cardOf(alias string) string  { return l.reference(alias, "card", 3) }

// used returns the SQL that selects the prompts (lists of tools and cards included) of the completions where.
func (l *Ledger) used(where string) string {
	out := "SELECT prompt FROM completions WHERE " + where
	if l.format >= 2 {
		out += " UNION SELECT tools FROM completions WHERE tools IS NOT NULL AND " + where
	}
	if l.format >= 3 {
		out += " UNION SELECT card FROM completions WHERE card IS NOT NULL AND " + where
	}
	return out
}

// unpackReferred unpacks a text that a row refers to. Nil means no reference and gives the empty text.
func (l *Ledger) unpackReferred(packed []byte, what string) (string, error) {
	if packed == nil {
		return "", nil
	}
	text, err := l.unpack(packed)
	if err == nil && text == "" {
		err = fmt.Errorf("its %s are missing", what)
	}
	return text, err
}

// unpackPrompt unpacks a message list and, if tools is not nil, a list of tools.
func (l *Ledger) unpackPrompt(prompt, tools []byte) (m, t json.RawMessage, err error) {
	text, err := l.unpack(prompt)
	if err != nil || tools == nil {
		return json.RawMessage(text), nil, err
	}
	list, err := l.unpackReferred(tools, "tools")
	return json.RawMessage(text), json.RawMessage(list), err
}
