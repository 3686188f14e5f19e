package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"assay/configs"
	"assay/prompting/llm"
)

// The reasons of failures that more than one provider has.
const (
	TooLong   = "prompt too long"     // the prompt exceeds the model's window
	Malformed = "malformed answer"    // a 200 whose body is not the JSON it should be
	Half      = "half an answer"      // the connection ended inside the answer
	Reset     = "connection reset"    // the connection ended before the answer
	Timeout   = "timeout"             // no answer in the time allowed
	Silent    = "tls handshake"       // a connection, but no TLS handshake within the time limit
	Lost      = "transport"           // no connection, or one that broke in another way
	TooLarge  = "answer too large"    // more than the limit on an answer
	Header    = "header too large"    // more than the limit on an answer's header
	Endless   = "completion too long" // more than is kept of completions
	WrongType = "wrong content type"  // a 200 that is not JSON at all: a proxy's page
)

// StatusError is an answer with a status other than 200. It holds text only: the value it was made of may hold a key.
type StatusError struct {
	Status  int
	Code    string // the server's own word for the error; may be empty
	Message string
}

// Error returns the server's words, "code: message"; the failure's reason has the status.
func (e *StatusError) Error() string {
	switch {
	case e.Code == "" && e.Message == "":
		return "no explanation"
	case e.Code == "":
		return e.Message
	case e.Message == "":
		return e.Code
	}
	return e.Code + ": " + e.Message
}

// Bounds, in bytes, of how much of a server's words an error repeats, and of how much is looked at for that.
const (
	maxMessage = 400
	maxWindow  = 16 << 10
	// longestForm is how many bytes one byte of a key may take where a text was cut in the middle of it.
	longestForm = 16
)

// Clip removes the key and the secrets of addresses from text, collapses white space, and truncates the text to maxMessage.
func (k Key) Clip(text string) string {
	text = strings.Join(strings.Fields(configs.Discreet(k.beginning(text))), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "..."
	}
	return text
}

// beginning returns the first maxWindow bytes of a text without the key, nor a part of it where the text is cut.
func (k Key) beginning(text string) string {
	cut := len(text) > maxWindow
	text = k.Redact(strings.ToValidUTF8(text[:min(len(text), maxWindow)], "?"))
	if cut {
		text = text[:max(len(text)-longestForm*len(k.Text()), 0)]
	}
	return text
}

// Transport returns the failure of a request that got no complete answer: a retryable [*llm.Failure], or a plain error
// if every other request would fail too (an invalid certificate, a server that speaks no TLS, or only TLS).
func (k Key) Transport(err error) error {
	cause := errors.New(k.Clip(describe(err))) // as text, because an error's chain can hold the request with its key
	if errors.Is(err, errProxy) {
		return fmt.Errorf("no connection: %w: correct or unset it", cause)
	}
	if advice := refusedTLS(err); advice != "" {
		return fmt.Errorf("no secure connection: %w: %s", cause, advice)
	}
	f := &llm.Failure{Reason: Lost, Err: cause, Retryable: true}
	var half *halfError
	var large *largeError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &large):
		f.Reason, f.Retryable = TooLarge, false
	case strings.Contains(err.Error(), "server response headers exceeded"):
		f.Reason, f.Retryable = Header, false
	case errors.As(err, &op) && op.Op == "dial": // a timeout of dial included: no server was reached
	case strings.Contains(err.Error(), "TLS handshake timeout"):
		f.Reason, f.Err = Silent, fmt.Errorf("%w: %s", cause, tryHTTP)
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Reason = Timeout
	case errors.As(err, &half):
		f.Reason = Half
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.Reason = Reset
	}
	return f
}

// Sent returns the error of a call that got no answer at all, and nil for one with a status. err is that of its request.
func (k Key) Sent(ctx context.Context, call *Call, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err != nil:
		return k.Transport(call.Err)
	case call.Status == 0: // nothing was sent
		return errors.New(k.Clip(fmt.Sprint(err)))
	}
	return nil
}

// Named adds to a plain error what was done, and with what: `openai: generate with "gpt-4o": cause`. A failure stays as it
// is, because its reason is what a run records, and so does the error of a context.
func Named(err error, doing, subject string) error {
	var f *llm.Failure
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s %q: %w", doing, subject, err)
}

// describe leaves out the addresses of the connection: its local port differs each time, and records would differ with
// it.
func describe(err error) string {
	var op *net.OpError
	if !errors.As(err, &op) || op.Err == nil {
		return err.Error()
	}
	if op.Op == "dial" && op.Addr != nil {
		return fmt.Sprintf("dial %s: %v", op.Addr, op.Err)
	}
	return op.Op + ": " + op.Err.Error()
}

// Advice for a base_url that names the wrong one of http and https.
const (
	tryHTTP  = "base_url begins with https, and the server seems to speak no TLS: http?"
	tryHTTPS = "base_url begins with http, and the server speaks TLS: https?"
)

