package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"unicode/utf8"
)

// mostPiece is the length of a piece of text in a stream, in bytes. The whole completion is there before its first piece is
// sent, as it may be an error until then; so the pieces are the same whenever it is replayed.
const mostPiece = 64

// events writes a stream.
type events struct{ bytes.Buffer }

// data adds an event without a name.
func (e *events) data(v any) {
	b, err := json.Marshal(v)
	if err == nil { // always: what is written is text and numbers
		fmt.Fprintf(e, "data: %s\n\n", b)
	}
}

// named adds an event with the name that it has as its type.
func (e *events) named(v map[string]any) {
	fmt.Fprintf(e, "event: %s\n", v["type"])
	e.data(v)
}

// send writes the stream.
func (e *events) send(c *call) {
	c.w.Header().Set("Cache-Control", "no-cache")
	send(c.w, http.StatusOK, "text/event-stream; charset=utf-8", e.Bytes())
}

// pieces yields a text in order, cut between characters.
func pieces(text string, yield func(string)) {
	for text != "" {
		n := min(mostPiece, len(text))
		for n < len(text) && n > 1 && !utf8.RuneStart(text[n]) {
			n--
		}
		yield(text[:n])
		text = text[n:]
	}
}

// choice adds an event about one choice of OpenAI's API.
func (e *events) choice(r reply, how manner, i int, more map[string]any) {
	choice := map[string]any{"index": i, "logprobs": nil, "finish_reason": nil}
	maps.Copy(choice, more)
	event := r.with(map[string]any{"choices": []any{choice}})
	if how.usage {
		event["usage"] = nil
	}
	e.data(event)
}

// end adds what a stream of OpenAI's API ends with.
func (e *events) end(c *call, r reply, how manner) {
	if how.usage {
		e.data(r.with(map[string]any{"choices": []any{}, "usage": r.usage}))
	}
	e.WriteString("data: [DONE]\n\n")
	e.send(c)
}

// chatStream writes the answer of /v1/chat/completions as a stream, one choice after the other.
func chatStream(c *call, got []outcome, r reply, how manner) {
	var e events
	for i, x := range got {
		delta := func(d map[string]any) { e.choice(r, how, i, map[string]any{"delta": d}) }
		delta(map[string]any{"role": "assistant", "content": "", "refusal": nil})
		pieces(x.response.Reasoning, func(s string) { delta(map[string]any{"reasoning_content": s}) })
		pieces(x.response.Text, func(s string) { delta(map[string]any{"content": s}) })
		for _, t := range chatCalls(x.response.ToolCalls, true) {
			begin := t
			begin.Function.Arguments = ""
			delta(map[string]any{"tool_calls": []chatToolCall{begin}})
			pieces(t.Function.Arguments, func(s string) {
				more := chatToolCall{Index: t.Index}
				more.Function.Arguments = s
				delta(map[string]any{"tool_calls": []chatToolCall{more}})
			})
		}
		if x.failure != nil {
			delta(map[string]any{"refusal": x.failure.Why()})
		}
		e.choice(r, how, i, map[string]any{"delta": map[string]any{}, "logprobs": x.sums(how), "finish_reason": x.finish()})
	}
	e.end(c, r, how)
}

// textStream writes the answer of /v1/completions as a stream.
func textStream(c *call, got []outcome, r reply, how manner) {
	var e events
	for i, x := range got {
		pieces(x.response.Text, func(s string) { e.choice(r, how, i, map[string]any{"text": s}) })
		e.choice(r, how, i, map[string]any{"text": "", "logprobs": x.sums(how), "finish_reason": x.finish()})
	}
	e.end(c, r, how)
}

// messageStream writes the answer of /v1/messages as a stream of its events.
func messageStream(c *call, message map[string]any) {
	var e events
	begin, usage := maps.Clone(message), maps.Clone(message["usage"].(map[string]any))
	usage["output_tokens"] = 0
	begin["content"], begin["stop_reason"], begin["usage"] = []any{}, nil, usage
	e.named(map[string]any{"type": "message_start", "message": begin})
	for i, b := range message["content"].([]map[string]any) {
		e.block(i, b)
	}
	e.named(map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": message["stop_reason"], "stop_sequence": nil}, "usage": message["usage"]})
	e.named(map[string]any{"type": "message_stop"})
	e.send(c)
}

// block adds the events of one block of Anthropic's.
func (e *events) block(i int, b map[string]any) {
	begin := maps.Clone(b)
	delta := func(kind, name, text string) {
		pieces(text, func(s string) {
			e.named(map[string]any{"type": "content_block_delta", "index": i, "delta": map[string]any{"type": kind, name: s}})
		})
	}
	start := func(name string, empty any) {
		begin[name] = empty
		e.named(map[string]any{"type": "content_block_start", "index": i, "content_block": begin})
	}
	switch b["type"] {
	case "thinking":
		start("thinking", "")
		delta("thinking_delta", "thinking", b["thinking"].(string))
	case "text":
		start("text", "")
		delta("text_delta", "text", b["text"].(string))
	case "tool_use":
		start("input", map[string]any{})
		raw, _ := json.Marshal(b["input"]) // decoded from JSON
		delta("input_json_delta", "partial_json", string(raw))
	}
	e.named(map[string]any{"type": "content_block_stop", "index": i})
}
