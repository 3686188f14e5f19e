package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// refusal is an answer that is an error of the API.
type refusal struct {
	Status  int    // of HTTP
	Code    string // a word for programs; may be empty
	Param   string // the field at fault; may be empty
	Message string
}

// Error implements error.
func (e *refusal) Error() string { return e.Message }

// bad returns the refusal of a request that is wrong in itself.
func bad(param, message string) *refusal {
	return &refusal{Status: http.StatusBadRequest, Param: param, Message: message}
}

// kinds are the APIs' words for statuses.
var kinds = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error", 529: "overloaded_error",
}

// kind returns the API's word for the refusal's status; fault is the word for one of the server's.
func (e *refusal) kind(fault string) string {
	usual := "invalid_request_error"
	if e.Status >= 500 {
		usual = fault
	}
	return cmp.Or(kinds[e.Status], usual)
}

// refusalOf returns an error as the client is told it. What ends the item, whatever is asked next, is 403: no client repeats
// that.
func refusalOf(err error) *refusal {
	var r *refusal
	var f *llm.Failure
	switch {
	case errors.As(err, &r):
		return r
	case errors.As(err, &f):
		return failed(f)
	case errors.Is(err, prompting.ErrUnknown):
		return &refusal{Status: http.StatusForbidden, Code: "unknown_completion",
			Message: "nobody has answered this request yet, and none is asked now: the item stops here, and goes on in a run that may ask"}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &refusal{Status: http.StatusForbidden, Code: "item_over", Message: "the item is over: " + err.Error()}
	}
	return &refusal{Status: http.StatusForbidden, Code: "item_stopped", Message: err.Error()}
}

// failed returns a completion that the model did not give as the provider would have told it. The gateway's model has tried
// again already where that could help.
func failed(f *llm.Failure) *refusal {
	r := &refusal{Status: statusOf(f), Message: f.Why()}
	switch {
	case strings.HasPrefix(f.Reason, wire.TooLong):
		r.Code = "context_length_exceeded"
	case strings.HasPrefix(f.Reason, "blocked"), strings.HasPrefix(f.Reason, "finish"):
		r.Code = "content_filter"
	}
	return r
}

// broken are the reasons of failures that were no answer of the provider's, or none that could be read.
var broken = []string{wire.Lost, wire.Reset, wire.Half, wire.Timeout, wire.Silent, wire.Malformed, wire.WrongType, wire.TooLarge, wire.Header}

// statusOf returns the status of a failure. It looks at the reason first, which is all that a run knows of a failure that it
// does not ask for again: the program is told the same each time.
func statusOf(f *llm.Failure) int {
	var status int
	_, err := fmt.Sscanf(f.Reason, "http %d", &status)
	switch {
	case err == nil && status >= 400 && status < 600:
		return status
	case slices.ContainsFunc(broken, func(reason string) bool { return strings.HasPrefix(f.Reason, reason) }):
		return http.StatusBadGateway
	case !strings.HasPrefix(f.Reason, wire.TooLong) && f.Status >= 400 && f.Status < 600:
		return f.Status
	}
	return http.StatusBadRequest
}

// form is how an API writes errors.
type form func(*refusal) any

// openAI is the form of OpenAI's errors.
func openAI(e *refusal) any {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return map[string]any{"error": map[string]any{"message": e.Message, "type": e.kind("server_error"), "param": orNull(e.Param), "code": orNull(e.Code)}}
}

// anthropic is the form of Anthropic's errors.
func anthropic(e *refusal) any {
	message := e.Message
	if e.Param != "" {
		message = e.Param + ": " + message
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": e.kind("api_error"), "message": message}}
}

// formOf returns the form that the client of a request reads: Anthropic's clients name a version in every request.
func formOf(r *http.Request) form {
	if r.Header.Get("Anthropic-Version") != "" {
		return anthropic
	}
	return openAI
}

// refuse writes an error. The clients of both APIs repeat requests by themselves unless they are told not to.
func refuse(w http.ResponseWriter, write form, err error) {
	e := refusalOf(err)
	w.Header().Set("X-Should-Retry", "false")
	sendJSON(w, e.Status, write(e))
}

// sendJSON writes an answer as JSON.
func sendJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // unreachable: everything written is text, numbers and what came as JSON
		status, b = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written"}}`)
	}
	send(w, status, "application/json", append(b, '\n'))
}

// Refuse writes an error in the form that the client of a request reads, for the function of a [Mount].
func Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	refuse(w, formOf(r), &refusal{Status: status, Message: err.Error()})
}
