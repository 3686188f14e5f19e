package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// body holds the fields of an answer that assay uses.
type body struct {
	Model   aside[string]   `json:"model"`
	Service aside[string]   `json:"provider"` // of a gateway: the service that it passed the request on to
	Print   aside[string]   `json:"system_fingerprint"`
	Choices choices         `json:"choices"`
	Usage   aside[*usage]   `json:"usage"`
	Timings aside[*timings] `json:"timings"`
	Error   *apiError       `json:"error"` // some gateways send an error with status 200
}

// choices are the first choices of an answer: one more than the API gives shows that there are others.
type choices []choice

// UnmarshalJSON implements json.Unmarshaler.
func (c *choices) UnmarshalJSON(raw []byte) (err error) {
	if !anArray(raw) {
		return errors.New("the choices are no list")
	}
	*c, _, err = wire.List[choice](raw, maxChoices+1)
	return err
}

// anArray reports whether a JSON value is a list, or null, which stands for an empty one.
func anArray(raw []byte) bool {
	return raw[0] == '[' || string(raw) == "null"
}

// timings is llama.cpp's report on the work behind an answer; for several choices it covers only one.
type timings struct {
	Predicted count `json:"predicted_n"`
}

type choice struct {
	FinishReason aside[string]    `json:"finish_reason"`
	Error        aside[*apiError] `json:"error"` // of a choice that a gateway's service broke off
	Message      struct {
		Content content       `json:"content"`
		Refusal aside[string] `json:"refusal"`
		// Reasoning that a server returns in a field of its own: reasoning_content at DeepSeek, vLLM and llama.cpp,
		// reasoning at gateways and Ollama.
		ReasoningContent aside[content]   `json:"reasoning_content"`
		Reasoning        aside[content]   `json:"reasoning"`
		ToolCalls        aside[toolCalls] `json:"tool_calls"`
	} `json:"message"`
	Text     json.RawMessage  `json:"text"` // of a plain completion, in place of Message
	Logprobs aside[*logprobs] `json:"logprobs"`
}

// maxParts is more parts of a content, or calls of tools, than any answer has.
const maxParts = 1000

// content is a message's text: a string, null, or a list of parts, of which only those of type "text" count.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	var text *string
	if json.Unmarshal(raw, &text) == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	if !anArray(raw) {
		return errors.New("the content is neither a text nor a list of parts")
	}
	parts, err := wire.Whole[struct{ Type, Text string }](raw, maxParts, "parts of a content")
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	*c = content(b.String())
	return nil
}

// read returns the responses of the good choices in a 200 answer, or the failure of the first bad one if none is good.
func (c *Client) read(call *wire.Call, r llm.Request, n int) ([]llm.Response, error) {
	var b body
	if err := c.key.Decode(call, &b); err != nil {
		return nil, err
	}
	// Some gateways report an error with status 200; it must not count as an answer without choices.
	if len(b.Choices) == 0 && b.Error != nil {
		return nil, c.hidden(call, *b.Error)
	}
	if len(b.Choices) == 0 {
		return nil, &llm.Failure{Reason: "no choices"}
	}
	c.notice(b, r, n)
	var got []llm.Response
	// A choice that the filter held back does not cost the others, which are paid for and complete.
	var first error
	for _, ch := range b.Choices[:min(n, len(b.Choices))] {
		resp, err := c.choose(ch, r)
		if err == nil {
			resp.Model, resp.Print = c.version(b), c.key.Clip(b.Print.v)
			got = append(got, resp)
		} else if first == nil {
			first = err
		}
	}
	if len(got) == 0 {
		// The tokens of a blocked answer are paid for, so the failure carries them.
		if f := (*llm.Failure)(nil); errors.As(first, &f) {
			f.Usage = b.Usage.v.counted()
		}
		return nil, first
	}
	c.share(got, r, b)
	c.heed(got, r, b)
	return got, wire.CheckLength(got, n)
}

// version returns which version of the model answered, and by which service if a gateway says so.
func (c *Client) version(b body) string {
	name := wire.Placeless(c.key.Clip(b.Model.v))
	if by := c.key.Clip(b.Service.v); by != "" {
		return strings.TrimSpace(name + " via " + by)
	}
	return name
}

