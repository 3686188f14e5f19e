package sandbox

import (
	"context"
	"slices"
	"sync"

	"assay/prompting/sql/engine"
)

// database is an open database with its idle connections.
type database struct {
	db    engine.DB
	stamp engine.Stamp
	idle  []engine.Conn
}

// lent is a connection in use, with the database to which it returns.
type lent struct {
	engine.Conn
	of *database
}

// pool holds idle connections by database, and drops the least recently used database first.
type pool struct {
	opts   Options
	mu     sync.Mutex
	open   map[engine.DB]*database
	recent []*database // oldest first
	closed bool
}

// take returns an idle connection to a database, or a new one. It drops the connections of a database that has changed,
// because one opened as immutable would not see the change.
func (p *pool) take(ctx context.Context, db engine.DB) (lent, error) {
	now, err := db.Engine.Stamp(db.Source)
	if err != nil {
		return lent{}, err
	}
	of, c, stale := p.find(db, now)
	closeAll(stale)
	if c == nil {
		l := engine.Limits{MaxRows: p.opts.MaxRows, MaxBytes: p.opts.MaxBytes, MaxValue: p.opts.MaxValue, Truncate: p.opts.Truncate}
		c, err = db.Engine.Open(ctx, db.Source, l)
	}
	return lent{c, of}, err
}

// find looks a database up, marks it as used, and lends one of its idle connections, if there is one. The caller closes
// stale after the lock is released, since closing may block.
func (p *pool) find(db engine.DB, now engine.Stamp) (of *database, c engine.Conn, stale []engine.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of = p.open[db]
	if of != nil && of.stamp != now {
		stale = p.drop(of)
		of = nil
	}
	if of == nil {
		of = &database{db: db, stamp: now}
		p.open[db] = of
	} else {
		p.recent = remove(p.recent, of)
	}
	p.recent = append(p.recent, of)
	if len(p.recent) > p.opts.MaxFiles {
		stale = append(stale, p.drop(p.recent[0])...)
	}
	if n := len(of.idle); n > 0 {
		c = of.idle[n-1]
		of.idle = of.idle[:n-1]
	}
	return of, c, stale
}

// drop removes a database and returns its idle connections. The caller holds mu.
func (p *pool) drop(d *database) []engine.Conn {
	delete(p.open, d.db)
	p.recent = remove(p.recent, d)
	idle := d.idle
	d.idle = nil
	return idle
}

func remove(all []*database, d *database) []*database {
	if i := slices.Index(all, d); i >= 0 {
		return slices.Delete(all, i, i+1)
	}
	return all
}

// put returns a connection to the pool. It closes the connection instead where the pool is closed, or the database has
// been dropped or has enough idle connections.
func (p *pool) put(c lent) {
	p.mu.Lock()
	keep := !p.closed && p.open[c.of.db] == c.of && len(c.of.idle) < p.opts.MaxIdle
	if keep {
		c.of.idle = append(c.of.idle, c.Conn)
	}
	p.mu.Unlock()
	if !keep {
		c.Close()
	}
}

func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	var stale []engine.Conn
	for len(p.recent) > 0 {
		stale = append(stale, p.drop(p.recent[0])...)
	}
	p.mu.Unlock()
	closeAll(stale)
	return nil
}

func closeAll(cs []engine.Conn) {
	for _, c := range cs {
		c.Close()
	}
}
