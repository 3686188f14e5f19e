package gateway

import (
	"cmp"
	"net/http"
	"strings"

	"assay/prompting/llm"
)

// created is the time of every answer: a clock would make answers differ that are replayed.
const created = 0

// Finishes of OpenAI's API.
const (
	finishStop   = "stop"
	finishFilter = "content_filter"
)

// finish returns why a completion ended, in OpenAI's words: programs know no others.
func (x outcome) finish() string {
	switch f := x.response.Finish; {
	case x.failure != nil:
		return finishFilter
	case len(x.response.ToolCalls) > 0:
		return llm.FinishTools
	case f == llm.FinishLength || f == finishFilter:
		return f
	}
	return finishStop
}

// reply has what all answers to one order say.
type reply struct {
	head  map[string]any // members of the answer and of every event of a stream
	usage map[string]any
}

// replyOf returns what the answers of an order say. Its id is that of the request, and so the same whenever it is replayed.
func replyOf(got []outcome, o order, prefix, object string) reply {
	var sum llm.Usage
	model, print := "", ""
	for _, x := range got {
		sum = sum.Add(x.response.Usage)
		model, print = cmp.Or(model, x.response.Model), cmp.Or(print, x.response.Print)
	}
	head := map[string]any{"id": prefix + idOf(got[0]), "object": object, "created": created, "model": cmp.Or(model, o.request.Model, o.request.As)}
	if print != "" {
		head["system_fingerprint"] = print
	}
	return reply{head, map[string]any{"prompt_tokens": sum.PromptTokens, "completion_tokens": sum.CompletionTokens, "total_tokens": sum.PromptTokens + sum.CompletionTokens,
		"prompt_tokens_details": map[string]any{"cached_tokens": sum.CachedTokens}, "completion_tokens_details": map[string]any{"reasoning_tokens": sum.ReasoningTokens}}}
}

// idOf returns the part of an answer's id that tells it from others.
func idOf(x outcome) string { return strings.TrimPrefix(x.key, "sha256:")[:24] }

// with returns the members of an answer with more.
func (r reply) with(more map[string]any) map[string]any {
	out := map[string]any{}
	for _, part := range []map[string]any{r.head, more} {
		for name, v := range part {
			out[name] = v
		}
	}
	return out
}

// sums returns what is kept of a completion's log-probabilities, nil where nothing was asked for or is known. No token
// is listed, as none is kept.
func (x outcome) sums(how manner) any {
	p := x.response.Logprob
	if !how.sums || p == nil {
		return nil
	}
	return map[string]any{"content": nil, "refusal": nil, "sum": p.Total, "tokens": p.Tokens}
}

// chatCalls returns the tools that a completion calls.
func chatCalls(calls []llm.ToolCall, stream bool) []chatToolCall {
	out := make([]chatToolCall, len(calls))
	for i, c := range calls {
		out[i] = chatToolCall{ID: c.ID, Type: "function"}
		out[i].Function.Name, out[i].Function.Arguments = c.Name, c.Arguments
		if stream {
			out[i].Index = &i
		}
	}
	return out
}

// chatReply writes the answer of /v1/chat/completions.
func chatReply(c *call, got []outcome, o order, how manner) {
	if how.stream {
		chatStream(c, got, replyOf(got, o, "chatcmpl-", "chat.completion.chunk"), how)
		return
	}
	r := replyOf(got, o, "chatcmpl-", "chat.completion")
	choices := make([]any, len(got))
	for i, x := range got {
		message := map[string]any{"role": "assistant", "content": x.response.Text, "refusal": nil}
		if calls := x.response.ToolCalls; len(calls) > 0 {
			message["tool_calls"] = chatCalls(calls, false)
			if x.response.Text == "" {
				message["content"] = nil
			}
		}
		if x.response.Reasoning != "" {
			message["reasoning_content"] = x.response.Reasoning
		}
		if x.failure != nil {
			message["content"], message["refusal"] = nil, x.failure.Why()
		}
		choices[i] = map[string]any{"index": i, "message": message, "logprobs": x.sums(how), "finish_reason": x.finish()}
	}
	sendJSON(c.w, http.StatusOK, r.with(map[string]any{"choices": choices, "usage": r.usage}))
}

// textReply writes the answer of /v1/completions.
func textReply(c *call, got []outcome, o order, how manner) {
	r := replyOf(got, o, "cmpl-", "text_completion")
	if how.stream {
		textStream(c, got, r, how)
		return
	}
	choices := make([]any, len(got))
	for i, x := range got {
		choices[i] = map[string]any{"index": i, "text": x.response.Text, "logprobs": x.sums(how), "finish_reason": x.finish()}
	}
	sendJSON(c.w, http.StatusOK, r.with(map[string]any{"choices": choices, "usage": r.usage}))
}

// stops are the finishes in Anthropic's words.
var stops = map[string]string{finishStop: "end_turn", llm.FinishLength: "max_tokens", llm.FinishTools: "tool_use", finishFilter: "refusal"}

// messageReply writes the answer of /v1/messages.
func messageReply(c *call, x outcome, o order, how manner) {
	u := x.response.Usage
	message := map[string]any{"id": "msg_" + idOf(x), "type": "message", "role": "assistant", "model": cmp.Or(x.response.Model, o.request.Model, o.request.As),
		"content": contentOf(x.response), "stop_reason": stops[x.finish()], "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": max(u.PromptTokens-u.CachedTokens-u.CacheWriteTokens, 0), "cache_creation_input_tokens": u.CacheWriteTokens,
			"cache_read_input_tokens": u.CachedTokens, "output_tokens": u.CompletionTokens}}
	if how.stream {
		messageStream(c, message)
		return
	}
	sendJSON(c.w, http.StatusOK, message)
}

// contentOf returns a completion as Anthropic's blocks: reasoning, text, calls of tools.
func contentOf(r llm.Response) []map[string]any {
	out := []map[string]any{}
	if r.Reasoning != "" {
		out = append(out, map[string]any{"type": "thinking", "thinking": r.Reasoning, "signature": ""})
	}
	if r.Text != "" {
		out = append(out, map[string]any{"type": "text", "text": r.Text})
	}
	for _, t := range r.ToolCalls {
		input, err := value([]byte(t.Arguments))
		if _, is := input.(map[string]any); err != nil || !is { // the model wrote what is no object
			input = map[string]any{"arguments": t.Arguments}
		}
		out = append(out, map[string]any{"type": "tool_use", "id": t.ID, "name": t.Name, "input": input})
	}
	return out
}
