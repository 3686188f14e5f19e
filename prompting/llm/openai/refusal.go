package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// refusal is a row of the table of refusals that every other request would get too, known by words of their message.
type refusal struct{ words, advice string }

var refusals = []refusal{
	{"Unrecognized request argument", "it is no field of the server's requests: remove it from model.extra"},                                         // OpenAI
	{"Extra inputs are not permitted", "it is no field of the server's requests: remove it from model.extra"},                                        // servers on pydantic
	{"does not support thinking", "leave model.reasoning out"},                                                                                       // Ollama
	{"does not support tools", "take another model, or a method without tools"},                                                                      // Ollama
	{"is not a valid model ID", "check model.name"},                                                                                                  // OpenRouter
	{"No endpoints found", "no service behind the gateway takes the model with these parameters: check model.name, model.reasoning and model.extra"}, // OpenRouter
}

// endedError is an answer that every other request would get too: a refused parameter, an account without credit.
type endedError struct {
	status    int
	parameter string // that the server names; empty: none
	err       error
	advice    string
}

func (e *endedError) Error() string { return fmt.Sprintf("http %d: %v: %s", e.status, e.err, e.advice) }

func (e *endedError) Unwrap() error { return e.err }

// refused returns the error of a refusal; one that is not the item's fault is a plain error.
func (c *Client) refused(call *wire.Call, e apiError) error {
	said := &wire.StatusError{Status: call.Status, Code: c.key.Clip(e.word()), Message: c.key.Clip(e.Message)}
	if call.Status/100 == 4 && e.filtered() {
		return &llm.Failure{Reason: blocked, Err: said, Status: call.Status}
	}
	if advice := c.remedy(call.Status, e); advice != "" {
		return &endedError{call.Status, c.key.Clip(e.Param), said, advice}
	}
	return c.key.Refused(call, e.word(), e.Message)
}

// remedy returns what to do about a refusal that every other request would get too; empty if another may succeed, or only
// the status says so.
func (c *Client) remedy(status int, e apiError) string {
	switch word := e.word(); {
	case status == http.StatusTooManyRequests && word == "insufficient_quota":
		return "check the account's plan and billing"
	case status == http.StatusBadRequest && e.Param == "temperature" && strings.HasPrefix(word, "unsupported_"):
		return `the model does not take this "temperature": set model.temperature to one it takes (reasoning models: 1)`
	case status == http.StatusBadRequest && e.Param != "" && (word == "unsupported_parameter" || word == "unsupported_value" || word == "unknown_parameter"):
		return fmt.Sprintf("the model does not take this %q: leave %s out", c.key.Clip(e.Param), cmp.Or(c.server.Owned()[e.Param], "it"))
	case status != http.StatusBadRequest && status != http.StatusNotFound && status != http.StatusUnprocessableEntity:
		return ""
	}
	for _, r := range refusals {
		if strings.Contains(e.Message, r.words) {
			return r.advice
		}
	}
	return ""
}

// refuses reports whether an error is the refusal of a parameter.
func refuses(err error, parameter string) bool {
	var e *endedError
	return errors.As(err, &e) && e.parameter == parameter
}
