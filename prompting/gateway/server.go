package gateway

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/semaphore"
)

// Bounds on clients.
const (
	mostConcurrent  = 256      // requests answered at once
	mostConnections = 1024     // beyond which a connection waits to be accepted
	mostHeader      = 32 << 10 // bytes
	mostBody        = 16 << 20 // bytes of one request
	mostBodies      = 64 << 20 // bytes of all that are being answered
	patience        = time.Minute
	idle            = 5 * time.Minute // of a connection between requests
)

// Server is the gateway. It is safe for concurrent use.
type Server struct {
	listener net.Listener
	http     *http.Server
	served   chan error // the error of Serve
	secret   [sha256.Size]byte
	hosts    []string            // that requests may name: only loopback, so that no page of a browser gets in by a name of its own
	slots    *semaphore.Weighted // of requests
	bodies   *semaphore.Weighted // of their bytes

	mu   sync.Mutex
	last uint64 // number of the last address
	open map[uint64]*address
}

// handler answers a request that was admitted. path is what follows the address, escaped as it was sent, without a slash at
// its beginning; body is all of it.
type handler func(w http.ResponseWriter, r *http.Request, path string, body []byte)

// address is a place on the server that has a key.
type address struct {
	server *Server
	number uint64
	keys   []string // any of them opens it
	serve  handler
}

// Open starts a server on 127.0.0.1; Close ends it. The error is that of listening: a port that is taken, or not allowed.
func Open(o Options) (*Server, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return nil, fmt.Errorf("gateway: open port %d: %w", o.Port, err)
	}
	if o.Concurrent <= 0 {
		o.Concurrent = mostConcurrent
	}
	port := l.Addr().(*net.TCPAddr).Port
	s := &Server{listener: l, served: make(chan error, 1), open: map[uint64]*address{},
		hosts: []string{fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("localhost:%d", port)},
		slots: semaphore.NewWeighted(int64(o.Concurrent)), bodies: semaphore.NewWeighted(mostBodies)}
	if _, err := rand.Read(s.secret[:]); err != nil {
		return nil, errors.Join(fmt.Errorf("gateway: open: %w", err), l.Close())
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.admit), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: idle, MaxHeaderBytes: mostHeader,
		ErrorLog: log.New(io.Discard, "", 0)} // it would name addresses, which are secrets
	go func() { s.served <- s.http.Serve(netutil.LimitListener(l, mostConnections)) }()
	return s, nil
}

// Close ends the server and all its addresses. Requests that it is still answering are cut.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// grant makes an address.
func (s *Server) grant(serve handler, further ...string) *address {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	a := &address{server: s, number: s.last, serve: serve}
	a.keys = append([]string{"assay-" + s.sign("key", a.number)}, further...)
	s.open[a.number] = a
	return a
}

// revoke ends an address.
func (a *address) revoke() {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	delete(a.server.open, a.number)
}

// url returns where the address is, without a slash at its end.
func (a *address) url() string {
	return fmt.Sprintf("http://%s/%016x%s", a.server.hosts[0], a.number, a.server.sign("path", a.number))
}

// sign returns text that belongs to an address and that nobody without the server's secret can tell. An address that has
// ended is so told from one that never was, without a list of all that were.
func (s *Server) sign(purpose string, number uint64) string {
	mac := hmac.New(sha256.New, s.secret[:])
	mac.Write(binary.BigEndian.AppendUint64([]byte(purpose), number))
	return hex.EncodeToString(mac.Sum(nil)[:24])
}

// numberDigits is the length of an address's number in its path.
const numberDigits = 16