// choose returns one choice's response or failure.
func (c *Client) choose(ch choice, r llm.Request) (llm.Response, error) {
	said, err := endpoints[r.Params.API].text(ch)
	if err != nil {
		return llm.Response{}, &llm.Failure{Reason: wire.Malformed, Err: err}
	}
	text, thought := withoutThoughts(said)
	if thought != "" {
		c.warnings.Add(fmt.Sprintf("openai: %q leaves its <think> block in the content: it is removed", r.Model))
	}
	var calls []llm.ToolCall
	if len(r.Tools) > 0 { // without tools a finish reason of "tool_calls" is a failure
		calls = ch.calls(r, c.key)
	}
	resp, err := ch.response(text, c.key.Clip(ch.FinishReason.v), calls)
	resp.Reasoning = cmp.Or(string(ch.Message.ReasoningContent.v), string(ch.Message.Reasoning.v), thought)
	if err == nil && r.Params.Logprobs {
		if resp.Logprob = ch.logprob(); resp.Logprob == nil {
			c.warnings.Add(fmt.Sprintf("openai: %s with %q gives no log-probabilities", c.base, r.Model))
		}
	}
	return resp, err
}

// notice records a warning about a server that does not do what it was asked.
func (c *Client) notice(b body, r llm.Request, n int) {
	if n > 1 && len(b.Choices) == 1 {
		c.oneByOne(r.Model, "ignores n")
	}
	if len(b.Choices) > n {
		c.warnings.Add(fmt.Sprintf("openai: %s with %q gives more completions than asked for: the others are dropped", c.base, r.Model))
	}
	if b.firstOnly() {
		c.oneByOne(r.Model, "counts the tokens of one of n choices")
	}
	if r.SentSeed() != nil && b.Print.v == "" && !c.server.Seeds {
		c.warnings.Add(fmt.Sprintf("openai: %s with %q names no system_fingerprint: the seed may be ignored", c.base, r.Model))
	}
}

// withoutThoughts splits a <think> block from the start of a text, for servers that do not separate it themselves. A
// block without an end takes the whole text, because the answer never came. thought keeps the block's tags.
func withoutThoughts(text string) (rest, thought string) {
	const open, shut = "<think>", "</think>"
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), open) {
		return text, ""
	}
	thought, rest, ended := strings.Cut(text, shut)
	if ended {
		thought += shut
	}
	return strings.TrimLeft(rest, " \t\r\n"), strings.TrimSpace(thought)
}

// response returns the answer of a choice. Whatever arrived is an answer: an empty text, a refusal in words, the call
// of a tool that was not offered. It fails only for what the provider held back, or ended for an unknown reason.
func (ch choice) response(text, end string, calls []llm.ToolCall) (llm.Response, error) {
	resp := llm.Response{Text: text, Finish: "stop", ToolCalls: calls}
	if len(calls) > 0 {
		resp.Finish = llm.FinishTools // some servers report "stop" for such an answer
	}
	switch reason := strings.ToLower(end); {
	case reason == "" || slices.Contains(ends, reason):
	case reason == "tool_calls" || reason == "function_call":
		resp.Finish = llm.FinishTools
	case reason == "length" || reason == "model_length" || reason == "max_tokens":
		resp.Finish = llm.FinishLength
	case reason == "content_filter":
		return llm.Response{}, &llm.Failure{Reason: blocked}
	case reason == "error": // what arrived is a part (OpenRouter)
		return llm.Response{}, ch.broken(end)
	case text != "" || len(calls) > 0: // servers invent finish reasons; what arrived is complete all the same
		resp.Finish = end
	default:
		return llm.Response{}, &llm.Failure{Reason: "finish: " + end}
	}
	// OpenAI returns a refusal in words in a field of its own. It is an answer, from which no SQL will be extracted.
	if resp.Text == "" {
		resp.Text = ch.Message.Refusal.v
	}
	return resp, nil
}

// blocked is the reason of a failure that a provider's content filter made, of the prompt or of the answer.
const blocked = "blocked: content_filter"

// broken returns the failure of a choice that ended in an error.
func (ch choice) broken(end string) error {
	f := &llm.Failure{Reason: "finish: " + end, Retryable: true}
	if e := ch.Error.v; e != nil {
		f.Err = &wire.StatusError{Status: http.StatusOK, Code: e.word(), Message: e.Message}
	}
	return f
}

// ends are the finish reasons of servers that mean a natural end.
var ends = []string{"stop", "eos", "eos_token", "stop_sequence", "end_turn"}

