package openai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// toolCall is a call as it is received. Arguments are JSON in a string; some servers send the object itself.
type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// toolCalls are the calls of an answer.
type toolCalls []toolCall

// UnmarshalJSON implements json.Unmarshaler.
func (t *toolCalls) UnmarshalJSON(raw []byte) (err error) {
	*t, err = wire.Whole[toolCall](raw, maxParts, "tool calls")
	return err
}

// arguments returns the arguments as text, as the model wrote them.
func (t toolCall) arguments() string {
	var text *string
	raw := t.Function.Arguments
	if json.Unmarshal(raw, &text) == nil {
		if text == nil || *text == "" {
			return "{}"
		}
		return *text
	}
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return "{}"
	}
	return b.String()
}

// calls returns the tool calls of a choice. A call without an id gets one of nine letters and digits, the form that the
// strictest server (Mistral) accepts, numbered on from the calls of the conversation. The key is removed, as from a text.
func (ch choice) calls(r llm.Request, key wire.Key) (out []llm.ToolCall) {
	before := 0
	for _, m := range r.Messages {
		before += len(m.Calls)
	}
	for i, t := range ch.Message.ToolCalls.v {
		c := llm.ToolCall{ID: key.Redact(t.ID), Name: key.Redact(t.Function.Name), Arguments: key.Redact(t.arguments())}
		if c.ID == "" {
			c.ID = fmt.Sprintf("call%05d", (before+i+1)%1e5)
		}
		out = append(out, c)
	}
	return out
}
