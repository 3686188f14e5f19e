package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// statuses are the API's words for errors with the status that each comes with, for an error that came without it: within
// a 200 answer of a gateway, or in the results of a batch.
var statuses = map[string]int{"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529}

// apiError is an error of the API.
type apiError struct{ Type, Message string }

// errorOf returns the error that a body holds; a body of another form is its message.
func errorOf(raw []byte) apiError {
	var b struct {
		Error struct{ Type, Message json.RawMessage } `json:"error"`
	}
	e := apiError{}
	if json.Unmarshal(raw, &b) == nil {
		e = apiError{field[string](b.Error.Type), field[string](b.Error.Message)}
	}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// errored returns the error that an error object of the API means where it came without a status of its own, as in the
// results of a batch: {"type": "error", "error": {"type": "overloaded_error", "message": "..."}}. It is of the kinds of
// Generate's.
func (c *Client) errored(raw json.RawMessage) error {
	return c.key.Error(c.hidden(&wire.Call{Status: http.StatusOK, Body: raw}))
}

// hidden returns the error of an answer that holds an error, under the status that its type has.
func (c *Client) hidden(call *wire.Call) error {
	e := errorOf(call.Body)
	if status := statuses[e.Type]; status != 0 {
		return c.refused(&wire.Call{Asked: call.Asked, Status: status, Header: call.Header, Body: call.Body}, e)
	}
	return &llm.Failure{Reason: "error in the answer", Err: &wire.StatusError{Status: http.StatusOK, Code: c.key.Clip(e.Type), Message: c.key.Clip(e.Message)}}
}

// refused returns the error of an answer whose status is not 200. An account that may spend no more, and a parameter that
// the model does not take, are plain errors, because they are not the item's fault.
func (c *Client) refused(call *wire.Call, e apiError) error {
	err := c.key.Refused(call, e.Type, e.Message)
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason == wire.TooLong {
		return err
	}
	if advice := remedy(call.Status, e.Message); advice != "" {
		return &refusedError{call.Status, f.Err, advice}
	}
	if f.Retryable && f.RetryAfter == 0 {
		f.RetryAfter = renewed(call.Header, time.Now())
	}
	return err
}

// refusedError is a refusal that every other request would get too.
type refusedError struct {
	status int
	err    error
	advice string
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("http %d: %v: %s", e.status, e.err, e.advice)
}
func (e *refusedError) Unwrap() error { return e.err }

// signs is a row of a table of refusals: one whose message has all the words is of its kind.
type signs struct {
	words  []string
	advice string
}

// Refusals that are no item's fault, the first row of which applies: those about the account, and those about a parameter.
var (
	accounts = []signs{
		{[]string{"credit balance"}, "check the account's plan and billing"},
		{[]string{"usage limit"}, renew},
		{[]string{"spend limit"}, renew},
	}
	parameters = []signs{
		{[]string{"temperature", "top_p", "both"}, "the model takes one of the two: leave model.top_p out, or " + unsent},
		{[]string{"temperature", "thinking"}, "with reasoning the model takes its own temperature only: " + unsent},
		{[]string{"top_p", "thinking"}, "with reasoning the model takes a model.top_p from 0.95 to 1 only: leave it out"},
		{[]string{"top_k", "thinking"}, "with reasoning the model takes no model.top_k: leave it out"},
		{[]string{"temperature"}, "the model does not take this model.temperature: " + unsent},
		{[]string{"top_p"}, "the model does not take this model.top_p: leave it out"},
		{[]string{"top_k"}, "the model does not take this model.top_k: leave it out"},
		{[]string{"max_tokens", "maximum allowed"}, "set model.max_tokens to at most that"},
		{[]string{"adaptive thinking is not supported"}, "the model takes a budget and no effort of thinking: set model.reasoning to a number of tokens; an effort without thinking is sent by model.extra.output_config.effort"},
		{[]string{"thinking.type.enabled"}, "the model takes an effort and no budget: set model.reasoning to low, medium, high, xhigh or max"},
		{[]string{"thinking"}, "the model does not reason in this way: set model.reasoning to an effort (low, medium, high), to a number of tokens, or leave it out"},
		{[]string{"effort"}, "the model does not take this effort: set model.reasoning to another one, to a number of tokens, or leave it out"},
		{[]string{"Extra inputs are not permitted"}, "the API has no such parameter: remove it from model.extra"},
	}
)

const (
	renew  = "the limit on spending of the account or the workspace is reached: raise it, or run again when it is renewed"
	unsent = "set model.temperature to 1, the API's own, which is not sent"
)

// remedy returns what to do about a refusal that every other request would get too; empty if another may succeed.
func remedy(status int, message string) string {
	switch {
	case status == http.StatusTooManyRequests:
		return advice(accounts, message)
	case status == http.StatusBadRequest && !strings.HasPrefix(message, "messages."): // which is about the item's own texts
		return cmp.Or(advice(accounts, message), advice(parameters, message))
	}
	return ""
}

func advice(table []signs, message string) string {
	for _, s := range table {
		if containsAll(message, s.words) {
			return s.advice
		}
	}
	return ""
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// limited are the API's limits, as its headers name them.
var limited = []string{"requests", "tokens", "input-tokens", "output-tokens"}

// renewed returns how long it takes until the limits that are used up are renewed, by the headers of an answer; 0 if they
// do not say. Times are compared with the answer's own Date, so that the server's clock may differ from this machine's.
func renewed(h http.Header, now time.Time) (wait time.Duration) {
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	for _, name := range limited {
		at, err := time.Parse(time.RFC3339, h.Get("anthropic-ratelimit-"+name+"-reset"))
		if err == nil && h.Get("anthropic-ratelimit-"+name+"-remaining") == "0" {
			wait = max(wait, min(at.Sub(now), 24*time.Hour))
		}
	}
	return wait
}