// share gives each response its part of the call's usage. If the server does not count tokens they are estimated.
func (c *Client) share(got []llm.Response, r llm.Request, b body) {
	// Reasoning and tool calls are part of the completion tokens, so they count for a choice's share.
	texts := make([]string, len(got))
	for i, g := range got {
		texts[i] = g.Reasoning + g.Text
		for _, call := range g.ToolCalls {
			texts[i] += call.Name + call.Arguments
		}
	}
	total := b.Usage.v.counted()
	// No prompt has 0 tokens, so a 0 means that the server did not count.
	estimate := llm.EstimateUsage(r, strings.Join(texts, ""))
	if total.PromptTokens == 0 || total.CompletionTokens == 0 && estimate.CompletionTokens > 0 {
		c.warnings.Add(fmt.Sprintf("openai: %s with %q does not count all tokens: they are estimated at four characters each", c.base, r.Model))
		total.PromptTokens = cmp.Or(total.PromptTokens, estimate.PromptTokens)
		total.CompletionTokens = cmp.Or(total.CompletionTokens, estimate.CompletionTokens)
		total.Estimated = true
	}
	if b.firstOnly() {
		total = firstOnly(total, texts)
	}
	for i, u := range llm.SplitUsage(total, texts) {
		got[i].Usage = u
	}
}

// firstOnly reports whether the usage covers only the first choice, as in llama.cpp, which counts the work of one slot.
func (b body) firstOnly() bool {
	return len(b.Choices) > 1 && b.Usage.v != nil && b.Timings.v != nil && b.Timings.v.Predicted == b.Usage.v.Completion
}

// firstOnly returns the usage of all texts from that of the first. The others are assumed to have as many tokens per
// character, plus one for the end.
func firstOnly(first llm.Usage, texts []string) llm.Usage {
	all := first
	words := max(first.CompletionTokens-1, 0)
	for _, t := range texts[1:] {
		all.CompletionTokens += 1 + words*len(t)/max(len(texts[0]), 1)
	}
	return all
}

// apiError is a server's error. Code is a word at OpenAI and a number at gateways.
type apiError struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Param   string          `json:"param"`
	Code    json.RawMessage `json:"code"`
	// Metadata says of OpenRouter's 403 that a filter held the prompt back, and not that the key is refused.
	Metadata aside[struct {
		Reasons json.RawMessage `json:"reasons"`
		Flagged string          `json:"flagged_input"`
	}] `json:"metadata"`
}

// filtered reports whether a content filter held the prompt back: Azure's 400 and OpenRouter's 403.
func (e apiError) filtered() bool {
	of := e.Metadata.v
	return e.word() == "content_filter" || of.Flagged != "" || len(of.Reasons) > 0
}

// UnmarshalJSON implements json.Unmarshaler: some servers send only the message, as a string.
func (e *apiError) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &e.Message) == nil {
		return nil
	}
	type plain apiError
	return json.Unmarshal(raw, (*plain)(e))
}

// word returns the code, or the type if the code is missing or only repeats the status as a number (llama.cpp, vLLM).
func (e apiError) word() string {
	code := strings.Trim(string(e.Code), `"`)
	if code == "" || code == "null" || e.status() != 0 {
		return e.Type
	}
	return code
}

// status returns the HTTP status that the code names, 0 if it names none.
func (e apiError) status() int {
	n, err := strconv.Atoi(strings.Trim(string(e.Code), `"`))
	if err != nil || n < 400 || n >= 600 {
		return 0
	}
	return n
}

// outcome returns the error of a call that has no 200 answer.
func (c *Client) outcome(ctx context.Context, call *wire.Call, sent error) error {
	if err := c.key.Sent(ctx, call, sent); err != nil || call.Status/100 == 2 {
		return err
	}
	var b struct {
		Error   apiError `json:"error"`
		Message string   `json:"message"` // Mistral, vLLM
		Detail  string   `json:"detail"`
	}
	e := apiError{Message: string(call.Body)}
	if json.Unmarshal(call.Body, &b) == nil {
		if e = b.Error; e.Message == "" {
			e.Message = b.Message + b.Detail
		}
		if e.Message == "" {
			e.Message = string(call.Body)
		}
	}
	return c.refused(call, e)
}

// hidden returns the error of a 200 answer that holds an error and no choices, under the status that its code names.
func (c *Client) hidden(call *wire.Call, e apiError) error {
	if status := e.status(); status != 0 {
		return c.refused(&wire.Call{Asked: call.Asked, Status: status, Header: call.Header, Body: call.Body}, e)
	}
	return &llm.Failure{Reason: "error in the answer", Err: &wire.StatusError{Status: http.StatusOK, Code: c.key.Clip(e.word()), Message: c.key.Clip(e.Message)}}
}
