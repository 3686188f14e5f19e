package llmtest

import (
	"context"
	"encoding/json"
	"strings"

	"assay/prompting/llm"
)

// cutHere marks where a file ends too early.
const cutHere = "\x00cut"

// write writes the line of one request.
func (b *Batches) write(f *fakeBatch, l fakeLine, outcome Outcome) {
	line := func(answer any) []byte {
		text, _ := json.Marshal(answer)
		return append(text, '\n')
	}
	if outcome != Missing && outcome != Expires {
		b.done[l.ID]++
	}
	good := func() []byte { return line(b.good(l)) }
	switch outcome {
	case Missing:
	case Expires, Fails, Refuses:
		text := line(b.bad(l, outcome))
		if f.counts["failed"]++; b.Kind == Anthropic {
			f.output = append(f.output, text...)
		} else {
			f.errors = append(f.errors, text...)
		}
	case Garbled:
		f.output = append(f.output, "{\"custom_id\": \x1b]0;x\n"...)
	case Cut:
		text := good()
		f.output = append(append(f.output, text[:len(text)/2]...), cutHere...)
	default:
		f.counts["ok"]++
		f.output = append(f.output, good()...)
		if outcome == Doubled {
			f.output = append(f.output, good()...)
		}
		if outcome == Foreign {
			other := l
			other.ID = strings.Repeat("f", 64)
			f.output = append(f.output, line(b.good(other))...)
		}
	}
}

// good returns the line of an answer.
func (b *Batches) good(l fakeLine) any {
	if b.Kind == Anthropic {
		return map[string]any{"custom_id": l.ID, "result": map[string]any{"type": "succeeded", "message": b.answer(l.Params)}}
	}
	return map[string]any{"id": "r-" + l.ID[:4], "custom_id": l.ID, "error": nil, "response": map[string]any{"status_code": 200, "request_id": "x", "body": b.answer(l.Body)}}
}

// bad returns the line of a request without an answer.
func (b *Batches) bad(l fakeLine, o Outcome) any {
	if b.Kind == Anthropic {
		if o == Expires {
			return map[string]any{"custom_id": l.ID, "result": map[string]any{"type": "expired"}}
		}
		kind := map[Outcome]string{Fails: "api_error", Refuses: "invalid_request_error"}[o]
		return map[string]any{"custom_id": l.ID, "result": map[string]any{"type": "errored", "error": map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": "fault"}}}}
	}
	if o == Expires {
		return map[string]any{"id": "r", "custom_id": l.ID, "response": nil, "error": map[string]any{"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}}
	}
	status := map[Outcome]int{Fails: 500, Refuses: 400}[o]
	return map[string]any{"id": "r", "custom_id": l.ID, "error": nil, "response": map[string]any{"status_code": status, "request_id": "x",
		"body": map[string]any{"error": map[string]any{"message": "fault", "type": "x", "code": nil}}}}
}

// answer answers one request, as the service would a single call.
func (b *Batches) answer(request []byte) any {
	kind, path := OpenAI, "/v1/chat/completions"
	if b.Kind == Anthropic {
		kind, path = Anthropic, "/v1/messages"
	}
	asked, _ := formats[kind].parse(path, request)
	if b.Model == nil {
		return formats[kind].answer(&Server{Kind: kind}, asked)
	}
	r := llm.Request{Author: llm.Author{Provider: "test", Model: asked.Model}, Messages: asked.Turns, Tools: asked.Tools}
	if asked.System != "" {
		r.Messages = append([]llm.Message{{Role: llm.System, Text: asked.System}}, r.Messages...)
	}
	resp, err := b.Model.Generate(context.Background(), r)
	if err != nil {
		return map[string]any{"error": map[string]any{"message": err.Error()}}
	}
	in, out := promptTokens(asked), tokens(resp.Text)
	if kind == Anthropic {
		return map[string]any{"id": "m", "type": "message", "role": "assistant", "model": asked.Model, "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": resp.Text}}, "usage": map[string]int{"input_tokens": in, "output_tokens": out}}
	}
	return map[string]any{"id": "c", "object": "chat.completion", "model": asked.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": resp.Text}}},
		"usage":   map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}}
}
