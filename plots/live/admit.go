package live

import (
	"crypto/subtle"
	"io"
	"net/http"
	"slices"
	"strings"
)

// tokenHeader carries the token of an action. A page of another origin cannot set it without being asked for its leave.
const tokenHeader = "X-Assay-Token"

// ticketHeader carries what [Server.Ticket] made, once.
const ticketHeader = "X-Assay-Ticket"

// admit lets requests in that come from this machine by a name of it, and sends each to what answers it.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", "frame-ancestors 'none'")
	h.Set("Cache-Control", "no-cache")
	if !slices.Contains(s.hosts, r.Host) || s.foreign(r) {
		http.Error(w, "this address answers the pages that it serves, and no others", http.StatusForbidden)
		return
	}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/do/enter":
		s.enter(w, r)
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/do/"):
		s.act(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "GET and HEAD alone are answered here", http.StatusMethodNotAllowed)
	case r.URL.Path == "/live.json":
		s.news(w, r)
	default:
		s.page(w, r)
	}
}

// foreign reports whether a page of another origin sent the request. To follow a link to here is allowed.
func (s *Server) foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(s.hosts, strings.TrimPrefix(origin, "http://")) {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method == http.MethodPost
	}
	return false
}

// enter hands the token to who has the ticket, which is used up by it.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ok := s.ticket != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(ticketHeader)), []byte(s.ticket)) == 1
	if ok {
		s.ticket = ""
	}
	s.mu.Unlock()
	if !ok {
		http.Error(w, "this address let one page in, and no other: open the one that assay serve printed", http.StatusForbidden)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, s.token) // a client that has gone needs no answer
}

// act stops a run or goes on with one, for who has the token.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(s.token)) != 1 {
		http.Error(w, "this needs the token: open the address that assay serve printed, whole", http.StatusForbidden)
		return
	}
	run, ok := s.run(r.URL.Query().Get("run"))
	if !ok {
		http.Error(w, "there is no such run any more", http.StatusNotFound)
		return
	}
	var err error
	switch r.URL.Path {
	case "/do/stop":
		err = s.o.Stop(run)
	case "/do/go-on":
		err = s.o.GoOn(run)
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
