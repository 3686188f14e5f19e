// Package live serves the pages of a site on this machine alone, while runs go on.
//
// A request is admitted first (admit.go): its host, where it comes from, its method. A page is then made when it is asked for and
// its key is another than before, one at a time, and kept in a folder (serve.go); the state of the runs is read from their
// folders, which the runner writes every few seconds (state.go). The two actions, to stop a run and to go on with one, need
// the token that was printed when the server was started.
//
// The package must never listen on anything but loopback, answer a page of another origin, list a folder, name a file by what
// a request says, or do anything but these two actions for whom it may be.
package live

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"assay/plots/site"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/semaphore"
)

// Bounds on clients.
const (
	mostConnections = 256      // beyond which a connection waits to be accepted
	mostSending     = 8        // pages sent at once, each of which is in memory
	mostHeader      = 16 << 10 // bytes
	idle            = time.Minute
	sending         = 5 * time.Minute // of one answer, the making of its page included
)

// Options says what is served.
type Options struct {
	Port int                        // 0: a free one
	Site func() (*site.Site, error) // the store as it is now
	Stop func(run site.Run) error   // asks the process that makes a run to end; the error says why it cannot
	GoOn func(run site.Run) error   // starts a run again
	Told func(run site.Run) string  // the last that a process which GoOn started has said; empty for nothing
	// Makers says which of some runs, the latest first, a process makes that Stop can reach, by their names.
	Makers func(runs []site.Run) map[string]bool
}

// Server is a site that is being served. It is safe for concurrent use.
type Server struct {
	o        Options
	listener net.Listener
	http     *http.Server
	served   chan error
	hosts    []string // that requests may name: loopback alone, so that no page gets in by a name of its own
	token    string
	folder   string // of the pages that were made
	slots    *semaphore.Weighted
	making   *semaphore.Weighted

	mu     sync.Mutex
	ticket string // of Ticket, until it is used
	site   *site.Site
	pages  map[string]site.Page
	err    error         // of the last reading of the store
	looked time.Time     // when that was
	took   time.Duration // by reading it
	made   map[string]string
	states map[string]*seen
}

// Open starts a server on 127.0.0.1; Close ends it.
func Open(o Options) (*Server, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return nil, fmt.Errorf("live: open port %d: %w", o.Port, err)
	}
	s := &Server{o: o, listener: l, served: make(chan error, 1), slots: semaphore.NewWeighted(mostSending), making: semaphore.NewWeighted(1),
		made: map[string]string{}, states: map[string]*seen{}}
	port := l.Addr().(*net.TCPAddr).Port
	s.hosts = []string{fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("localhost:%d", port)}
	secret := make([]byte, sha256.Size)
	_, err = rand.Read(secret)
	if err == nil {
		s.folder, err = os.MkdirTemp("", "assay-serve-")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("live: open: %w", err), l.Close())
	}
	s.token = spelled(secret)
	s.http = &http.Server{Handler: http.HandlerFunc(s.admit), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: sending,
		IdleTimeout: idle, MaxHeaderBytes: mostHeader, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { s.served <- s.http.Serve(netutil.LimitListener(l, mostConnections)) }()
	return s, nil
}

// URL is the site's address. Its fragment, which browsers send to nobody, holds the token.
func (s *Server) URL() string { return "http://" + s.hosts[0] + "/#token=" + s.token }

// Ticket returns an address that hands its token to the first page that asks with it, and to no other: every user of the machine
// can read the command line of the browser that it is given to.
func (s *Server) Ticket() string {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ticket = spelled(secret)
	return "http://" + s.hosts[0] + "/#ticket=" + s.ticket
}

// spelled returns a secret as it stands in addresses and headers.
func spelled(secret []byte) string { return base64.RawURLEncoding.EncodeToString(secret) }

// Close ends the server, waits shortly for answers under way, and removes the pages that were made.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	err := <-s.served
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}
