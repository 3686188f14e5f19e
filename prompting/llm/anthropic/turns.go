package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"assay/prompting/llm"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// conversation returns the system prompt and the turns as they are sent. Turns of one role that follow each other are one
// message, as the API itself joins them: it requires the results of one turn's calls to be in one. A text of white space
// alone is left out, because the API refuses it.
func conversation(messages []llm.Message) (system []sdk.TextBlockParam, turns []sdk.MessageParam, err error) {
	last := llm.Role("")
	for i, m := range messages {
		if m.Role == llm.System {
			system = appendText(system, m.Text)
			continue
		}
		last = m.Role
		role, blocks := sdk.MessageParamRoleUser, []sdk.ContentBlockParamUnion(nil)
		switch m.Role {
		case llm.User:
			blocks = text(m.Text)
		case llm.ToolResult:
			blocks = []sdk.ContentBlockParamUnion{result(m)}
		case llm.Assistant:
			role, blocks = sdk.MessageParamRoleAssistant, said(m)
		default:
			return nil, nil, fmt.Errorf("message %d has the unknown role %q", i, m.Role)
		}
		if n := len(turns); n > 0 && turns[n-1].Role == role {
			turns[n-1].Content = append(turns[n-1].Content, blocks...)
		} else if len(blocks) > 0 {
			turns = append(turns, sdk.MessageParam{Role: role, Content: blocks})
		}
	}
	if n := len(turns); last != llm.User && last != llm.ToolResult || n == 0 || turns[n-1].Role != sdk.MessageParamRoleUser {
		return nil, nil, errLast
	}
	return system, turns, nil
}

// appendText adds a text to the system prompt.
func appendText(system []sdk.TextBlockParam, s string) []sdk.TextBlockParam {
	if strings.TrimSpace(s) == "" {
		return system
	}
	return append(system, sdk.TextBlockParam{Text: s})
}

// text returns a text as content.
func text(s string) []sdk.ContentBlockParamUnion {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []sdk.ContentBlockParamUnion{sdk.NewTextBlock(s)}
}

// result returns a tool's result as it is sent.
func result(m llm.Message) sdk.ContentBlockParamUnion {
	r := sdk.ToolResultBlockParam{ToolUseID: sentID(m.CallID)}
	for _, b := range text(m.Text) {
		r.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: b.OfText}}
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &r}
}

// said returns the model's own turn as it is sent: in the order in which it came, where the turn's layout says that, and
// else its text and then its calls.
func said(m llm.Message) []sdk.ContentBlockParamUnion {
	if len(m.Calls) == 0 {
		return text(m.Text)
	}
	blocks, ok := layout(m.Calls[0].Signature).turn(m)
	if ok {
		return blocks
	}
	blocks = append(blocks, text(m.Text)...)
	for _, c := range m.Calls {
		blocks = append(blocks, use(c))
	}
	return blocks
}

// use returns a call as it is sent. Arguments that are no object, which a model of another provider may have written, are
// sent as an empty one.
func use(c llm.ToolCall) sdk.ContentBlockParamUnion {
	var object map[string]json.RawMessage
	arguments := json.RawMessage(c.Arguments)
	if json.Unmarshal(arguments, &object) != nil || object == nil {
		arguments = json.RawMessage("{}")
	}
	return sdk.NewToolUseBlock(sentID(c.ID), arguments, c.Name)
}

// sentID returns the id of a call in the letters that the API takes: those that another provider's id has beside them are
// written in hexadecimal, so that ids that differ still do.
func sentID(id string) string {
	var b strings.Builder
	for _, c := range []byte(id) {
		if c == '_' || c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return b.String()
}

// layout is the record of a turn that called tools after reasoning, as the Signature of its first call: the API requires
// the reasoning back unchanged and in its place. It is a JSON array with an element per block of the answer: the block
// itself for reasoning, the number of bytes for a piece of the text, null for a call.
type layout string

// layoutOf returns the layout of an answer; empty if the answer has no reasoning.
func layoutOf(blocks []block) string {
	reasoning := false
	var list []any
	for _, b := range blocks {
		switch b.Type {
		case blockText:
			list = append(list, len(b.Text))
		case blockTool:
			list = append(list, nil)
		case blockThinking, blockRedacted:
			reasoning = true
			list = append(list, b.raw)
		}
	}
	if !reasoning {
		return ""
	}
	raw, err := json.Marshal(list)
	if err != nil { // unreachable: the blocks were parsed
		return ""
	}
	return string(raw)
}

// turn returns the blocks of a turn that has this layout. ok is false if the turn is another, whose text or calls were
// changed: blocks then has the reasoning alone.
func (l layout) turn(m llm.Message) (blocks []sdk.ContentBlockParamUnion, ok bool) {
	var list []json.RawMessage
	if l == "" || json.Unmarshal([]byte(l), &list) != nil {
		return nil, false
	}
	var reasoning []sdk.ContentBlockParamUnion
	rest, calls := m.Text, m.Calls
	for _, e := range list {
		var n int
		switch {
		case string(e) == "null" && len(calls) > 0:
			blocks, calls = append(blocks, use(calls[0])), calls[1:]
		case json.Unmarshal(e, &n) == nil && 0 <= n && n <= len(rest):
			blocks, rest = append(blocks, text(rest[:n])...), rest[n:]
		case thought(e):
			b := param.Override[sdk.ContentBlockParamUnion](e)
			blocks, reasoning = append(blocks, b), append(reasoning, b)
		default:
			return reasoning, false
		}
	}
	if rest != "" || len(calls) > 0 {
		return reasoning, false
	}
	return blocks, true
}

// thought reports whether a block is one of reasoning.
func thought(raw json.RawMessage) bool {
	var b struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &b) == nil && (b.Type == blockThinking || b.Type == blockRedacted)
}
