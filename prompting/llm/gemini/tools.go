package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// functionCall is a tool call as it is sent and received. Most models give it no id.
type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// unsent marks an id that this package made because the API gave none. Such an id is not sent back.
const unsent = "#"

// calls returns the tool calls of a candidate. Those without an id are numbered on from the calls of the conversation.
// The key is removed, as from a text.
func (c candidate) calls(r llm.Request, key wire.Key) (out []llm.ToolCall) {
	number := 0
	for _, m := range r.Messages {
		number += len(m.Calls)
	}
	for _, p := range c.Content.Parts {
		if p.Call == nil {
			continue
		}
		number++
		call := llm.ToolCall{ID: key.Redact(p.Call.ID), Name: key.Redact(p.Call.Name), Arguments: key.Redact(object(p.Call.Args)), Signature: key.Redact(p.Signature)}
		if call.ID == "" {
			call.ID = fmt.Sprintf("%s%d", unsent, number)
		}
		out = append(out, call)
	}
	return out
}

// object writes JSON without white space, because the API's own differs from answer to answer.
func object(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || string(raw) == "null" || json.Compact(&b, raw) != nil {
		return "{}"
	}
	return b.String()
}

// contents returns the turns as they are sent. The API requires the results of one turn's calls to be in one content.
func contents(turns []llm.Message) []any {
	var out []any
	for i, m := range turns {
		switch {
		case m.Role == llm.ToolResult && i > 0 && turns[i-1].Role == llm.ToolResult:
			last := out[len(out)-1].(map[string]any)
			last["parts"] = append(last["parts"].([]any), result(m))
		case m.Role == llm.ToolResult:
			out = append(out, map[string]any{"role": "user", "parts": []any{result(m)}})
		case m.Role == llm.Assistant:
			out = append(out, map[string]any{"role": "model", "parts": said(m)})
		default:
			out = append(out, map[string]any{"role": "user", "parts": []any{map[string]any{"text": m.Text}}})
		}
	}
	return out
}

// said returns the model's own turn as it is sent.
func said(m llm.Message) (parts []any) {
	if m.Text != "" || len(m.Calls) == 0 {
		parts = append(parts, map[string]any{"text": m.Text})
	}
	for _, c := range m.Calls {
		call := map[string]any{"name": c.Name, "args": arguments(c.Arguments)}
		if c.ID != "" && !strings.HasPrefix(c.ID, unsent) {
			call["id"] = c.ID
		}
		p := map[string]any{"functionCall": call}
		if c.Signature != "" {
			p["thoughtSignature"] = c.Signature
		}
		parts = append(parts, p)
	}
	return parts
}

// arguments returns arguments as they came, or an empty object if they are not one: another provider's model may have
// written them.
func arguments(text string) any {
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &args) != nil || args == nil {
		return map[string]any{}
	}
	return json.RawMessage(text)
}

// result returns a tool's result as it is sent. An id that this package made is left out.
func result(m llm.Message) any {
	r := map[string]any{"name": m.Tool, "response": map[string]any{"result": m.Text}}
	if m.CallID != "" && !strings.HasPrefix(m.CallID, unsent) {
		r["id"] = m.CallID
	}
	return map[string]any{"functionResponse": r}
}

// logprob adds up the log-probabilities; nil if there are none.
func (c candidate) logprob() *llm.Logprob {
	chosen, err := wire.Whole[struct {
		Logprob float64 `json:"logProbability"`
	}](c.Logprobs.Chosen, maxLogprobs, "tokens")
	if err != nil {
		return nil
	}
	var l llm.Logprob
	for _, t := range chosen {
		l.Total += t.Logprob
		l.Tokens++
	}
	if l.Tokens == 0 || math.IsInf(l.Total, 0) {
		return nil
	}
	return &l
}
