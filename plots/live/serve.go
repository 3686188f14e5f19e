package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"time"

	"assay/configs/input"
	"assay/configs/output"
	"assay/plots/site"
)

// look is the least time between two readings of the store; a large store is read less often, so that reading takes a tenth
// of the time at most.
const look = 2 * time.Second

// current returns the site's pages and runs. A store that cannot be read leaves those of before, with the error.
func (s *Server) current() (*site.Site, map[string]site.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.site != nil && time.Since(s.looked) < max(look, 10*s.took) {
		return s.site, s.pages, s.err
	}
	begun := time.Now()
	now, err := s.o.Site()
	s.err, s.looked, s.took = err, time.Now(), time.Since(begun)
	if err != nil {
		return s.site, s.pages, err
	}
	now.Live = true
	s.site, s.pages = now, map[string]site.Page{}
	for _, p := range now.Pages() {
		s.pages[p.Path] = p
	}
	return s.site, s.pages, nil
}

// run returns a run by its folder's name in the site.
func (s *Server) run(folder string) (site.Run, bool) {
	now, _, err := s.current()
	if err != nil || now == nil {
		return site.Run{}, false
	}
	for _, r := range now.Runs {
		if r.Folder() == folder {
			return r, true
		}
	}
	return site.Run{}, false
}

// page answers with one page of the site; only what the site plans has an address.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	_, pages, err := s.current()
	p, ok := pages[name]
	switch {
	case err != nil:
		http.Error(w, "the store cannot be read: "+err.Error(), http.StatusServiceUnavailable)
		return
	case !ok:
		http.Error(w, "there is no such page: the list of runs is at /", http.StatusNotFound)
		return
	}
	if s.slots.Acquire(r.Context(), 1) != nil {
		return // the client has gone
	}
	defer s.slots.Release(1)
	text, err := s.bytes(r, p)
	if err != nil && text == nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// bytes returns a page, from the folder where it was made before with the same key.
func (s *Server) bytes(r *http.Request, p site.Page) ([]byte, error) {
	if p.Key == "" {
		return p.Bytes(r.Context())
	}
	if err := s.making.Acquire(r.Context(), 1); err != nil {
		return nil, err
	}
	defer s.making.Release(1)
	sum := sha256.Sum256([]byte(p.Path))
	file := filepath.Join(s.folder, hex.EncodeToString(sum[:]))
	s.mu.Lock()
	had := s.made[p.Path]
	s.mu.Unlock()
	if had == p.Key {
		if text, err := input.Read(file, input.Site); err == nil {
			return text, nil
		}
	}
	text, err := p.Bytes(r.Context())
	if err != nil {
		return text, err // the page that says why is not kept
	}
	if output.File(file, func(w io.Writer) error { _, err := w.Write(text); return err }) == nil { // else it is made again
		s.mu.Lock()
		s.made[p.Path] = p.Key
		s.mu.Unlock()
	}
	return text, nil
}
