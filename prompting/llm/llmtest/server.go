// Package llmtest is the conformance test that every provider must pass, and the fake servers that it runs against.
//
// The servers speak the documented wire formats of OpenAI's chat and plain completions, of Gemini's generateContent, and of
// Anthropic's messages. A provider's request is parsed to one form ([Asked]), a small deterministic model answers it, and
// the answer is written in the wire format again; [Fault] makes a call fail. [Cassette] plays recorded answers instead. Only
// tests use this package, and it must never reach a network.
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"assay/prompting/llm"
)

// Kind is a wire format.
type Kind string

// The wire formats that the fake servers speak.
const (
	OpenAI Kind = "openai"
	Plain  Kind = "openai-completions" // the prompt is the one turn, the user's, of what was asked
	Gemini Kind = "gemini"

	Anthropic Kind = "anthropic"
)

// Asked is what a request asked for, in one form for every wire format. Nil and zero mean that it was not sent.
type Asked struct {
	Model       string
	System      string
	Turns       []llm.Message // user, assistant and tool
	Tools       []llm.Tool
	Logprobs    bool
	Temperature *float64
	TopP        *float64
	TopK        *int
	MaxTokens   int
	Stop        []string
	Seed        *int64
	N           int
	Embed       []string // texts to embed, in an embedding call
	Dimensions  int      // of their vectors
	Count       bool     // set in a call that counts tokens
}

// Call is one request that a server received.
type Call struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
	Asked  Asked
	Fault  string // the name of the fault that was played; empty if the call was answered
	key    string
}

// Key returns the API key from the header that the format uses for it.
func (c Call) Key() string { return c.key }

// Server is a fake server. Its fields may be set before the first call.
type Server struct {
	URL  string // to be used as a provider's base URL
	Kind Kind

	Window     int  // longest prompt, in characters; 4 Mi if 0
	IgnoreN    bool // give one completion whatever n says
	RefuseN    bool // answer 400 if n is above one
	IgnoreSeed bool // ignore the seed and report no system fingerprint
	NoLogprobs bool // never give log-probabilities
	AsInChat   bool // write the log-probabilities of plain completions as those of a conversation, as llama.cpp does
	NoIDs      bool // give tool calls without ids, as Gemini always does here
	EchoKey    bool // repeat the request's key in every error, as careless servers do

	// Models are the entries of the list of models, for which a client may ask: such a call is not among Calls and
	// meets no fault. Without entries the server answers 404 to it.
	Models []map[string]any

	mu     sync.Mutex
	script []Fault
	always *Fault
	calls  []Call
}

// Start runs a server until the test ends.
func Start(t testing.TB, k Kind) *Server {
	t.Helper()
	s := &Server{Kind: k}
	h := httptest.NewServer(s)
	s.URL = h.URL + prefix(k)
	t.Cleanup(h.Close)
	return s
}

// StartTLS runs a server whose certificate no client trusts.
func StartTLS(t testing.TB, k Kind) *Server {
	t.Helper()
	s := &Server{Kind: k}
	h := httptest.NewUnstartedServer(s)
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.StartTLS()
	s.URL = h.URL + prefix(k)
	t.Cleanup(h.Close)
	return s
}

func prefix(k Kind) string {
	if k == OpenAI || k == Plain {
		return "/v1"
	}
	return ""
}

// Script makes the next calls fail by these faults, one per call, in order.
func (s *Server) Script(f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, f...)
}

// Always makes every call after the script fail by the fault; the zero Fault ends it.
func (s *Server) Always(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = &f
}

// Calls returns what was received so far, in order of arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Last returns the latest call, the zero Call if there is none.
func (s *Server) Last() Call {
	calls := s.Calls()
	if len(calls) == 0 {
		return Call{}
	}
	return calls[len(calls)-1]
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	if r.Method == http.MethodGet {
		s.list(w, r)
		return
	}
	call := Call{Method: r.Method, URL: r.URL.String(), Header: r.Header.Clone(), Body: raw}
	format := formats[s.Kind]
	asked, ok := format.parse(r.URL.Path, raw)
	call.Asked, call.key = asked, format.key(r.Header)
	fault := s.record(call)
	if !fault.meet(w, r, s) {
		return
	}
	switch {
	case !ok:
		s.refuse(w, r, http.StatusNotFound, "not_found", "no such method: "+r.URL.Path)
	case s.tooLong(asked):
		s.refuse(w, r, http.StatusBadRequest, format.tooLong[0], format.tooLong[1])
	case s.RefuseN && asked.N > 1:
		s.refuse(w, r, http.StatusBadRequest, "invalid_request", "only one completion a call is supported")
	default:
		s.answer(w, fault, format.answer(s, asked))
	}
}

// list answers a request for the list of models.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if len(s.Models) == 0 || r.URL.Path != prefix(s.Kind)+"/models" {
		s.refuse(w, r, http.StatusNotFound, "not_found", "no such method: "+r.URL.Path)
		return
	}
	s.answer(w, Fault{}, map[string]any{"object": "list", "data": s.Models})
}

// record stores the call and returns the fault to play.
func (s *Server) record(c Call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var f Fault
	if len(s.script) > 0 {
		f, s.script = s.script[0], s.script[1:]
	} else if s.always != nil {
		f = *s.always
	}
	c.Fault = f.Name
	s.calls = append(s.calls, c)
	return f
}

func (s *Server) tooLong(a Asked) bool {
	window := s.Window
	if window == 0 {
		window = 4 << 20
	}
	n := len(a.System)
	for _, t := range a.Turns {
		n += len(t.Text)
	}
	return n > window
}

// answer writes a good answer, or half of it if the fault says so.
func (s *Server) answer(w http.ResponseWriter, f Fault, doc any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		panic(fmt.Sprintf("llmtest: encode the answer: %v", err)) // a mistake in this package
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Content-Length", fmt.Sprint(b.Len()))
	if !f.Half {
		w.Write(b.Bytes())
		return
	}
	w.Write(b.Bytes()[:b.Len()/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler) // closes the connection
}

// refuse writes an error in the server's format.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	f := formats[s.Kind]
	if s.EchoKey {
		message += " (your key is " + f.key(r.Header) + ")"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(f.refusal(status, code, message, 0))
}

// format is what differs between the kinds of servers.
type format struct {
	parse   func(path string, body []byte) (Asked, bool)
	answer  func(s *Server, a Asked) any
	key     func(h http.Header) string
	tooLong [2]string // the code and the message of a 400 for a prompt beyond the window
	refusal func(status int, code, message string, wait time.Duration) []byte
}

var formats = map[Kind]format{OpenAI: openaiFormat, Plain: plainFormat, Gemini: geminiFormat, Anthropic: anthropicFormat}

// resetConn ends a connection with a reset, before any answer.
func resetConn(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // without it the connection is closed, which is as good
	}
	conn.Close()
}
