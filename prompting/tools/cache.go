package tools

import (
	"context"
	"errors"
	"slices"
	"sync"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/values"
)

// defaultDesks is how many databases a [Cache] keeps.
const defaultDesks = 16

// Cache keeps what the tools work out once a database: statistics and rankings of columns, the graph of its keys, and
// the index of its values where no other opener is given. It is safe for concurrent use.
type Cache struct {
	most int

	mu     sync.Mutex
	desks  map[deskKey]*desk
	recent []deskKey // keys of desks, the latest last
	opened []*values.Index
}

// NewCache returns a Cache of at most that many databases, the latest used; 0 means defaultDesks.
func NewCache(databases int) *Cache {
	if databases <= 0 {
		databases = defaultDesks
	}
	return &Cache{most: databases, desks: map[deskKey]*desk{}}
}

// deskKey is a database in one state, and in one description.
type deskKey struct {
	db          engine.DB
	stamp       engine.Stamp
	description string
}

// desk is what is known of one database. Maps are guarded by mu, and grow by what models ask for: statistics by column,
// rankings by description.
type desk struct {
	graph func() *keys

	mu       sync.Mutex
	stats    map[[2]string]string
	rankings map[string]*ranking

	opening sync.Mutex // held while the index is opened
	index   *values.Index
}

// desk returns that of a database as it is now: a changed one gets a new one.
func (c *Cache) desk(of engine.DB, db *schema.Database) *desk {
	key := deskKey{db: of, description: fingerprint(db)}
	if !of.None() {
		key.stamp, _ = of.Engine.Stamp(of.Source)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.desks[key]
	if d == nil {
		d = &desk{stats: map[[2]string]string{}, rankings: map[string]*ranking{}, graph: sync.OnceValue(func() *keys { return newKeys(db) })}
		c.desks[key] = d
	} else if i := slices.Index(c.recent, key); i >= 0 {
		c.recent = slices.Delete(c.recent, i, i+1)
	}
	if c.recent = append(c.recent, key); len(c.recent) > c.most {
		// Its index stays open until Close: a Set may be using it.
		delete(c.desks, c.recent[0])
		c.recent = slices.Delete(c.recent, 0, 1)
	}
	return d
}

// Close closes the indexes that the Cache has opened. Sets that use it must be done.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []error
	for _, x := range c.opened {
		all = append(all, x.Close())
	}
	clear(c.desks)
	c.opened, c.recent = nil, nil
	return errors.Join(all...)
}

// index returns the index of the database's values, opened once.
func (s *Set) index(ctx context.Context) (*values.Index, error) {
	d := s.desk
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.index != nil {
		return d.index, nil
	}
	open := s.o.Values
	if open == nil {
		open = values.Open
	}
	x, err := open(ctx, s.base, s.o.Index)
	if err != nil {
		return nil, err
	}
	d.index = x
	if c := s.o.Cache; s.o.Values == nil {
		c.mu.Lock()
		c.opened = append(c.opened, x)
		c.mu.Unlock()
	}
	return x, nil
}