// find returns the address whose token a path begins with. known is true where there was one.
func (s *Server) find(token string) (a *address, known bool) {
	if len(token) <= numberDigits {
		return nil, false
	}
	b, err := hex.DecodeString(token[:numberDigits])
	if err != nil {
		return nil, false
	}
	number := binary.BigEndian.Uint64(b)
	if !equal(token[numberDigits:], s.sign("path", number)) {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[number], true
}

// equal compares secrets in a time that does not depend on what they share.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// admit lets requests in that come from this machine with the key of an open address, and reads their bodies.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil // answers are the same at any time
	token, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	a, err := s.allowed(r, token)
	if err != nil {
		refuse(w, formOf(r), err)
		return
	}
	if s.slots.Acquire(r.Context(), 1) != nil {
		return // the client has gone
	}
	defer s.slots.Release(1)
	size := int64(mostBody)
	if r.ContentLength >= 0 && r.ContentLength <= mostBody {
		size = r.ContentLength
	}
	if s.bodies.Acquire(r.Context(), size) != nil {
		return
	}
	body, err := read(w, r)
	s.bodies.Release(size - int64(len(body))) // one of unknown length was taken for a long one
	defer s.bodies.Release(int64(len(body)))
	if err != nil {
		refuse(w, formOf(r), err)
		return
	}
	a.serve(w, r, path, body)
}

// allowed returns the address that a request is for.
func (s *Server) allowed(r *http.Request, token string) (*address, error) {
	switch {
	case !slices.Contains(s.hosts, strings.ToLower(r.Host)):
		return nil, &refusal{Status: http.StatusForbidden, Message: "the request names another host than 127.0.0.1 and this port"}
	case r.Header.Get("Origin") != "":
		return nil, &refusal{Status: http.StatusForbidden, Message: "the request comes from a page in a browser, which is not answered"}
	}
	a, known := s.find(token)
	switch {
	case !known:
		return nil, &refusal{Status: http.StatusUnauthorized, Message: "there is no such address: use the base URL as it was given, with all of its path"}
	case a == nil:
		return nil, &refusal{Status: http.StatusGone, Code: "item_over",
			Message: "this address was for one item, which has been answered: use the base_url that came with the present one"}
	}
	given := keyOf(r)
	for _, key := range a.keys {
		if equal(given, key) {
			return a, nil
		}
	}
	return nil, &refusal{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "the API key is not the one of this address: use the one that was given with it"}
}

// keyOf returns the key that a request carries, as the clients of OpenAI, Anthropic and Azure send it.
func keyOf(r *http.Request) string {
	if scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	for _, name := range []string{"X-Api-Key", "Api-Key"} {
		if key := r.Header.Get(name); key != "" {
			return key
		}
	}
	return ""
}

// read reads a body, within [patience].
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := &refusal{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the request has more than %d bytes", mostBody)}
	switch {
	case r.ContentLength > mostBody:
		return nil, tooLarge
	case r.Header.Get("Content-Encoding") != "":
		return nil, &refusal{Status: http.StatusUnsupportedMediaType, Message: "the request is compressed: send it as it is"}
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(patience)) // an error means a connection without deadlines, which tests have
	var b bytes.Buffer
	_, err := io.Copy(&b, http.MaxBytesReader(w, r.Body, mostBody))
	_ = control.SetReadDeadline(time.Time{}) // or it would cancel the request while a model answers it
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case err != nil:
		return nil, &refusal{Status: http.StatusBadRequest, Message: "the request did not arrive whole"}
	}
	return b.Bytes(), nil
}

// send writes an answer, within [patience]. A client that has gone gets nothing, which is no error of the server's.
func send(w http.ResponseWriter, status int, kind string, body []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Mount is an address that answers by a function of its own, which may pass requests on to exchanges.
type Mount struct{ *address }

// Mount makes an address. serve gets every admitted request: path is what follows the address, escaped as it was sent and
// without a slash at its beginning, and body is all of it.
func (s *Server) Mount(serve func(w http.ResponseWriter, r *http.Request, path string, body []byte)) Mount {
	return Mount{s.grant(serve)}
}

// URL returns the address, without a slash at its end.
func (m Mount) URL() string { return m.url() }

// Key returns the API key of the address.
func (m Mount) Key() string { return m.keys[0] }

// Close ends the address.
func (m Mount) Close() { m.revoke() }
