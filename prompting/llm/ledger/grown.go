package ledger

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"assay/prompting/llm"
)

// grown is what version 2 of the file holds of a response, and version 1 does not: NULL in the rows of the latter.
type grown struct {
	calls   sql.NullString // JSON, as []llm.ToolCall
	logprob sql.NullFloat64
	tokens  sql.NullInt64
}

func grownOf(r llm.Response) (g grown, err error) {
	if len(r.ToolCalls) > 0 {
		var b []byte
		b, err = json.Marshal(r.ToolCalls)
		g.calls = sql.NullString{String: string(b), Valid: true}
	}
	if r.Logprob != nil {
		g.logprob = sql.NullFloat64{Float64: r.Logprob.Total, Valid: true}
		g.tokens = sql.NullInt64{Int64: int64(r.Logprob.Tokens), Valid: true}
	}
	return g, err
}

// into adds it to a response.
func (g grown) into(r *llm.Response) error {
	if g.logprob.Valid {
		r.Logprob = &llm.Logprob{Total: g.logprob.Float64, Tokens: int(g.tokens.Int64)}
	}
	if !g.calls.Valid {
		return nil
	}
	if err := strict([]byte(g.calls.String), &r.ToolCalls); err != nil {
		return fmt.Errorf("damaged record: tool calls: %w", err)
	}
	return nil
}

// grown names the columns of grown in the table called alias; NULLs where the file lacks them.
func (l *Ledger) grown(alias string) string {
	if l.format < 2 {
		return "NULL, NULL, NULL"
	}
	if alias != "" {
		alias += "."
	}
	return alias + "tool_calls, " + alias + "logprob, " + alias + "logprob_tokens"
}

// noTools stands for a list of tools whose row is missing; it unpacks to nothing.
const noTools = "x''"

// toolsOf is the packed list of tools of a completion; NULL where it has none.
func (l *Ledger) toolsOf(alias string) string {
	if l.format < 2 {
		return "NULL"
	}
	return fmt.Sprintf("CASE WHEN %[1]s.tools IS NULL THEN NULL ELSE coalesce((SELECT body FROM prompts WHERE id = %[1]s.tools), %[2]s) END", alias, noTools)
}

// used selects the prompts that the completions where need, lists of tools among them.
func (l *Ledger) used(where string) string {
	out := "SELECT prompt FROM completions WHERE " + where
	if l.format < 2 {
		return out
	}
	return out + " UNION SELECT tools FROM completions WHERE tools IS NOT NULL AND " + where
}

// unpackPrompt unpacks a message list and, where it is not nil, a list of tools.
func (l *Ledger) unpackPrompt(prompt, tools []byte) (m, t json.RawMessage, err error) {
	text, err := l.unpack(prompt)
	if err != nil || tools == nil {
		return json.RawMessage(text), nil, err
	}
	list, err := l.unpack(tools)
	if err == nil && list == "" {
		err = fmt.Errorf("its tools are missing")
	}
	return json.RawMessage(text), json.RawMessage(list), err
}
