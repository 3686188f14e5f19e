package wire

import (
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

	"assay/prompting/llm"
)

// The reasons of failures that more than one provider has.
const (
	TooLong   = "prompt too long"    // the prompt exceeds the model's window
	Malformed = "malformed answer"   // a 200 whose body is not the JSON it should be
	Half      = "half an answer"     // the connection ended inside the answer
	Reset     = "connection reset"   // the connection ended before the answer
	Timeout   = "timeout"            // no answer in the time allowed
	Silent    = "tls handshake"      // a connection, but no word of TLS in the time allowed
	Lost      = "transport"          // no connection, or one that broke in another way
	TooLarge  = "answer too large"   // more than the transport's limit
	WrongType = "wrong content type" // a 200 that is no JSON at all: a proxy's page
)

// StatusError is what a server said with a status other than 200. It is text alone: what it was made of may hold a key.
type StatusError struct {
	Status  int
	Code    string // the server's own word for the error; may be empty
	Message string
}

// Error returns the server's words, "code: message"; the status stands in the failure's reason.
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

// maxMessage bounds, in bytes, how much of a server's words an error repeats.
const maxMessage = 400

// Clip redacts the key in text, squeezes its white space, and cuts it to a length that an error can bear.
func (k Key) Clip(text string) string {
	text = strings.Join(strings.Fields(k.Redact(strings.ToValidUTF8(text, "?"))), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "..."
	}
	return text
}

// Transport returns the failure of a request that got no whole answer: a retryable [*llm.Failure], or a plain error
// where no other request would fare better (a certificate that does not hold, a server that speaks no TLS, or TLS alone).
func (k Key) Transport(err error) error {
	cause := errors.New(k.Clip(describe(err))) // text alone: an error's chain can hold the request
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
	case errors.As(err, &op) && op.Op == "dial": // its time running out too: nobody was reached
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

// describe leaves out the addresses of a connection's ends, of which one is a port drawn anew each time.
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

// The two ways in which base_url can name the wrong one of http and https.
const (
	tryHTTP  = "base_url begins with https, and the server seems to speak no TLS: http?"
	tryHTTPS = "base_url begins with http, and the server speaks TLS: https?"
)

// refusedTLS is what to do about a connection that cannot become, or need not be, a secure one; empty for any other error.
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
// exhausted account and plain text to a port of TLS are plain errors, because no other request would fare better; all
// else is a [*llm.Failure], retryable for 408, 429 and 5xx.
func (k Key) Refused(c *Call, code, message string) error {
	e := &StatusError{Status: c.Status, Code: k.Clip(code), Message: k.Clip(message)}
	if advice := k.advice(c, message); advice != "" {
		return fmt.Errorf("http %d: %w: %s", c.Status, e, advice)
	}
	f := &llm.Failure{Reason: fmt.Sprintf("http %d", c.Status), Err: e, Status: c.Status}
	f.Retryable = c.Status == 408 || c.Status == 429 || c.Status >= 500 && c.Status != 501
	if f.Retryable {
		f.RetryAfter = RetryAfter(c.Header, time.Now())
	}
	// llama.cpp for a while told of a long prompt by 500, which asking again would not help.
	if c.Status == 413 || (c.Status == 400 || c.Status == 500) && speaksOfLength(code+" "+message) {
		f.Reason, f.Retryable, f.RetryAfter = TooLong, false, 0
	}
	return f
}

// advice is what to do about an answer that every other request would get too; empty where another may fare better.
func (k Key) advice(c *Call, message string) string {
	switch {
	case c.Status >= 300 && c.Status < 400:
		return "the server redirects, which is not followed: check base_url" + k.asked(c)
	case (c.Status == 401 || c.Status == 403) && k.Text() == "":
		return "no key was sent: base_url is set, so that none is looked for: name its variable in key_env, or its file in key_file"
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

// asked names the address that a call asked, and says where its base seems to lack the API's version.
func (k Key) asked(c *Call) string {
	switch {
	case c.Asked == "":
		return ""
	case version.MatchString(c.Asked):
		return "; " + k.Clip(c.Asked) + " was asked"
	}
	return "; " + k.Clip(c.Asked) + " was asked: does base_url lack its /v1?"
}

// speaksOfTLS knows plain text sent to a port of TLS by the words of Go, nginx and Apache.
func speaksOfTLS(text string) bool {
	for _, sign := range []string{"HTTP request to an HTTPS server", "plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// speaksOfLength knows a prompt beyond the window by the words of OpenAI, llama.cpp, vLLM and Gemini.
func speaksOfLength(text string) bool {
	for _, sign := range []string{"context_length_exceeded", "exceed_context_size", "exceeds the available context size",
		"maximum context length", "context length is only", "input token count"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// Decode reads the JSON body of a 200 answer into v. A body that breaks off is a retryable failure: some connections
// end without saying that more was due.
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

// maxRetryAfter bounds what RetryAfter returns: a longer wait is a mistake or a refusal.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads retry-after-ms (OpenAI) or Retry-After (RFC 9110, section 10.2.3: seconds or a date), 0 where there
// is none. A date is counted from the answer's own Date, so that a clock that differs from the server's changes nothing;
// now stands in where there is no Date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
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

func bound(seconds float64) time.Duration {
	switch {
	case seconds > maxRetryAfter.Seconds():
		return maxRetryAfter
	case seconds > 0: // false for NaN
		return time.Duration(seconds * float64(time.Second))
	}
	return 0
}
