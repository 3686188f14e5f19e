package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// The types of content blocks that this package reads.
const (
	blockText     = "text"
	blockThinking = "thinking"
	blockRedacted = "redacted_thinking"
	blockTool     = "tool_use"
)

// body holds the fields of an answer that assay uses. Those beside the content are raw, because a form that is not known
// must not lose an answer that arrived and was paid for.
type body struct {
	Type    json.RawMessage `json:"type"`
	Model   json.RawMessage `json:"model"`
	Content json.RawMessage `json:"content"`
	Stop    json.RawMessage `json:"stop_reason"`
	Details json.RawMessage `json:"stop_details"`
	Usage   json.RawMessage `json:"usage"`
}

// block is a content block. Fields that have another form in blocks of other types are empty.
type block struct {
	Type, Text, Thinking, ID, Name string
	Input                          json.RawMessage
	raw                            json.RawMessage // of reasoning: the whole block, which goes back
}

// maxBlocks is more blocks than any answer has.
const maxBlocks = 10_000

// field decodes a value, or returns the zero value if it has another form.
func field[T any](raw json.RawMessage) (v T) {
	if len(raw) > 0 && json.Unmarshal(raw, &v) != nil {
		var zero T
		return zero
	}
	return v
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *block) UnmarshalJSON(raw []byte) error {
	var f struct{ Type, Text, Thinking, ID, Name, Input json.RawMessage }
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	*b = block{Type: field[string](f.Type), Text: field[string](f.Text), Thinking: field[string](f.Thinking), ID: field[string](f.ID),
		Name: field[string](f.Name), Input: f.Input}
	if b.Type == blockThinking || b.Type == blockRedacted {
		b.raw = bytes.Clone(raw)
	}
	return nil
}

// result returns the answer that a message is, as /v1/messages and the results of a batch give it, to a request. Its errors
// are those of Generate.
func (c *Client) result(raw json.RawMessage, r llm.Request) (llm.Response, error) {
	got, err := c.read(&wire.Call{Status: 200, Body: raw}, r)
	list, err := c.key.Answer([]llm.Response{got}, named(err, "read the answer of", r.Model))
	if err != nil {
		return llm.Response{}, err
	}
	return list[0], nil
}

func (c *Client) read(call *wire.Call, r llm.Request) (llm.Response, error) {
	var b body
	if err := c.key.Decode(call, &b); err != nil {
		return llm.Response{}, err
	}
	if field[string](b.Type) == "error" {
		return llm.Response{}, c.hidden(call)
	}
	blocks, err := b.blocks()
	if err != nil {
		return llm.Response{}, &llm.Failure{Reason: wire.Malformed, Err: errors.New(c.key.Clip(err.Error())), Usage: field[usage](b.Usage).total()}
	}
	resp := c.response(blocks, r)
	resp.Model = wire.Placeless(c.key.Clip(field[string](b.Model)))
	c.meter(&resp, r, b.Usage)
	if err := c.end(&resp, b); err != nil {
		return llm.Response{}, err
	}
	c.thoughts.Note("anthropic", r, []llm.Response{resp})
	return resp, wire.CheckLength([]llm.Response{resp}, 1)
}

// blocks returns the content: a list of blocks, or a text, as some gateways send it.
func (b body) blocks() ([]block, error) {
	var text *string
	switch {
	case len(b.Content) == 0 || string(b.Content) == "null":
		return nil, errors.New("the answer has no content")
	case json.Unmarshal(b.Content, &text) == nil:
		return []block{{Type: blockText, Text: *text}}, nil
	case b.Content[0] != '[':
		return nil, errors.New("the answer's content is no list")
	}
	return wire.Whole[block](b.Content, maxBlocks, "content blocks")
}

// response returns the answer that the blocks are, but for what stands beside them.
func (c *Client) response(blocks []block, r llm.Request) llm.Response {
	var said, thoughts []string
	resp := llm.Response{}
	for _, b := range blocks {
		switch b.Type {
		case blockText:
			said = append(said, b.Text)
		case blockThinking:
			thoughts = append(thoughts, b.Thinking)
		case blockTool:
			resp.ToolCalls = append(resp.ToolCalls, c.call(b, r, len(resp.ToolCalls)))
		case blockRedacted: // goes back with the calls, and cannot be read
		default:
			c.warn(r.Model, "%q gives a kind of content that is not known here and left out: "+escaped(c.key.Clip(b.Type)))
		}
	}
	resp.Text, resp.Reasoning = strings.Join(said, ""), strings.Join(thoughts, "\n\n")
	if len(r.Tools) == 0 { // without tools no call was asked for
		resp.ToolCalls = nil
	}
	if len(resp.ToolCalls) > 0 {
		resp.ToolCalls[0].Signature = c.key.Redact(layoutOf(blocks))
	}
	resp.Text = cut(resp.Text, r.Params.Stop)
	return resp
}