// refusedTLS returns advice for a TLS connection that failed or was not expected, and empty text for any other error.
func refusedTLS(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return tryHTTP
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`): // a TLS alert in answer to plain text
		return tryHTTPS
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid), errors.As(err, &verify), errors.As(err, &alert):
		return "check base_url, and that this machine trusts the server's certificate"
	}
	return ""
}

// Refused returns the error of an answer whose status is not 200. A redirect, a refused key, an unknown model, an
// exhausted account and plain text sent to a TLS port are plain errors, because every other request would fail too. All
// others are a [*llm.Failure], retryable for 408, 429 and 5xx.
func (k Key) Refused(c *Call, code, message string) error {
	e := &StatusError{Status: c.Status, Code: k.Clip(code), Message: k.Clip(message)}
	if advice := k.advice(c, message); advice != "" {
		return fmt.Errorf("http %d: %w: %s", c.Status, e, advice)
	}
	f := &llm.Failure{Reason: fmt.Sprintf("http %d", c.Status), Err: e, Status: c.Status}
	f.Retryable = c.Status == 408 || c.Status == 429 || c.Status >= 500 && c.Status != 501
	if f.Retryable {
		f.RetryAfter = retryAfter(c.Header, time.Now())
	}
	// llama.cpp for a while reported a long prompt as 500, for which a repetition cannot help.
	if c.Status == 413 || (c.Status == 400 || c.Status == 500) && speaksOfLength(code+" "+message) {
		f.Reason, f.Retryable, f.RetryAfter = TooLong, false, 0
	}
	// llama.cpp's slots share a context: a request that fits alone fails beside others, and may succeed again.
	if f.Retryable && strings.Contains(message, "Context size has been exceeded") {
		f.Err = fmt.Errorf("%w: %s", e, tooMany)
	}
	return f
}

// tooMany is advice for a server whose requests in progress leave one another no room.
const tooMany = "requests in progress share the server's context: lower limits.concurrency, or start it with a larger one"

// advice returns what to do about an answer that every other request would get too; empty if another may succeed.
func (k Key) advice(c *Call, message string) string {
	switch {
	case c.Status >= 300 && c.Status < 400:
		return "the server redirects, which is not followed: check base_url" + k.asked(c)
	case (c.Status == 401 || c.Status == 403) && k.Text() == "":
		return "no key was sent: base_url is set, so none is looked for: name its variable in key_env, or its file in key_file"
	case c.Status == 401 || c.Status == 403:
		return "check the key"
	case c.Status == 404 || c.Status == 405:
		return "check base_url and the model's name" + k.asked(c)
	case c.Status == 402:
		return "check the account"
	case c.Status == 400 && speaksOfTLS(message):
		return tryHTTPS
	}
	return ""
}

// version is the part of an address that names the API's version.
var version = regexp.MustCompile(`/v[0-9][^/]*/`)

// asked returns the address that a call used, and says if base_url seems to lack the API's version.
func (k Key) asked(c *Call) string {
	switch {
	case c.Asked == "":
		return ""
	case version.MatchString(c.Asked):
		return "; " + k.Clip(c.Asked) + " was asked"
	}
	return "; " + k.Clip(c.Asked) + " was asked: does base_url lack its /v1?"
}

// speaksOfTLS recognizes plain text sent to a TLS port by the error texts of Go, nginx and Apache.
func speaksOfTLS(text string) bool {
	for _, sign := range []string{"HTTP request to an HTTPS server", "plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// speaksOfLength recognizes a prompt beyond the window by the error texts of OpenAI, llama.cpp (two of them, the other for a
// text to embed), Ollama, vLLM, Gemini and Anthropic.
func speaksOfLength(text string) bool {
	for _, sign := range []string{"context_length_exceeded", "exceed_context_size", "exceeds the available context size",
		"maximum context length", "maximum model length", "exceeds the context length", "context length is only", "input token count",
		"prompt is too long", "exceed context limit", "is too large to process", "input length exceeds"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// Decode parses the JSON body of a 200 answer into v. An incomplete body is a retryable failure: some connections end
// early without an error.
func (k Key) Decode(c *Call, v any) error {
	err := json.Unmarshal(c.Body, v)
	if err == nil {
		return nil
	}
	kind, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if kind != "" && !strings.Contains(kind, "json") {
		return &llm.Failure{Reason: WrongType, Err: fmt.Errorf("%s: %q", k.Clip(kind), k.Clip(string(c.Body[:min(len(c.Body), 64<<10)])))}
	}
	f := &llm.Failure{Reason: Malformed, Err: errors.New(k.Clip(err.Error()))}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= int64(len(c.Body)) && strings.Contains(err.Error(), "unexpected end") {
		f.Retryable = true
	}
	return f
}

// maxRetryAfter bounds what retryAfter returns: a longer wait is a mistake or a refusal.
const maxRetryAfter = 24 * time.Hour

// retryAfter parses retry-after-ms (OpenAI) or Retry-After (RFC 9110, section 10.2.3: seconds or a date); 0 if there is
// none. A date is compared with the answer's own Date, so that the server's clock may differ from this machine's; now
// replaces a missing Date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil {
		return bound(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return bound(s)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return bound(at.Sub(now).Seconds())
}

// bound converts seconds to a wait between 0 and maxRetryAfter.
func bound(seconds float64) time.Duration {
	switch {
	case seconds > maxRetryAfter.Seconds():
		return maxRetryAfter
	case seconds > 0: // false for NaN
		return time.Duration(seconds * float64(time.Second))
	}
	return 0
}
