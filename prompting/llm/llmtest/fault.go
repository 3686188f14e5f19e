package llmtest

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"
)

// Fault is one way in which a server fails a call. At most one of Status, Body, Reset and Half is set; Delay may
// precede any of them, or a good answer, and Flood or Hang may follow Status or Body. The zero Fault is no fault.
type Fault struct {
	Name string

	Delay  time.Duration // before the first byte
	Status int           // an error in the server's format
	Code   string        // the server's word for the error
	Wait   time.Duration // how long the server asks to wait: Retry-After at OpenAI, RetryInfo at Gemini
	Header map[string]string

	Body  string // sent unchanged, with status 200
	Type  string // the content type of Body and Flood; JSON if empty
	Flood string // sent over and over, until the client goes away
	Gzip  bool   // Flood is compressed: a gigabyte of one letter takes a megabyte
	Hang  bool   // nothing more is sent, until the client goes away
	Large int    // bytes of the answer's header
	Reset bool   // the connection is reset before the answer
	Half  bool   // the connection ends in the middle of a good answer
}

// Throttled returns a 429 that asks the client to wait.
func Throttled(wait time.Duration) Fault {
	return Fault{Name: "429", Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Wait: wait}
}

// Refused returns an error with the given status.
func Refused(status int) Fault { return Fault{Name: fmt.Sprint(status), Status: status} }

// meet plays the fault, and reports whether the call is still to be answered.
func (f Fault) meet(w http.ResponseWriter, r *http.Request, s *Server) bool {
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done():
			return false
		}
	}
	switch {
	case f.Reset:
		resetConn(w)
	case f.Status != 0:
		f.refuse(w, r, s)
	case f.Body != "" || f.Flood != "" || f.Hang || f.Large > 0:
		w.Header().Set("Content-Type", cmp.Or(f.Type, "application/json"))
		w.Header().Set("X-Large", strings.Repeat("x", f.Large))
		if f.Gzip {
			w.Header().Set("Content-Encoding", "gzip")
		}
		io.WriteString(w, f.Body) // unlike fmt.Fprint, without a copy
	default:
		return true
	}
	f.goOn(w, r)
	return false
}

// goOn sends what follows the beginning of an answer.
func (f Fault) goOn(w http.ResponseWriter, r *http.Request) {
	var to io.Writer = w
	if f.Gzip {
		to = gzip.NewWriter(w)
	}
	chunk := []byte(strings.Repeat(f.Flood, 1<<20/max(len(f.Flood), 1)))
	for f.Flood != "" {
		if _, err := to.Write(chunk); err != nil || r.Context().Err() != nil {
			return
		}
	}
	if f.Hang {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func (f Fault) refuse(w http.ResponseWriter, r *http.Request, s *Server) {
	for name, v := range f.Header {
		w.Header().Set(name, v)
	}
	if f.Wait > 0 && s.Kind != Gemini {
		w.Header().Set("Retry-After", fmt.Sprint(math.Ceil(f.Wait.Seconds())))
		w.Header().Set("retry-after-ms", fmt.Sprint(f.Wait.Milliseconds()))
	}
	format := formats[s.Kind]
	message := "fault: " + f.Name
	if s.EchoKey {
		message += " (your key is " + format.key(r.Header) + ")"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	w.Write(format.refusal(f.Status, f.Code, message, f.Wait))
}