// escaped returns a text so that it stands for itself in a format.
func escaped(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// call returns the n-th tool call of an answer. One without an id is numbered on from the calls of the conversation. The
// key is removed, as from a text.
func (c *Client) call(b block, r llm.Request, n int) llm.ToolCall {
	for _, m := range r.Messages {
		n += len(m.Calls)
	}
	call := llm.ToolCall{ID: c.key.Redact(b.ID), Name: c.key.Redact(b.Name), Arguments: c.key.Redact(object(b.Input))}
	if call.ID == "" {
		call.ID = fmt.Sprintf("toolu_%05d", n+1)
	}
	return call
}

// object writes JSON without white space.
func object(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || string(raw) == "null" || json.Compact(&b, raw) != nil {
		return "{}"
	}
	return b.String()
}

// cut ends a text where the first of the stop sequences begins that the API was not sent.
func cut(text string, stops []string) string {
	for _, s := range stops {
		if s != "" && strings.TrimSpace(s) == "" {
			text, _, _ = strings.Cut(text, s)
		}
	}
	return text
}

// end sets why the answer ended. It fails only for what the provider held back.
func (c *Client) end(resp *llm.Response, b body) error {
	switch reason := field[string](b.Stop); reason {
	case "", "end_turn", "stop_sequence":
		resp.Finish = "stop"
	case "max_tokens", "model_context_window_exceeded":
		resp.Finish = llm.FinishLength
		return nil
	case "tool_use":
		resp.Finish = llm.FinishTools
	case "refusal":
		f := &llm.Failure{Reason: "blocked: refusal", Usage: resp.Usage}
		d := field[struct{ Category, Explanation json.RawMessage }](b.Details)
		if text := strings.TrimSpace(field[string](d.Category) + " " + field[string](d.Explanation)); text != "" {
			f.Err = errors.New(c.key.Clip(text))
		}
		return f
	default: // what arrived is complete all the same
		resp.Finish = c.key.Clip(reason)
	}
	if len(resp.ToolCalls) > 0 {
		resp.Finish = llm.FinishTools
	}
	return nil
}

// usage are the tokens of an answer. Those read from the cache and written to it are no part of Input.
type usage struct {
	Input   json.RawMessage `json:"input_tokens"`
	Written json.RawMessage `json:"cache_creation_input_tokens"`
	Read    json.RawMessage `json:"cache_read_input_tokens"`
	Output  json.RawMessage `json:"output_tokens"`
	Details json.RawMessage `json:"output_tokens_details"`
	Tier    json.RawMessage `json:"service_tier"`
}

// total returns the tokens as assay counts them.
func (u usage) total() llm.Usage {
	read, written, output := tokens(u.Read), tokens(u.Written), tokens(u.Output)
	thinking := field[struct {
		Tokens json.RawMessage `json:"thinking_tokens"`
	}](u.Details)
	return llm.Usage{PromptTokens: tokens(u.Input) + read + written, CompletionTokens: output, CachedTokens: read,
		CacheWriteTokens: written, ReasoningTokens: min(tokens(thinking.Tokens), output)}
}

// meter sets the answer's tokens and the service that gave it. Tokens that the server does not count are estimated.
func (c *Client) meter(resp *llm.Response, r llm.Request, raw json.RawMessage) {
	u := field[usage](raw)
	resp.Usage = u.total()
	if field[string](u.Tier) == llm.Batch {
		resp.Tier = llm.Batch
	}
	if r.Params.Logprobs {
		c.warn(r.Model, "%q gives no log-probabilities")
	}
	texts := resp.Reasoning + resp.Text
	for _, t := range resp.ToolCalls {
		texts += t.Name + t.Arguments
	}
	// No prompt has 0 tokens, so a 0 means that the server did not count.
	estimate := llm.EstimateUsage(r, texts)
	got := &resp.Usage
	if got.PromptTokens > 0 && (got.CompletionTokens > 0 || estimate.CompletionTokens == 0) {
		return
	}
	c.warn(r.Model, "the server of %q does not count all tokens: they are estimated at four characters each")
	got.PromptTokens = cmp.Or(got.PromptTokens, estimate.PromptTokens)
	got.CompletionTokens = cmp.Or(got.CompletionTokens, estimate.CompletionTokens)
	got.Estimated = true
}

// tokens returns a number of tokens, 0 if it is none that a call can use.
func tokens(raw json.RawMessage) int {
	const most = 1e8
	if n := field[int](raw); n > 0 && n <= most {
		return n
	}
	return 0
}
