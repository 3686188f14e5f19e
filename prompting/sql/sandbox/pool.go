package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// stamp is what tells that a file on disk is still the one a connection was opened on.
type stamp struct {
	size   int64
	mod    time.Time
	logged bool // a write-ahead log or rollback journal with content lies beside it
}

// file is a database and its idle connections.
type file struct {
	path  string // absolute
	stamp stamp
	idle  []*conn
}

// pool holds idle connections by file, the files last used longest ago being dropped first.
type pool struct {
	opts   Options
	mu     sync.Mutex
	files  map[string]*file
	recent []*file // oldest first
	closed bool
}

// take is an idle connection to the file at path, or a new one. A file that changed on disk is opened anew.
func (p *pool) take(path string) (*conn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	now, err := stat(abs)
	if err != nil {
		return nil, err
	}
	f, c, stale := p.find(abs, now)
	closeAll(stale)
	if c != nil {
		return c, nil
	}
	return open(f, p.opts)
}

func stat(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return stamp{}, fmt.Errorf("%s is not a regular file", path)
	}
	s := stamp{size: info.Size(), mod: info.ModTime()}
	for _, suffix := range []string{"-wal", "-journal"} {
		if side, err := os.Stat(path + suffix); err == nil && side.Size() > 0 {
			s.logged = true
		}
	}
	return s, nil
}

// find looks path up, marks it used, and lends one of its connections, if any. stale is for the caller to close.
func (p *pool) find(path string, now stamp) (f *file, c *conn, stale []*conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f = p.files[path]
	if f != nil && f.stamp != now {
		stale = p.drop(f)
		f = nil
	}
	if f == nil {
		f = &file{path: path, stamp: now}
		p.files[path] = f
	} else {
		p.recent = remove(p.recent, f)
	}
	p.recent = append(p.recent, f)
	if len(p.recent) > p.opts.MaxFiles {
		stale = append(stale, p.drop(p.recent[0])...)
	}
	if n := len(f.idle); n > 0 {
		c = f.idle[n-1]
		f.idle = f.idle[:n-1]
	}
	return f, c, stale
}

// drop forgets f and hands over its idle connections; mu is held.
func (p *pool) drop(f *file) []*conn {
	delete(p.files, f.path)
	p.recent = remove(p.recent, f)
	idle := f.idle
	f.idle = nil
	return idle
}

func remove(files []*file, f *file) []*file {
	if i := slices.Index(files, f); i >= 0 {
		return slices.Delete(files, i, i+1)
	}
	return files
}

// put gives a connection back, closing it where its file has been dropped or has enough.
func (p *pool) put(c *conn) {
	p.mu.Lock()
	keep := !p.closed && p.files[c.file.path] == c.file && len(c.file.idle) < p.opts.MaxIdle
	if keep {
		c.file.idle = append(c.file.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.close()
	}
}

func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	var stale []*conn
	for len(p.recent) > 0 {
		stale = append(stale, p.drop(p.recent[0])...)
	}
	p.mu.Unlock()
	closeAll(stale)
	return nil
}

func closeAll(cs []*conn) {
	for _, c := range cs {
		c.close()
	}
}
